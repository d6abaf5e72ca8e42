"""LM Studio's own API: its events and its body, how it reads requests, and its answers rewritten."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api, dump, events, kinds
from tests.rewrite.answers import STRIP, STRIP_KEEP_OPAQUE, TO_BOTH, documents_of
from thinkwire.dialects.apis.lm_studio import LM_STUDIO
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.registry import request_facts
from thinkwire.rewrite.plan import ResponsePlan

API = Api(LM_STUDIO, "/api/v1/chat")
BODY: dict[str, Any] = {
    "model_instance_id": "m",
    "output": [
        {"type": "reasoning", "content": "Still waters"},
        {"type": "tool_call", "tool": "f", "arguments": {"a": 1}, "output": "[]", "provider_info": {"type": "plugin"}},
        {"type": "reasoning", "content": "Secret"},
        {"type": "message", "content": "Deep."},
    ],
    "stats": {"input_tokens": 9, "total_output_tokens": 8, "reasoning_output_tokens": 5},
    "response_id": "resp_1",
}
SHOWN = BODY | {"output": [BODY["output"][1], BODY["output"][3]]}
REASONING: list[dict[str, Any]] = [
    {"type": "reasoning.start"},
    {"type": "reasoning.delta", "content": "Still "},
    {"type": "reasoning.delta", "content": "waters"},
    {"type": "reasoning.end"},
]
START: list[dict[str, Any]] = [
    {"type": "chat.start", "model_instance_id": "m"},
    {"type": "prompt_processing.progress", "progress": 0.5},
]
CALL: list[dict[str, Any]] = [
    {"type": "tool_call.start", "tool": "f", "provider_info": {"type": "plugin", "plugin_id": "p"}},
    {"type": "tool_call.arguments", "tool": "f", "arguments": {"a": 1}, "provider_info": {"type": "plugin"}},
    {"type": "tool_call.success", "tool": "f", "arguments": {"a": 1}, "output": "[]"},
]
SAID: list[dict[str, Any]] = [
    {"type": "message.start"},
    {"type": "message.delta", "content": "Deep"},
    {"type": "message.delta", "content": "."},
    {"type": "message.end"},
]
SECRET = [{**event, **({"content": "Secret"} if "content" in event else {})} for event in REASONING]


def named(*documents: dict[str, Any]) -> bytes:
    return b"".join(f"event: {one['type']}\n".encode() + events(one) for one in documents)


STREAM = named(*START, *REASONING, *CALL, *SECRET, *SAID, {"type": "chat.end", "result": BODY})
SHOWN_STREAM = named(*START, *CALL, *SAID, {"type": "chat.end", "result": SHOWN})


def test_reasoning_events_are_nothing_but_reasoning() -> None:
    for document in REASONING:
        (update,) = API.updates(document)
        assert (update.is_reasoning, update.item, update.extent) == (True, ItemKey("reasoning", 0), Extent.DELTA)


def test_events_of_the_answer() -> None:
    assert kinds(API.updates(SAID[1])[0]) == {"content": Kind.TEXT}
    assert kinds(API.updates(CALL[1])[0])["arguments"] is Kind.TOOL_CALL


def test_the_last_event_holds_a_snapshot_of_each_item() -> None:
    own, *items = API.updates({"type": "chat.end", "result": BODY})
    assert kinds(own) == {"stats": Kind.USAGE}
    assert [update.extent for update in (own, *items)] == [Extent.SNAPSHOT] * 5
    assert [update.is_reasoning for update in items] == [True, False, True, False]


@pytest.mark.parametrize(
    ("document", "known"),
    [
        *((document, True) for document in (*START, *REASONING, *CALL, *SAID, BODY)),
        ({"type": "chat.end", "result": BODY}, True),
        ({"type": "error", "error": {"type": "unknown", "message": "no"}}, False),
        ({"type": "message_start", "message": {}}, False),
        ({"type": "reasoning", "token": "x"}, False),
        ({"error": {"message": "no"}}, False),
        ({"object": "response", "output": []}, False),
        ({"type": 1}, False),
        ([], False),
    ],
)
def test_documents_are_known_by_their_shape(document: Any, known: bool) -> None:
    assert API.matches_document(document) == known


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
def test_what_is_written_opens_and_closes_a_block(kind: Kind) -> None:
    block = "reasoning" if kind is Kind.REASONING else "message"
    written = API.written(kind, 'say "é"\n', ItemKey(block, 0), START[0])
    assert [document["type"] for document in written] == [f"{block}.start", f"{block}.delta", f"{block}.end"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/chat", {"model": "m", "input": "q", "stream": True}),
        ("/elsewhere", {"model": "m", "input": "q", "stream": True, "context_length": 9}),
    ],
)
def test_facts_of_a_request(path: str, body: dict[str, Any]) -> None:
    facts = request_facts("h", path, "POST", [], dump(body))
    assert (facts.dialect, facts.model, facts.stream) == ("lm-studio", "m", True)
    assert not request_facts("h", path, "POST", [], dump(body | {"stream": False})).stream


@pytest.mark.parametrize("plan", [STRIP, STRIP_KEEP_OPAQUE], ids=["drop", "keep"])
def test_a_stream_loses_reasoning_with_its_event_names_and_in_the_snapshot(plan: ResponsePlan) -> None:
    after = API.stream(STREAM, plan)
    assert documents_of(after) == documents_of(SHOWN_STREAM)
    assert after.count(b"event: ") == after.count(b"data: ")
    before_end = SHOWN_STREAM.partition(b"event: chat.end")[0]
    assert after.startswith(before_end)


@pytest.mark.parametrize("plan", [STRIP, STRIP_KEEP_OPAQUE], ids=["drop", "keep"])
def test_a_body_loses_its_reasoning_items(plan: ResponsePlan) -> None:
    assert json.loads(API.body(BODY, plan)) == SHOWN


def test_an_answer_of_thinking_alone_is_still_an_answer() -> None:
    result = BODY | {"output": BODY["output"][:1]}
    assert json.loads(API.body(result, STRIP)) == BODY | {"output": []}
    assert documents_of(API.stream(named(*START, *REASONING, {"type": "chat.end", "result": result}), STRIP)) == [
        *START,
        {"type": "chat.end", "result": BODY | {"output": []}},
    ]


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_BOTH], ids=["keep", "rename"])
def test_kept_or_renamed_every_byte_stays(plan: ResponsePlan) -> None:
    assert API.stream(STREAM, plan) == STREAM
    assert API.body(BODY, plan) == dump(BODY)


def test_errors_and_events_of_other_types_pass() -> None:
    others: list[dict[str, Any]] = [
        {"type": "error", "error": {"type": "unknown", "message": "no"}},
        {"type": "tool_call.failure", "reason": "no such tool", "metadata": {"type": "invalid_name"}},
        {"type": "message.news", "content": "x"},
    ]
    assert API.stream(named(*REASONING, *others), STRIP) == named(*others)
    items = [{"type": "news", "content": "x"}, {"type": "invalid_tool_call", "reason": "no"}]
    assert json.loads(API.body(BODY | {"output": [BODY["output"][0], *items]}, STRIP))["output"] == items
