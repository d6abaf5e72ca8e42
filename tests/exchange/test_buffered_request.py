"""A request that mitmproxy would stream: nothing leaves before the end, and then what the rules made of it."""

import pytest
from mitmproxy import http
from mitmproxy.test import tflow

from thinkwire.exchange.buffered_request import buffer_request


def pieces(flow: http.HTTPFlow, *chunks: bytes) -> list[list[bytes]]:
    assert callable(flow.request.stream)
    return [[*flow.request.stream(chunk)] for chunk in chunks]


def test_the_edited_body_leaves_at_the_end() -> None:
    flow = tflow.tflow()

    def edit(complete: http.HTTPFlow) -> None:
        assert complete.request.raw_content == b"abc"
        complete.request.content = b"edited"

    buffer_request(flow, edit)
    assert pieces(flow, b"ab", b"c", b"") == [[], [], [b"edited"]]
    assert flow.request.raw_content is None  # as for every streamed body


def test_the_headers_state_no_length() -> None:
    flow = tflow.tflow()
    flow.request.headers["content-length"] = "3"
    buffer_request(flow, lambda _: None)
    assert "content-length" not in flow.request.headers
    assert flow.request.headers["transfer-encoding"] == "chunked"
    assert flow.request.headers["accept-encoding"] == "identity"


def test_an_empty_body_ends_without_an_empty_piece() -> None:
    flow = tflow.tflow()
    buffer_request(flow, lambda _: None)
    assert pieces(flow, b"") == [[]]


def test_a_failure_is_logged_and_the_body_leaves_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    flow = tflow.tflow()

    def fail(_flow: http.HTTPFlow) -> None:
        raise RuntimeError("boom")

    buffer_request(flow, fail)
    assert pieces(flow, b"ab", b"") == [[], [b"ab"]]
    assert "thinkwire failed on a request" in caplog.text
