"""Colours for a terminal, and texts of others made safe for it.

None of what mitmproxy depends on prints lines in colour, and a few escape sequences are no reason for one more
dependency.
"""

import os
import re
from typing import Final, TextIO

__all__ = ["Colours", "printable"]

_ENDS: Final = "\x1b[0m"
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Colours:
    """Puts texts in colour, or leaves them as they are."""

    def __init__(self, out: TextIO) -> None:
        self.are_on = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def bold(self, text: str) -> str:
        return self._in("1", text)

    def dim(self, text: str) -> str:
        return self._in("2", text)

    def red(self, text: str) -> str:
        return self._in("31", text)

    def green(self, text: str) -> str:
        return self._in("32", text)

    def yellow(self, text: str) -> str:
        return self._in("33", text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{_ENDS}" if self.are_on and text else text


def printable(text: str) -> str:
    """The text with the signs spelled out that a terminal takes as commands, or that turn the reading direction."""
    return _UNPRINTABLE.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
