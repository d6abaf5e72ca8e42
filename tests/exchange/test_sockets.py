"""Whether the other side of a connection is still there."""

import asyncio
from types import SimpleNamespace

import pytest
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.proxy.server import ConnectionIO
from mitmproxy.test import taddons, tflow

from thinkwire.exchange.sockets import has_left, reset_on_close, transport_of


@pytest.mark.parametrize(
    ("at_eof", "closing", "expected"), [(False, False, False), (True, False, True), (False, True, True)]
)
def test_a_peer_has_left_if_it_closed_its_side_or_the_connection_is_closing(
    at_eof: bool, closing: bool, expected: bool
) -> None:
    async def ask() -> bool:
        reader = asyncio.StreamReader()
        if at_eof:
            reader.feed_eof()
        writer = SimpleNamespace(is_closing=lambda: closing)
        return has_left(ConnectionIO(reader=reader, writer=writer))  # type: ignore[arg-type]

    assert asyncio.run(ask()) == expected


def test_a_connection_that_is_gone_has_no_transport_and_cannot_be_reset() -> None:
    client = tflow.tclient_conn()
    with taddons.context(Proxyserver()):  # type: ignore[no-untyped-call]
        assert transport_of(client, client) is None
        reset_on_close(client)
