"""How an answer whose body changes is framed, for each version of HTTP; `e2e/test_framing.py` has real clients."""

from __future__ import annotations

import pytest
from mitmproxy import http

from thinkwire.exchange.framing import drop_stale, frame_stream, make_error, replace_body


def request(version: str) -> http.Request:
    made = http.Request.make("POST", "http://h/")
    made.http_version = version
    return made


def response(**headers: str) -> http.Response:
    return http.Response.make(200, b"old", http.Headers(**headers))  # type: ignore[arg-type]


@pytest.mark.parametrize(("version", "framing"), [("HTTP/1.1", "chunked"), ("HTTP/1.0", None), ("HTTP/2.0", None)])
def test_only_http_1_1_has_chunks(version: str, framing: str | None) -> None:
    answer = response(transfer_encoding="chunked")
    answer.headers.pop("content-length", None)
    frame_stream(request(version), answer)
    assert answer.headers.get("transfer-encoding") == framing


def test_a_body_of_a_stated_length_needs_no_chunks() -> None:
    answer = response(content_length="3")
    frame_stream(request("HTTP/1.1"), answer)
    assert dict(answer.headers) == {"content-length": "3"}


def test_what_is_wrong_about_another_body_is_dropped() -> None:
    answer = response(etag="1", digest="2", content_encoding="gzip", x_other="3")
    drop_stale(answer)
    assert dict(answer.headers) == {"x-other": "3"}


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/2.0"])
def test_another_body_has_its_own_length(version: str) -> None:
    answer = response(content_encoding="gzip")
    replace_body(request(version), answer, b"longer")
    assert (dict(answer.headers), answer.raw_content) == ({"content-length": "6"}, b"longer")


def test_an_error_is_a_502_with_json() -> None:
    answer = response(transfer_encoding="chunked", etag="1")
    make_error(answer, b"{}")
    assert (answer.status_code, answer.reason, answer.raw_content) == (502, "Bad Gateway", b"{}")
    assert dict(answer.headers) == {"content-type": "application/json", "content-length": "2"}
