"""What all who show something to people share: counts in words, and texts of others made safe to be shown."""

import re
from typing import Final

__all__ = ["counted", "printable"]

_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def counted(number: int, word: str) -> str:
    """`1 event`, `2 events`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def printable(text: str) -> str:
    """The text with the signs spelled out that a terminal takes as commands, or that turn the reading direction."""
    return _UNPRINTABLE.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
