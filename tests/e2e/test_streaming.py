"""Traps 1 to 3 of a proxy that edits streams: what ends a body, what holds it up, and where chunks may be cut."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from .bodies import (
    DONE,
    EVENTS,
    FINISH,
    ROLE,
    SAY_1,
    SSE,
    STREAM,
    STREAM_QUESTION,
    STRIP,
    TEXT,
    THINK_1,
    chunk,
    stream_answer,
)
from .client import ask, conversation
from .mitmdump import Mitmdump
from .upstream import LIMIT, Answer, Gate, Upstream
from .view import read_view

HIDDEN = chunk({"reasoning_content": "h" * 1000})
READ_SIZE = 65_535
"""What mitmproxy reads from a socket at once."""


def test_reads_that_yield_nothing_do_not_end_the_body(proxy: Mitmdump, upstream: Upstream) -> None:
    hidden = [HIDDEN] * 400
    assert sum(map(len, hidden)) > 5 * READ_SIZE  # so that several reads hold nothing that may be shown
    upstream.answer(stream_answer(ROLE, *hidden, *EVENTS[3:]))
    reply = ask(proxy.port, STREAM_QUESTION, headers=STRIP)
    assert reply.ending == "clean"
    assert read_view(reply.body).choice(0).content == TEXT
    assert reply.body.endswith(DONE)
    assert all(reply.chunks)


def test_an_unmatched_stream_is_passed_on_event_by_event(chosen: Mitmdump, upstream: Upstream) -> None:
    gate = Gate()
    upstream.answer(stream_answer(ROLE, gate, SAY_1, FINISH, DONE))
    with conversation(chosen.port, STREAM_QUESTION) as talk:
        talk.read_until(ROLE)
        gate.open()
        assert talk.read_reply().raw_body == ROLE + SAY_1 + FINISH + DONE


@pytest.mark.parametrize("compressed", [False, True], ids=["identity", "with accept-encoding"])
def test_a_renamed_event_is_not_held_back(proxy: Mitmdump, upstream: Upstream, compressed: bool) -> None:
    gate = Gate()
    upstream.answer(stream_answer(ROLE, THINK_1, gate, SAY_1, FINISH, DONE))
    headers = {"accept-encoding": "gzip"} if compressed else {}
    with conversation(proxy.port, STREAM_QUESTION, headers=headers) as talk:
        talk.read_until(b'"reasoning":"Count the letters, "')
        gate.open()
        assert talk.read_reply().ending == "clean"


def test_visible_text_after_hidden_reasoning_is_not_held_back(proxy: Mitmdump, upstream: Upstream) -> None:
    gate = Gate()
    upstream.answer(stream_answer(ROLE, THINK_1, SAY_1, gate, FINISH, DONE))
    with conversation(proxy.port, STREAM_QUESTION, headers=STRIP) as talk:
        talk.read_until(SAY_1)
        gate.open()
        assert THINK_1 not in talk.read_reply().body


def test_the_client_leaving_ends_the_upstream_connection(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([ROLE, THINK_1], headers=[SSE], ending="left"))
    with conversation(proxy.port, STREAM_QUESTION) as talk:
        talk.read_until(b"Count the letters, ")
    assert upstream.left.wait(LIMIT)


def test_comments_keep_a_client_alive_while_reasoning_is_hidden(chosen: Mitmdump, upstream: Upstream) -> None:
    has_seen_one = threading.Event()

    def think_until_then() -> Iterator[bytes]:
        yield ROLE
        while not has_seen_one.is_set():
            yield HIDDEN
        yield from EVENTS[3:]

    upstream.answer(Answer(think_until_then(), headers=[SSE]))
    with conversation(chosen.port, STREAM_QUESTION, headers={"x-case": "strip-alive"}) as talk:
        talk.read_until(b"\r\n:")  # a chunk that begins with a comment
        has_seen_one.set()
        reply = talk.read_reply()
    assert reply.ending == "clean"
    assert b"hhh" not in reply.body
    lines = [line for line in reply.body.split(b"\n") if line and not line.startswith(b":")]
    assert lines == [line for line in b"".join([ROLE, *EVENTS[3:]]).split(b"\n") if line]


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_events_cut_anywhere_are_renamed(proxy: Mitmdump, upstream: Upstream, size: int) -> None:
    stream = chunk({"reasoning_content": "größe 日本 🎈"}) + STREAM.replace(b"\n", b"\r\n")
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    upstream.answer(stream_answer(*pieces))
    reply = ask(proxy.port, STREAM_QUESTION)
    assert reply.body == stream.replace(b'"reasoning_content"', b'"reasoning"')


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize(
    "hostile",
    [
        b"data: " + b"[" * 100_000 + b"\n\n",
        b'data: {"choices":' + b'{"a":' * 5_000 + b"\n\n",
        b'data: {"choices":7}\n\n',
        b'data: {"choices":[null,7,[],{"delta":7},{"delta":[{}]},{"index":{},"delta":{"content":{}}}]}\n\n',
        b'data: {"choices":[{"index":"x","delta":{"reasoning_content":["a",null]}}]}\n\n',
        b'data: {"choices":[{"delta":{"reasoning_content":"\xff\xfe\\ud800"}}]}\n\n',
        b'data: {"choices":[{"delta":{"reasoning_content":"a","reasoning_content":"b"}}]}\n\n',
        b"data: {\x00}\n\n\x00\x01\x02\n\ndata\n\n:\n\nevent: x\n\n",
        b"data: " + b"9" * 10_000 + b"\n\n",
        b'data: {"choices":[{"index":' + b"9" * 10_000 + b',"delta":{"content":""}}]}\n\n',
    ],
    ids=["nested", "objects", "number", "odd types", "odd members", "odd text", "doubled", "binary", "digits", "index"],
)
def test_hostile_bytes_neither_hang_nor_end_a_stream(
    proxy: Mitmdump, upstream: Upstream, hostile: bytes, headers: dict[str, str]
) -> None:
    upstream.answer(stream_answer(ROLE, hostile, SAY_1, FINISH, DONE))
    reply = ask(proxy.port, STREAM_QUESTION, headers=headers)
    assert reply.ending == "clean"
    assert ROLE in reply.body
    assert reply.body.endswith(SAY_1 + FINISH + DONE)


def test_a_stream_that_is_no_stream_neither_hangs_nor_loses_a_byte(chosen: Mitmdump, upstream: Upstream) -> None:
    noise = bytes(range(256)) * 1000
    upstream.answer(stream_answer(noise))
    reply = ask(chosen.port, STREAM_QUESTION, headers={"x-case": "rename"})
    assert reply.ending == "clean"
    assert reply.body == noise
