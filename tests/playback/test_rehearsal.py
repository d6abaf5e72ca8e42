"""A recorded session, taken through the rules once more."""

import json
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http

from tests.flows import CHAT_URL, exchange
from tests.rewrite.answers import chunk, event, stream
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.rehearsal import Rehearsed, rehearse
from thinkwire.proxy.flow_filter import compile_filter
from thinkwire.ruleset import load as shipped
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.load import load

USER = {"role": "user", "content": "Why?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": "", "tool_calls": [CALL]}
FIRST = {"model": "kimi-k3", "stream": True, "messages": [USER]}
NEXT = FIRST | {"messages": [USER, CALLED, {"role": "tool", "tool_call_id": "call_1", "content": "x"}]}
ANSWER = stream(
    chunk({"reasoning_content": "Hm."}),
    chunk({"tool_calls": [CALL | {"index": 0}]}, finish_reason="tool_calls"),
)


def rules(name: str) -> Ruleset:
    return read_rules(shipped.folder() / f"{name}.yaml")


def read_rules(path: Path) -> Ruleset:
    ruleset = load(path, shipped=shipped.folder(), compile_filter=compile_filter).ruleset
    assert ruleset is not None
    return ruleset


def rehearsed(ruleset: Ruleset, *flows: http.HTTPFlow) -> list[Rehearsed]:
    return list(rehearse([RecordedExchange(number, flow) for number, flow in enumerate(flows, 1)], ruleset))


def called(one: Rehearsed) -> dict[str, Any]:
    """The assistant's message as it is sent up."""
    return dict(json.loads(one.request.after)["messages"][1])


def test_what_an_earlier_answer_thought_is_put_back() -> None:
    first, second = rehearsed(rules("kimi"), exchange(ANSWER, question=FIRST), exchange(ANSWER, question=NEXT))
    assert not first.request.is_changed
    assert called(second) == CALLED | {"reasoning_content": "Hm."}
    assert second.request.notes == ["reasoning put back: 1", "request edited"]
    assert json.loads(second.request.before) == NEXT
    assert [rule.id for rule in second.choice.rules] == ["kimi", "default-rename"]


def test_without_the_earlier_flow_nothing_is_remembered() -> None:
    (only,) = rehearsed(rules("kimi"), exchange(ANSWER, question=NEXT))
    assert called(only) == CALLED | {"reasoning_content": " "}


def test_an_answer_that_broke_off_is_remembered_as_far_as_it_came() -> None:
    unfinished = event(chunk({"reasoning_content": "Hm."})) + event(chunk({"content": "Bec"}))
    said = {"role": "assistant", "content": "Bec"}
    asked = FIRST | {"messages": [USER, said, {"role": "user", "content": "Go on"}]}
    first = exchange(unfinished, question=FIRST, error="peer closed")
    _, second = rehearsed(rules("kimi"), first, exchange(ANSWER, question=asked))
    assert called(second) == said | {"reasoning_content": "Hm."}


def test_another_caller_gets_nothing_back() -> None:
    first, second = exchange(ANSWER, question=FIRST), exchange(ANSWER, question=NEXT)
    second.request.headers["authorization"] = "Bearer other"
    assert called(rehearsed(rules("kimi"), first, second)[1])["reasoning_content"] == " "


def test_no_flow_is_changed() -> None:
    flows = exchange(ANSWER, question=FIRST), exchange(ANSWER, question=NEXT)
    rehearsed(rules("kimi"), *flows)
    assert json.loads(flows[1].request.content or b"") == NEXT
    assert flows[0].response is not None
    assert flows[0].response.content == ANSWER


def test_a_refused_request_has_no_answer_to_remember(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("version: 1\nrules:\n  - id: a\n    request: {history: inline, restore: true}\n")
    blocks = [{"type": "redacted_thinking", "data": "b3BhcXVl"}, {"type": "text", "text": "a"}]
    redacted = {"model": "m", "messages": [USER, {"role": "assistant", "content": blocks}]}
    first, second = rehearsed(read_rules(path), exchange(ANSWER, question=redacted), exchange(ANSWER, question=NEXT))
    assert "redacted_thinking" in first.request.refusal
    assert not second.request.is_changed


@pytest.mark.parametrize("where", ["header", "query"])
def test_a_signed_request_stays_as_it_is(where: str) -> None:
    flow = exchange(ANSWER, question=NEXT, url=CHAT_URL + ("?X-Amz-Signature=0a" if where == "query" else ""))
    if where == "header":
        flow.request.headers["authorization"] = "AWS4-HMAC-SHA256 Credential=k, SignedHeaders=host, Signature=0a"
    (one,) = rehearsed(rules("kimi"), flow)
    assert (one.request.is_changed, one.request.notes) == (False, ["request left alone: it is signed (AWS SigV4)"])


def test_a_body_that_cannot_be_read_stays_as_it_is() -> None:
    flow = exchange(ANSWER, question=NEXT)
    flow.request.raw_content = b'{"model": "kimi-k3", '
    flow.request.host = "api.moonshot.ai"
    flow.request.path = "/v1/chat/completions"
    (one,) = rehearsed(rules("kimi"), flow)
    assert not one.request.is_changed
    assert "its body cannot be read" in one.request.notes[0]
