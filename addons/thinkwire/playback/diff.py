"""What rules change in an exchange, before and after, cut to what changed: for `thinkwire show --diff` and its page."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from thinkwire.exchange.exchange_log import what_was_done
from thinkwire.playback.reading import Change, Rerun
from thinkwire.playback.rehearsal import Rehearsed
from thinkwire.playback.text import alike
from thinkwire.wire.json_difference import Difference, differences
from thinkwire.wire.json_tree import Unreadable, decode

__all__ = ["Changed", "DiffLine", "Listing", "listing_of"]

_AROUND: Final = 60
"""Characters shown on either side of what changed."""
_LONGEST: Final = 400
"""Characters shown of a document that is sent or not sent as a whole."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """How something was, or is."""

    sign: str
    """`-` for before, `+` for after."""
    differs: str
    head: str = ""
    """What stands before, and is the same in both."""
    tail: str = ""
    """What stands behind."""


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
    """As the log says it, without the rules."""


def listing_of(one: Rehearsed, run: Rerun) -> Listing:
    """What the rules change in the request, and then in the answer; of a refused request there is no answer."""
    changes = [Changed("request", lines)] if (lines := list(_request_lines(one))) else []
    if one.request.refusal:
        return Listing(changes, f"refused: {one.request.refusal}")
    changes += [Changed(_where(change, run.noun), list(_change_lines(change))) for change in run.changes]
    return Listing(changes, what_was_done(run.tally, run.noun, [*one.request.notes, *run.summary], False))


# --- the request --------------------------------------------------------------------------------------------------


def _request_lines(one: Rehearsed) -> Iterator[DiffLine]:
    before, after = decode(one.request.before), decode(one.request.after)
    try:
        found = differences(before, after) if one.request.is_changed else []
    except Unreadable:  # nested deeper than can be compared
        found = [Difference("", before, after)]
    for difference in found:
        place = f"{difference.path}: " if difference.path else ""
        texts = [None if text is None else _shown(text) for text in (difference.before, difference.after)]
        for line in _both(*texts):
            yield replace(line, head=place + line.head)


# --- the answer ---------------------------------------------------------------------------------------------------


def _where(change: Change, noun: str) -> str:
    if noun == "body":
        return noun
    return f"{noun} {change.event.number}" if change.event is not None else "after the last event"


def _change_lines(change: Change) -> Iterator[DiffLine]:
    before, after = _shown(change.before) or None, [_shown(text) for text in change.after]
    if len(after) == 1:
        yield from _both(before, after[0])
        return
    yield from _both(before, None)
    for text in after:
        yield from _both(None, text)


# --- lines --------------------------------------------------------------------------------------------------------


def _both(before: str | None, after: str | None) -> Iterator[DiffLine]:
    """Two texts, of which not much is shown around what differs; or one as a whole."""
    start = end = 0
    if before is not None and after is not None:
        start = alike(before, after)
        end = alike(before[start:][::-1], after[start:][::-1])
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
    """Document text as a line."""
    text = document.encode("latin-1", "replace").decode("utf-8", "replace").strip()
    return text.replace("\r", "\\r").replace("\n", "\\n")
