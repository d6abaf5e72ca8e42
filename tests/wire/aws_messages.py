"""Messages of AWS event streams for tests: written to the letter of the format, read by botocore."""

import base64
import json
import struct
import zlib
from typing import Any

from botocore.eventstream import EventStreamBuffer


def text_header(name: str, value: str) -> bytes:
    return bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()


def message(payload: bytes, headers: bytes) -> bytes:
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return body + struct.pack(">I", zlib.crc32(body))


def event(name: str, document: Any) -> bytes:
    """An event as Bedrock writes it; `document` is JSON text in bytes, or a value to be written as such."""
    payload = document if isinstance(document, bytes) else json.dumps(document, separators=(",", ":")).encode()
    headers = (":event-type", name), (":content-type", "application/json"), (":message-type", "event")
    return message(payload, b"".join(text_header(*header) for header in headers))


def chunk(document: Any, p: str = "abcd") -> bytes:
    """An event of InvokeModelWithResponseStream."""
    inner = document if isinstance(document, bytes) else json.dumps(document, separators=(",", ":")).encode()
    return event("chunk", {"bytes": base64.b64encode(inner).decode(), "p": p})


def exception(name: str, text: str) -> bytes:
    headers = (":exception-type", name), (":content-type", "application/json"), (":message-type", "exception")
    return message(json.dumps({"message": text}).encode(), b"".join(text_header(*header) for header in headers))


def read_all(raw: bytes) -> list[tuple[str, Any]]:
    """Type and document of each message, as botocore reads them (it checks lengths and checksums)."""
    buffer = EventStreamBuffer()
    buffer.add_data(raw)
    return [
        (one.headers.get(":event-type") or one.headers.get(":exception-type"), json.loads(one.payload))
        for one in buffer
    ]


def unwrapped(raw: bytes) -> list[Any]:
    """The inner documents of the chunks."""
    return [json.loads(base64.b64decode(document["bytes"])) for _, document in read_all(raw)]
