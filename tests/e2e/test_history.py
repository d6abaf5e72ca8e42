"""Earlier reasoning on its way up, through a real mitmdump: mapped, refused, put back, and never for another caller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .bodies import JSON, SSE, THOUGHT, body_answer, chunk, dump, stream_answer
from .client import Reply, ask
from .fixtures import StartMitmdump
from .mitmdump import Mitmdump
from .upstream import LIMIT, Answer, Upstream

RULES = """
version: 1
rules:
  - id: translate
    when: {header: {x-case: translate}}
    request: {history: reasoning_content}

  - id: inline
    when: {header: {x-case: inline}}
    request: {history: inline}

  - id: auto
    when: {header: {x-case: auto}}
    request: {history: auto}

  - id: restore
    when: {header: {x-case: restore*}}
    request: {history: reasoning_content, restore: true}

  - id: hide
    when: {header: {x-case: restore-hidden}}
    response: {reasoning: strip}
"""
USER = {"role": "user", "content": "q"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
NEXT = {"model": "m", "messages": [USER, CALLED, {"role": "tool", "tool_call_id": "call_1", "content": "x"}]}
BLOCKS = [{"type": "redacted_thinking", "data": "b3BhcXVl"}, {"type": "text", "text": "a"}]
REDACTED = {"model": "m", "messages": [USER, {"role": "assistant", "content": BLOCKS}]}
SIGNED = "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=0a"


@pytest.fixture
def mapping(upstream: Upstream, mitmdump_with: StartMitmdump, confdir: Path) -> Mitmdump:
    path = confdir / "history.yaml"
    path.write_text(RULES)
    return mitmdump_with({"thinkwire_rules": str(path)})


def sent(upstream: Upstream) -> dict[str, Any]:
    """The assistant's message in the last request that came."""
    messages = json.loads(upstream.requests[-1].body)["messages"]
    return next(dict(message) for message in messages if message["role"] == "assistant")


def call(mitmdump: Mitmdump, body: Any, case: str, **headers: str) -> Reply:
    return ask(mitmdump.port, body, headers={"x-case": case, **headers})


def called_answer(thought: str = THOUGHT) -> Answer:
    return stream_answer(
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"reasoning_content": word}) for word in thought.split(" ")),
        chunk({"tool_calls": [CALL | {"index": 0}]}),
        chunk({}, "tool_calls"),
    )


def test_history_is_mapped_and_the_answer_is_not_touched(mapping: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    asked = {"model": "m", "messages": [USER, {"role": "assistant", "content": "a", "reasoning": "Hm"}]}
    call(mapping, asked, "translate")
    assert upstream.request.body == dump(asked).replace(b'"reasoning"', b'"reasoning_content"')


@pytest.mark.parametrize(
    ("path", "case", "shape"),
    [("/v1/chat/completions", "translate", {"error"}), ("/v1/messages", "inline", {"type", "error"})],
)
def test_what_is_redacted_is_refused_before_anything_is_sent(
    mapping: Mitmdump, upstream: Upstream, path: str, case: str, shape: set[str]
) -> None:
    mark = mapping.log.mark()
    reply = ask(mapping.port, REDACTED, path=path, headers={"x-case": case})
    assert (reply.status, upstream.requests) == (400, [])
    assert reply.json().keys() == shape
    assert "redacted_thinking" in reply.text
    mapping.log.wait_for("refused: a block of redacted_thinking", mark, LIMIT)


def test_a_form_that_the_api_does_not_have_leaves_the_request_alone(mapping: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    ask(mapping.port, REDACTED, path="/v1/messages", headers={"x-case": "translate"})
    assert upstream.request.body == dump(REDACTED)


def test_a_signed_request_is_left_alone_and_the_log_says_why(mapping: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    asked = {"model": "m", "messages": [USER, {"role": "assistant", "content": "a", "reasoning": "Hm"}]}
    mark = mapping.log.mark()
    call(mapping, asked, "translate", authorization=SIGNED)
    assert upstream.request.body == dump(asked)
    mapping.log.wait_for("request left alone: it is signed", mark, LIMIT)


def test_what_nobody_knows_is_dropped_and_logged_once(mapping: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    said = {"role": "assistant", "content": "a", "reasoning": "Hm"}
    mark = mapping.log.mark()
    call(mapping, {"model": "m", "messages": [USER, said, USER, said]}, "auto")
    assert b"Hm" not in upstream.request.body
    mapping.log.wait_for("history: 2 blocks of reasoning dropped", mark, LIMIT)


@pytest.mark.parametrize("case", ["restore", "restore-hidden"])
def test_a_thought_comes_back_on_another_connection(mapping: Mitmdump, upstream: Upstream, case: str) -> None:
    caller = {"authorization": f"Bearer of {case}"}
    upstream.answer(called_answer())
    answer = call(mapping, {"model": "m", "stream": True, "messages": [USER]}, case, **caller)
    assert (THOUGHT.split()[0] in answer.text) == (case == "restore")
    upstream.answer(body_answer())
    call(mapping, NEXT, case, **caller)
    assert sent(upstream) == CALLED | {"reasoning_content": THOUGHT.replace(" ", "")}


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        ({"authorization": "Bearer mine"}, {"authorization": "Bearer other"}),
        ({"x-api-key": "mine"}, {"x-api-key": "other"}),
        ({"x-goog-api-key": "mine"}, {}),
        ({}, {"api-key": "other"}),
    ],
)
def test_callers_never_see_each_others_thoughts(
    mapping: Mitmdump, upstream: Upstream, mine: dict[str, str], other: dict[str, str]
) -> None:
    question = {"model": "m", "stream": True, "messages": [USER]}
    for caller in (mine, other):
        upstream.answer(called_answer(f"of {caller}"))
        call(mapping, question, "restore", **caller)
    upstream.answer(body_answer())
    for caller in (mine, other):
        call(mapping, NEXT, "restore", **caller)
        assert sent(upstream)["reasoning_content"] == f"of {caller}".replace(" ", "")
    call(mapping, NEXT, "restore", authorization="Bearer of nobody")
    assert sent(upstream) == CALLED


def test_a_call_is_remembered_although_the_answer_breaks_off(mapping: Mitmdump, upstream: Upstream) -> None:
    caller = {"authorization": "Bearer of the one who is cut off"}
    pieces = [chunk({"reasoning_content": "Hm"}), chunk({"tool_calls": [CALL | {"index": 0}]})]
    upstream.answer(Answer(pieces, headers=[SSE], ending="cut"))
    mark = mapping.log.mark()
    call(mapping, {"model": "m", "stream": True, "messages": [USER]}, "restore", **caller)
    mapping.log.wait_for("broke off", mark, LIMIT)
    upstream.answer(body_answer())
    call(mapping, NEXT, "restore", **caller)
    assert sent(upstream) == CALLED | {"reasoning_content": "Hm"}


def test_blocks_of_one_api_are_never_put_into_a_request_of_another(mapping: Mitmdump, upstream: Upstream) -> None:
    caller = {"authorization": "Bearer of both"}
    details = chunk({"reasoning_details": [{"type": "reasoning.text", "text": "Hm", "index": 0}]})
    upstream.answer(stream_answer(details, chunk({"tool_calls": [CALL | {"index": 0}]}), chunk({}, "tool_calls")))
    call(mapping, {"model": "m", "stream": True, "messages": [USER]}, "restore", **caller)
    upstream.answer(body_answer())
    call(mapping, NEXT, "restore", **caller)
    assert sent(upstream) == CALLED | {"reasoning_content": "Hm"}
    use = {"type": "tool_use", "id": "call_1", "name": "f", "input": {}}
    asked = {"model": "m", "messages": [USER, {"role": "assistant", "content": [use]}]}
    ask(mapping.port, asked, path="/v1/messages", headers={"x-case": "restore", **caller})
    assert upstream.requests[-1].body == dump(asked)


def test_the_key_in_a_query_is_a_credential(mapping: Mitmdump, upstream: Upstream) -> None:
    question = {"model": "m", "stream": True, "messages": [USER]}
    upstream.answer(called_answer())
    ask(mapping.port, question, path="/v1/chat/completions?key=k1", headers={"x-case": "restore"})
    upstream.answer(body_answer())
    for key, expected in (("k2", CALLED), ("k1", CALLED | {"reasoning_content": THOUGHT.replace(" ", "")})):
        ask(mapping.port, NEXT, path=f"/v1/chat/completions?key={key}", headers={"x-case": "restore"})
        assert sent(upstream) == expected


def test_the_log_names_the_setting_that_would_have_helped(proxy: Mitmdump, upstream: Upstream) -> None:
    refusal = {"error": {"message": "The `reasoning_content` in the thinking mode must be passed back to the API."}}
    upstream.answer(Answer([dump(refusal)], status=400, headers=[JSON], framing="length"))
    mark = proxy.log.mark()
    reply = ask(proxy.port, NEXT)
    assert (reply.status, reply.json()) == (400, refusal)
    found = proxy.log.wait_for(r"DeepSeek refused.*", mark, LIMIT)
    assert "`history: reasoning_content`" in found[0]
    assert "rules/deepseek.yaml" in found[0]
