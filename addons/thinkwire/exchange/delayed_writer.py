"""Delays what is written to a client's connection, and its close.

Only here can a stall begin at the right place: what mitmproxy has read at once it also handles at once, up to the end
of the answer. It goes on reading from the provider, so that a recording has the provider's times. A client that leaves
ends its stall; otherwise its socket would stay open for as long.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from mitmproxy import connection

from thinkwire.exchange.sockets import has_left, transport_of

_CHECK_EVERY: Final = 0.5
"""Seconds between two checks whether the client is still there."""


def stall(client: connection.Client, seconds: float) -> None:
    """Delay all that is written from now on. With HTTP/2 this affects all answers on the connection."""
    transport: Any = transport_of(client, client)
    if transport is None or transport.writer is None:
        return
    loop = asyncio.get_running_loop()
    writer = transport.writer
    if not isinstance(writer, DelayedWriter):
        writer = transport.writer = DelayedWriter(transport.writer)
        loop.call_soon(_check, transport, writer)
    writer.hold_until(loop.time() + seconds)


def _check(transport: Any, writer: "DelayedWriter") -> None:
    """Is the stall over?"""
    loop = asyncio.get_running_loop()
    left = writer.until - loop.time()
    if left > 0 and not has_left(transport):
        loop.call_later(min(left, _CHECK_EVERY), _check, transport, writer)
        return
    transport.writer = writer.inner
    writer.release()


class DelayedWriter:
    """A writer that makes the calls later that it gets now."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.until = 0.0
        """When the last stall is over, by the clock of the event loop: with HTTP/2 several answers may stall."""
        self._calls: list[Callable[[], object]] = []

    def hold_until(self, time: float) -> None:
        self.until = max(self.until, time)

    def release(self) -> None:
        """Make the calls, in their order."""
        calls, self._calls = self._calls, []
        for call in calls:
            if self.inner.is_closing():
                break
            call()

    def write(self, data: bytes) -> None:
        self._calls.append(lambda: self.inner.write(data))

    def write_eof(self) -> None:
        self._calls.append(self.inner.write_eof)

    def close(self) -> None:
        self._calls.append(self.inner.close)

    async def drain(self) -> None:
        await self.inner.drain()

    def is_closing(self) -> bool:
        return bool(self.inner.is_closing())

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self.inner.get_extra_info(name, default)
