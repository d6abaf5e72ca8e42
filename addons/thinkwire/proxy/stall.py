"""Keeps from a client for a while what is written to its connection, the close of it included.

Only here can a stall stand at its place: what mitmproxy has read in one go it also handles in one go, up to the end of
the answer. The provider is read on meanwhile, so what is recorded of it is in its own time.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from mitmproxy import connection

from thinkwire.proxy.transports import transport_of

__all__ = ["HeldWriter", "stall"]


def stall(client: connection.Client, seconds: float) -> None:
    """Hold back all that is written from now on. With HTTP/2 that concerns all that the client asks meanwhile."""
    transport: Any = transport_of(client, client)
    if transport is None or transport.writer is None:
        return
    if not isinstance(transport.writer, HeldWriter):
        transport.writer = HeldWriter(transport.writer)
    held: HeldWriter = transport.writer
    held.hold()

    def release() -> None:
        if held.release():
            transport.writer = held.inner

    asyncio.get_running_loop().call_later(seconds, release)


class HeldWriter:
    """A writer that carries out later what it is told now."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self._stalls = 0
        """How many are under way: HTTP/2 brings several answers over one connection."""
        self._told: list[Callable[[], object]] = []

    def hold(self) -> None:
        self._stalls += 1

    def release(self) -> bool:
        """One stall is over; are all of them, so that everything was carried out?"""
        self._stalls -= 1
        if self._stalls:
            return False
        told, self._told = self._told, []
        for carry_out in told:
            if self.inner.is_closing():
                break
            carry_out()
        return True

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
