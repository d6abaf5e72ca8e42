"""Server-sent events: bytes in, raw frames out, nothing lost and nothing normalised.

A frame is what the WHATWG rules call a block: lines up to and including the empty line that ends them. Lines end in
LF, CR LF or CR, in any mixture. It does not decode text and does not know what the data means.

The splitter's contract: `feed` returns the frames that these bytes complete; `finish` returns what is left, as an
unfinished frame. The raw bytes of all frames, joined, are the bytes that were fed.
"""

import re
from collections.abc import Iterable
from typing import Final, Self

from thinkwire.wire.json_tree import decode, encode
from thinkwire.wire.splice import Edit, splice

# Two line ends in a row. A CR is one by itself only if no LF follows, which is not yet known at the end of the bytes;
# as the second of the two it ends the frame at once, and an LF that comes later is a frame of its own.
_FRAME_END: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_LONGEST_END: Final = 4
_EVENT_LINE: Final = re.compile(rb"(?:\A|[\r\n])event: ?([^\r\n]*)")
_BOM: Final = b"\xef\xbb\xbf"
_FIELDS: Final = frozenset((b"data", b"event", b"id", b"retry"))


class Frame:
    """One block of an event stream, as raw bytes; its lines are only read on demand."""

    __slots__ = ("_foreign", "_is_foreign", "_spans", "is_line_feed", "raw")

    def __init__(self, raw: bytes, *, is_line_feed: bool = False) -> None:
        self.raw = raw
        self.is_line_feed = is_line_feed
        """Is this the LF of a CR LF whose CR already ended the previous frame? It shares that frame's fate."""
        self._spans: list[tuple[int, int]] | None = None
        self._is_foreign = False
        self._foreign: list[tuple[int, int]] = []
        """The spans of lines without a field, including their ends."""

    separator = b""

    @classmethod
    def from_raw(cls, raw: bytes) -> Self:
        return cls(raw)

    def like(self, text: str, name: str) -> bytes:
        """A frame with another document, given as document text; with an `event:` line if this frame has one."""
        match = _LINE_END.search(self.raw)
        end = match[0] if match is not None else b"\n"
        event = b"event: " + encode(name) + end if _EVENT_LINE.search(self.raw) else b""
        return event + b"data: " + encode(text) + end + end

    @property
    def event(self) -> str:
        """The name on the `event:` line, or an empty text."""
        match = _EVENT_LINE.search(self.raw)
        return decode(match[1]) if match is not None else ""

    @property
    def data(self) -> bytes | None:
        """The joined text of the data lines, or None if there are none (comments, `retry:`)."""
        spans = self._data_spans()
        return b"\n".join([self.raw[start:end] for start, end in spans]) if spans else None

    @property
    def is_foreign(self) -> bool:
        """Does no line have a field of event streams? A bare JSON text, say; clients ignore such lines."""
        self._data_spans()
        return self._is_foreign

    def without_bare_json(self) -> bytes:
        """The frame's bytes without the lines that have no field, from the first that begins like JSON."""
        self._data_spans()
        beginnings = (start for start, end in self._foreign if self.raw[start:end].lstrip()[:1] in (b"{", b"["))
        first = next(beginnings, len(self.raw))
        cuts = [Edit(start, end, "") for start, end in self._foreign if start >= first]
        return splice(self.raw, cuts) if cuts else self.raw

    def _data_spans(self) -> list[tuple[int, int]]:
        if self._spans is None:
            self._spans = self._find_data()
        return self._spans

    def _find_data(self) -> list[tuple[int, int]]:
        raw = self.raw
        if raw.startswith(b"data:") and raw.find(b"\n") == len(raw) - 2 and raw.endswith(b"\n\n") and b"\r" not in raw:
            return [(6 if raw[5:6] == b" " else 5, len(raw) - 2)]
        spans: list[tuple[int, int]] = []
        known = False
        at = len(_BOM) if raw.startswith(_BOM) else 0
        while at < len(raw):
            match = _LINE_END.search(raw, at)
            end, after = match.span() if match else (len(raw), len(raw))
            name, colon, _ = raw[at : min(end, at + 6)].partition(b":")
            if name == b"data":
                start = min(end, at + 4 + len(colon))
                spans.append((start + (start < end and raw[start] == 0x20), end))
            if name in _FIELDS or (colon and not name):
                known = True
            elif name:
                self._foreign.append((at, after))
            at = after
        self._is_foreign = bool(self._foreign) and not known
        return spans

    def with_data(self, edits: Iterable[Edit]) -> bytes:
        """The frame's bytes after edits of its data.

        Line breaks inside a cut are removed with it; those in new text (a copy of a value from several lines) begin
        new data lines.
        """
        return splice(
            self.raw,
            (Edit(self.raw_at(start), self.raw_at(end), new.replace("\n", "\ndata: ")) for start, end, new in edits),
        )

    def raw_at(self, position: int) -> int:
        """The position in `raw` of a position in `data`."""
        for start, end in self._data_spans():
            if position <= end - start:
                return start + position
            position -= end - start + 1
        raise IndexError("no such position in the data")


class FrameSplitter:
    """Cuts a stream of bytes into frames; see the module's contract. Linear in bytes, however they are cut."""

    __slots__ = ("_buffer", "_expects_line_feed", "_searched")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        """Up to here the buffer is known to contain no end of a frame."""
        self._expects_line_feed = False

    @property
    def is_between_frames(self) -> bool:
        """Will the next bytes begin a frame, whatever they are?"""
        return not self._buffer and not self._expects_line_feed

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that these bytes complete."""
        frames: list[Frame] = []
        if self._expects_line_feed and chunk:
            self._expects_line_feed = False
            if chunk.startswith(b"\n"):
                frames.append(Frame(b"\n", is_line_feed=True))
                chunk = chunk[1:]
        buffer = self._buffer
        buffer += chunk
        at, searched = 0, self._searched
        while end := self._end_of_frame(at, searched):
            with memoryview(buffer) as whole:
                frames.append(Frame(bytes(whole[at:end])))
            at = searched = end
        if at and at == len(buffer):
            self._expects_line_feed = buffer.endswith(b"\r")
        del buffer[:at]
        self._searched = max(0, len(buffer) - _LONGEST_END + 1)
        return frames

    def _end_of_frame(self, at: int, searched: int) -> int:
        """Where the frame that begins at `at` ends, or 0 if it is not complete."""
        buffer = self._buffer
        first = buffer[at : at + 2]
        if first.startswith((b"\n", b"\r")):
            return at + (2 if first == b"\r\n" else 1)
        match = _FRAME_END.search(buffer, searched)
        return match.end() if match else 0

    def finish(self) -> list[Frame]:
        """What is left: an unfinished frame, or nothing."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        return [Frame(rest)] if rest else []


def comment(text: str) -> bytes:
    """A comment as a block of its own; clients ignore it."""
    return f": {text}\n\n".encode()
