"""A provider that answers exactly as it was told, byte by byte.

One thread per connection, one request per connection, plain sockets: chunk borders, announced lengths, broken
streams and the HTTP version are what the tests are about, so no library may smooth them over. It knows nothing
of the proxy, and never waits for time to pass: where an answer has to wait, a `Gate` stands in it.
"""

from __future__ import annotations

import contextlib
import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from io import BufferedIOBase
from typing import Literal

LIMIT = 15.0
"""Seconds after which anything that is still waited for counts as never coming."""

Framing = Literal["chunked", "length", "close", "none"]

RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Gate:
    """A place in an answer where the upstream waits until the test opens it."""

    def __init__(self) -> None:
        self._opened = threading.Event()

    def open(self) -> None:
        self._opened.set()

    def wait(self) -> None:
        if not self._opened.wait(LIMIT):
            raise TimeoutError("no test opened the gate")


@dataclass(frozen=True)
class Request:
    """One request as the upstream got it."""

    method: str
    path: str
    version: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


@dataclass(frozen=True)
class Answer:
    """What the upstream does once it has the request."""

    pieces: Iterable[bytes | Gate] = ()
    """Each piece is one write, and one HTTP chunk where the framing is `chunked`."""
    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    framing: Framing = "chunked"
    length: int | None = None
    """What content-length claims under `length`; None: the truth."""
    ending: Literal["clean", "cut", "reset", "left"] = "clean"
    """`left`: stay silent until the other side goes away."""
    version: str = "HTTP/1.1"

    @property
    def body(self) -> bytes:
        return b"".join(piece for piece in self.pieces if isinstance(piece, bytes))

    def head(self) -> bytes:
        lines = [f"{self.version} {self.status} {HTTPStatus(self.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.framing == "chunked":
            lines.append("transfer-encoding: chunked")
        elif self.framing == "length":
            lines.append(f"content-length: {len(self.body) if self.length is None else self.length}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


class Upstream:
    """The running server. What it answers may be replaced between two requests, never during one."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.forget()

    def forget(self) -> None:
        """Be as new: no requests, no answer."""
        self.requests: list[Request] = []
        self.left = threading.Event()
        """Set as soon as the other side has gone away before an answer was finished."""
        self.answer(Answer([b"no answer was scripted"], status=421, framing="length"))

    def answer(self, answer: Answer) -> None:
        self.respond_with(lambda request: answer)

    def respond_with(self, respond: Callable[[Request], Answer]) -> None:
        self.respond = respond

    @property
    def request(self) -> Request:
        """The one request that came."""
        (request,) = self.requests
        return request


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    upstream: Upstream


@contextlib.contextmanager
def running_upstream() -> Iterator[Upstream]:
    with _Server(("127.0.0.1", 0), _Connection) as server:
        server.upstream = Upstream(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.upstream
        finally:
            server.shutdown()
            thread.join(LIMIT)


class _Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    timeout = LIMIT
    server: _Server

    def handle(self) -> None:
        upstream = self.server.upstream
        try:
            request = _read_request(self.rfile)
            if request is None:
                return
            upstream.requests.append(request)
            self._send(upstream.respond(request))
        except TimeoutError:
            return  # a test forgot a gate, or the proxy hangs; the client's own patience ends just now
        except OSError:
            upstream.left.set()

    def _send(self, answer: Answer) -> None:
        self.connection.sendall(answer.head())
        for piece in answer.pieces:
            if isinstance(piece, Gate):
                piece.wait()
            elif answer.framing == "chunked":
                self.connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
            elif answer.framing != "none":
                self.connection.sendall(piece)
        if answer.ending == "left" and not self.connection.recv(1):
            self.server.upstream.left.set()
        elif answer.ending == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        elif answer.ending == "clean" and answer.framing == "chunked":
            self.connection.sendall(b"0\r\n\r\n")


def _read_request(stream: BufferedIOBase) -> Request | None:
    """None where the other side opened a connection and never used it."""
    line = stream.readline()
    if not line:
        return None
    method, path, version = line.decode("latin-1").split()
    headers = []
    while line := stream.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name, value.strip()))
    request = Request(method, path, version, headers, b"")
    if request.header("transfer-encoding"):
        return Request(method, path, version, headers, b"".join(_read_chunks(stream)))
    return Request(method, path, version, headers, stream.read(int(request.header("content-length") or 0)))


def _read_chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    while size := int(stream.readline(), 16):
        yield stream.read(size)
        stream.readline()
    stream.readline()
