"""A mitmproxy with the addon in it, and what its views show."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mitmproxy import contentviews, flow, http
from mitmproxy.contentviews import ContentviewResult
from mitmproxy.master import Master
from mitmproxy.options import Options

from tests.flows import exchange
from tests.rewrite.answers import chunk, event
from thinkwire.exchange.stream_taps import pass_on
from thinkwire.proxy.addon import Thinkwire

RULES = Path(__file__).parents[3] / "rules"
PIECES = [
    event(chunk({"role": "assistant", "reasoning_content": "Hm"})),
    event(chunk({"reasoning_content": " well."})),
    event(chunk({"content": "Hi."})),
    event(chunk(finish_reason="stop")) + b"data: [DONE]\n\n",
]
SENT = b"".join(PIECES)


class View:
    """In place of mitmproxy's list of flows, an addon of this name; mitmdump has none."""


class Seat:
    """A mitmproxy with the addon in it."""

    def __init__(self, master: Master, addon: Thinkwire) -> None:
        self._master = master
        self._addon = addon

    def use(self, rules: str, **options: Any) -> Seat:
        self._master.options.update(thinkwire_rules=str(RULES / f"{rules}.yaml"), **options)  # type: ignore[no-untyped-call]
        return self

    def read(self, one: http.HTTPFlow) -> http.HTTPFlow:
        """Take a flow as from a file."""
        one.live = False
        self._addon.requestheaders(one)
        self._addon.request(one)
        self._addon.responseheaders(one)
        self._addon.response(one)
        return one

    def stream(self, *pieces: bytes, error: str = "", **answer: Any) -> tuple[http.HTTPFlow, bytes]:
        """An answer on its way, piece by piece: the flow, and what left."""
        one = exchange(**answer)
        one.live = True
        assert one.response is not None
        answered, one.response = one.response, None
        answered.raw_content = None
        self._addon.requestheaders(one)
        self._addon.request(one)
        one.response = answered
        self._addon.responseheaders(one)
        sent: list[bytes] = []
        assert callable(answered.stream)
        for piece in [*pieces, *([] if error else [b""])]:
            left = answered.stream(piece)
            sent += pass_on(left) if isinstance(left, bytes) else left
        if error:
            one.error = flow.Error(error)
            self._addon.error(one)
        else:
            self._addon.response(one)
        return one, b"".join(sent)


@contextlib.contextmanager
def sitting(*others: object) -> Iterator[Seat]:
    """A seat in a mitmproxy with these addons beside it."""
    addon, loop = Thinkwire(), asyncio.new_event_loop()
    master = Master(Options(), event_loop=loop)
    master.options.add_option("stream_large_bodies", str | None, None, "An option of the server's.")
    master.addons.add(*others, addon)  # type: ignore[no-untyped-call]
    yield Seat(master, addon).use("default")
    master.addons.clear()  # type: ignore[no-untyped-call]
    loop.close()


def shown(one: http.HTTPFlow, name: str = "auto") -> ContentviewResult:
    assert one.response is not None
    return contentviews.prettify_message(one.response, one, name)


def rows(text: str) -> dict[str, str]:
    """The rows of the first part; lines that go on are joined."""
    found: dict[str, str] = {}
    for line in text.partition("\n\n")[0].splitlines():
        name = line[:10].strip() or list(found)[-1]
        found[name] = (found[name] + "\n" if name in found else "") + line[10:]
    return found
