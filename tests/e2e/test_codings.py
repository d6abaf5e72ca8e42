"""Compressed answers: asked for as identity, and decoded where they come compressed all the same."""

from __future__ import annotations

import zlib

import pytest
from mitmproxy.net import encoding

from .bodies import BODY, EVENTS, JSON, QUESTION, SSE, STREAM, STREAM_QUESTION, STRIP, TEXT, THINK_1, THINK_2, THOUGHT
from .client import ask, conversation
from .mitmdump import Mitmdump
from .upstream import Answer, Gate, Upstream
from .view import read_view

CODINGS = ["gzip", "deflate", "br", "zstd"]
ENTITY = [("etag", '"v1"'), ("digest", "sha-256=AAAA"), ("content-md5", "AAAA"), ("content-digest", "sha-256=:AAAA:")]
RENAMED = STREAM.replace(b'"reasoning_content"', b'"reasoning"')


def coded_stream(coding: str, size: int) -> Answer:
    raw = encoding.encode(STREAM, coding)
    pieces = [raw[start : start + size] for start in range(0, len(raw), size)]
    return Answer(pieces, headers=[SSE, ("content-encoding", coding), *ENTITY])


@pytest.mark.parametrize("size", [1, 5, 100_000])
@pytest.mark.parametrize("coding", CODINGS)
def test_a_compressed_stream_is_rewritten_and_answered_as_identity(
    proxy: Mitmdump, upstream: Upstream, coding: str, size: int
) -> None:
    upstream.answer(coded_stream(coding, size))
    reply = ask(proxy.port, STREAM_QUESTION)
    assert reply.header("content-encoding") is None
    assert reply.raw_body == RENAMED


@pytest.mark.parametrize("coding", CODINGS)
def test_a_compressed_body_is_rewritten(proxy: Mitmdump, upstream: Upstream, coding: str) -> None:
    raw = encoding.encode(BODY, coding)
    upstream.answer(Answer([raw], headers=[JSON, ("content-encoding", coding), *ENTITY], framing="length"))
    reply = ask(proxy.port, QUESTION, headers=STRIP)
    assert reply.ending == "clean"
    assert reply.json()["choices"][0]["message"] == {"role": "assistant", "content": TEXT}


@pytest.mark.parametrize("name", [name for name, _ in ENTITY])
def test_what_described_the_old_bytes_is_dropped_from_a_changed_answer(
    proxy: Mitmdump, upstream: Upstream, name: str
) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE, *ENTITY]))
    assert ask(proxy.port, STREAM_QUESTION).header(name) is None
    upstream.answer(Answer([BODY], headers=[JSON, *ENTITY], framing="length"))
    assert ask(proxy.port, QUESTION).header(name) is None


def test_what_described_the_old_bytes_stays_where_no_rule_matches(chosen: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(coded_stream("gzip", 5))
    reply = ask(chosen.port, STREAM_QUESTION)
    assert [(name, reply.header(name)) for name, _ in ENTITY] == ENTITY
    assert reply.header("content-encoding") == "gzip"


def test_identity_is_asked_for_where_the_plan_can_change_the_answer(chosen: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE]))
    ask(chosen.port, STREAM_QUESTION, headers={"x-case": "strip", "accept-encoding": "gzip, br"})
    assert upstream.request.header("accept-encoding") == "identity"


def test_the_clients_codings_are_asked_for_where_no_rule_matches(chosen: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE]))
    ask(chosen.port, STREAM_QUESTION, headers={"accept-encoding": "gzip, br"})
    assert upstream.request.header("accept-encoding") == "gzip, br"


def test_a_compressed_event_is_not_held_back(proxy: Mitmdump, upstream: Upstream) -> None:
    gate = Gate()
    packer = zlib.compressobj(wbits=31)
    first = packer.compress(THINK_1) + packer.flush(zlib.Z_SYNC_FLUSH)
    second = packer.compress(THINK_2) + packer.flush()
    upstream.answer(Answer([first, gate, second], headers=[SSE, ("content-encoding", "gzip")]))
    with conversation(proxy.port, STREAM_QUESTION) as talk:
        talk.read_until(b'"reasoning":"Count the letters, "')
        gate.open()
        reply = talk.read_reply()
    assert read_view(reply.body).choice(0).reasoning == {"reasoning": THOUGHT}


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_nothing_leaks_from_a_compressed_stream_that_is_cut_short(
    proxy: Mitmdump, upstream: Upstream, coding: str
) -> None:
    raw = encoding.encode(STREAM, coding)
    upstream.answer(Answer([raw[:-9]], headers=[SSE, ("content-encoding", coding)]))
    reply = ask(proxy.port, STREAM_QUESTION, headers=STRIP)
    assert b"Count" not in reply.raw_body
    assert reply.header("content-encoding") is None


def test_an_unknown_coding_does_not_hang(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([b"\x00" + STREAM], headers=[SSE, ("content-encoding", "x-unknown")]))
    reply = ask(proxy.port, STREAM_QUESTION)
    assert reply.raw_body == b"\x00" + STREAM
