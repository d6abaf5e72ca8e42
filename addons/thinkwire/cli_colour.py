"""Colours for a terminal.

None of what mitmproxy depends on prints lines in colour, and a few escape sequences are no reason for one more
dependency.
"""

import os
from typing import Final, TextIO

__all__ = ["Colours"]

_ENDS: Final = "\x1b[0m"


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
