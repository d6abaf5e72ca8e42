"""What stops the client of a replay, and what happens then; its requests are tested with a real mitmdump."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import NoReturn

import pytest
from mitmproxy import ctx

from tests.flows import recorded_flow
from thinkwire.proxy.replay.client import ReplayClient
from thinkwire.proxy.replay.recordings import ReplayExchange


class Interrupted(asyncio.CancelledError):
    """In place of the end of a mitmproxy that was interrupted."""


@pytest.mark.parametrize(("trouble", "raised"), [(BrokenPipeError, BrokenPipeError), (Interrupted, KeyboardInterrupt)])
def test_what_stops_the_requests_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, trouble: type[BaseException], raised: type[BaseException]
) -> None:
    ended = []
    server = SimpleNamespace(listen_addrs=lambda: [("127.0.0.1", 1)])
    master = SimpleNamespace(addons={"proxyserver": server}, shutdown=lambda: ended.append(True))
    monkeypatch.setattr(ctx, "master", master, raising=False)

    def begin(_recorded: ReplayExchange) -> NoReturn:
        raise trouble

    asker = ReplayClient(
        [ReplayExchange("one.flow", 1, recorded_flow(), None, 0.0, breaks_off=False)], begin, lambda *_: None
    )

    async def run() -> None:
        asker.running()
        await asyncio.sleep(0)

    asyncio.run(run())
    assert ended
    with pytest.raises(raised):
        asker.result()
