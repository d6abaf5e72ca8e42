"""A live answer with a fault: when the connection to the provider is given up."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from tests.e2e.bodies import EVENTS, SSE, STREAM, STREAM_QUESTION
from tests.flows import recorded_flow
from thinkwire.dialects.registry import DIALECTS, request_facts
from thinkwire.proxy.faults.live import FaultyAnswer
from thinkwire.rewrite.faults.fault import Fault

FACTS = request_facts("h", "/v1/chat/completions", "POST", [], b'{"stream": true}')


@pytest.mark.parametrize(
    ("ended", "is_at_eof", "leaves"), [(None, False, True), (1.0, False, False), (None, True, False)]
)
def test_a_provider_is_left_only_in_the_middle_of_its_answer(
    ended: float | None, is_at_eof: bool, leaves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cut() -> list[object]:
        cancelled: list[object] = []
        reader = asyncio.StreamReader()
        if is_at_eof:
            reader.feed_eof()
        transport = SimpleNamespace(
            handler=SimpleNamespace(cancel=cancelled.append),
            reader=reader,
            writer=SimpleNamespace(is_closing=lambda: False),
        )
        monkeypatch.setattr("thinkwire.proxy.faults.live.transport_of", lambda *_: transport)
        flow = recorded_flow(STREAM_QUESTION, headers=[SSE], chunks=[(1.0, STREAM)])
        assert flow.response is not None
        faulty = FaultyAnswer(flow, Fault(cut_after=1), FACTS, DIALECTS, replays=False)
        faulty.prepare()
        assert faulty.is_streamed
        faulty.tap()
        flow.response.timestamp_end = ended
        assert list(flow.response.stream(STREAM)) == [EVENTS[0]]  # type: ignore[operator]
        assert cancelled == []  # what came before the cut is still to be sent
        await asyncio.sleep(0)
        return cancelled

    assert bool(asyncio.run(cut())) == leaves
