"""What is kept of answers for their view, and within which bounds."""

from __future__ import annotations

import gc
import gzip
import io
import tracemalloc

import pytest
from mitmproxy import http
from mitmproxy import io as flow_io
from mitmproxy.test import tflow

from tests.flows import QUESTION, exchange
from tests.proxy.view.seat import PIECES, SENT, Seat, rows, shown, sitting
from tests.rewrite.answers import chunk, event
from thinkwire.proxy.record.flow_record import FlowRecord
from thinkwire.proxy.view.contentviews import NOT_AN_ANSWER, NOT_KEPT


@pytest.mark.parametrize("rules", ["default", "strip"])
def test_the_content_of_a_streamed_flow_is_what_left(seat: Seat, rules: str) -> None:
    one, sent = seat.use(rules).stream(*PIECES)
    assert one.response is not None
    assert one.response.raw_content == sent != SENT
    assert shown(one, "raw").text == sent.decode()
    assert shown(one, "thinkwire-original").text == SENT.decode()
    assert "content-length" not in one.response.headers


def test_other_streams_are_kept_as_they_came(seat: Seat) -> None:
    one, sent = seat.stream(b"data: 1\n\n", url="http://other.test/news", question=None)
    assert one.response is not None
    assert one.response.content == sent == b"data: 1\n\n"


def test_a_compressed_stream_is_shown_decoded(seat: Seat) -> None:
    packed = gzip.compress(SENT)
    one, _ = seat.use("strip").stream(packed[:9], packed[9:], headers=[("content-encoding", "gzip")])
    assert "reasoning Hm well." in shown(one).text
    assert shown(one, "thinkwire-original").text == SENT.decode()


def test_a_stream_that_broke_off_is_kept_as_far_as_it_came(seat: Seat) -> None:
    one, sent = seat.stream(*PIECES[:3], error="peer closed")
    assert one.response is not None
    assert one.response.content == sent
    found = rows(shown(one).text)
    assert (found["reasoning"], found["content"], found["broke off"]) == ("Hm well.", "Hi.", "peer closed")


def test_nothing_hidden_is_in_a_flow_that_is_saved(seat: Seat) -> None:
    one, _ = seat.use("strip").stream(*PIECES)
    file = io.BytesIO()
    flow_io.FlowWriter(file).add(one)  # type: ignore[no-untyped-call]
    assert b"Hi." in file.getvalue()
    assert b"well" not in file.getvalue()
    assert one.metadata == {}


def test_an_answer_that_is_too_long_is_not_kept(seat: Seat) -> None:
    long = event(chunk({"content": "x" * 600_000}))
    one, sent = seat.use("strip", thinkwire_view_megabytes=1).stream(*PIECES, long, long)
    assert len(sent) > 1_200_000
    assert one.response is not None
    assert one.response.raw_content is None
    assert "missing" in shown(one).text


def test_the_oldest_originals_are_forgotten_and_the_view_says_so(seat: Seat) -> None:
    seat.use("strip", thinkwire_view_megabytes=1)
    reasoning = event(chunk({"reasoning_content": "x" * 600_000}))
    first, second = (seat.stream(reasoning, *PIECES)[0] for _ in range(2))
    assert "The provider sent:" in shown(second).text
    assert "The provider sent:" not in shown(first).text
    assert rows(shown(first).text)["before"].replace("\n", " ") == NOT_KEPT
    assert shown(first, "thinkwire-original").text.startswith(NOT_KEPT)
    assert rows(shown(first).text)["content"] == "Hi."


def test_what_is_forgotten_is_kept_nowhere_else(seat: Seat) -> None:
    """mitmproxy keeps the flow, and with it whatever its answer was streamed through."""
    seat.use("strip", thinkwire_view_megabytes=1)
    reasoning = event(chunk({"reasoning_content": "x" * 600_000}))
    flows = [seat.stream(reasoning, *PIECES)[0] for _ in range(3)]
    gc.collect()
    kept = [one for one in gc.get_objects() if isinstance(one, http.Response) and len(one.raw_content or b"") > 600_000]
    assert len(kept) == 1
    assert not [one for one in gc.get_objects() if isinstance(one, FlowRecord)]
    for one in flows:
        assert one.response is not None
        assert callable(one.response.stream)
        assert one.response.stream(b"late") is not None  # from a provider that does not know yet that all is over


def test_a_flow_that_is_sent_once_more_is_shown_anew(seat: Seat) -> None:
    first, _ = seat.use("strip", thinkwire_observe=True).stream(*PIECES)
    assert "strip-all" in rows(shown(first).text)["rules"]
    second, _ = seat.use("default").stream(*PIECES)
    second.id = first.id
    assert "default-rename" in rows(shown(second).text)["rules"]


@pytest.mark.no_cover
def test_when_each_of_many_small_pieces_came_counts_as_well(seat: Seat) -> None:
    seat.use("strip", thinkwire_view_megabytes=1).stream(*PIECES)
    count = 10_000
    tracemalloc.start()
    try:
        one, _ = seat.stream(*PIECES, *[b":\n\n"] * count)
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert shown(one, "thinkwire-original").text.startswith(NOT_KEPT)
    assert kept < count * 40


def test_a_request_that_rules_edit_counts_as_well(seat: Seat) -> None:
    seat.use("default", thinkwire_view_megabytes=1)
    question = {**QUESTION, "include_reasoning": False, "messages": [{"role": "user", "content": "x" * 600_000}]}
    first, second = (seat.stream(*PIECES, question=question)[0] for _ in range(2))
    assert shown(first, "thinkwire-original").text.startswith(NOT_KEPT)
    assert "reasoning_content" in shown(second, "thinkwire-original").text


def test_without_megabytes_nothing_is_kept(seat: Seat) -> None:
    one, _ = seat.use("default", thinkwire_view_megabytes=0).stream(*PIECES)
    assert one.response is not None
    assert one.response.raw_content is None
    one = seat.read(exchange(SENT))
    assert "content   Hi." in shown(one).text
    assert shown(one, "thinkwire-original").text.startswith(NOT_KEPT)


def test_without_a_list_of_flows_nothing_is_kept() -> None:
    with sitting() as seat:
        one, sent = seat.stream(*PIECES)
    assert b"Hi." in sent
    assert one.response is not None
    assert one.response.raw_content is None


def test_a_web_socket_is_left_to_mitmproxy(seat: Seat) -> None:
    one = tflow.twebsocketflow()
    seat.read(one)
    assert one.response is not None
    assert one.response.raw_content == b""
    assert NOT_AN_ANSWER in shown(one, "thinkwire").text
