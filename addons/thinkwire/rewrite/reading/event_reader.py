"""The events of a recorded answer: chunks in with their times, documents out with theirs.

It undoes the coding and cuts the body as the rewriting does (`stream/sniff.py` finds its format), and reads no
document. Nothing is sent anywhere, so nothing has to be put together again.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, Self

from thinkwire.dialects.core.parts import Extent
from thinkwire.rewrite.stream.sniff import BodyFormat, ContentHint, Sniffer
from thinkwire.rewrite.stream.sse import is_document
from thinkwire.wire.aws_event_stream import Message, MessageSplitter
from thinkwire.wire.codings import CodingError, Decoder
from thinkwire.wire.json_list import Element, ListSplitter
from thinkwire.wire.json_tree import decode
from thinkwire.wire.ndjson import Line, LineSplitter
from thinkwire.wire.sse import Frame, FrameSplitter

_END_MARK: Final = re.compile(r"\s*\[\s*[A-Za-z_]+\s*\]\s*\Z")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream, or a whole body."""

    number: int
    """From 1; comments and blank lines are not counted."""
    time: float | None
    """When its last byte came, in seconds since the request; None if that is not known."""
    raw: bytes
    """With its framing, in no coding."""
    text: str = ""
    """The document, as document text; or what is there instead."""
    name: str = ""
    """The name that its frame gives it."""
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
        return is_end_mark(self.text)


type FramePart = Frame | Line | Element | Message
"""A piece of a body: a document in its frame, or what is between two of them."""


class _Splitter(Protocol):
    def feed(self, chunk: bytes) -> Iterable[FramePart]: ...

    def finish(self) -> Iterable[FramePart]: ...


class _Whole:
    """One text, which is not cut."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, chunk: bytes) -> Iterable[FramePart]:
        self._held += chunk
        return ()

    def finish(self) -> Iterable[FramePart]:
        return [Line(bytes(self._held))] if self._held else []


_SPLITTERS: Final[dict[BodyFormat, Callable[[], _Splitter]]] = {
    BodyFormat.EVENTS: FrameSplitter,
    BodyFormat.LINES: LineSplitter,
    BodyFormat.LIST: ListSplitter,
    BodyFormat.MESSAGES: MessageSplitter,
    BodyFormat.BODY: _Whole,
    BodyFormat.RAW: _Whole,
}


def is_end_mark(text: str) -> bool:
    """Is it what some streams end with, instead of a document?"""
    return _END_MARK.match(text) is not None


class Contents(NamedTuple):
    """What a part of a body holds."""

    data: bytes
    extent: Extent
    damage: str
    """Why its frame cannot be read."""

    @property
    def is_event(self) -> bool:
        """Comments and blank lines are not events."""
        return bool(self.data.strip() or self.damage)


def contents_of(part: FramePart) -> Contents:
    """Reads the frame, not the document."""
    try:
        data = part.data or b""
    except Exception as error:  # a message that is damaged or malformed
        return Contents(b"", Extent.DELTA, str(error) or type(error).__name__)
    if isinstance(part, Frame) and part.is_foreign and is_document(decode(part.raw)):
        return Contents(part.raw, Extent.SNAPSHOT, "")  # a text that is not an event, usually a gateway's error
    return Contents(data, Extent.DELTA, "")


def raw_of(part: FramePart) -> bytes:
    """All its bytes."""
    return part.lead + part.raw if isinstance(part, Element) else part.raw


class Cutter:
    """Cuts one body into its parts, whatever its format. The bytes of all parts, joined, are those of the body."""

    def __init__(self, label: ContentHint) -> None:
        self._sniffer = Sniffer(label)
        self._splitter: _Splitter | None = None
        self.form: BodyFormat | None = None
        """The body's format; None until it is known."""

    def feed(self, chunk: bytes) -> list[FramePart]:
        """The parts that these bytes complete."""
        if self._splitter is not None:
            return list(self._splitter.feed(chunk))
        blanks, form, held = self._sniffer.feed(chunk)
        first: list[FramePart] = [Element(blanks, b"")] if blanks else []
        return first if form is None else [*first, *self.begin(form).feed(held)]

    def finish(self) -> list[FramePart]:
        """What is left when the body ends."""
        if self._splitter is not None:
            return list(self._splitter.finish())
        form, rest = self._sniffer.finish()
        splitter = self.begin(form)
        return [*splitter.feed(rest), *splitter.finish()]

    def begin(self, form: BodyFormat) -> _Splitter:
        """Cut what follows as a body of this format."""
        self.form = form
        self._splitter = _SPLITTERS[form]()
        return self._splitter


class FrameReader:
    """Reads one body, from its first chunk to its end."""

    def __init__(self, label: ContentHint, decoder: Decoder | None = None) -> None:
        self._decoder = decoder
        self._cutter = Cutter(label)
        self._now: float | None = None
        self._count = 0
        self.damage = ""
        """Why the coding of the body cannot be undone to its end."""

    @classmethod
    def of(cls, form: BodyFormat) -> Self:
        """A reader of bytes whose format is known, though they are not a whole body."""
        reader = cls(ContentHint.UNSURE)
        reader._cutter.begin(form)
        return reader

    @property
    def form(self) -> BodyFormat | None:
        """The body's format; None until it is known."""
        return self._cutter.form

    def feed(self, chunk: bytes, now: float | None = None) -> list[Event]:
        """The events that these bytes complete."""
        return [event for _, event in self.feed_parts(chunk, now) if event is not None]

    def finish(self) -> list[Event]:
        """What is left when the body ends."""
        return [event for _, event in self.finish_parts() if event is not None]

    def feed_parts(self, chunk: bytes, now: float | None = None) -> Iterator[tuple[FramePart, Event | None]]:
        """The parts that these bytes complete, each with its event; comments and blank lines have none."""
        self._now = now
        return ((part, self._event(part, is_last=False)) for part in self._cutter.feed(self._decode(chunk)))

    def finish_parts(self) -> Iterator[tuple[FramePart, Event | None]]:
        """The same for what is left when the body ends."""
        if self._decoder is not None and not self._decoder.is_complete and not self.damage:
            self.damage = "the compressed body ends too early"
        return ((part, self._event(part, is_last=True)) for part in self._cutter.finish())

    def _decode(self, chunk: bytes) -> bytes:
        if self._decoder is None or self.damage:
            return chunk if self._decoder is None else b""
        try:
            return self._decoder.decode(chunk)
        except CodingError as error:
            self.damage = f"the compressed body is damaged: {error}"
            return b""

    def _event(self, part: FramePart, *, is_last: bool) -> Event | None:
        contents = contents_of(part)
        if not contents.is_event:
            return None
        self._count += 1
        extent = Extent.SNAPSHOT if self.form in (BodyFormat.BODY, BodyFormat.RAW) else contents.extent
        is_cut = is_last and extent is Extent.DELTA and not isinstance(part, Line)
        return Event(
            self._count, self._now, raw_of(part), decode(contents.data), part.event, extent, is_cut, contents.damage
        )
