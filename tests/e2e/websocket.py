"""A provider that speaks the Responses API over a WebSocket, and a client; both say exactly what they are told.

The provider answers each text message with the messages that its script makes of it. Neither knows of the proxy.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.sync.server import ServerConnection, serve

from .upstream import LIMIT

Document = dict[str, Any]
Message = str | bytes
ENDS = ("response.completed", "response.incomplete", "response.failed", "error")


class Provider:
    """What the server says, and what it was told."""

    def __init__(self) -> None:
        self.port = 0
        self.forget()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def forget(self) -> None:
        self.headers: list[dict[str, str]] = []
        """Of each upgrade, names in lower case."""
        self.messages: list[Message] = []
        self.closes = False
        """Go away without a word after the answer."""
        self.respond_with(lambda message: [])

    def respond_with(self, respond: Callable[[Message], Iterable[Message]]) -> None:
        self.respond = respond

    def handle(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        self.headers.append({name.lower(): value for name, value in connection.request.headers.raw_items()})
        with contextlib.suppress(ConnectionClosed):
            for message in connection:
                self.messages.append(message)
                for answer in self.respond(message):
                    connection.send(answer)
                if self.closes:
                    connection.close(1011)


@contextlib.contextmanager
def running_provider() -> Iterator[Provider]:
    provider = Provider()
    with serve(provider.handle, "127.0.0.1", 0) as server:
        provider.port = server.socket.getsockname()[1]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join(LIMIT)


def talk(port: int, *, headers: dict[str, str] | None = None, compression: str | None = "deflate") -> ClientConnection:
    """A connection of a client's, to be used as a context manager."""
    url = f"ws://127.0.0.1:{port}/v1/responses"
    return connect(url, additional_headers=headers, compression=compression, proxy=None, open_timeout=LIMIT)


def create(**members: Any) -> str:
    """The client's message that asks for a response."""
    return json.dumps({"type": "response.create", "model": "m", "input": "Hi", **members})


def read_answer(connection: ClientConnection) -> list[Message]:
    """The messages up to the one that ends a response."""
    messages: list[Message] = []
    while True:
        message = connection.recv(LIMIT)
        messages.append(message)
        if isinstance(message, str) and any(f'"{end}"' in message for end in ENDS):
            return messages
