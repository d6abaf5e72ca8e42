"""Lines of JSON: bytes in, raw lines out. Lines end in LF; to JSON, a CR before it is white space."""

import re
from collections.abc import Iterable
from typing import Final, Self

from thinkwire.wire.json_tree import encode
from thinkwire.wire.splice import Edit, splice

_LEAD: Final = re.compile(rb"(?:\xef\xbb\xbf|data:|[\x1e, \t\r])*+")
"""What may come before a line's document: a byte order mark, a record separator, a comma of a list, or the field name
of an event if a gateway mixes the two formats."""


class Line:
    """One line including its end, as raw bytes."""

    __slots__ = ("_begins", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        lead = _LEAD.match(raw)
        self._begins = lead.end() if lead is not None else 0
        """Where the document begins."""

    @classmethod
    def from_raw(cls, raw: bytes) -> Self:
        return cls(raw)

    separator = b""
    event = ""
    """A line has no name."""

    def like(self, text: str, _name: str) -> bytes:
        """A line with another document, given as document text."""
        return encode(text) + b"\n"

    @property
    def is_indented(self) -> bool:
        return self.raw[:1] in (b" ", b"\t")

    @property
    def data(self) -> bytes | None:
        """The document with the line's end, which is white space to JSON; None if the line is blank."""
        data = self.raw[self._begins :]
        return data if data.strip() else None

    def with_data(self, edits: Iterable[Edit]) -> bytes:
        return self.raw[: self._begins] + splice(self.raw[self._begins :], edits)

    def raw_at(self, position: int) -> int:
        return self._begins + position


class LineSplitter:
    """Cuts bytes into lines: `feed` returns those that are complete, `finish` what is left. Linear in bytes."""

    __slots__ = ("_buffer", "_searched")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0

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
