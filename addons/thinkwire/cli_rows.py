"""The rows of an exchange as lines of a terminal."""

from thinkwire.cli_colour import Colours
from thinkwire.proxy.recording import Session
from thinkwire.proxy.rows import Row, Tone
from thinkwire.proxy.wording import printable

__all__ = ["head_line", "row_line"]


def head_line(recorded: Session, colours: Colours) -> str:
    return colours.bold(f"flow {recorded.number}: {recorded.method} {printable(recorded.url)}")


def row_line(row: Row, colours: Colours) -> str:
    """A name, and a text of any number of lines beside it."""
    if row.text is None:
        return colours.bold(f"  {row.name}")
    paint = {Tone.THOUGHT: colours.dim, Tone.CALL: colours.yellow, Tone.BAD: colours.red}.get(row.tone, str)
    first, *others = (paint(printable(line)) for line in row.text.split("\n"))
    return "\n".join(
        [f"  {colours.bold(row.name.ljust(10))}{first}", *(f"{'':12}{line}" if line else "" for line in others)]
    )
