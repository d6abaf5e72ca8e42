"""What cannot be read: dropped and logged under strip, passed under rename, unless `on_error` says otherwise."""

from __future__ import annotations

import pytest
from mitmproxy.net import encoding

from .bodies import (
    BODY,
    DONE,
    EVENTS,
    FINISH,
    JSON,
    QUESTION,
    ROLE,
    SAY_1,
    SSE,
    STREAM,
    STREAM_QUESTION,
    STRIP,
    body_answer,
    dump,
    frame,
    stream_answer,
)
from .client import ask
from .mitmdump import Mitmdump
from .upstream import LIMIT, Answer, Upstream

TORN = b'data: {"choices":[{"index":0,"delta":{"reasoning_content":"Secret"\n\n'
UNKNOWN_SHAPE = frame({"object": "something.new", "value": [1, 2]})
NOT_JSON_DATA = b"data: ping\n\n"
AROUND = (ROLE, SAY_1, FINISH, DONE)
UNREADABLE_BODIES = {
    "torn": b'{"choices":[{"message":{"reasoning_content":"Secret"',
    "two documents": b'{"a":1}{"reasoning_content":"Secret"}',
    "not UTF-8": b'{"reasoning_content":"Secret\xff"',
}


def test_an_event_that_cannot_be_read_is_dropped_and_logged_under_strip(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer(ROLE, TORN, SAY_1, FINISH, DONE))
    mark = proxy.log.mark()
    reply = ask(proxy.port, STREAM_QUESTION, headers=STRIP)
    assert reply.ending == "clean"
    assert reply.body == b"".join(AROUND)
    proxy.log.wait_for(r"(?i)unreadable|not readable", mark, LIMIT)


def test_an_event_that_cannot_be_read_passes_under_rename(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer(ROLE, TORN, SAY_1, FINISH, DONE))
    assert ask(proxy.port, STREAM_QUESTION).body == b"".join([ROLE, TORN, SAY_1, FINISH, DONE])


def test_on_error_pass_lets_it_pass_under_strip(chosen: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer(ROLE, TORN, EVENTS[1], SAY_1, FINISH, DONE))
    reply = ask(chosen.port, STREAM_QUESTION, headers={"x-case": "strip-pass"})
    assert reply.body == b"".join([ROLE, TORN, SAY_1, FINISH, DONE])


def test_on_error_drop_drops_it_under_rename(chosen: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer(ROLE, TORN, SAY_1, FINISH, DONE))
    assert ask(chosen.port, STREAM_QUESTION, headers={"x-case": "rename-drop"}).body == b"".join(AROUND)


@pytest.mark.parametrize("readable", [UNKNOWN_SHAPE, NOT_JSON_DATA], ids=["unknown shape", "no JSON at all"])
def test_other_data_passes_under_strip(proxy: Mitmdump, upstream: Upstream, readable: bytes) -> None:
    upstream.answer(stream_answer(ROLE, readable, SAY_1, FINISH, DONE))
    assert ask(proxy.port, STREAM_QUESTION, headers=STRIP).body == b"".join([ROLE, readable, SAY_1, FINISH, DONE])


@pytest.mark.parametrize("body", UNREADABLE_BODIES.values(), ids=UNREADABLE_BODIES)
def test_a_body_that_cannot_be_read_becomes_a_502_under_strip(proxy: Mitmdump, upstream: Upstream, body: bytes) -> None:
    upstream.answer(body_answer(body))
    reply = ask(proxy.port, QUESTION, headers=STRIP)
    assert (reply.status, reply.ending) == (502, "clean")
    assert reply.header("content-type") == "application/json"
    assert reply.json()["error"]["message"]
    assert b"Secret" not in reply.raw_body


@pytest.mark.parametrize("body", UNREADABLE_BODIES.values(), ids=UNREADABLE_BODIES)
def test_a_body_that_cannot_be_read_passes_under_rename(proxy: Mitmdump, upstream: Upstream, body: bytes) -> None:
    upstream.answer(body_answer(body))
    reply = ask(proxy.port, QUESTION)
    assert (reply.status, reply.raw_body) == (200, body)


def test_a_compressed_body_that_is_cut_short_becomes_a_502_under_strip(proxy: Mitmdump, upstream: Upstream) -> None:
    raw = encoding.encode(BODY, "gzip")[:-12]
    upstream.answer(Answer([raw], headers=[JSON, ("content-encoding", "gzip")], framing="length"))
    reply = ask(proxy.port, QUESTION, headers=STRIP)
    assert (reply.status, reply.header("content-encoding")) == (502, None)
    assert reply.json()["error"]["message"]


@pytest.mark.parametrize("kind", [JSON, SSE], ids=["JSON", "SSE"])
def test_an_unknown_coding_becomes_a_502_under_strip(
    proxy: Mitmdump, upstream: Upstream, kind: tuple[str, str]
) -> None:
    upstream.answer(Answer([STREAM], headers=[kind, ("content-encoding", "x-unknown")], framing="length"))
    reply = ask(proxy.port, STREAM_QUESTION, headers=STRIP)
    assert (reply.status, reply.ending, reply.header("content-encoding")) == (502, "clean", None)
    assert reply.json()["error"]["message"]


def test_a_stream_that_is_labelled_as_a_body_does_not_leak(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer(EVENTS, headers=[JSON]))
    reply = ask(proxy.port, STREAM_QUESTION, headers=STRIP)
    assert reply.ending == "clean"
    assert b"Count" not in reply.body


def test_a_body_of_unknown_shape_passes_under_strip(proxy: Mitmdump, upstream: Upstream) -> None:
    body = dump({"object": "something.new", "value": [1, 2]})
    upstream.answer(body_answer(body))
    assert ask(proxy.port, QUESTION, headers=STRIP).raw_body == body
