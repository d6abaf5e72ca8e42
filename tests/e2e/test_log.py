"""What the log says of each flow, and `thinkwire_observe`: decide, count and log, change nothing."""

from __future__ import annotations

import re

import pytest
from mitmproxy.net import encoding

from .bodies import (
    BODY,
    QUESTION,
    SSE,
    STREAM,
    STREAM_QUESTION,
    STRIP,
    body_answer,
    chunk,
    dump,
    stream_answer,
    token_logprobs,
)
from .client import ask
from .fixtures import StartMitmdump
from .mitmdump import PROJECT, Mitmdump
from .upstream import LIMIT, Answer, Upstream

RULE = re.compile(r"([a-z0-9-]+) \((\S*rules/default\.yaml):(\d+)\)(.*)")


@pytest.fixture
def observing(upstream: Upstream, mitmdump_with: StartMitmdump) -> Mitmdump:
    return mitmdump_with({"thinkwire_observe": "true"})


def assert_names_a_rule(found: re.Match[str]) -> None:
    """The rule stands where the log says."""
    lines = (PROJECT / "rules" / "default.yaml").read_text().splitlines()
    assert f"id: {found[1]}" in lines[int(found[3]) - 1]


def test_a_rename_is_logged_with_its_rule_and_its_count(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    mark = proxy.log.mark()
    ask(proxy.port, STREAM_QUESTION)
    found = proxy.log.wait_for(RULE, mark, LIMIT)
    assert_names_a_rule(found)
    assert re.search(r"\b2 events? renamed\b", found[4])


def test_a_strip_is_logged_with_what_was_dropped_and_what_was_removed(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(
        stream_answer(
            chunk({"role": "assistant", "content": ""}),
            chunk({"reasoning_content": "a"}, logprobs=token_logprobs("a")),
            chunk({"reasoning_content": "b"}, logprobs=token_logprobs("b")),
            chunk({"reasoning_content": "c", "content": "C"}, logprobs=token_logprobs("c", "C")),
            chunk({}, "stop"),
        )
    )
    mark = proxy.log.mark()
    ask(proxy.port, STREAM_QUESTION, headers=STRIP)
    found = proxy.log.wait_for(RULE, mark, LIMIT)
    assert_names_a_rule(found)
    assert re.search(r"\b2 (events? )?dropped\b", found[4])
    assert "logprobs removed from" in found[4]


def test_a_flow_has_one_line_in_the_log(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    mark = proxy.log.mark()
    ask(proxy.port, STREAM_QUESTION)
    ask(proxy.port, STREAM_QUESTION)
    proxy.log.wait_for(rf"(?s)renamed.*{RULE.pattern}renamed", mark, LIMIT)
    ask(proxy.port, STREAM_QUESTION, headers=STRIP)
    proxy.log.wait_for(r"dropped", mark, LIMIT)
    assert len(RULE.findall("".join(proxy.log.text.splitlines(keepends=True)[mark:]))) == 3


def test_a_whole_body_is_logged(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    mark = proxy.log.mark()
    ask(proxy.port, QUESTION)
    found = proxy.log.wait_for(RULE, mark, LIMIT)
    assert_names_a_rule(found)
    assert "renamed" in found[4]


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
def test_observing_changes_no_byte_of_an_answer(
    observing: Mitmdump, upstream: Upstream, headers: dict[str, str]
) -> None:
    upstream.answer(stream_answer())
    assert ask(observing.port, STREAM_QUESTION, headers=headers).raw_body == STREAM
    upstream.answer(body_answer())
    assert ask(observing.port, QUESTION, headers=headers).raw_body == BODY
    raw = encoding.encode(STREAM, "gzip")
    upstream.answer(Answer([raw[:20], raw[20:]], headers=[SSE, ("content-encoding", "gzip"), ("etag", '"v1"')]))
    reply = ask(observing.port, STREAM_QUESTION, headers={**headers, "accept-encoding": "gzip"})
    assert reply.raw_body == raw
    assert (reply.header("content-encoding"), reply.header("etag")) == ("gzip", '"v1"')


def test_observing_lets_what_cannot_be_read_pass(observing: Mitmdump, upstream: Upstream) -> None:
    torn = b'{"choices":[{"message":{"reasoning_content":"x"'
    upstream.answer(body_answer(torn))
    reply = ask(observing.port, QUESTION, headers=STRIP)
    assert (reply.status, reply.raw_body) == (200, torn)
    upstream.answer(stream_answer(b"data: " + torn + b"\n\n"))
    assert ask(observing.port, STREAM_QUESTION, headers=STRIP).raw_body == b"data: " + torn + b"\n\n"


def test_observing_changes_nothing_of_a_request_but_our_own_header(observing: Mitmdump, upstream: Upstream) -> None:
    question = {**STREAM_QUESTION, "include_reasoning": False}
    upstream.answer(stream_answer())
    ask(observing.port, question, headers={**STRIP, "accept-encoding": "gzip, br"})
    assert upstream.request.body == dump(question)
    assert upstream.request.header("accept-encoding") == "gzip, br"
    assert upstream.request.header("x-thinkwire") is None


@pytest.mark.parametrize(("headers", "word"), [({}, "renamed"), (STRIP, "dropped")], ids=["rename", "strip"])
def test_observing_logs_what_would_change(
    observing: Mitmdump, upstream: Upstream, headers: dict[str, str], word: str
) -> None:
    upstream.answer(stream_answer())
    mark = observing.log.mark()
    ask(observing.port, STREAM_QUESTION, headers=headers)
    found = observing.log.wait_for(RULE, mark, LIMIT)
    assert_names_a_rule(found)
    assert re.search(rf"\b2 (events? )?{word}\b", found[4])


def test_a_header_names_the_rules_that_decided_where_somebody_wants_it(
    upstream: Upstream, mitmdump_with: StartMitmdump
) -> None:
    naming = mitmdump_with({"thinkwire_name_rules": "true"})
    for answer, question in ((stream_answer(), STREAM_QUESTION), (body_answer(), QUESTION)):
        upstream.answer(answer)
        assert ask(naming.port, question).header("x-thinkwire-rules") == "default-rename"
        assert ask(naming.port, question, headers=STRIP).header("x-thinkwire-rules") == "default-hide"
    upstream.answer(body_answer())
    observing = mitmdump_with({"thinkwire_name_rules": "true", "thinkwire_observe": "true"})
    reply = ask(observing.port, QUESTION)
    assert (reply.header("x-thinkwire-rules"), reply.raw_body) == ("default-rename", BODY)


def test_no_header_is_added_unasked(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    assert ask(proxy.port, QUESTION).header("x-thinkwire-rules") is None
