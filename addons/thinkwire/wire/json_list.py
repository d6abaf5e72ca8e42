"""A JSON list that is sent piece by piece: bytes in, elements out, each with the bytes before it.

It finds where elements end, by brackets and strings; it does not check that they are JSON.
"""

import re
from collections.abc import Iterable
from typing import Final, Self

from thinkwire.wire.json_tree import encode
from thinkwire.wire.splice import Edit, splice

_MARK: Final = re.compile(rb'["\\\[\]{},]')


class Element:
    """One element of the list, as raw bytes: what comes before it (brackets, commas, white space), and its text.

    Only an object or a list counts; other values belong to what comes before the next one. The end of the list is an
    element without text.
    """

    __slots__ = ("lead", "raw")

    def __init__(self, lead: bytes, text: bytes) -> None:
        self.lead = lead
        self.raw = text

    @classmethod
    def from_raw(cls, raw: bytes) -> Self:
        return cls(b"", raw)

    separator = b","
    event = ""
    """An element has no name."""

    def like(self, text: str, _name: str) -> bytes:
        """An element with another document, given as document text."""
        return encode(text)

    @property
    def data(self) -> bytes | None:
        return self.raw or None

    def with_data(self, edits: Iterable[Edit]) -> bytes:
        return splice(self.raw, edits)

    def raw_at(self, position: int) -> int:
        return position


class ListSplitter:
    """Cuts a list into elements: `feed` returns those that are complete, `finish` what is left. Linear in bytes.

    What follows the list is cut the same way: objects outside of it, and further lists.
    """

    __slots__ = ("_around", "_begins", "_buffer", "_depth", "_in_string", "_searched")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        self._depth = 0
        """How many brackets are open."""
        self._around = 0
        """How many of them are around an element: 1 in the list, 0 after it."""
        self._in_string = False
        self._begins = 0
        """Where the text of the open element, if any, begins in the buffer."""

    def feed(self, chunk: bytes) -> list[Element]:
        buffer = self._buffer
        buffer += chunk
        elements: list[Element] = []
        while match := _MARK.search(buffer, self._searched):
            mark, at = match[0], match.start()
            if mark == b"\\":
                if at + 1 >= len(buffer):
                    return elements  # the escaped character has not arrived yet
                self._searched = at + 2 if self._in_string else at + 1
                continue
            self._searched = at + 1
            if mark == b'"':
                self._in_string = self._depth > 0 and not self._in_string  # outside of a list, quotes may not match
            elif not self._in_string and self._closes_element(mark, at):
                elements.append(self._take(at + 1))
        self._searched = max(self._searched, len(buffer))
        return elements

    def _closes_element(self, mark: bytes, at: int) -> bool:
        if mark == b",":
            return False
        is_between = self._depth == self._around
        if mark in b"[{":
            if is_between and not self._around and mark == b"[":
                self._around = 1
            elif is_between:
                self._begins = at
            self._depth += 1
        elif is_between:
            self._depth = self._around = 0
        else:
            self._depth -= 1
            return self._depth == self._around
        return False

    def _take(self, end: int) -> Element:
        buffer = self._buffer
        element = Element(bytes(buffer[: self._begins]), bytes(buffer[self._begins : end]))
        del buffer[:end]
        self._searched = 0
        return element

    def finish(self) -> list[Element]:
        """The end of the list with everything left there, or an element that was cut off."""
        rest = bytes(self._buffer)
        begins = self._begins if self._depth > self._around else len(rest)
        self._buffer.clear()
        self._searched = 0
        return [Element(rest[:begins], rest[begins:])] if rest else []
