"""The shipped default, per request: strip for who asks for it, rename for everybody else."""

from __future__ import annotations

import pytest
from mitmproxy.net import encoding

from .bodies import (
    BODY,
    EVENTS,
    JSON,
    QUESTION,
    ROLE,
    SSE,
    STREAM,
    STREAM_QUESTION,
    TEXT,
    THOUGHT,
    Update,
    body_answer,
    chunk,
    dump,
    envelope,
    stream_answer,
    token_logprobs,
)
from .client import ask, conversation
from .client_http2 import ask_http2
from .mitmdump import Mitmdump
from .upstream import Answer, Gate, Request, Upstream
from .view import read_view

WISHES = {
    "include_reasoning": ({"include_reasoning": False}, {}),
    "reasoning.exclude": ({"reasoning": {"exclude": True}}, {}),
    "header": ({}, {"x-thinkwire": "strip"}),
}
RENAMED_STREAM = STREAM.replace(b'"reasoning_content"', b'"reasoning"')
RENAMED_BODY = BODY.replace(b'"reasoning_content"', b'"reasoning"')


@pytest.mark.parametrize(("members", "headers"), WISHES.values(), ids=WISHES)
def test_a_stream_is_stripped_for_who_asks_for_it(
    proxy: Mitmdump, upstream: Upstream, members: Update, headers: dict[str, str]
) -> None:
    upstream.answer(stream_answer())
    reply = ask(proxy.port, {**STREAM_QUESTION, **members}, headers=headers)
    assert reply.body == b"".join([ROLE, *EVENTS[3:]])


@pytest.mark.parametrize(("members", "headers"), WISHES.values(), ids=WISHES)
def test_a_body_is_stripped_for_who_asks_for_it(
    proxy: Mitmdump, upstream: Upstream, members: Update, headers: dict[str, str]
) -> None:
    upstream.answer(body_answer())
    reply = ask(proxy.port, {**QUESTION, **members}, headers=headers)
    assert reply.json()["choices"][0]["message"] == {"role": "assistant", "content": TEXT}
    assert b"Count" not in reply.body


@pytest.mark.parametrize(("members", "headers"), WISHES.values(), ids=WISHES)
def test_a_stream_is_stripped_over_http_2(
    proxy: Mitmdump, upstream: Upstream, members: Update, headers: dict[str, str]
) -> None:
    upstream.answer(stream_answer())
    reply = ask_http2(proxy.port, {**STREAM_QUESTION, **members}, headers=headers)
    assert reply.body == b"".join([ROLE, *EVENTS[3:]])


def test_everybody_else_reads_reasoning(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    assert ask(proxy.port, STREAM_QUESTION).body == RENAMED_STREAM
    upstream.answer(body_answer())
    assert ask(proxy.port, QUESTION).body == RENAMED_BODY


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/openai/deployments/x/chat/completions?v=1", "/any/where"])
def test_any_path_is_recognised_by_what_comes(proxy: Mitmdump, upstream: Upstream, path: str) -> None:
    upstream.answer(stream_answer())
    assert ask(proxy.port, STREAM_QUESTION, path=path).body == RENAMED_STREAM


@pytest.mark.parametrize("value", ["strip", "keep", "anything"])
def test_the_upstream_never_sees_our_header(proxy: Mitmdump, upstream: Upstream, value: str) -> None:
    upstream.answer(stream_answer())
    ask(proxy.port, STREAM_QUESTION, headers={"X-Thinkwire": value})
    assert upstream.request.header("x-thinkwire") is None


def test_the_upstream_never_sees_our_header_where_no_rule_matches(chosen: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    ask(chosen.port, STREAM_QUESTION, headers={"x-thinkwire": "strip"})
    assert upstream.request.header("x-thinkwire") is None


def test_the_upstream_does_not_see_include_reasoning_false(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    ask(proxy.port, {**STREAM_QUESTION, "include_reasoning": False})
    assert upstream.request.body == dump(STREAM_QUESTION)


def test_the_upstream_sees_include_reasoning_true(proxy: Mitmdump, upstream: Upstream) -> None:
    question = {**STREAM_QUESTION, "include_reasoning": True}
    upstream.answer(stream_answer())
    reply = ask(proxy.port, question)
    assert upstream.request.body == dump(question)
    assert reply.body == RENAMED_STREAM


@pytest.mark.parametrize("value", [None, "false", 0, "", {"a": False}], ids=repr)
def test_only_json_false_hides(proxy: Mitmdump, upstream: Upstream, value: object) -> None:
    upstream.answer(stream_answer())
    assert ask(proxy.port, {**STREAM_QUESTION, "include_reasoning": value}).body == RENAMED_STREAM


@pytest.mark.parametrize("reasoning", [{"exclude": False}, {"effort": "high"}, None], ids=repr)
def test_other_reasoning_settings_do_not_hide(proxy: Mitmdump, upstream: Upstream, reasoning: object) -> None:
    question = {**STREAM_QUESTION, "reasoning": reasoning}
    upstream.answer(stream_answer())
    assert ask(proxy.port, question).body == RENAMED_STREAM
    assert upstream.request.body == dump(question)


@pytest.mark.parametrize("stream", [False, True])
def test_a_provider_that_refuses_the_parameter_works(proxy: Mitmdump, upstream: Upstream, stream: bool) -> None:
    def refuse(request: Request) -> Answer:
        if b"include_reasoning" in request.body:
            return Answer([b'{"error":{"message":"unknown parameter"}}'], status=400, headers=[JSON], framing="length")
        return stream_answer() if stream else body_answer()

    upstream.respond_with(refuse)
    reply = ask(proxy.port, {**QUESTION, "stream": stream, "include_reasoning": False})
    assert reply.status == 200
    assert read_view(reply.body).choice(0).content == TEXT
    assert b"Count" not in reply.body


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_the_wish_in_a_compressed_request_is_heard(proxy: Mitmdump, upstream: Upstream, coding: str) -> None:
    question = encoding.encode(dump({**STREAM_QUESTION, "include_reasoning": False}), coding)
    upstream.answer(stream_answer())
    reply = ask(proxy.port, question, headers={"content-encoding": coding})
    assert b"Count" not in reply.body
    sent = upstream.request
    assert encoding.decode(sent.body, sent.header("content-encoding") or "identity") == dump(STREAM_QUESTION)


def test_the_length_of_an_edited_request_is_right(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    ask(proxy.port, {**STREAM_QUESTION, "include_reasoning": False})
    assert upstream.request.header("content-length") == str(len(dump(STREAM_QUESTION)))


def test_hidden_tokens_do_not_leak_through_log_probabilities(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(
        stream_answer(
            chunk({"role": "assistant", "content": None}, logprobs=token_logprobs("Secret")),
            chunk({"reasoning_content": "Secret plan"}, logprobs=token_logprobs("Secret", " plan")),
            chunk({"content": "Hi"}, logprobs=token_logprobs(" plan", "Hi")),
            chunk({"content": "!"}, logprobs=token_logprobs("!")),
            chunk({}, "stop"),
        )
    )
    reply = ask(proxy.port, STREAM_QUESTION, headers={"x-thinkwire": "strip"})
    choice = read_view(reply.body).choice(0)
    assert (choice.content, choice.logprob_tokens) == ("Hi!", ["!"])
    assert b"Secret" not in reply.body
    assert b" plan" not in reply.body


def test_two_choices_do_not_share_state(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(
        stream_answer(
            envelope([{"index": 0, "delta": {"reasoning_content": "Hm"}, "logprobs": token_logprobs("Hm")}]),
            envelope([{"index": 1, "delta": {"content": "Yes"}, "logprobs": token_logprobs("Y", "es")}]),
            envelope([{"index": 0, "delta": {"content": "No"}, "logprobs": token_logprobs("No")}]),
        )
    )
    view = read_view(ask(proxy.port, STREAM_QUESTION, headers={"x-thinkwire": "strip"}).body)
    assert view.choice(0).logprob_tokens == ["No"]
    assert view.choice(1).logprob_tokens == ["Y", "es"]


def test_two_streams_at_once_do_not_share_state(proxy: Mitmdump, upstream: Upstream) -> None:
    first, second = Gate(), Gate()
    gates = iter([first, second])
    upstream.respond_with(lambda request: stream_answer(ROLE, EVENTS[1], next(gates), *EVENTS[2:]))
    with conversation(proxy.port, STREAM_QUESTION) as renamed:
        renamed.read_until(b'"reasoning":"Count the letters, "')
        with conversation(proxy.port, STREAM_QUESTION, headers={"x-thinkwire": "strip"}) as stripped:
            stripped.read_until(ROLE)
            first.open()
            assert renamed.read_reply().body == RENAMED_STREAM
            second.open()
            assert stripped.read_reply().body == b"".join([ROLE, *EVENTS[3:]])


@pytest.mark.parametrize("headers", [{}, {"x-thinkwire": "strip"}], ids=["rename", "strip"])
def test_a_stream_and_the_same_body_agree(proxy: Mitmdump, upstream: Upstream, headers: dict[str, str]) -> None:
    upstream.answer(stream_answer())
    streamed = read_view(ask(proxy.port, STREAM_QUESTION, headers=headers).body)
    upstream.answer(body_answer())
    whole = read_view(ask(proxy.port, QUESTION, headers=headers).body)
    for view in (streamed, whole):
        view.choice(0).order.sort()
    assert streamed.choice(0) == whole.choice(0)
    assert streamed.choice(0).reasoning == ({} if headers else {"reasoning": THOUGHT})


def test_a_stream_under_a_wrong_label_is_recognised(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer(EVENTS, headers=[("content-type", "text/plain; charset=utf-8")]))
    reply = ask(proxy.port, STREAM_QUESTION)
    assert reply.body == RENAMED_STREAM
    assert reply.header("content-type") == "text/plain; charset=utf-8"


def test_a_body_instead_of_the_stream_that_was_asked_for_is_rewritten(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    assert ask(proxy.port, STREAM_QUESTION).body == RENAMED_BODY
    upstream.answer(Answer([BODY], headers=[SSE]))
    assert ask(proxy.port, STREAM_QUESTION).body == RENAMED_BODY
