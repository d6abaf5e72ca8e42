"""Trap 9: `stream_large_bodies` does not let anything past a plan."""

from __future__ import annotations

import pytest

from .bodies import EVENTS, JSON, QUESTION, SSE, STREAM_QUESTION, STRIP, TEXT, body_answer, chunk, dump, stream_answer
from .client import ask
from .fixtures import StartMitmdump
from .mitmdump import Mitmdump
from .upstream import Answer, Framing, Upstream
from .view import read_view

SECRET = "Nobody may read this. "
BIG_BODY = dump(
    {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"content": TEXT, "reasoning_content": SECRET * 20_000}}],
    }
)


@pytest.fixture
def large(upstream: Upstream, mitmdump_with: StartMitmdump) -> Mitmdump:
    """Everything of more than one byte is large."""
    return mitmdump_with({"stream_large_bodies": "1"})


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_a_large_body_is_stripped(large: Mitmdump, upstream: Upstream, framing: Framing) -> None:
    pieces = [BIG_BODY[start : start + 10_000] for start in range(0, len(BIG_BODY), 10_000)]
    upstream.answer(Answer(pieces, headers=[JSON], framing=framing))
    reply = ask(large.port, QUESTION, headers=STRIP)
    assert (reply.status, reply.ending) == (200, "clean")
    assert SECRET.encode() not in reply.body
    assert reply.json()["choices"][0]["message"]["content"] == TEXT


def test_a_large_body_is_renamed(large: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer(BIG_BODY))
    reply = ask(large.port, QUESTION)
    assert reply.ending == "clean"
    assert reply.body == BIG_BODY.replace(b'"reasoning_content"', b'"reasoning"')


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_a_stream_is_stripped(large: Mitmdump, upstream: Upstream, framing: Framing) -> None:
    hidden = [chunk({"reasoning_content": SECRET * 50})] * 100
    upstream.answer(Answer([EVENTS[0], *hidden, *EVENTS[3:]], headers=[SSE], framing=framing))
    reply = ask(large.port, STREAM_QUESTION, headers=STRIP)
    assert reply.ending == "clean"
    assert SECRET.encode() not in reply.body
    assert read_view(reply.body).choice(0).content == TEXT


@pytest.mark.parametrize("coding", ["identity", "chunked"])
def test_the_wish_in_a_large_request_is_heard(large: Mitmdump, upstream: Upstream, coding: str) -> None:
    document = {**STREAM_QUESTION, "user": "x" * 200_000, "include_reasoning": False}
    question = dump(document)
    headers = {}
    if coding == "chunked":
        headers = {"transfer-encoding": "chunked"}
        question = b"".join(
            b"%x\r\n%b\r\n" % (len(piece), piece)
            for piece in (question[start : start + 50_000] for start in range(0, len(question), 50_000))
        )
        question += b"0\r\n\r\n"
    upstream.answer(stream_answer())
    reply = ask(large.port, question, headers=headers)
    assert b"Count" not in reply.body
    assert read_view(reply.body).choice(0).content == TEXT
    assert b"include_reasoning" not in upstream.request.body


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
def test_other_large_bodies_still_pass(large: Mitmdump, upstream: Upstream, headers: dict[str, str]) -> None:
    image = bytes(range(256)) * 1000
    upstream.answer(Answer([image], headers=[("content-type", "image/png")], framing="length"))
    assert ask(large.port, method="GET", path="/logo.png", headers=headers).raw_body == image


def test_a_large_body_that_breaks_off_looks_broken(large: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([BIG_BODY[:-500]], headers=[JSON], framing="length", length=len(BIG_BODY), ending="cut"))
    reply = ask(large.port, QUESTION, headers=STRIP)
    assert SECRET.encode() not in reply.raw_body
    assert reply.ending == "broken" or reply.status >= 500
