"""Is a value that passes for encrypted really so? Ollama puts the plain thought there, SGLang a packed one."""

import base64
import binascii
import re
import zlib
from typing import Final

__all__ = ["is_readable"]

_NOT_ENCODED: Final = re.compile(r"[^A-Za-z0-9+/=_.:~|-]")


def is_readable(value: str) -> bool:
    """Can anybody read it: as it stands, or after undoing base64 and zlib (behind a prefix or not)?"""
    if _NOT_ENCODED.search(value):
        return True
    return any(_unpacks(value[start:]) for start in _starts(value))


def _starts(value: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(r"[.:|]", value))]


def _unpacks(value: str) -> bool:
    try:
        bare = value.rstrip("=").replace("+", "-").replace("/", "_")
        raw = base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        return False
    try:
        zlib.decompress(raw)
    except zlib.error:
        return _is_sentence(raw)
    return True


def _is_sentence(raw: bytes) -> bool:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return False
    return " " in text and text.isprintable()
