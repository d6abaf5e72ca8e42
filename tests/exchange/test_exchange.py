"""One request and its answer, as the hooks drive them: what the rules ask for, and what becomes of bodies."""

from __future__ import annotations

import gzip
import json

import pytest
from mitmproxy import http

from tests.flows import exchange
from tests.rewrite.answers import CHAT_REQUEST, STRIP, TO_REASONING, body, chunk, event
from thinkwire.exchange.exchange import Exchange
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.plan import Plan, ResponsePlan
from thinkwire.ruleset.choose import Selection

BODY = json.dumps(body({"reasoning_content": "Hm", "content": "Hi"})).encode()
STREAM = event(chunk({"reasoning_content": "Hm"})) + event(chunk({"content": "Hi"}))


def started(flow: http.HTTPFlow, plan: ResponsePlan, *, observes: bool = False) -> Exchange:
    selection = Selection(Plan(response=plan), ())
    return Exchange(flow, CHAT_REQUEST, selection, Memory(0, 0.0, lambda: 0.0), observes=observes)


def answered(*pieces: bytes, coding: str = "", kind: str = "application/json") -> http.HTTPFlow:
    headers = [("content-encoding", coding)] if coding else []
    flow = exchange(*pieces, kind=kind, headers=headers)
    flow.live = True
    assert flow.response is not None
    flow.response.raw_content = b"".join(pieces)
    return flow


def content(flow: http.HTTPFlow) -> bytes:
    assert flow.response is not None
    return flow.response.content or b""


def test_an_answer_that_is_read_is_asked_for_without_a_coding() -> None:
    for plan, expected in ((TO_REASONING, "identity"), (ResponsePlan(), "gzip")):
        flow = answered(BODY)
        flow.request.headers["accept-encoding"] = "gzip"
        started(flow, plan).request()
        assert flow.request.headers["accept-encoding"] == expected


def test_a_buffered_body_is_rewritten_in_the_end() -> None:
    flow = answered(gzip.compress(BODY), coding="gzip")
    one = started(flow, TO_REASONING)
    one.responseheaders(streams_bodies=False)
    one.response()
    assert content(flow) == BODY.replace(b"reasoning_content", b"reasoning")
    assert one.done == "1 body renamed"
    assert flow.response is not None
    assert "content-encoding" not in flow.response.headers


def test_a_stream_is_rewritten_chunk_by_chunk() -> None:
    flow = answered(kind="text/event-stream")
    started(flow, TO_REASONING).responseheaders(streams_bodies=False)
    assert flow.response is not None
    assert callable(flow.response.stream)
    sent = b"".join([*flow.response.stream(STREAM), *flow.response.stream(b"")])
    assert sent == STREAM.replace(b"reasoning_content", b"reasoning")


def test_an_observer_counts_and_changes_nothing() -> None:
    flow = answered(BODY)
    one = started(flow, STRIP, observes=True)
    one.responseheaders(streams_bodies=False)
    one.response()
    assert content(flow) == BODY
    assert one.done.startswith("would change: 1 body stripped")


@pytest.mark.parametrize("coding", ["odd", "gzip"])
def test_an_answer_that_cannot_be_decoded_is_withheld_under_strip_alone(coding: str) -> None:
    for plan, is_withheld in ((STRIP, True), (TO_REASONING, False)):
        flow = answered(b"damaged", coding=coding)
        one = started(flow, plan)
        one.responseheaders(streams_bodies=False)
        one.response()
        assert flow.response is not None
        assert (flow.response.status_code == 502) == is_withheld
        assert (flow.response.raw_content == b"damaged") != is_withheld
