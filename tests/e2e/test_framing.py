"""How a changed answer is framed, so that one that broke off never looks whole."""

from __future__ import annotations

import pytest

from .bodies import (
    BODY,
    EVENTS,
    JSON,
    PLAIN_STREAM,
    QUESTION,
    SSE,
    STREAM,
    STREAM_QUESTION,
    STRIP,
    TEXT,
    THOUGHT,
    USAGE,
    stream_answer,
)
from .client import ask
from .client_http2 import ask_http2
from .mitmdump import Mitmdump
from .upstream import Answer, Framing, Upstream
from .view import read_view


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_a_changed_http_1_1_answer_is_chunked(
    proxy: Mitmdump, upstream: Upstream, framing: Framing, headers: dict[str, str]
) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE], framing=framing))
    reply = ask(proxy.port, STREAM_QUESTION, headers=headers)
    assert reply.ending == "clean"
    assert reply.header("transfer-encoding") == "chunked"
    assert reply.header("content-length") is None
    assert read_view(reply.body).choice(0).content == TEXT


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
@pytest.mark.parametrize("kind", [SSE, JSON], ids=["stream", "body"])
def test_a_changed_answer_is_never_chunked_for_http_1_0(
    proxy: Mitmdump, upstream: Upstream, kind: tuple[str, str], framing: Framing
) -> None:
    pieces = EVENTS if kind == SSE else [BODY[:90], BODY[90:]]
    upstream.answer(Answer(pieces, headers=[kind], framing=framing))
    reply = ask(proxy.port, STREAM_QUESTION if kind == SSE else QUESTION, version="HTTP/1.0")
    assert reply.ending == "clean"
    assert reply.header("transfer-encoding") is None
    assert read_view(reply.raw_body).choice(0).reasoning == {"reasoning": THOUGHT}


def test_an_unmatched_stream_is_whole_for_http_1_0(chosen: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE], framing="length"))
    reply = ask(chosen.port, STREAM_QUESTION, version="HTTP/1.0")
    assert (reply.ending, reply.raw_body) == ("clean", STREAM)


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
def test_a_changed_answer_is_never_chunked_for_http_2(proxy: Mitmdump, upstream: Upstream, framing: Framing) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE], framing=framing))
    reply = ask_http2(proxy.port, STREAM_QUESTION)
    assert reply.ending == "clean"
    assert reply.header("transfer-encoding") is None
    assert reply.header("content-length") is None
    view = read_view(reply.body)
    assert (view.choice(0).reasoning, view.choice(0).content) == ({"reasoning": THOUGHT}, TEXT)
    assert view.usages == [USAGE]


def test_an_upstream_that_speaks_http_1_0_can_be_rewritten(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE], framing="close", version="HTTP/1.0"))
    reply = ask(proxy.port, STREAM_QUESTION)
    assert reply.ending == "clean"
    assert read_view(reply.body).choice(0).reasoning == {"reasoning": THOUGHT}


BROKEN = {
    "chunked": Answer(EVENTS[:4], headers=[SSE], framing="chunked", ending="cut"),
    "length": Answer(EVENTS[:4], headers=[SSE], framing="length", length=len(STREAM), ending="cut"),
    "reset": Answer(EVENTS[:4], headers=[SSE], framing="chunked", ending="reset"),
}


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_broken_stream_looks_broken_to_http_1_1(
    proxy: Mitmdump, upstream: Upstream, broken: Answer, headers: dict[str, str]
) -> None:
    upstream.answer(broken)
    assert ask(proxy.port, STREAM_QUESTION, headers=headers).ending == "broken"


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_broken_stream_looks_broken_to_http_1_0(
    proxy: Mitmdump, upstream: Upstream, broken: Answer, headers: dict[str, str]
) -> None:
    """Where neither a length nor chunks can say it, the connection is reset."""
    upstream.answer(broken)
    assert ask(proxy.port, STREAM_QUESTION, headers=headers, version="HTTP/1.0").ending == "broken"


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_broken_stream_looks_broken_to_http_2(
    proxy: Mitmdump, upstream: Upstream, broken: Answer, headers: dict[str, str]
) -> None:
    upstream.answer(broken)
    assert ask_http2(proxy.port, STREAM_QUESTION, headers=headers).ending == "broken"


def test_a_broken_stream_looks_broken_where_no_rule_matches(chosen: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([PLAIN_STREAM], headers=[SSE], ending="cut"))
    reply = ask(chosen.port, STREAM_QUESTION)
    assert reply.ending == "broken"
    assert reply.raw_body == PLAIN_STREAM


def test_no_end_mark_is_invented(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer(*EVENTS[:-1]))
    reply = ask(proxy.port, STREAM_QUESTION)
    assert reply.ending == "clean"
    assert b"[DONE]" not in reply.body
    assert read_view(reply.body).choice(0).content == TEXT
