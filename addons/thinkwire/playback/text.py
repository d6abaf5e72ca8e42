"""What all who show something to people share: counts in words, and texts compared, and made safe to be shown."""

import re
from typing import Final

__all__ = ["alike", "counted", "printable"]

_UNPRINTABLE: Final = re.compile(
    "[\ud800-\udbff][\udc00-\udfff]"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def alike(one: str, other: str) -> int:
    """How many characters two texts have in common, from the first on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def counted(number: int, word: str) -> str:
    """`1 event`, `2 events`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def printable(text: str) -> str:
    """The text with the signs spelled out that a terminal takes as commands, that turn the reading direction, or that
    nothing can write, as the half of a character. Halves that have met, out of two events, are a character.
    """
    return _UNPRINTABLE.sub(_spelled, text)


def _spelled(sign: re.Match[str]) -> str:
    if len(sign[0]) == 2:
        return sign[0].encode("utf-16", "surrogatepass").decode("utf-16")
    number = ord(sign[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
