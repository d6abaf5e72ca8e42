"""What rules change in an exchange, before and after, cut to the change: for `thinkwire show --diff` and its page."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from thinkwire.playback.event_pairs import EventPair
from thinkwire.playback.run import ExchangeResult
from thinkwire.playback.text import common_start
from thinkwire.rewrite.stream.sniff import BodyFormat
from thinkwire.wire.json_difference import Difference, differences
from thinkwire.wire.json_tree import Unreadable, decode

_AROUND: Final = 60
"""Characters shown on either side of what changed."""
_LONGEST: Final = 400
"""Characters shown of a document that is sent or not sent as a whole."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One side of a change."""

    sign: str
    """`-` for before, `+` for after."""
    differs: str
    head: str = ""
    """What precedes it, the same on both sides."""
    tail: str = ""
    """What follows it."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One thing that the rules change."""

    where: str
    lines: list[DiffLine]


@dataclass(frozen=True, slots=True)
class Listing:
    """All that the rules change in one exchange."""

    changes: list[Changed]
    summary: str
    """In the words of the log, without the rules."""


def listing_of(result: ExchangeResult) -> Listing:
    """What the rules change in the request, and then in the answer; if the request is refused, there is no answer."""
    changes = [Changed("request", lines)] if (lines := list(_request_lines(result))) else []
    changes += [Changed(_where(pair, result), lines) for pair in result.pairs if (lines := list(_answer_lines(pair)))]
    return Listing(changes, result.done)


# --- the request --------------------------------------------------------------------------------------------------


def _request_lines(result: ExchangeResult) -> Iterator[DiffLine]:
    before, after = (
        decode(flow.request.get_content(strict=False) or b"") for flow in (result.recorded.flow, result.flow)
    )
    if before == after:
        return
    try:
        found = differences(before, after)
    except Unreadable:  # nested deeper than can be compared
        found = [Difference("", before, after)]
    for difference in found:
        place = f"{difference.path}: " if difference.path else ""
        texts = [None if text is None else _shown(text) for text in (difference.before, difference.after)]
        for line in _both(*texts):
            yield replace(line, head=place + line.head)


# --- the answer ---------------------------------------------------------------------------------------------------


def _where(pair: EventPair, result: ExchangeResult) -> str:
    if result.form is BodyFormat.BODY:
        return "body"
    noun = "message" if result.recorded.messages else "event"
    return f"{noun} {pair.event.number}" if pair.event is not None else "after the last event"


def _answer_lines(pair: EventPair) -> Iterator[DiffLine]:
    """The event before and after; only what is sent beside it, if it is sent as it is."""
    before, after = pair.event.text if pair.event is not None else "", [event.text for event in pair.sent]
    if before in after:
        after.remove(before)
        before = ""
    if len(after) == 1:
        yield from _both(_shown(before) or None, _shown(after[0]))
        return
    yield from _both(_shown(before) or None, None)
    for text in after:
        yield from _both(None, _shown(text))


# --- lines --------------------------------------------------------------------------------------------------------


def _both(before: str | None, after: str | None) -> Iterator[DiffLine]:
    """Two texts, each cut to a little around what differs; or one as a whole."""
    start = end = 0
    if before is not None and after is not None:
        start = common_start(before, after)
        end = common_start(before[start:][::-1], after[start:][::-1])
    for sign, text in (("-", before), ("+", after)):
        if text is None:
            continue
        until = len(text) - end
        first, last = max(0, start - _AROUND), min(len(text), until + _AROUND)
        head = ("..." if first else "") + text[first:start]
        tail = text[until:last] + ("..." if last < len(text) else "")
        yield DiffLine(sign, _cut(text[start:until]), head, tail)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _shown(document: str) -> str:
    """Document text on one line."""
    text = document.encode("latin-1", "replace").decode("utf-8", "replace").strip()
    return text.replace("\r", "\\r").replace("\n", "\\n")
