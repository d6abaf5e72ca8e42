"""A body with the faults that were asked for: chunks in, steps out.

It counts the provider's events and knows no rule's edits: those run over what comes out of here. Like all rewriting it
has no socket and no clock, so a pause and a break are steps that the sender of the bytes has to take.

The contract of `feed(chunk)` and `finish()`: steps in order, no empty bytes, and never two steps of bytes in a row. An
event is handed on as soon as it is complete. The coding of the body is undone. A body that is not a stream is one
event, which is handed on at its end.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.provider_errors import ERROR_EVENT
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.faults.fault import Fault
from thinkwire.rewrite.reading.event_reader import Cutter, FramePart, contents_of, is_end_mark, raw_of
from thinkwire.rewrite.stream.documents import name_like
from thinkwire.rewrite.stream.sniff import BodyFormat, ContentHint
from thinkwire.wire.aws_event_stream import Message, exception
from thinkwire.wire.codings import CodingError, Decoder
from thinkwire.wire.json_list import Element
from thinkwire.wire.json_tree import Unreadable, decode, encode
from thinkwire.wire.ndjson import Line
from thinkwire.wire.sse import Frame

_MESSAGE: Final = "thinkwire made this error up: the rules or the command line ask for a fault"
_STATUS: Final = 500
_WHOLE: Final = (BodyFormat.BODY, BodyFormat.RAW)


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing is sent for so long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Break:
    """The connection breaks, so that nobody takes the answer for a complete one."""


type Step = bytes | Pause | Break


def dialect_asked(request: RequestFacts, dialects: Iterable[Dialect]) -> Dialect:
    """The API that a request is for, or the most common one: for an error that looks like its own."""
    known = list(dialects)
    return next((one for one in known if one.name == request.dialect), known[0])


def error_made_up(dialect: Dialect, status: int) -> bytes:
    """The body of an answer that refuses a request which nobody was asked about."""
    return encode(dialect.error(status, _MESSAGE))


class FaultyBody:
    """Makes the body of one answer faulty; see the module's contract."""

    def __init__(self, fault: Fault, hint: ContentHint, dialect: Dialect, decoder: Decoder | None = None) -> None:
        self._fault = fault
        self._dialect = dialect
        self._decoder = decoder
        self._cutter = Cutter(hint)
        self._count = 0
        self._sent_last = True
        """Was the frame before sent? An LF that belongs to it shares its fate."""
        self.is_over = False
        """Has the answer ended before its time?"""

    @property
    def shortfall(self) -> str:
        """What did not happen, for want of events; to be asked at the end."""
        fault = self._fault
        if self.is_over or (fault.end is None and fault.stall is None):
            return ""
        if not self._count:
            return "the answer has no event at all, so that no fault came about"
        if self._cutter.form in _WHOLE and (fault.error_after or self._count < fault.reach):
            return "the answer is no stream, so that not every fault came about"
        if self._count < fault.reach:
            return f"the answer has only {self._count} events, so that not every fault came about"
        return ""

    def feed(self, chunk: bytes) -> list[Step]:
        if self.is_over:
            return []
        try:
            decoded = chunk if self._decoder is None else self._decoder.decode(chunk)
        except CodingError:
            return list(self._break())  # decoded and short, it would pass for a whole one
        return self._steps(self._cutter.feed(decoded))

    def finish(self) -> list[Step]:
        return self._steps(self._cutter.finish())

    def _steps(self, frames: Iterable[FramePart]) -> list[Step]:
        steps: list[Step] = []
        for step in (step for frame in frames for step in self._pass(frame)):
            if isinstance(step, bytes) and steps and isinstance(last := steps[-1], bytes):
                steps[-1] = last + step
            elif step:
                steps.append(step)
        return steps

    def _pass(self, frame: FramePart) -> Iterator[Step]:
        if self.is_over:
            return
        if isinstance(frame, Frame) and frame.is_line_feed:
            if self._sent_last:
                yield frame.raw
            return
        contents = contents_of(frame)
        if not contents.is_event:
            yield raw_of(frame)
            return
        if not self._count:
            yield from self._go_wrong(frame)
        if self.is_over:
            return
        self._count += 1
        yield from self._send(frame, is_mark=is_end_mark(decode(contents.data)))
        yield from self._go_wrong(frame)

    def _send(self, frame: FramePart, *, is_mark: bool) -> Iterator[Step]:
        raw = raw_of(frame)
        if self._cutter.form in _WHOLE and self._fault.cut_after is not None:
            yield raw[: len(raw) // 2]
            yield from self._break()
            return
        self._sent_last = not (self._fault.drop_done and is_mark)
        if self._sent_last:
            yield raw

    def _go_wrong(self, frame: FramePart) -> Iterator[Step]:
        """What comes after as many events as have come."""
        fault, is_whole = self._fault, self._cutter.form in _WHOLE
        if self.is_over:
            return
        if fault.stall is not None and fault.stall.after == self._count:
            yield Pause(fault.stall.seconds)
        if fault.error_after == self._count and not (is_whole and self._count):
            self.is_over = True
            yield self._error(frame)
        elif fault.cut_after == self._count and not is_whole:
            yield from self._break()

    def _break(self) -> Iterator[Step]:
        self.is_over = True
        yield Break()

    def _error(self, frame: FramePart) -> bytes:
        """An error modelled on the last event, or on the one that it replaces."""
        form = self._cutter.form
        if form is BodyFormat.MESSAGES:
            return exception(self._dialect.error(_STATUS, _MESSAGE))
        if form in _WHOLE:
            return error_made_up(self._dialect, _STATUS)
        write = self._dialect.error_event
        text = write(_STATUS, _MESSAGE, self._count) if write is not None else self._dialect.error(_STATUS, _MESSAGE)
        if isinstance(frame, Element):
            return (b"," if self._count else frame.lead) + encode(text) + b"]"
        is_open = self._count and not frame.raw.endswith((b"\n", b"\r"))
        return (b"\n\n" if is_open else b"") + frame.like(text, _name(frame, text))


def _name(frame: Frame | Line | Message, text: str) -> str:
    try:
        return name_like(frame, text, ERROR_EVENT)
    except Unreadable:
        return ERROR_EVENT  # after an end mark
