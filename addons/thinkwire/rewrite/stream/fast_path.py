"""Events that differ from an earlier one in a single text, rewritten without being read.

In the run of a stream, most events are such; beside the text, only a clock or a count of events may differ. Once one
has been located and decided, it is compiled: the bytes around the text are kept, and the same after the edit. An event
that fits costs a few comparisons and a search for the end of the text. The exact path stays the reference: an event is
compiled by running that once more, with marks in the places that vary, and a test compares the two.

A compiled event is valid for as long as nothing changes that decides about later documents, which would make another
version (`versioned.py`). The fast path does not send and does not frame.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from thinkwire.dialects.core.parts import CountOf, FieldSpec, Kind, Part, Update
from thinkwire.dialects.history.base import DISCARD, TextSink
from thinkwire.rewrite.tally import Effect
from thinkwire.wire.json_tree import STRING, Node

LONGEST: Final = 16_384
"""Bytes of an event that is worth compiling."""
_KEPT: Final = 8
"""Compiled events of one stream: a few choices, each with its reasoning and its answer."""
_TEXT_MARK: Final = b"~thinkwire~mark~"
_CLOCK_DIGITS: Final = range(9, 20)
"""Seconds to nanoseconds; a shorter number in an envelope is not a clock."""
_MOST_DIGITS: Final = 19
_NUMBERS: Final = (b"8070605040302010009", b"9080706050403020107", b"7060504030201090806", b"3141592653589793238")
"""Their beginnings replace a number that varies: one of them that is not in the event."""
_TEXT: Final = re.compile(rb'(?:[^"\\\r\n]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))++')
"""The inside of a JSON string that is not empty and holds no line end, as the reading way takes it."""
_STRING: Final = re.compile(STRING)

type ByteSpan = tuple[int, int]


class Gaps(NamedTuple):
    """What may vary in an event without another outcome, as spans of its bytes."""

    text: ByteSpan
    """The inside of a string that is not empty."""
    clock: ByteSpan | None
    """The digits of a number that goes on as it came: a clock such as `created`, or a count of events."""

    def shifted(self, move: Callable[[int], int | None]) -> "Gaps | None":
        """The same gaps elsewhere; None if the text is not there."""
        text = _shifted(self.text, move)
        clock = _shifted(self.clock, move) if self.clock is not None else None
        return Gaps(text, clock) if text is not None else None


def _shifted(span: ByteSpan, move: Callable[[int], int | None]) -> ByteSpan | None:
    start, end = move(span[0]), move(span[1])
    return (start, end) if start is not None and end is not None else None


@dataclass(frozen=True, slots=True)
class EventForm:
    """The bytes that do not vary. A clock comes after `lead` or before `trail`; the one with digits."""

    lead: bytes
    head_digits: int
    head: bytes
    tail: bytes
    tail_digits: int
    trail: bytes

    def text_in(self, raw: bytes) -> ByteSpan | None:
        """The span of the text in an event of this form; None if it has another."""
        if not (raw.startswith(self.lead) and raw.endswith(self.trail)):
            return None
        start, end = len(self.lead), len(raw) - len(self.trail)
        if self.head_digits:
            start += self.head_digits
            if not (_is_number(raw[len(self.lead) : start]) and raw.startswith(self.head, start)):
                return None
            start += len(self.head)
        elif self.tail_digits:
            digits_at = end - self.tail_digits
            if not (_is_number(raw[digits_at:end]) and raw.endswith(self.tail, 0, digits_at)):
                return None
            end = digits_at - len(self.tail)
        return (start, end) if _TEXT.fullmatch(raw, start, end) else None


def _is_number(digits: bytes) -> bool:
    return digits.isdigit() and not digits.startswith(b"0")  # JSON knows no leading zeros


def form_of(raw: bytes, gaps: Gaps) -> EventForm:
    """The form of all events that differ from this one only in the gaps."""
    (start, end), clock = gaps
    if clock is None:
        return EventForm(raw[:start], 0, b"", b"", 0, raw[end:])
    digits = clock[1] - clock[0]
    if clock[0] < start:
        return EventForm(raw[: clock[0]], digits, raw[clock[1] : start], b"", 0, raw[end:])
    return EventForm(raw[:start], 0, b"", raw[end : clock[0]], digits, raw[clock[1] :])


@dataclass(frozen=True, slots=True, eq=False)
class CompiledEvent:
    """A form of event and what is sent for it."""

    form: EventForm
    sent: tuple[bytes, ...]
    """The pieces of the rewritten event around its texts; none if the event is dropped."""
    lead: bytes
    """What is sent before a clock that comes before the texts."""
    trail: bytes
    """What is sent after a clock that comes after the texts."""
    effect: Effect
    version: int
    sink: TextSink
    """Hears the texts."""

    def rewrite(self, raw: bytes, text: ByteSpan) -> bytes:
        form, sent = self.form, raw[text[0] : text[1]].join(self.sent)
        if form.head_digits:
            at = len(form.lead)
            return b"".join((self.lead, raw[at : at + form.head_digits], sent)) if self.sent else sent
        if form.tail_digits:
            at = len(raw) - len(form.trail)
            return b"".join((sent, raw[at - form.tail_digits : at], self.trail)) if self.sent else sent
        return sent


class FastPath:
    """The compiled events of one stream."""

    __slots__ = ("_compiled", "_marker_prefixes", "_seen")

    def __init__(self, marker_prefixes: re.Pattern[bytes] | None = None) -> None:
        self._marker_prefixes = marker_prefixes
        """A text that holds one has to be read; None if no text does."""
        self._compiled: list[CompiledEvent] = []
        """The last used one first."""
        self._seen: OrderedDict[EventForm, int] = OrderedDict()
        """Forms seen once, with the version of that time; an event is only compiled if its form comes again."""

    def find(self, raw: bytes, version: int) -> tuple[Effect, bytes] | None:
        """What is sent for an event that fits a compiled one, after the effect; None if it has to be read."""
        for one in self._compiled:
            if one.version == version and (text := one.form.text_in(raw)):
                if self._marker_prefixes is not None and self._marker_prefixes.search(raw, *text):
                    return None
                if one is not self._compiled[0]:
                    self._compiled.remove(one)
                    self._compiled.insert(0, one)
                one.sink.append(raw[text[0] : text[1]])
                return one.effect, one.rewrite(raw, text)
        return None

    def learn(
        self,
        raw: bytes,
        gaps: Gaps,
        version: int,
        rewrite: Callable[[bytes], tuple[bytes, Effect]],
        sink: TextSink = DISCARD,
    ) -> None:
        """Note an event that was read and changed nothing that decides about later ones.

        `rewrite` gives what is sent for an event, and the effect; `sink` hears the texts of those like it.
        """
        if self._marker_prefixes is not None and self._marker_prefixes.search(raw, *gaps.text):
            return
        form = form_of(raw, gaps)
        if self._seen.pop(form, None) != version:
            self._seen[form] = version
            if len(self._seen) > _KEPT:
                self._seen.popitem(last=False)
        elif compiled := _compile(raw, form, version, rewrite, sink):
            self._compiled.insert(0, compiled)
            del self._compiled[_KEPT:]


def _compile(
    raw: bytes, form: EventForm, version: int, rewrite: Callable[[bytes], tuple[bytes, Effect]], sink: TextSink
) -> CompiledEvent | None:
    clock = _number_not_in(raw, form.head_digits or form.tail_digits)
    if _TEXT_MARK in raw or clock is None:
        return None
    head_clock, tail_clock = clock if form.head_digits else b"", clock if form.tail_digits else b""
    marked = b"".join((form.lead, head_clock, form.head, _TEXT_MARK, form.tail, tail_clock, form.trail))
    sent, effect = rewrite(marked)
    if sent and sent.count(clock) != 1 and clock:
        return None  # a count that does not go on as it came, for others were dropped or added
    lead = trail = b""
    if sent and head_clock:
        lead, _, sent = sent.partition(head_clock)
    elif sent and tail_clock:
        sent, _, trail = sent.rpartition(tail_clock)
    return CompiledEvent(form, tuple(sent.split(_TEXT_MARK)) if sent else (), lead, trail, effect, version, sink)


def _number_not_in(raw: bytes, digits: int) -> bytes | None:
    """A number of so many digits that is nowhere in an event; nothing for none."""
    return next((number[:digits] for number in _NUMBERS if not digits or number[:digits] not in raw), None)


# --- what may vary ----------------------------------------------------------------------------------------------

_COMPARED: Final = frozenset((Kind.TOKENS, Kind.TRANSCRIPT, Kind.REASONING_TOKENS))
_TEXTS: Final = frozenset((Kind.REASONING, Kind.TEXT, Kind.REFUSAL))


def gaps_in(updates: list[Update]) -> Gaps | None:
    """What may vary in a document, given its updates, as spans of its text.

    None if there is no such text, or if it decides: several texts are compared with each other, and token
    metadata is compared with the text.
    """
    parts = [part for update in updates for part in update.parts if part.is_meaningful]
    if not parts or any(part.kind in _COMPARED for part in parts):
        return None
    texts = [leaf for part in parts if part.kind in _TEXTS for leaf in (part.leaves or [part])]
    texts = [leaf for leaf in texts if leaf.is_meaningful]
    calls = [part for part in parts if part.kind is Kind.TOOL_CALL]
    text = _inside(texts[0].node) if len(texts) == 1 else None
    if not texts and len(calls) == 1:
        text = _last_text(calls[0])
    return Gaps(text, _clock(updates[0])) if text else None


def _inside(node: Node) -> ByteSpan | None:
    return (node.at + 1, node.end - 1) if node.is_string else None


def _last_text(part: Part) -> ByteSpan | None:
    """The last string of a tool call that is not a name: the piece of `arguments`, if these come last."""
    node, last = part.node, None
    for match in _STRING.finditer(node.text, node.at, node.end):
        is_name = node.text[match.end() : node.end].lstrip()[:1] == ":"
        if not is_name and match.end() - match.start() > 2:
            last = (match.start() + 1, match.end() - 1)
    return last


def _clock(own: Update) -> ByteSpan | None:
    """The number of a document that may be another one in the next."""
    counts = [node for count_of, _, node in own.counters if count_of is CountOf.DOCUMENTS]
    if counts:
        node = counts[0]
        return (node.at, node.end) if len(counts) == 1 and node.end - node.at <= _MOST_DIGITS else None
    for node in own.node.children:
        label = node.label
        if type(label) is FieldSpec and label.kind is Kind.ENVELOPE and node.raw.isdecimal():
            return (node.at, node.end) if node.end - node.at in _CLOCK_DIGITS else None
    return None
