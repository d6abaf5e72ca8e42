"""Is a value that claims to be encrypted really so? Ollama puts plain reasoning there, SGLang a compressed copy.

Whatever needs no key is undone, once or twice over: base64, hex, and the zlib formats. The work is bounded, since the
values come from a server: what would take longer to find out counts as readable.
"""

import base64
import binascii
import codecs
import re
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Final

_NOT_ENCODED: Final = re.compile(r"[^A-Za-z0-9+/=_.:~|-]")
_SEPARATOR: Final = re.compile(r"[.:|]")
_MOST_STARTS: Final = 8
"""So many prefixes are skipped when looking for a value; a real one has one or two."""
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2})+")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]+=*")
_WORD: Final = re.compile(r"[A-Z]?[a-z]*|[A-Z]+")
"""Plain words: base64 could spell them but hardly ever does."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LEAST_LETTERS: Final = 4
"""One in eight values of fewer bytes is ASCII by chance."""
_MOST_UNPACKED: Final = 1 << 16
_CHECKED: Final = zlib.MAX_WBITS | 32
"""zlib or gzip, whose headers set them apart from noise."""
_BARE: Final = -zlib.MAX_WBITS
"""Deflate without a header: noise can look like it."""


def is_readable(value: str) -> bool:
    """Can anyone read it, as it is or after undoing encodings and compression (with or without a prefix)?"""
    if _NOT_ENCODED.search(value):
        return True
    starts = [0, *(match.end() for match in islice(_SEPARATOR.finditer(value), _MOST_STARTS))]
    return len(starts) > _MOST_STARTS or any(_hides_text(value[start:], is_inner=False) for start in starts)


def _hides_text(encoded: str, *, is_inner: bool) -> bool:
    return any(_holds_text(raw, is_inner) for raw in _decoded(encoded))


def _decoded(encoded: str) -> Iterator[bytes]:
    """The bytes that it may encode."""
    if _HEX.fullmatch(encoded):
        yield bytes.fromhex(encoded)
    try:
        bare = encoded.rstrip("=").replace("+", "-").replace("/", "_")
        yield base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        return


def _holds_text(raw: bytes, is_inner: bool) -> bool:
    if _unpacked(raw, _CHECKED):
        return True  # nobody compresses what is encrypted
    return any(_is_text(piece, is_inner) for piece in (raw, _unpacked(raw, _BARE)))


def _unpacked(raw: bytes, form: int) -> bytes:
    """The beginning of what the bytes unpack to; nothing if they are not packed in that form."""
    unpacker = zlib.decompressobj(form)
    try:
        unpacked = unpacker.decompress(raw, _MOST_UNPACKED)
    except zlib.error:
        return b""
    is_whole = unpacker.eof and not unpacker.unused_data
    return unpacked if form == _CHECKED or is_whole or unpacker.unconsumed_tail else b""


def _is_text(raw: bytes, is_inner: bool) -> bool:
    """Is it readable text, and not just another layer of encoding?"""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(raw)  # its end may be cut off
    except UnicodeDecodeError:
        return False
    if _CONTROL.search(text) or (text.isascii() and len(text) < _LEAST_LETTERS):
        return False
    if not _BASE64.fullmatch(text) or _WORD.fullmatch(text):
        return True
    return not is_inner and _hides_text(text, is_inner=True)
