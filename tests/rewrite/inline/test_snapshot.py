"""Inline in bodies, whatever carries the reasoning and whether there is a text beside it."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import body
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Inline, ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body

INLINE = ResponsePlan(Inline(FAMILIES["think"]))
CALLS = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
TAGGED = "<think>hm</think>"
BLOCK = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
THOUGHT = {"text": "hm", "thought": True}
CALL = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "abc"}


def gemini(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, "finishReason": "STOP", "index": 0}]}


def ollama(**message: Any) -> dict[str, Any]:
    return {"model": "m", "message": {"role": "assistant", **message}, "done": True}


def dashscope(**message: Any) -> dict[str, Any]:
    return {"output": {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]}}


def cohere(**message: Any) -> dict[str, Any]:
    return {"id": "x", "message": {"role": "assistant", **message}, "finish_reason": "TOOL_CALL"}


def mistral(*content: dict[str, Any]) -> dict[str, Any]:
    return {
        "object": "conversation.response",
        "outputs": [{"type": "message.output", "role": "assistant", "content": list(content)}],
    }


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


WORDLESS = {"type": "thinking", "thinking": [{"type": "reference", "reference_ids": [1]}]}
BODIES = [
    ("chat-completions", body({"content": [WORDLESS, text("a")]}), body({"content": [WORDLESS, text("a")]})),
    (
        "chat-completions",
        body({"reasoning_content": "hm", "tool_calls": CALLS}),
        body({"content": TAGGED, "tool_calls": CALLS}),
    ),
    ("chat-completions", body({"reasoning": "hm", "content": [text("a")]}), body({"content": [text(f"{TAGGED}a")]})),
    ("chat-completions", body({"content": [BLOCK]}), body({"content": [text(TAGGED)]})),
    (
        "chat-completions",
        body({"content": [BLOCK, BLOCK, text("a"), BLOCK]}),
        body({"content": [text("<think>hmhm</think>"), text("a"), text(TAGGED)]}),
    ),
    (
        "chat-completions",
        body({"reasoning": "hm", "content": [BLOCK, text("a")]}),
        body({"content": [text(f"{TAGGED}a")]}),
    ),
    (
        "chat-completions",
        body({"reasoning": "hm", "content": [{"type": "image_url", "image_url": {}}]}),
        body({"content": [text(TAGGED), {"type": "image_url", "image_url": {}}]}),
    ),
    (
        "chat-completions",
        body({"provider_specific_fields": {"reasoning": "hm"}, "reasoning": "hm", "reasoning_content": "hm"}),
        body({"provider_specific_fields": {}, "content": TAGGED}),
    ),
    ("gemini", gemini(THOUGHT), gemini({"text": TAGGED})),
    ("gemini", gemini(THOUGHT, CALL), gemini({"text": TAGGED}, CALL)),
    (
        "gemini",
        gemini(THOUGHT, {"text": "a"}, THOUGHT, THOUGHT, {"text": "b"}),
        gemini({"text": TAGGED}, {"text": "a"}, {"text": "<think>hmhm</think>"}, {"text": "b"}),
    ),
    ("ollama", ollama(thinking="hm", tool_calls=CALLS), ollama(content=TAGGED, tool_calls=CALLS)),
    ("dashscope", dashscope(reasoning_content="hm", tool_calls=CALLS), dashscope(content=TAGGED, tool_calls=CALLS)),
    ("cohere", cohere(tool_plan="hm", tool_calls=CALLS), cohere(content=[text(TAGGED)], tool_calls=CALLS)),
    ("cohere", cohere(tool_plan="hm", content=[]), cohere(content=[text(TAGGED)])),
    ("cohere", cohere(tool_plan="hm", content=[text("a")]), cohere(content=[text(TAGGED), text("a")])),
    ("mistral-conversations", mistral(BLOCK), mistral(text(TAGGED))),
    ("mistral-conversations", mistral(BLOCK, text("a")), mistral(text(TAGGED), text("a"))),
]


@pytest.mark.parametrize(("dialect", "before", "after"), BODIES)
def test_a_body_shows_its_reasoning_between_tags(dialect: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    request = RequestFacts("h", "/", "POST", (), None, dialect)
    raw = rewrite_body(json.dumps(before).encode(), AnswerRewriter(INLINE, request))
    assert json.loads(raw, object_pairs_hook=_once) == after


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({name for name, _ in members}) == len(members)
    return dict(members)
