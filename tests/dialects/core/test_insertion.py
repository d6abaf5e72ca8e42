"""Reasoning that was extracted from a snapshot is in it once, beside any reasoning that the message already has."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import CHAT_REQUEST, body
from tests.rewrite.extract.test_extractor import ANYWHERE, THINK, plan
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import Family
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Keep, Reasoning, Rename
from thinkwire.rewrite.stream.documents import rewrite_body

TAGGED = "<think>a</think>b"
COMPLETIONS = RequestFacts("h", "/v1/completions", "POST", (), None, "completions")
OLLAMA = RequestFacts("h", "/api/chat", "POST", (), None, "ollama")
DASHSCOPE = RequestFacts("h", "/api/v1/services/aigc/text-generation/generation", "POST", (), None, "dashscope")


def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in members]
    assert len(names) == len(set(names)), f"named twice: {names}"
    return dict(members)


def after(document: Any, request: RequestFacts, reasoning: Reasoning | None = None, family: Family = THINK) -> Any:
    answer = AnswerRewriter(plan(reasoning or Keep(), family), request)
    return json.loads(rewrite_body(json.dumps(document).encode(), answer), object_pairs_hook=once)


# --- APIs with one name -------------------------------------------------------------------------------------------

STANDING = pytest.mark.parametrize(
    ("standing", "shown"),
    [([], "a"), ([None], "a"), ([""], "a"), (["x"], "xa")],
    ids=["none", "null", "empty", "text"],
)


def named(name: str, standing: list[Any]) -> dict[str, Any]:
    return dict(zip([name], standing, strict=False))


@STANDING
def test_in_a_completion(standing: list[Any], shown: str) -> None:
    choice = {"index": 0, "text": TAGGED, "finish_reason": "stop", **named("reasoning", standing)}
    answer = after({"id": "x", "object": "text_completion", "choices": [choice]}, COMPLETIONS)
    assert answer["choices"] == [choice | {"text": "b", "reasoning": shown}]


@STANDING
def test_in_a_message_of_ollama(standing: list[Any], shown: str) -> None:
    message = {"role": "assistant", "content": TAGGED, **named("thinking", standing)}
    answer = after({"model": "m", "message": message, "done": True}, OLLAMA)
    assert answer["message"] == message | {"content": "b", "thinking": shown}


@STANDING
@pytest.mark.parametrize("listed", [False, True])
def test_in_a_message_of_dashscope(standing: list[Any], shown: str, listed: bool) -> None:
    message = {"role": "assistant", "content": TAGGED, **named("reasoning_content", standing)}
    left: Any = "b"
    if listed:
        message["content"], left = [{"image": "i"}, {"text": TAGGED}], [{"image": "i"}, {"text": "b"}]
    output = {"choices": [{"finish_reason": "stop", "message": message}]}
    answer = after({"output": output, "usage": {}, "request_id": "r"}, DASHSCOPE)
    assert answer["output"]["choices"][0]["message"] == message | {"content": left, "reasoning_content": shown}


def test_the_reasoning_of_several_elements_is_one_member() -> None:
    content = [{"text": TAGGED}, {"text": "c<think>d</think>"}]
    output = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": content}}]}
    answer = after({"output": output, "usage": {}, "request_id": "r"}, DASHSCOPE, family=ANYWHERE)
    message = answer["output"]["choices"][0]["message"]
    assert message == {"role": "assistant", "content": [{"text": "b"}, {"text": "c"}], "reasoning_content": "ad"}


# --- chat completions, with many names ----------------------------------------------------------------------------

RENAMED = Rename(("reasoning_content",))
BOTH = Rename(("reasoning", "reasoning_content"))


@pytest.mark.parametrize(
    ("standing", "reasoning", "shown"),
    [
        ({"reasoning": "x"}, Keep(), {"reasoning": "xa"}),
        ({"reasoning_content": "x"}, Keep(), {"reasoning_content": "xa"}),
        ({"reasoning_content": "x", "reasoning": "x"}, Keep(), {"reasoning_content": "xa", "reasoning": "xa"}),
        ({"reasoning": None, "reasoning_content": ""}, Keep(), {"reasoning": "a", "reasoning_content": ""}),
        ({"reasoning": "x"}, RENAMED, {"reasoning_content": "xa"}),
        ({"reasoning_content": "x"}, RENAMED, {"reasoning_content": "xa"}),
        ({"thinking": "x", "reasoning": "x"}, RENAMED, {"reasoning_content": "xa"}),
        ({"reasoning": "y", "reasoning_content": "x"}, RENAMED, {"reasoning_content": "xa"}),
        ({"reasoning": ""}, RENAMED, {"reasoning_content": "a"}),
        ({"reasoning": "", "reasoning_content": None}, RENAMED, {"reasoning_content": "a"}),
        ({}, BOTH, {"reasoning": "a", "reasoning_content": "a"}),
        ({"reasoning": "x"}, BOTH, {"reasoning": "xa", "reasoning_content": "xa"}),
        ({"reasoning": "y", "reasoning_content": "x"}, BOTH, {"reasoning": "xa", "reasoning_content": "xa"}),
        ({"thought": "x"}, BOTH, {"reasoning": "xa", "reasoning_content": "xa"}),
    ],
)
def test_in_a_message_of_chat_completions(
    standing: dict[str, Any], reasoning: Reasoning, shown: dict[str, Any]
) -> None:
    message = after(body({"content": TAGGED} | standing), CHAT_REQUEST, reasoning)["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "b"} | shown


def test_beside_a_list_of_blocks() -> None:
    details = [{"type": "reasoning.text", "text": "x"}]
    document = body({"content": TAGGED, "reasoning_details": details})
    for reasoning, name in ((Keep(), "reasoning"), (RENAMED, "reasoning_content")):
        message = after(document, CHAT_REQUEST, reasoning)["choices"][0]["message"]
        assert message == {"role": "assistant", "content": "b", "reasoning_details": details, name: "a"}


def test_the_reasoning_of_a_content_list_is_one_member() -> None:
    content = [{"type": "text", "text": TAGGED}, {"type": "text", "text": "c<think>d</think>"}]
    left = [{"type": "text", "text": "b"}, {"type": "text", "text": "c"}]
    for reasoning, name in ((Keep(), "reasoning"), (RENAMED, "reasoning_content")):
        message = after(body({"content": content}), CHAT_REQUEST, reasoning, ANYWHERE)["choices"][0]["message"]
        assert message == {"role": "assistant", "content": left, name: "ad"}
