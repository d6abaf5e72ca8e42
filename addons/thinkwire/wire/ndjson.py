"""Lines of JSON: bytes in, raw lines out. Lines end in LF; a CR before it is a blank to JSON."""

from collections.abc import Iterable
from typing import Self

from thinkwire.wire.json_tree import encode
from thinkwire.wire.splice import Edit, splice

__all__ = ["Line", "LineSplitter"]


class Line:
    """One line with its end, as raw bytes."""

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    @classmethod
    def from_raw(cls, raw: bytes) -> Self:
        return cls(raw)

    event = ""
    """A line has no name."""

    def like(self, text: str, _name: str) -> bytes:
        """A line of another document, which is document text."""
        return encode(text) + b"\n"

    @staticmethod
    def joined(frames: Iterable[bytes]) -> bytes:
        return b"".join(frames)

    @property
    def data(self) -> bytes | None:
        """The line, whose end is a blank to JSON; None where there is nothing in it."""
        return self.raw if self.raw.strip() else None

    def with_data(self, edits: Iterable[Edit]) -> bytes:
        return splice(self.raw, edits)

    def raw_at(self, position: int) -> int:
        return position


class LineSplitter:
    """Cuts bytes into lines: `feed` returns those that are complete, `finish` what is left. Linear in bytes."""

    __slots__ = ("_buffer", "_searched")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

    @property
    def is_between_lines(self) -> bool:
        return not self._buffer

    def feed(self, chunk: bytes) -> list[Line]:
        buffer = self._buffer
        buffer += chunk
        lines: list[Line] = []
        at = 0
        while (end := buffer.find(b"\n", max(at, self._searched))) >= 0:
            lines.append(Line(bytes(buffer[at : end + 1])))
            at = end + 1
        del buffer[:at]
        self._searched = len(buffer)
        return lines

    def finish(self) -> list[Line]:
        rest = bytes(self._buffer)
        self._buffer.clear()
        self._searched = 0
        return [Line(rest)] if rest else []
