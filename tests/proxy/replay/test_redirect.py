"""When a recording answers, and when nothing is connected; `e2e/test_replay.py` has real clients."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import connection, http
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.test import taddons

from tests.flows import recorded_flow, write_flows
from tests.rewrite.answers import CHAT_REQUEST
from thinkwire.exchange.exchange import Exchange
from thinkwire.proxy.flow_state import FlowState
from thinkwire.proxy.replay.recordings import ReplayExchange, read_recordings
from thinkwire.proxy.replay.redirect import Redirect
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.plan import Plan
from thinkwire.ruleset.choose import Selection


@pytest.fixture
def context() -> Iterator[Any]:
    with taddons.context(Proxyserver()) as context:  # type: ignore[no-untyped-call]
        yield context


@pytest.fixture
def recordings(tmp_path: Path) -> list[ReplayExchange]:
    return read_recordings([str(write_flows(tmp_path / "a.flow", recorded_flow({"model": "m"})))])[0]


def asked() -> tuple[http.HTTPFlow, FlowState]:
    flow = recorded_flow({"model": "m"})
    flow.live, flow.response = True, None
    exchange = Exchange(flow, CHAT_REQUEST, Selection(Plan(), ()), Memory(0, 0.0, lambda: 0.0), observes=False)
    return flow, FlowState(exchange=exchange)


def state_of(flow: http.HTTPFlow) -> object:
    return flow.request.get_state()  # type: ignore[no-untyped-call]


def replayed(recordings: list[ReplayExchange], flow: http.HTTPFlow, state: FlowState) -> None:
    async def run() -> None:
        redirect = Redirect()
        redirect.use(recordings, 1.0, lambda _: CHAT_REQUEST)
        redirect.request(flow, state)
        redirect.answer(flow, state)
        redirect.stop()

    asyncio.run(run())


@pytest.mark.usefixtures("context")
def test_a_request_is_sent_to_the_recordings_and_comes_back_as_it_was(recordings: list[ReplayExchange]) -> None:
    flow, state = asked()
    before = state_of(flow)
    replayed(recordings, flow, state)
    assert state.redirected is not None
    assert flow.request.path == "/"
    Redirect().restore(flow, state)
    assert state_of(flow) == before
    assert FlowState(exchange=state.exchange) == state


@pytest.mark.usefixtures("context")
def test_what_something_else_has_answered_is_left_alone(recordings: list[ReplayExchange]) -> None:
    flow, state = asked()
    flow.response = http.Response.make(418)
    before = state_of(flow)
    replayed(recordings, flow, state)
    assert state_of(flow) == before


@pytest.mark.usefixtures("context")
def test_without_recordings_the_provider_answers() -> None:
    flow, state = asked()
    replayed([], flow, state)
    assert (flow.response, state.redirected) == (None, None)


@pytest.mark.usefixtures("context")
def test_nothing_upstream_is_connected_during_a_replay(recordings: list[ReplayExchange]) -> None:
    redirect = Redirect()
    for files, is_refused in ((recordings, True), ([], False)):
        redirect.use(files, 1.0, lambda _: CHAT_REQUEST)
        server = connection.Server(address=("api.example", 443))
        redirect.server_connect(server)
        assert bool(server.error) == is_refused
