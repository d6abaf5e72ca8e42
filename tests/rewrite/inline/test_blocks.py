"""Reasoning inlined in APIs that number their blocks: a block of it becomes one of text, with the tags in it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewrite.answers import documents_of
from tests.rewrite.extract.test_extractor import MESSAGES, RESPONSES, assembled, framed, rewritten
from tests.rewrite.extract.test_extractor import response as tagged_response
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

INLINE = ResponsePlan(Inline(FAMILIES["think"]))
SIZES = pytest.mark.parametrize("size", [1, 7, None])
KINDS = {"thinking": "thinking_delta", "text": "text_delta"}

type Block = tuple[str, list[str]]


def message(blocks: list[Block]) -> list[dict[str, Any]]:
    """A stream of blocks, each with its type and the texts of its deltas."""
    documents: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}
    ]
    for index, (kind, texts) in enumerate(blocks):
        block = {"type": kind, kind: ""} if kind in KINDS else {"type": kind, "data": "b3BhcXVl"}
        documents.append({"type": "content_block_start", "index": index, "content_block": block})
        for text in texts if kind in KINDS else ():
            delta = {"type": KINDS[kind], kind: text}
            documents += [{"type": "content_block_delta", "index": index, "delta": delta}, {"type": "ping"}]
        if kind == "thinking":
            delta = {"type": "signature_delta", "signature": "c2ln"}
            documents.append({"type": "content_block_delta", "index": index, "delta": delta})
        documents.append({"type": "content_block_stop", "index": index})
    return [*documents, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]


def body_after(body: dict[str, Any], request: RequestFacts = MESSAGES) -> dict[str, Any]:
    return dict(json.loads(rewrite_body(json.dumps(body).encode(), AnswerRewriter(INLINE, request))))


def in_body(blocks: list[Block]) -> list[tuple[str, str]]:
    content = [{"type": kind, kind: "".join(texts)} if kind in KINDS else {"type": kind} for kind, texts in blocks]
    after = body_after({"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"})
    return [(block["type"], block.get("text", "")) for block in after["content"]]


@SIZES
def test_a_block_of_reasoning_is_sent_as_one_of_text(size: int | None) -> None:
    blocks: list[Block] = [("thinking", ["Hm", " so"]), ("text", ["Hel", "lo"]), ("tool_use", [])]
    streamed = assembled(documents_of(rewritten(framed(message(blocks)), MESSAGES, INLINE, size)))
    assert streamed == [("text", "<think>Hm so</think>"), ("text", "Hello"), ("tool_use", "")] == in_body(blocks)


def test_reasoning_that_nothing_follows_is_closed() -> None:
    documents = documents_of(rewritten(framed(message([("thinking", ["Hm"])])[:4]), MESSAGES, INLINE))
    assert assembled(documents) == [("text", "<think>Hm</think>")]


def test_reasoning_without_a_word_leaves_no_gap() -> None:
    blocks: list[Block] = [("thinking", []), ("redacted_thinking", []), ("text", ["a"])]
    assert assembled(documents_of(rewritten(framed(message(blocks)), MESSAGES, INLINE))) == [("text", "a")]
    assert in_body(blocks) == [("text", "a")]


TEXTS = st.lists(st.sampled_from(["a", "b ", "\n", "<think>"]), max_size=3)
BLOCKS = st.lists(st.tuples(st.sampled_from(["thinking", "text", "tool_use"]), TEXTS), max_size=5)


@given(BLOCKS)
def test_streams_and_bodies_agree(blocks: list[Block]) -> None:
    raw = framed(message(blocks))
    whole = rewritten(raw, MESSAGES, INLINE)
    assert rewritten(raw, MESSAGES, INLINE, 7) == whole
    assert assembled(documents_of(whole)) == in_body(blocks)


# --- items of a response ----------------------------------------------------------------------------------------


def response() -> list[dict[str, Any]]:
    thought = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm so"}]}
    its = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
    part = {"type": "output_text", "text": "Hello", "annotations": []}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    events: list[tuple[str, dict[str, Any]]] = [
        ("created", {"response": {"id": "r", "object": "response", "output": []}}),
        ("output_item.added", {"output_index": 0, "item": thought | {"summary": []}}),
        ("reasoning_summary_part.added", its | {"part": {"type": "summary_text", "text": ""}}),
        ("reasoning_summary_text.delta", its | {"delta": "Hm"}),
        ("reasoning_summary_text.delta", its | {"delta": " so"}),
        ("reasoning_summary_text.done", its | {"text": "Hm so"}),
        ("reasoning_summary_part.done", its | {"part": thought["summary"][0]}),
        ("output_item.done", {"output_index": 0, "item": thought}),
        ("output_item.added", {"output_index": 1, "item": message | {"content": []}}),
        ("content_part.added", place | {"part": part | {"text": ""}}),
        ("output_text.delta", place | {"delta": "Hello"}),
        ("output_text.done", place | {"text": "Hello"}),
        ("content_part.done", place | {"part": part}),
        ("output_item.done", {"output_index": 1, "item": message}),
        ("completed", {"response": {"id": "r", "object": "response", "output": [thought, message]}}),
    ]
    return [{"type": f"response.{name}", "sequence_number": n, **more} for n, (name, more) in enumerate(events)]


@SIZES
def test_a_reasoning_item_becomes_a_message(size: int | None) -> None:
    documents = documents_of(rewritten(framed(response()), RESPONSES, INLINE, size))
    assert [one["sequence_number"] for one in documents] == list(range(len(documents)))
    assert not any("reasoning" in one["type"] for one in documents)
    said = {0: "", 1: ""}
    for one in documents:
        if one["type"] == "response.output_text.delta":
            said[one["output_index"]] += one["delta"]
    assert said == {0: "<think>Hm so</think>", 1: "Hello"}
    done = [one["item"]["content"][0]["text"] for one in documents if one["type"] == "response.output_item.done"]
    final = documents[-1]["response"]["output"]
    assert done == [item["content"][0]["text"] for item in final] == list(said.values())


# --- other APIs -------------------------------------------------------------------------------------------------

BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "bedrock-converse": (
        "/model/m/converse",
        {
            "output": {
                "message": {
                    "role": "assistant",
                    "content": [{"reasoningContent": {"reasoningText": {"text": "Hm"}}}, {"text": "a"}],
                }
            },
            "stopReason": "end_turn",
            "usage": {},
        },
    ),
    "cohere": (
        "/v2/chat",
        {
            "id": "c",
            "message": {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "a"}],
            },
            "finish_reason": "COMPLETE",
        },
    ),
    "gemini": (
        "/v1beta/models/m:generateContent",
        {"candidates": [{"content": {"parts": [{"text": "Hm", "thought": True}, {"text": "a"}], "role": "model"}}]},
    ),
    "gemini-interactions": (
        "/v1beta/interactions",
        {
            "id": "i",
            "object": "interaction",
            "status": "completed",
            "steps": [
                {"type": "thought", "summary": [{"type": "text", "text": "Hm"}], "signature": "c2ln"},
                {"type": "model_output", "content": [{"type": "text", "text": "a"}]},
            ],
        },
    ),
    "lm-studio": (
        "/api/v1/chat",
        {
            "model_instance_id": "m",
            "output": [{"type": "reasoning", "content": "Hm"}, {"type": "message", "content": "a"}],
            "stats": {},
        },
    ),
    "openai-responses": (
        "/v1/responses",
        {
            "id": "r",
            "object": "response",
            "output": [
                {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]},
                {"id": "m", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
            ],
        },
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_show_the_reasoning_as_text(name: str) -> None:
    path, body = BODIES[name]
    after = json.dumps(body_after(body, RequestFacts("h", path, "POST", (), None, name)))
    assert '"<think>Hm</think>' in after
    assert '"reasoning' not in after
    assert '"thinking"' not in after
    assert '"thought"' not in after


# --- told apart first -------------------------------------------------------------------------------------------

HARMONY = ResponsePlan(Inline(FAMILIES["think"]), extract=Extract(FAMILIES["harmony"]))
CHANNELS = "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Hello"


@SIZES
def test_markup_of_one_family_becomes_that_of_another(size: int | None) -> None:
    texts = [CHANNELS[at : at + 5] for at in range(0, len(CHANNELS), 5)]
    streamed = assembled(documents_of(rewritten(framed(message([("text", texts)])), MESSAGES, HARMONY, size)))
    assert streamed == [("text", "<think>Hm</think>"), ("text", "Hello")]
    body: dict[str, Any] = {"type": "message", "role": "assistant", "stop_reason": "end_turn"}
    body |= {"content": [{"type": "text", "text": CHANNELS}]}
    after = json.loads(rewrite_body(json.dumps(body).encode(), AnswerRewriter(HARMONY, MESSAGES)))
    assert [(block["type"], block["text"]) for block in after["content"]] == streamed


@SIZES
def test_so_it_does_in_a_response(size: int | None) -> None:
    documents = documents_of(rewritten(framed(tagged_response(CHANNELS[:9], CHANNELS[9:])), RESPONSES, HARMONY, size))
    assert [one["sequence_number"] for one in documents] == list(range(len(documents)))
    final = documents[-1]["response"]["output"]
    assert [item["content"][0]["text"] for item in final] == ["<think>Hm</think>", "Hello"]
    assert "".join(one["delta"] for one in documents if one["type"].endswith("text.delta")) == "<think>Hm</think>Hello"


def test_extract_leaves_reasoning_that_came_as_blocks_alone() -> None:
    blocks: list[Block] = [("thinking", ["Hm", " so", " on"]), ("text", ["Hel", "lo", " you"]), ("tool_use", [])]
    raw = framed([one for one in message(blocks) if one["type"] != "ping"])
    assert rewritten(raw, MESSAGES, ResponsePlan(extract=Extract(FAMILIES["think"]))) == raw


def test_reasoning_that_no_event_opened_is_not_held_for_a_text_to_come() -> None:
    begin, _, thought = message([("thinking", ["Hm"])])[:3]
    raw = framed([begin, thought])
    machine = StreamRewriter(
        AnswerRewriter(ResponsePlan(extract=Extract(FAMILIES["think"])), MESSAGES), ContentHint.EVENTS, None, 10.0, 0.0
    )
    assert b"".join(machine.feed(raw, 0.0)) == raw
