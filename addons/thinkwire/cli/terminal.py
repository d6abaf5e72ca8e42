"""Lines for a terminal, in colour.

Nothing that mitmproxy depends on prints coloured lines, and a few escape sequences do not justify another dependency.
"""

import os
from collections.abc import Iterator
from functools import partialmethod
from typing import TextIO

from thinkwire.exchange.exchange_log import rules_of
from thinkwire.playback.diff import listing_of
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.run import ExchangeResult
from thinkwire.playback.summary import SummaryRow, Tone
from thinkwire.playback.text import printable


class Colours:
    """Colours texts, or leaves them as they are."""

    def __init__(self, out: TextIO) -> None:
        self.are_on = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def _in(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.are_on and text else text

    bold, dim = partialmethod(_in, 1), partialmethod(_in, 2)
    red, green, yellow = partialmethod(_in, 31), partialmethod(_in, 32), partialmethod(_in, 33)


def head_line(recorded: RecordedExchange, colours: Colours) -> str:
    return colours.bold(f"flow {recorded.number}: {recorded.method} {printable(recorded.url)}")


def row_line(row: SummaryRow, colours: Colours) -> str:
    """A name, and a text of any number of lines beside it."""
    if row.text is None:
        return colours.bold(f"  {row.name}")
    paint = {Tone.REASONING: colours.dim, Tone.CALL: colours.yellow, Tone.BAD: colours.red}.get(row.tone, str)
    first, *others = (paint(printable(line)) for line in row.text.split("\n"))
    return "\n".join(
        [f"  {colours.bold(row.name.ljust(10))}{first}", *(f"{'':12}{line}" if line else "" for line in others)]
    )


def diff_lines(result: ExchangeResult, colours: Colours, most: int | None = None) -> Iterator[str]:
    """What the rules change in an exchange; at most `most` changes."""
    listing = listing_of(result)
    for changed in listing.changes[:most]:
        yield colours.dim(f"  {changed.where}")
        for line in changed.lines:
            colour = colours.red if line.sign == "-" else colours.green
            yield f"  {colour(line.sign)} {printable(line.head)}{colour(printable(line.differs))}{printable(line.tail)}"
    if not result.selection.rules:
        yield "  no rule decides about this exchange"
    else:
        yield printable(f"  {rules_of(result.selection)}: {listing.summary}")
