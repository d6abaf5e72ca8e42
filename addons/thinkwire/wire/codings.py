"""Content codings, decoded piece by piece: gzip, deflate, br, zstd, and lists of them.

It only decodes; what was changed is sent as identity. The decoders are those that mitmproxy depends on itself.
"""

import sys
import zlib
from collections.abc import Callable
from typing import Final, Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class CodingError(ValueError):
    """The bytes do not follow their content coding."""


class _Coding(Protocol):
    def decode(self, chunk: bytes) -> bytes: ...

    @property
    def is_complete(self) -> bool: ...


_GZIP: Final = zlib.MAX_WBITS | 16
_GZIP_FIRST: Final = 0x1F


class _Zlib:
    """gzip (any number of members) and deflate (which some servers send without its zlib frame).

    What follows the end is padding, unless it is another gzip member; clients ignore padding.
    """

    def __init__(self, window: int) -> None:
        self._window = window
        self._object = zlib.decompressobj(window)
        self._begun = False
        self._has_padding = False

    def decode(self, chunk: bytes) -> bytes:
        pieces: list[bytes] = []
        while chunk and not self._has_padding:
            self._begin(chunk[0])
            if not self._has_padding:
                pieces.append(self._object.decompress(chunk))
                chunk = self._object.unused_data
        return b"".join(pieces)

    def _begin(self, first: int) -> None:
        """Prepare for what begins with this byte, if anything does."""
        if self._object.eof and (self._window != _GZIP or first != _GZIP_FIRST):
            self._has_padding = True
        elif self._object.eof:
            self._object = zlib.decompressobj(self._window)
        elif not self._begun and self._window == zlib.MAX_WBITS and first & 0x0F != zlib.DEFLATED:
            # A zlib frame begins with its method; raw deflate never has these bits in its first byte.
            self._object = zlib.decompressobj(-self._window)
        self._begun = True

    @property
    def is_complete(self) -> bool:
        return self._object.eof or not self._begun


class _Brotli:
    def __init__(self) -> None:
        self._object = brotli.Decompressor()
        self._begun = False

    def decode(self, chunk: bytes) -> bytes:
        self._begun = self._begun or bool(chunk)
        return bytes(self._object.process(chunk))

    @property
    def is_complete(self) -> bool:
        return bool(self._object.is_finished()) or not self._begun


class _Zstd:
    """zstd, any number of frames."""

    def __init__(self) -> None:
        self._object = zstd.ZstdDecompressor()
        self._begun = False

    def decode(self, chunk: bytes) -> bytes:
        pieces: list[bytes] = []
        while chunk:
            if self._object.eof:
                self._object = zstd.ZstdDecompressor()
            self._begun = True
            pieces.append(self._object.decompress(chunk))
            chunk = self._object.unused_data if self._object.eof else b""
        return b"".join(pieces)

    @property
    def is_complete(self) -> bool:
        return self._object.eof or not self._begun


_CODINGS: Final[dict[str, Callable[[], _Coding]]] = {
    "gzip": lambda: _Zlib(_GZIP),
    "x-gzip": lambda: _Zlib(_GZIP),
    "deflate": lambda: _Zlib(zlib.MAX_WBITS),
    "br": _Brotli,
    "zstd": _Zstd,
}
_ERRORS: Final = (zlib.error, brotli.error, zstd.ZstdError, EOFError)


class Decoder:
    """Decodes one body; the coding that was applied last is undone first."""

    __slots__ = ("_codings",)

    def __init__(self, codings: list[_Coding]) -> None:
        self._codings = codings

    def decode(self, chunk: bytes) -> bytes:
        """The bytes that this chunk completes, possibly none. Raises CodingError."""
        try:
            for coding in self._codings:
                chunk = coding.decode(chunk)
        except _ERRORS as error:
            raise CodingError(str(error) or type(error).__name__) from None
        return chunk

    @property
    def is_identity(self) -> bool:
        """Is there nothing to decode?"""
        return not self._codings

    @property
    def is_complete(self) -> bool:
        """Did the body end where its coding says it should?"""
        return all(coding.is_complete for coding in self._codings)


def decoder_for(header: str) -> Decoder | None:
    """A decoder for the value of a content-encoding header; None if it names a coding that cannot be decoded."""
    names = [name for part in header.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    if any(name not in _CODINGS for name in names):
        return None
    return Decoder([_CODINGS[name]() for name in reversed(names)])
