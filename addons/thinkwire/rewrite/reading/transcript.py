"""An answer as moments: each piece of text, call or state, and when it came. Documents in, moments out.

It knows no API: the fields come from the tables, and the API is recognised from the documents, as in rewriting. A
snapshot in a stream adds only what the deltas before it have not said.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Part, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tool_calls import ToolCall, calls_in
from thinkwire.dialects.registry import DIALECTS
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.reading.event_reader import Event
from thinkwire.rewrite.reasoning_text import reasoning_of
from thinkwire.rewrite.stream.fast_path import LONGEST, EventForm, form_of, gaps_in
from thinkwire.wire.json_tree import Node, Unreadable

type Number = int | str


@dataclass(frozen=True, slots=True)
class Moment:
    """One piece of what an event holds."""

    kind: Kind
    text: str
    """The text; for token metadata, usage and errors the JSON value as it came."""
    choice: Number = 0
    block: Number | None = None
    """If the answer consists of blocks or items: which one."""
    name: str = ""
    """The name of the called function, if it is here; for token metadata, the member's name."""
    call: Number | None = None
    """Which of the calls of its choice or block."""
    event: int = 0
    time: float | None = None
    answer: int = 0
    """Which of several answers in a row, as on a WebSocket, where the numbers of blocks start again."""

    @property
    def value(self) -> Any:
        """The parsed value if it is JSON, else the text."""
        try:
            return json.loads(self.text, strict=False)
        except ValueError:
            return self.text


@dataclass(frozen=True, slots=True)
class EventContent:
    """What one event holds."""

    event: Event
    updates: list[Update] = field(default_factory=list)
    """Its parts, if they are asked for: they take far more memory than the text."""
    moments: list[Moment] = field(default_factory=list)
    problem: str = ""
    """Why it cannot be read."""


_LATER: Final = (Kind.TOKENS, Kind.REASONING_TOKENS, Kind.OPAQUE, Kind.FINISH, Kind.USAGE, Kind.ERROR)
_TEXTS: Final = (Kind.TEXT, Kind.REFUSAL)
_SPOKEN: Final = (Kind.REASONING, *_TEXTS)
_KEPT: Final = 8
"""Forms of events that recur: a few choices, each with its reasoning and its answer."""


@dataclass(frozen=True, slots=True)
class _Recurring:
    """Events that differ only in their text from one that was read."""

    outline: EventForm
    name: str
    """The name that their frames give them."""
    moment: Moment
    heard: tuple[list[str], list[str]]
    """Where the text is added: to the text of its item, and to that of all deltas."""


class Assembler:
    """Reads the events of one answer, in order.

    Most events of a stream recur with another text. These are not read again, unless their parts are asked for; a test
    compares both ways.
    """

    def __init__(
        self, request: RequestFacts, dialects: tuple[Dialect, ...] = DIALECTS, *, keeps_updates: bool = False
    ) -> None:
        self._answer = AnswerRewriter(ResponsePlan(), request, dialects)
        self._keeps_updates = keeps_updates
        self._recurring: list[_Recurring] = []
        """The last used first."""
        self._heard: tuple[list[str], list[str]] = [], []
        """Where the last text of a delta was added."""
        self._said: dict[tuple[Number | None, Kind, Number | None], list[str]] = {}
        """The texts so far, by the item's number, the kind, and the call."""
        self._by_deltas: dict[Kind, list[str]] = {}
        """The texts of all deltas, whatever their item."""
        self._named: set[tuple[Number | None, Number | None]] = set()
        """Calls whose names are known."""
        self._calls: dict[Number | None, int] = {}
        """How many calls without a number an item has made."""
        self._now = Event(0, None, b"")
        self._answers = 0
        """How many have begun."""

    @property
    def dialect(self) -> Dialect | None:
        return self._answer.dialect

    def read(self, event: Event) -> EventContent:
        if event.damage:
            return EventContent(event, problem=event.damage)
        if not event.is_document:
            return EventContent(event)
        if (moment := self._recur(event)) is not None:
            return EventContent(event, moments=[moment])
        try:
            updates = self._answer.updates(event.text, event.extent, event.name)
        except Unreadable as error:
            return EventContent(event, problem=str(error))
        self._now = event
        resets = updates[0].resets if updates else ()
        self._answers += bool(resets)
        for space in resets:
            self._reset(space)
        # Text of a document outside of its choices repeats them.
        moments = [one for update in [*updates[1:], *updates[:1]] for one in self._moments(update)]
        if self._keeps_updates:
            return EventContent(event, updates, moments)
        if len(moments) == 1:
            self._learn(event, updates, moments[0])
        return EventContent(event, moments=moments)

    def _recur(self, event: Event) -> Moment | None:
        """The moment of an event that has the form of an earlier one; None if it has to be read."""
        raw = event.text.encode("latin-1") if self._recurring else b""
        for one in self._recurring:
            if one.name == event.name and event.extent is Extent.DELTA and (span := one.outline.text_in(raw)):
                text = _string_at(event.text, span)
                for pieces in one.heard:
                    pieces.append(text)
                if one is not self._recurring[0]:
                    self._recurring.remove(one)
                    self._recurring.insert(0, one)
                return replace(one.moment, text=text, event=event.number, time=event.time)
        return None

    def _learn(self, event: Event, updates: list[Update], moment: Moment) -> None:
        """Note an event that holds only one text."""
        is_delta = event.extent is Extent.DELTA and all(update.extent is Extent.DELTA for update in updates)
        gaps = gaps_in(updates) if is_delta and moment.kind in _SPOKEN and len(event.text) <= LONGEST else None
        if gaps is not None and _string_at(event.text, gaps.text) == moment.text:
            outline = form_of(event.text.encode("latin-1"), gaps)
            self._recurring.insert(0, _Recurring(outline, event.name, moment, self._heard))
            del self._recurring[_KEPT:]

    def _reset(self, space: str) -> None:
        """The numbers of a space start again, and so do the texts under them."""
        self._recurring.clear()
        if self.dialect is not None and self.dialect.has_blocks and space:
            self._said.clear()
            self._named.clear()
            self._calls.clear()

    def _moments(self, update: Update) -> Iterator[Moment]:
        number = update.item.number if update.item is not None else None
        yield from self._text(Kind.REASONING, reasoning_of(update), update, number)
        for kind in _TEXTS:
            yield from self._text(kind, "".join(map(_text_of, update.of(kind))), update, number)
        for part in update.of(Kind.TOOL_CALL):
            for call in calls_in(part):
                yield from self._call(call, update, number)
        for part in update.of(*_LATER):
            if part.is_meaningful:
                yield self._moment(part.kind, _shown(part), update, name=part.node.key)

    def _text(self, kind: Kind, text: str, update: Update, number: Number | None) -> Iterator[Moment]:
        if (new := self._new(kind, text, update, number)) != "":
            yield self._moment(kind, new, update)

    def _new(self, kind: Kind, text: str, update: Update, number: Number | None, call: Number | None = None) -> str:
        """The part of a text that has not come yet."""
        if not text:
            return ""
        pieces = self._said.setdefault((number, kind, call), [])
        if update.extent is Extent.SNAPSHOT:
            before = "".join(pieces)
            repeats = not before and (
                text in "".join(self._by_deltas.get(kind, ())) or self._repeats_choices(text, kind, update)
            )
            if repeats or not text.startswith(before):
                return ""
            text = text[len(before) :]
        else:
            self._heard = pieces, self._by_deltas.setdefault(kind, [])
            self._by_deltas[kind].append(text)
        pieces.append(text)
        return text

    def _repeats_choices(self, text: str, kind: Kind, update: Update) -> bool:
        """Is it outside of the choices, and the text of all of them, or of one?"""
        if update.item is not None:
            return False
        texts = ["".join(pieces) for (_, one, _), pieces in self._said.items() if one is kind]
        return any(text in one for one in [*texts, "".join(texts)])

    def _call(self, call: ToolCall, update: Update, number: Number | None) -> Iterator[Moment]:
        which = call.number
        if which is None and call.is_complete and update.extent is Extent.DELTA:
            which = self._calls[number] = self._calls.get(number, -1) + 1
        arguments = self._new(Kind.TOOL_CALL, call.arguments, update, number, which)
        repeats = update.extent is Extent.SNAPSHOT and call.arguments != "" and arguments == ""
        name = "" if (number, which) in self._named or repeats else call.name
        if name:
            self._named.add((number, which))
        if name or arguments:
            yield self._moment(Kind.TOOL_CALL, arguments, update, name=name, call=which)

    def _moment(self, kind: Kind, text: str, update: Update, name: str = "", call: Number | None = None) -> Moment:
        choice, block = self._place(update.item)
        return Moment(kind, text, choice, block, name, call, self._now.number, self._now.time, self._answers)

    def _place(self, owner: ItemKey | None) -> tuple[Number, Number | None]:
        if owner is None:
            return 0, None
        number = owner.number.strip('"') if isinstance(owner.number, str) else owner.number
        is_block = bool(owner.space) or (self.dialect is not None and self.dialect.has_blocks)
        return (0, number) if is_block else (number, None)


def _string_at(text: str, inside: tuple[int, int]) -> str:
    """The value of a string in document text, given the span between its quotes."""
    start, end = inside[0] - 1, inside[1] + 1
    return str(Node(text, None, "", start, start, start, end, None).value)


def _text_of(part: Part) -> str:
    if part.shown is not None:
        return part.shown
    return part.node.value if part.node.is_string and isinstance(part.node.value, str) else ""


def _shown(part: Part) -> str:
    """The value of a part: a text, or JSON as it came."""
    if part.kind is Kind.FINISH and part.node.is_string:
        return str(part.node.value)
    return part.node.raw.encode("latin-1").decode("utf-8", "replace")


# --- the whole ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Choice:
    """One choice, put together: consecutive pieces of one kind are one."""

    pieces: list[Moment] = field(default_factory=list)
    """Reasoning, texts, refusals and calls in their order; the time of each is that of its first moment."""
    finish: str = ""

    def text(self, kind: Kind) -> str:
        return "".join(piece.text for piece in self.pieces if piece.kind is kind)


@dataclass(slots=True)
class Assembled:
    """An answer, put together."""

    choices: dict[Number, Choice] = field(default_factory=dict)
    usage: str = ""
    """The last one, as a line of JSON."""
    errors: list[str] = field(default_factory=list)
    opaque: list[str] = field(default_factory=list)
    """Signatures and encrypted texts, each once."""
    first: dict[Kind, float] = field(default_factory=dict)
    """When the first moment of each kind came."""


_PIECES: Final = (*_SPOKEN, Kind.TOOL_CALL)


def assembled(moments: Iterable[Moment]) -> Assembled:
    """The moments of an answer, put together."""
    result = Assembled()
    pieces: dict[Number, list[list[Moment]]] = {}
    for moment in moments:
        if moment.time is not None:
            result.first.setdefault(moment.kind, moment.time)
        if moment.kind is Kind.USAGE:
            result.usage = _line(moment)
        elif moment.kind is Kind.ERROR:
            result.errors.append(_line(moment))
        elif moment.kind is Kind.OPAQUE:
            result.opaque += [text for text in [str(moment.value)] if text not in result.opaque]
        elif moment.kind is Kind.FINISH:
            result.choices.setdefault(moment.choice, Choice()).finish = moment.text
        elif moment.kind in _PIECES:
            result.choices.setdefault(moment.choice, Choice())
            _add(pieces.setdefault(moment.choice, []), moment)
    for number, groups in pieces.items():
        result.choices[number].pieces = [_joined(group) for group in groups]
    return result


def _line(moment: Moment) -> str:
    value = moment.value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _add(groups: list[list[Moment]], moment: Moment) -> None:
    """Add a moment to those that it continues."""
    for group in reversed(groups):
        last = group[-1]
        if last.answer != moment.answer:
            break
        if (last.kind, last.block, last.call) == (moment.kind, moment.block, moment.call):
            group.append(moment)
            return
        if moment.kind is not Kind.TOOL_CALL or last.kind is not Kind.TOOL_CALL:
            break  # calls may be parallel; everything else comes in a row
    groups.append([moment])


def _joined(group: list[Moment]) -> Moment:
    name = next((moment.name for moment in group if moment.name), "")
    return replace(group[0], text="".join(moment.text for moment in group), name=name)
