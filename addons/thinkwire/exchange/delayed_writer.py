"""Keeps from a client for a while what is written to its connection, the close of it included.

Only here can a stall stand at its place: what mitmproxy has read in one go it also handles in one go, up to the end of
the answer. The provider is read on meanwhile, so what is recorded of it is in its own time. A client that leaves ends
its stall, or its socket would stay for as long.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from mitmproxy import connection

from thinkwire.exchange.sockets import has_left, transport_of

__all__ = ["HeldWriter", "stall"]

_LOOK: Final = 0.5
"""Seconds after which it is asked whether the client is still there."""


def stall(client: connection.Client, seconds: float) -> None:
    """Hold back all that is written from now on. With HTTP/2 that concerns all that the client asks meanwhile."""
    transport: Any = transport_of(client, client)
    if transport is None or transport.writer is None:
        return
    loop = asyncio.get_running_loop()
    held = transport.writer
    if not isinstance(held, HeldWriter):
        held = transport.writer = HeldWriter(transport.writer)
        loop.call_soon(_look, transport, held)
    held.hold_until(loop.time() + seconds)


def _look(transport: Any, held: "HeldWriter") -> None:
    """Is the stall over?"""
    loop = asyncio.get_running_loop()
    left = held.until - loop.time()
    if left > 0 and not has_left(transport):
        loop.call_later(min(left, _LOOK), _look, transport, held)
        return
    transport.writer = held.inner
    held.release()


class HeldWriter:
    """A writer that carries out later what it is told now."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.until = 0.0
        """When the last stall is over, by the clock of the event loop: HTTP/2 brings several answers at once."""
        self._told: list[Callable[[], object]] = []

    def hold_until(self, time: float) -> None:
        self.until = max(self.until, time)

    def release(self) -> None:
        """Carry out what was told, in its order."""
        told, self._told = self._told, []
        for carry_out in told:
            if self.inner.is_closing():
                break
            carry_out()

    def write(self, data: bytes) -> None:
        self._told.append(lambda: self.inner.write(data))

    def write_eof(self) -> None:
        self._told.append(self.inner.write_eof)

    def close(self) -> None:
        self._told.append(self.inner.close)

    async def drain(self) -> None:
        await self.inner.drain()

    def is_closing(self) -> bool:
        return bool(self.inner.is_closing())

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self.inner.get_extra_info(name, default)
