"""The AWS event stream: bytes in, raw messages out, nothing lost or normalised (docs/apis.md, "AWS event stream").

A message is its length and that of its headers, a checksum of these two, the headers, a payload, and a checksum of
everything before. Events of type `chunk` wrap their document: it is the payload's member `bytes`, in base64. It does
not know what a document means.

The splitter's contract: `feed` returns the messages that these bytes complete; `finish` returns what is left. The raw
bytes of all messages, joined, are the bytes that were fed.
"""

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Iterable
from typing import Final, Self

from thinkwire.wire.json_tree import Node, Shape, decode, encode, read
from thinkwire.wire.splice import Edit, splice, to_json

_PRELUDE: Final = struct.Struct(">III")
_CHECKSUM: Final = struct.Struct(">I")
_LENGTH: Final = struct.Struct(">H")
_STRING: Final = 7
_SIZES: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""The size in bytes of a header's value by its type; the other types, bytes and text, begin with their length."""
_EVENT_TYPE: Final = b"\x0b:event-type" + bytes([_STRING])
_NAMED: Final = re.compile(re.escape(_EVENT_TYPE) + rb"..\w*", re.DOTALL)
_WRAPPER: Final = Shape(members={"bytes": "document"})
_NAMED_ERROR: Final = Shape(members={"__type": "name"})


class DamagedMessage(ValueError):
    """The bytes are not a message; the text says why."""


class Message:
    """One message, as raw bytes; it is only parsed on demand."""

    __slots__ = ("_data", "_is_open", "_payload_at", "_wrapped", "is_rest", "raw")

    def __init__(self, raw: bytes, *, is_rest: bool = False) -> None:
        self.raw = raw
        self.is_rest = is_rest
        """Do these bytes follow a damaged length? It is no longer known where the next message begins."""
        self._is_open = False
        self._payload_at = 0
        self._wrapped: Node | None = None
        """The member that wraps the document, if any."""
        self._data: bytes | None = None

    @classmethod
    def from_raw(cls, raw: bytes) -> Self:
        return cls(raw)

    @property
    def data(self) -> bytes | None:
        """The document; None for exceptions and for messages without a payload. Raises DamagedMessage, Unreadable."""
        if not self._is_open:
            self._open()
            self._is_open = True
        return self._data

    def with_data(self, edits: Iterable[Edit]) -> bytes:
        """The message after edits of its document, with the lengths and checksums adjusted."""
        document = splice(self.data or b"", edits)
        if self._wrapped is not None:
            text = to_json(base64.b64encode(document).decode())
            payload = self.raw[self._payload_at : -_CHECKSUM.size]
            document = splice(payload, [Edit(self._wrapped.at, self._wrapped.end, text)])
        return _message(self.raw[_PRELUDE.size : self._payload_at], document)

    separator = b""
    event = ""
    """Its name is in a header, which no member of the document repeats."""

    def like(self, text: str, name: str) -> bytes:
        """A message with another document, given as document text, and the same headers except for its name.

        A message that wraps its document keeps its name, which is the same for all.
        """
        sent = self.with_data([Edit(0, len(self.data or b""), text)])
        if not name or self._wrapped is not None:
            return sent
        headers = self.raw[_PRELUDE.size : self._payload_at]
        named = _NAMED.sub(lambda _: _EVENT_TYPE + _LENGTH.pack(len(name)) + name.encode(), headers, count=1)
        return _message(named, sent[self._payload_at : -_CHECKSUM.size])

    def raw_at(self, _position: int) -> None:
        """No position is independent: the checksums change with each text."""
        return

    def _open(self) -> None:
        headers = self._checked_headers()
        payload = self.raw[self._payload_at : -_CHECKSUM.size]
        if headers.get(":message-type", "event") != "event" or not payload:
            return
        if headers.get(":event-type") == "chunk":
            self._wrapped = read(decode(payload), _WRAPPER).child("bytes")
        self._data = payload if self._wrapped is None else _unwrap(self._wrapped)

    def _checked_headers(self) -> dict[str, str]:
        raw = self.raw
        if self.is_rest or len(raw) < _PRELUDE.size + _CHECKSUM.size or _length_at(raw, 0) != len(raw):
            raise DamagedMessage("a message has no valid length or is not complete")
        if _CHECKSUM.unpack(raw[-_CHECKSUM.size :])[0] != zlib.crc32(raw[: -_CHECKSUM.size]):
            raise DamagedMessage("a message does not match its checksum")
        self._payload_at = _PRELUDE.size + _PRELUDE.unpack_from(raw)[1]
        if self._payload_at > len(raw) - _CHECKSUM.size:
            raise DamagedMessage("a message is shorter than its headers")
        return _headers(raw[_PRELUDE.size : self._payload_at])


def _unwrap(wrapped: Node) -> bytes:
    value = wrapped.value
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise DamagedMessage("the member `bytes` of a chunk is not base64") from None


def _headers(raw: bytes) -> dict[str, str]:
    """The headers whose values are texts, by name."""
    found: dict[str, str] = {}
    at = 0
    try:
        while at < len(raw):
            name_end = at + 1 + raw[at]
            kind, value_at = raw[name_end], name_end + 1
            if kind not in _SIZES:
                size, value_at = _LENGTH.unpack_from(raw, value_at)[0], value_at + _LENGTH.size
            else:
                size = _SIZES[kind]
            if kind == _STRING:
                found[decode(raw[at + 1 : name_end])] = decode(raw[value_at : value_at + size])
            at = value_at + size
    except (IndexError, struct.error):
        at = len(raw) + 1
    if at != len(raw):
        raise DamagedMessage("the headers of a message cannot be read")
    return found


def exception(text: str) -> bytes:
    """A message that ends a stream with an error, whose name is in its document as in an error body."""
    member = read(text, _NAMED_ERROR).child("__type")
    kind = str(member.value) if member is not None else "InternalServerException"
    fields = {
        ":exception-type": kind[:1].lower() + kind[1:],
        ":content-type": "application/json",
        ":message-type": "exception",
    }
    return _message(b"".join(_text_header(name, value) for name, value in fields.items()), encode(text))


def _text_header(name: str, value: str) -> bytes:
    return b"".join((bytes([len(name)]), name.encode(), bytes([_STRING]), _LENGTH.pack(len(value)), value.encode()))


def _message(headers: bytes, payload: bytes) -> bytes:
    prelude = struct.pack(">II", _PRELUDE.size + len(headers) + len(payload) + _CHECKSUM.size, len(headers))
    message = b"".join((prelude, _CHECKSUM.pack(zlib.crc32(prelude)), headers, payload))
    return message + _CHECKSUM.pack(zlib.crc32(message))


def _length_at(raw: bytes | bytearray, at: int) -> int | None:
    """The length of the message that begins there; None if the lengths do not match their checksum."""
    length, _, checksum = _PRELUDE.unpack_from(raw, at)
    is_valid = zlib.crc32(raw[at : at + 8]) == checksum and length >= _PRELUDE.size + _CHECKSUM.size
    return int(length) if is_valid else None


class MessageSplitter:
    """Cuts bytes into messages; see the module's contract. Linear in bytes, however they are cut."""

    __slots__ = ("_buffer", "_is_lost")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._is_lost = False

    def feed(self, chunk: bytes) -> list[Message]:
        """The messages that these bytes complete. After a damaged length, everything is passed on as it comes."""
        buffer = self._buffer
        buffer += chunk
        messages: list[Message] = []
        at = 0
        while not self._is_lost and len(buffer) - at >= _PRELUDE.size:
            length = _length_at(buffer, at)
            if length is None:
                self._is_lost = True
            elif len(buffer) - at < length:
                break
            else:
                messages.append(Message(bytes(buffer[at : at + length])))
                at += length
        del buffer[:at]
        return [*messages, *self.finish()] if self._is_lost else messages

    def finish(self) -> list[Message]:
        """What is left: an unfinished message, or nothing."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        return [Message(rest, is_rest=True)] if rest else []
