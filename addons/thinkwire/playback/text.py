"""Texts for people: counts in words, and texts compared and made safe to print."""

import re
from typing import Final

_UNPRINTABLE: Final = re.compile(
    "[\ud800-\udbff][\udc00-\udfff]"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def common_start(one: str, other: str) -> int:
    """The number of characters with which both texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def counted(number: int, word: str) -> str:
    """`1 event`, `2 events`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def printable(text: str) -> str:
    """The text with escapes for what a terminal takes as commands, what changes the reading direction, and what cannot
    be written, such as half a character. Two halves that meet, from two events, are written as the character.
    """
    return _UNPRINTABLE.sub(_escaped, text)


def _escaped(sign: re.Match[str]) -> str:
    if len(sign[0]) == 2:
        return sign[0].encode("utf-16", "surrogatepass").decode("utf-16")
    number = ord(sign[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
