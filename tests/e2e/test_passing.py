"""Trap 8, and the first promise: bytes that no rule names are never touched."""

from __future__ import annotations

import random

import pytest
from mitmproxy.net import encoding

from .bodies import (
    BODY,
    DONE,
    FINISH,
    JSON,
    PLAIN_STREAM,
    QUESTION,
    ROLE,
    SAY_1,
    SSE,
    STREAM,
    STREAM_QUESTION,
    STRIP,
    THINK_1,
    Update,
    dump,
    frame,
)
from .client import ask
from .client_http2 import ask_http2
from .mitmdump import Mitmdump
from .upstream import Answer, Framing, Upstream

HTML = ("content-type", "text/html; charset=utf-8")
GATEWAY_PAGE = b"<html><head><title>502 Bad Gateway</title></head>\r\n<body>reasoning_content</body></html>"
IMAGE = random.Random(7).randbytes(300_000)
ODD_BODY = (
    b'{ "choices" : [ {"message": {"content" : "caf\\u00e9", "a":1, "a":2}, "logprobs":null} ],\n "x": 1.0e-7 }\n'
)
EMBEDDINGS = dump({"object": "list", "data": [{"object": "embedding", "embedding": [0.1, -0.0, 1e-7]}]})
REASONING_ERROR = dump({"error": {"message": "Unknown name reasoning_content", "code": 400}})

ANSWERS = {
    "stream": Answer([STREAM[:50], STREAM[50:]], headers=[SSE]),
    "stream with a length": Answer([STREAM], headers=[SSE], framing="length"),
    "stream until the end": Answer([STREAM], headers=[SSE], framing="close"),
    "body": Answer([BODY], headers=[JSON], framing="length"),
    "chunked body": Answer([BODY[:9], BODY[9:]], headers=[JSON]),
    "HTML": Answer([GATEWAY_PAGE], headers=[HTML], framing="length"),
    "image": Answer([IMAGE], headers=[("content-type", "image/png")], framing="length"),
    "chunked image": Answer([IMAGE[:70_000], IMAGE[70_000:]], headers=[("content-type", "image/png")]),
    "no type": Answer([IMAGE], framing="length"),
    "empty": Answer([], headers=[JSON], framing="length"),
    "empty stream": Answer([], headers=[SSE]),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_no_rule_matches_and_the_bytes_are_the_providers(chosen: Mitmdump, upstream: Upstream, answer: Answer) -> None:
    upstream.answer(answer)
    reply = ask(chosen.port, STREAM_QUESTION)
    assert (reply.status, reply.ending) == (200, "clean")
    assert reply.raw_body == answer.body
    assert reply.header("content-type") == dict(answer.headers).get("content-type")


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("name", ["stream", "body", "HTML", "image"])
def test_no_rule_matches_and_compressed_bytes_are_the_providers(
    chosen: Mitmdump, upstream: Upstream, name: str, coding: str
) -> None:
    raw = encoding.encode(ANSWERS[name].body, coding)
    headers = [*ANSWERS[name].headers, ("content-encoding", coding)]
    upstream.answer(Answer([raw], headers=headers, framing=ANSWERS[name].framing))
    reply = ask(chosen.port, STREAM_QUESTION, headers={"accept-encoding": coding})
    assert reply.raw_body == raw
    assert reply.header("content-encoding") == coding


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_no_rule_matches_over_http_2(chosen: Mitmdump, upstream: Upstream, answer: Answer) -> None:
    upstream.answer(answer)
    reply = ask_http2(chosen.port, STREAM_QUESTION)
    assert (reply.status, reply.ending, reply.raw_body) == (200, "clean", answer.body)


@pytest.mark.parametrize("case", ["rename", "strip", "strip-all", "both"])
@pytest.mark.parametrize("coding", [None, "gzip"], ids=["identity", "gzip"])
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (SSE, PLAIN_STREAM),
        (JSON, ODD_BODY),
        (JSON, EMBEDDINGS),
        (JSON, b""),
        (HTML, GATEWAY_PAGE),
        (("content-type", "image/png"), IMAGE),
        (SSE, b""),
    ],
    ids=["stream", "odd body", "embeddings", "empty body", "HTML", "image", "empty stream"],
)
def test_a_rule_matches_but_there_is_nothing_to_change(
    chosen: Mitmdump, upstream: Upstream, kind: tuple[str, str], body: bytes, coding: str | None, case: str
) -> None:
    raw = encoding.encode(body, coding) if coding else body
    headers = [kind, ("content-encoding", coding)] if coding else [kind]
    upstream.answer(Answer([raw], headers=headers, framing="length"))
    reply = ask(chosen.port, STREAM_QUESTION, headers={"x-case": case})
    assert (reply.status, reply.ending) == (200, "clean")
    assert reply.body == body


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize("kind", [JSON, SSE], ids=["JSON", "SSE"])
@pytest.mark.parametrize("framing", ["none", "length"])
def test_an_answer_to_head_passes(
    proxy: Mitmdump, upstream: Upstream, framing: Framing, kind: tuple[str, str], headers: dict[str, str]
) -> None:
    stated = [("content-length", "1234")] if framing == "length" else []
    upstream.answer(Answer(headers=[kind, ("etag", '"v1"'), *stated], framing="none"))
    reply = ask(proxy.port, method="HEAD", headers=headers)
    assert (reply.status, reply.raw_body, reply.ending) == (200, b"", "clean")


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize("kind", [JSON, SSE], ids=["JSON", "SSE"])
@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_a_body_passes(
    proxy: Mitmdump, upstream: Upstream, status: int, kind: tuple[str, str], headers: dict[str, str]
) -> None:
    upstream.answer(Answer(status=status, headers=[kind, ("etag", '"v1"')], framing="none"))
    reply = ask(proxy.port, STREAM_QUESTION, headers=headers)
    assert (reply.status, reply.raw_body, reply.ending) == (status, b"", "clean")
    assert reply.header("transfer-encoding") is None


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize("question", [QUESTION, STREAM_QUESTION], ids=["body", "stream"])
@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (400, JSON, REASONING_ERROR),
        (400, SSE, REASONING_ERROR),
        (429, JSON, b"{not JSON"),
        (500, HTML, GATEWAY_PAGE),
        (502, JSON, GATEWAY_PAGE),
        (500, SSE, frame({"error": {"message": "overloaded"}})),
        (200, HTML, GATEWAY_PAGE),
    ],
    ids=["400 JSON", "400 labelled SSE", "429 no JSON", "500 HTML", "502 mislabelled", "500 SSE", "200 HTML"],
)
def test_an_error_passes_as_it_is(
    proxy: Mitmdump,
    upstream: Upstream,
    status: int,
    kind: tuple[str, str],
    body: bytes,
    question: Update,
    headers: dict[str, str],
) -> None:
    upstream.answer(Answer([body], status=status, headers=[kind], framing="length"))
    reply = ask(proxy.port, question, headers=headers)
    assert (reply.status, reply.ending, reply.body) == (status, "clean", body)


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize("kind", [JSON, SSE, HTML], ids=["JSON", "SSE", "HTML"])
def test_a_compressed_error_passes(
    proxy: Mitmdump, upstream: Upstream, kind: tuple[str, str], headers: dict[str, str]
) -> None:
    raw = encoding.encode(REASONING_ERROR, "gzip")
    upstream.answer(Answer([raw], status=400, headers=[kind, ("content-encoding", "gzip")], framing="length"))
    reply = ask(proxy.port, STREAM_QUESTION, headers=headers)
    assert (reply.status, reply.ending, reply.body) == (400, "clean", REASONING_ERROR)


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
def test_an_error_in_a_stream_passes(proxy: Mitmdump, upstream: Upstream, headers: dict[str, str]) -> None:
    error = frame({"error": {"message": "overloaded", "code": 503}})
    upstream.answer(Answer([ROLE, THINK_1, error, DONE], headers=[SSE]))
    reply = ask(proxy.port, STREAM_QUESTION, headers=headers)
    assert reply.ending == "clean"
    assert reply.body.endswith(error + DONE)


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
def test_comments_and_other_fields_between_events_pass(
    proxy: Mitmdump, upstream: Upstream, headers: dict[str, str]
) -> None:
    between = b": keep-alive\n\nretry: 3000\n\n"
    upstream.answer(Answer([ROLE, between, SAY_1, between, FINISH, DONE], headers=[SSE]))
    assert ask(proxy.port, STREAM_QUESTION, headers=headers).body == ROLE + between + SAY_1 + between + FINISH + DONE


def test_a_request_that_needs_no_change_arrives_byte_for_byte(proxy: Mitmdump, upstream: Upstream) -> None:
    question = b'{ "model":"m",  "stream" : false, "messages":[], "x":1.0, "x":12345678901234567890123 }\n'
    upstream.answer(ANSWERS["body"])
    ask(proxy.port, question)
    assert upstream.request.body == question


def test_a_request_that_is_no_json_arrives_byte_for_byte(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(ANSWERS["body"])
    ask(proxy.port, IMAGE, headers={"content-type": "application/octet-stream"}, path="/upload", method="PUT")
    assert upstream.request.body == IMAGE
