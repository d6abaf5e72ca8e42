"""What a picture shows of an event: its content, by choice, and what the rules hid of it.

It knows no axis and no lanes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from thinkwire.dialects.core.parts import Kind
from thinkwire.playback.text import common_start
from thinkwire.rewrite.reading.transcript import EventContent, Number


class ItemKind(Enum):
    """What an event holds; each kind has a row."""

    REASONING = "reasoning"
    ANSWER = "answer"
    CALL = "tool call"
    HIDDEN = "hidden"
    """What the rules removed, or hold back."""
    OTHER = "other"
    """A finish reason, usage, an end mark, or nothing that is shown."""
    BAD = "error"
    """An error, or an event that cannot be read."""


@dataclass(frozen=True, slots=True)
class TimelineItem:
    """One thing that is shown of an event."""

    kind: ItemKind
    event: int
    time: float | None
    text: str = ""
    size: int = 0
    """Characters of what was said."""
    choice: Number | None = None
    """None if it belongs to no choice."""
    released: int = 0
    """Characters that an earlier event seemed to have lost, and that the client gets with this one."""


_SPOKEN: Final = {
    Kind.REASONING: ItemKind.REASONING,
    Kind.TEXT: ItemKind.ANSWER,
    Kind.REFUSAL: ItemKind.ANSWER,
    Kind.TOOL_CALL: ItemKind.CALL,
}


class ContentPair(NamedTuple):
    """What an event says, and what the client gets for it."""

    said: EventContent
    """With no text for what is sent between two events, or after the last one."""
    got: list[EventContent]
    """The same if no rule changed it; nothing if it is not sent."""


def timeline_items(pairs: Iterable[ContentPair]) -> Iterator[TimelineItem]:
    """Everything that is shown of the events of an answer, before and after the rules."""
    held_back: dict[Number, str] = {}
    for pair in pairs:
        yield from _items(pair, held_back)


def _items(pair: ContentPair, held_back: dict[Number, str]) -> Iterator[TimelineItem]:
    event = pair.said.event
    before, after = _spoken([pair.said]), _spoken(pair.got)
    for choice in in_order(before | after):
        said, got = before.get(choice, {}), after.get(choice, {})
        earlier = held_back.get(choice, "")
        missing, released = _missing(earlier, said, got)
        for kind, text in got.items():
            yield TimelineItem(kind, event.number, event.time, text, len(text), choice, released)
            released = 0
        if missing:
            yield TimelineItem(ItemKind.HIDDEN, event.number, event.time, missing, len(missing), choice)
        held_back[choice] = (missing if got else earlier + missing)[-_MOST_HELD_BACK:]
    if not pair.got and not before:
        belongs_to = next((moment.choice for moment in pair.said.moments), None)
        problem = pair.said.problem
        text = f"cannot be read: {problem}" if problem else "an event without a text"
        yield TimelineItem(ItemKind.HIDDEN, event.number, event.time, text, 0, belongs_to)
    elif pair.got:
        beside = list(_beside(pair.got))
        if not beside and not before and not after:
            is_end = any(one.event.is_end_mark for one in pair.got)
            text = f"end mark {pair.got[0].event.text.strip()}" if is_end else "no text"
            beside = [(ItemKind.OTHER, text)]
        yield from (TimelineItem(kind, event.number, event.time, text) for kind, text in beside)


def _spoken(said: list[EventContent]) -> dict[Number, dict[ItemKind, str]]:
    """What is said, by choice."""
    texts: dict[Number, dict[ItemKind, str]] = {}
    for moment in (moment for one in said for moment in one.moments if moment.kind in _SPOKEN):
        of_choice, kind = texts.setdefault(moment.choice, {}), _SPOKEN[moment.kind]
        of_choice[kind] = of_choice.get(kind, "") + (moment.name and f"{moment.name} ") + moment.text
    return texts


_MOST_HELD_BACK: Final = 1_000
"""Characters that may be sent later; the beginning of a tag is shorter."""


def _missing(earlier: str, said: dict[ItemKind, str], got: dict[ItemKind, str]) -> tuple[str, int]:
    """What the client does not get of a choice's words, and how much it now gets of what was missing `earlier`."""
    if ItemKind.REASONING in got:
        return "", len(earlier)  # if reasoning gets through, only markup was removed
    new, sent = "".join(said.values()), "".join(got.values())
    if sent != new and len(sent) > len(earlier) and (earlier + new).startswith(sent):
        return (earlier + new)[len(sent) :], len(earlier)
    if len(sent) >= len(new):
        return "", 0
    start = common_start(new, sent)
    if new.endswith(sent[start:]):
        return new[start : len(new) - len(sent) + start], 0
    return new.replace(sent, "", 1), 0


_BESIDE: Final = {Kind.FINISH: "finish: ", Kind.USAGE: "usage: ", Kind.ERROR: ""}


def _beside(got: list[EventContent]) -> Iterator[tuple[ItemKind, str]]:
    """What is said apart from the words."""
    for one in got:
        if one.problem:
            yield ItemKind.BAD, f"cannot be read: {one.problem}"
        for moment in one.moments:
            if moment.kind in _BESIDE:
                kind = ItemKind.BAD if moment.kind is Kind.ERROR else ItemKind.OTHER
                yield kind, _BESIDE[moment.kind] + moment.text


def in_order(choices: Iterable[Number]) -> list[Number]:
    """By number; those with names instead come last."""
    return sorted(choices, key=lambda choice: (isinstance(choice, str), choice))
