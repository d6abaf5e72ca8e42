"""Server-sent events: bytes in, raw frames out, nothing lost and nothing normalised.

A frame is what the WHATWG rules call a block: lines up to and with the empty line that ends them. Lines end in LF,
CR LF or CR, mixed as one likes. It does not decode text and does not know what the data means.

The splitter's contract: `feed` returns the frames that are complete with these bytes; `finish` returns what is left,
as a frame that nothing ended. The raw bytes of all frames, joined, are the bytes that were fed.
"""

import re
from collections.abc import Iterable
from typing import Final

from thinkwire.wire.splice import Edit, splice

__all__ = ["Frame", "FrameSplitter", "comment"]

# Two line ends in a row. A CR counts as one by itself only where no LF follows, which at the end of the bytes is not
# yet known; as the second of the two it ends the frame at once, and an LF that comes later is a frame of its own.
_FRAME_END: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)")
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_LONGEST_END: Final = 4
_BOM: Final = b"\xef\xbb\xbf"
_FIELDS: Final = frozenset((b"data", b"event", b"id", b"retry"))


class Frame:
    """One block of an event stream, as raw bytes.

    `data` is the joined text of its data lines, or None where it has none (comments, `retry:`).
    """

    __slots__ = ("_spans", "data", "is_foreign", "is_line_feed", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.is_line_feed = False
        """Is this the LF of a CR LF whose CR already ended the frame before? It shares that frame's fate."""
        self._spans: list[tuple[int, int]] = []
        self.is_foreign = False
        """Does no line have a field of event streams? A bare JSON text, say; clients ignore such lines."""
        self._find_data()
        self.data = b"\n".join(raw[start:end] for start, end in self._spans) if self._spans else None

    def _find_data(self) -> None:
        raw = self.raw
        if raw.startswith(b"data:") and raw.find(b"\n") == len(raw) - 2 and raw.endswith(b"\n\n") and b"\r" not in raw:
            self._spans.append((6 if raw[5:6] == b" " else 5, len(raw) - 2))
            return
        known = unknown = False
        at = len(_BOM) if raw.startswith(_BOM) else 0
        while at < len(raw):
            match = _LINE_END.search(raw, at)
            end, after = match.span() if match else (len(raw), len(raw))
            name, colon, _ = raw[at : min(end, at + 6)].partition(b":")
            if name == b"data":
                start = min(end, at + 4 + len(colon))
                self._spans.append((start + (start < end and raw[start] == 0x20), end))
            if name in _FIELDS or (colon and not name):
                known = True
            elif name:
                unknown = True
            at = after
        self.is_foreign = unknown and not known

    def with_data(self, edits: Iterable[Edit]) -> bytes:
        """The frame's bytes after edits of its data.

        Line breaks inside a cut go with it; those in new text (a copy of a value that several lines hold) begin new
        data lines.
        """
        return splice(
            self.raw,
            (Edit(self._raw_at(start), self._raw_at(end), new.replace("\n", "\ndata: ")) for start, end, new in edits),
        )

    def _raw_at(self, position: int) -> int:
        """Where a position of `data` stands in `raw`."""
        for start, end in self._spans:
            if position <= end - start:
                return start + position
            position -= end - start + 1
        raise IndexError("no such position in the data")


class FrameSplitter:
    """Cuts a stream of bytes into frames; see the module's contract. Linear in bytes, however they are cut."""

    __slots__ = ("_buffer", "_eat_line_feed", "_searched")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        """Up to here the buffer is known to hold no end of a frame."""
        self._eat_line_feed = False

    def feed(self, chunk: bytes) -> list[Frame]:
        frames: list[Frame] = []
        if self._eat_line_feed and chunk:
            self._eat_line_feed = False
            if chunk.startswith(b"\n"):
                frames.append(_line_feed())
                chunk = chunk[1:]
        buffer = self._buffer
        buffer += chunk
        at, searched = 0, self._searched
        while end := self._end_of_frame(at, searched):
            frames.append(Frame(bytes(buffer[at:end])))
            at = searched = end
        if at and at == len(buffer):
            self._eat_line_feed = buffer.endswith(b"\r")
        del buffer[:at]
        self._searched = max(0, len(buffer) - _LONGEST_END + 1)
        return frames

    def _end_of_frame(self, at: int, searched: int) -> int:
        """Where the frame that begins at `at` ends, or 0 where it is not complete."""
        buffer = self._buffer
        first = buffer[at : at + 2]
        if first.startswith((b"\n", b"\r")):
            return at + (2 if first == b"\r\n" else 1)
        match = _FRAME_END.search(buffer, searched)
        return match.end() if match else 0

    def finish(self) -> list[Frame]:
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        return [Frame(rest)] if rest else []


def _line_feed() -> Frame:
    frame = Frame(b"\n")
    frame.is_line_feed = True
    return frame


def comment(text: str) -> bytes:
    """A comment as a block of its own: it belongs to no event, and clients ignore it."""
    return f": {text}\n\n".encode()
