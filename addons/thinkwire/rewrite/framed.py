"""The events of a recorded answer: chunks in with their times, documents out with theirs.

It undoes the coding and cuts the body as the rewriting does (`beginning.py` says what it is made of), and reads no
document. Nothing is sent anywhere, so nothing has to be put together again.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Protocol, Self

from thinkwire.dialects.parts import Extent
from thinkwire.rewrite.beginning import Beginning, Form, Label
from thinkwire.rewrite.events import is_document
from thinkwire.wire.aws_event_stream import Message, MessageSplitter
from thinkwire.wire.codings import CodingError, Decoder
from thinkwire.wire.json_list import Element, ListSplitter
from thinkwire.wire.json_tree import decode
from thinkwire.wire.ndjson import Line, LineSplitter
from thinkwire.wire.sse import Frame, FrameSplitter

__all__ = ["Event", "FrameReader"]

_END_MARK: Final = re.compile(r"\s*\[\s*[A-Za-z_]+\s*\]\s*\Z")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream, or a whole body."""

    number: int
    """From 1; comments and blank lines are not counted."""
    time: float | None
    """When its last byte came, in seconds since the request; None where that is not known."""
    raw: bytes
    """With its framing, in no coding."""
    text: str = ""
    """The document, as document text; or what stands in its place."""
    name: str = ""
    """What its frame calls it."""
    extent: Extent = Extent.DELTA
    is_cut: bool = False
    """Did the body end before the event did?"""
    damage: str = ""
    """Why its frame cannot be read."""

    @property
    def is_document(self) -> bool:
        """Is it meant to be JSON?"""
        return is_document(self.text)

    @property
    def is_end_mark(self) -> bool:
        return _END_MARK.match(self.text) is not None


type _Framed = Frame | Line | Element | Message


class _Splitter(Protocol):
    def feed(self, chunk: bytes) -> Iterable[_Framed]: ...

    def finish(self) -> Iterable[_Framed]: ...


class _Whole:
    """One text, which nothing cuts."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, chunk: bytes) -> Iterable[_Framed]:
        self._held += chunk
        return ()

    def finish(self) -> Iterable[_Framed]:
        return [Line(bytes(self._held))] if self._held else []


_SPLITTERS: Final[dict[Form, Callable[[], _Splitter]]] = {
    Form.EVENTS: FrameSplitter,
    Form.LINES: LineSplitter,
    Form.LIST: ListSplitter,
    Form.MESSAGES: MessageSplitter,
    Form.BODY: _Whole,
    Form.RAW: _Whole,
}


class FrameReader:
    """Reads one body, from its first chunk to its end."""

    def __init__(self, label: Label, decoder: Decoder | None = None) -> None:
        self._decoder = decoder
        self._beginning = Beginning(label)
        self._splitter: _Splitter | None = None
        self._now: float | None = None
        self._count = 0
        self.form: Form | None = None
        """What the body is made of; None while that is open."""
        self.damage = ""
        """Why the coding of the body cannot be undone to its end."""

    @classmethod
    def of(cls, form: Form) -> Self:
        """A reader of bytes of which it is known what they are, though they are not a whole body."""
        reader = cls(Label.UNSURE)
        reader._begin(form)
        return reader

    def feed(self, chunk: bytes, now: float | None = None) -> list[Event]:
        """The events that these bytes complete."""
        self._now = now
        chunk = self._decode(chunk)
        if self._splitter is None:
            _, form, chunk = self._beginning.feed(chunk)
            if form is None:
                return []
            self._begin(form)
        assert self._splitter is not None
        return self._events(self._splitter.feed(chunk), is_last=False)

    def finish(self) -> list[Event]:
        """What is left when the body ends."""
        if self._decoder is not None and not self._decoder.is_complete and not self.damage:
            self.damage = "the compressed body ends too early"
        events: list[Event] = []
        if self._splitter is None:
            form, rest = self._beginning.finish()
            self._begin(form)
            events = self._events(self._splitter.feed(rest), is_last=False) if self._splitter is not None else []
        return [*events, *self._events(self._splitter.finish(), is_last=True)] if self._splitter is not None else events

    def _begin(self, form: Form) -> None:
        self.form = form
        self._splitter = _SPLITTERS[form]()

    def _decode(self, chunk: bytes) -> bytes:
        if self._decoder is None or self.damage:
            return chunk if self._decoder is None else b""
        try:
            return self._decoder.decode(chunk)
        except CodingError as error:
            self.damage = f"the compressed body is damaged: {error}"
            return b""

    def _events(self, frames: Iterable[_Framed], *, is_last: bool) -> list[Event]:
        return [event for frame in frames if (event := self._event(frame, is_last)) is not None]

    def _event(self, frame: _Framed, is_last: bool) -> Event | None:
        extent = Extent.WHOLE if self.form in (Form.BODY, Form.RAW) else Extent.DELTA
        data, damage = b"", ""
        try:
            data = frame.data or b""
        except Exception as error:  # a message that is damaged, or holds what no such message may
            damage = str(error) or type(error).__name__
        if isinstance(frame, Frame) and frame.is_foreign and is_document(decode(frame.raw)):
            data, extent = frame.raw, Extent.WHOLE  # a text that is no event, most often a gateway's error
        if not data.strip() and not damage:
            return None
        self._count += 1
        is_cut = is_last and extent is Extent.DELTA and not isinstance(frame, Line)
        raw = frame.lead + frame.raw if isinstance(frame, Element) else frame.raw
        return Event(self._count, self._now, raw, decode(data), frame.event, extent, is_cut, damage)
