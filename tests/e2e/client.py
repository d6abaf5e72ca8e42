"""A client that hides nothing: every byte of the answer, how it was framed, and how it ended.

It asks once per connection (`connection: close`), so an answer is all that comes until the other side closes;
only then is it taken apart. A proxy that hangs shows as a `TimeoutError` from the socket.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mitmproxy.net import encoding

from .upstream import LIMIT

CHAT = "/v1/chat/completions"
NO_BODY = {204, 304}

Document = dict[str, Any]
Ending = Literal["clean", "broken"]


@dataclass(frozen=True)
class Reply:
    """An answer as the client got it."""

    status: int
    headers: list[tuple[str, str]]
    raw_body: bytes
    """Without its transfer coding, with its content coding."""
    ending: Ending
    """`broken`: the client can tell that the body is not complete."""
    chunks: list[bytes] = field(default_factory=list)
    """The chunks of a chunked body, or the DATA frames of HTTP/2."""

    def header(self, name: str) -> str | None:
        values = [value for key, value in self.headers if key.lower() == name]
        return ", ".join(values) if values else None

    @property
    def body(self) -> bytes:
        """Without its content coding."""
        coding = self.header("content-encoding")
        if coding is None or not self.raw_body:
            return self.raw_body
        decoded = encoding.decode(self.raw_body, coding)
        assert isinstance(decoded, bytes)
        return decoded

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


class Conversation:
    """One request that was sent, and its answer as far as it has come."""

    def __init__(self, connection: socket.socket, method: str) -> None:
        self._connection = connection
        self._method = method
        self._raw = bytearray()
        self._ended: Literal["", "closed", "reset"] = ""

    def read_until(self, wanted: bytes) -> None:
        """Return as soon as these bytes have come."""
        while wanted not in self._raw:
            assert not self._ended, f"{wanted!r} never came, but {bytes(self._raw)!r}"
            self._read()

    def read_reply(self) -> Reply:
        while not self._ended:
            self._read()
        return _parse_reply(bytes(self._raw), self._method, self._ended == "reset")

    def read_so_far(self) -> Reply:
        """The answer as far as it has come by now, however it goes on."""
        while not self._ended and select.select([self._connection], [], [], 0)[0]:
            self._read()
        return _parse_reply(bytes(self._raw), self._method, self._ended == "reset")

    def leave(self) -> None:
        """Say that nothing more is wanted, and go on listening, to see the other side hang up."""
        self._connection.shutdown(socket.SHUT_WR)

    def _read(self) -> None:
        try:
            data = self._connection.recv(65536)
        except ConnectionResetError:
            self._ended = "reset"
            return
        self._raw += data
        if not data:
            self._ended = "closed"


@contextlib.contextmanager
def conversation(
    port: int,
    body: bytes | Document = b"",
    *,
    method: str = "POST",
    path: str = CHAT,
    headers: Mapping[str, str] | None = None,
    version: str = "HTTP/1.1",
) -> Iterator[Conversation]:
    """Send a request; a mapping goes as compact JSON."""
    raw = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
    fields = {"host": f"127.0.0.1:{port}", "connection": "close", "content-type": "application/json", **(headers or {})}
    if raw and "transfer-encoding" not in fields:
        fields["content-length"] = str(len(raw))
    lines = [f"{method} {path} {version}", *(f"{name}: {value}" for name, value in fields.items())]
    with socket.create_connection(("127.0.0.1", port), LIMIT) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + raw)
        yield Conversation(connection, method)


def ask(
    port: int,
    body: bytes | Document = b"",
    *,
    method: str = "POST",
    path: str = CHAT,
    headers: Mapping[str, str] | None = None,
    version: str = "HTTP/1.1",
) -> Reply:
    """Send a request and read the answer to its end."""
    with conversation(port, body, method=method, path=path, headers=headers, version=version) as talk:
        return talk.read_reply()


def _parse_reply(raw: bytes, method: str, was_reset: bool) -> Reply:
    head, _, rest = raw.partition(b"\r\n\r\n")
    status_line, *lines = head.decode("latin-1").split("\r\n")
    assert status_line.startswith("HTTP/1."), f"not an answer: {raw!r}"
    status = int(status_line.split(" ")[1])
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    fields = {name.lower(): value for name, value in headers}
    chunks: list[bytes] = []
    if method == "HEAD" or status in NO_BODY:
        complete = not rest
    elif "chunked" in fields.get("transfer-encoding", "").lower():
        chunks, complete = _parse_chunks(rest)
        rest = b"".join(chunks)
    elif "content-length" in fields:
        complete = len(rest) == int(fields["content-length"])
    else:
        complete = not was_reset
    return Reply(status, headers, rest, "clean" if complete else "broken", chunks)


def _parse_chunks(raw: bytes) -> tuple[list[bytes], bool]:
    """The chunks, and whether the last one came, with nothing after it."""
    chunks: list[bytes] = []
    position = 0
    while (line_end := raw.find(b"\r\n", position)) >= 0:
        start = line_end + 2
        size = int(raw[position:line_end], 16)
        if size == 0:
            return chunks, raw[start:] == b"\r\n"
        chunks.append(raw[start : start + size])
        position = start + size + 2
    return chunks, False
