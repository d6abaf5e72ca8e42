"""Gemini's Interactions API: where its parts are, how it reads requests, and its answers rewritten."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api, dump, kinds
from tests.rewrite.answers import STRIP, STRIP_KEEP_OPAQUE, TO_BOTH
from thinkwire.dialects.apis.gemini_interactions import GEMINI_INTERACTIONS
from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.registry import dialect_of_request, request_facts
from thinkwire.rewrite.plan import ResponsePlan

API = Api(GEMINI_INTERACTIONS, "/v1beta/interactions")
USAGE = {"total_tokens": 457, "total_thought_tokens": 391}
SIGNATURE = "CmQBDDnWx1Zls9FHjDvJiR+Cw8E/8dsGGlrrIhRXQQno"


def happened(type_: str, **members: Any) -> dict[str, Any]:
    return {"event_type": type_, **members}


def interaction(**members: Any) -> dict[str, Any]:
    return {"id": "v1", "object": "interaction", "model": "m", "status": "completed", "usage": USAGE, **members}


def step(index: int, type_: str, *deltas: dict[str, Any], **members: Any) -> list[dict[str, Any]]:
    return [
        happened("step.start", index=index, step={"type": type_, **members}),
        *(happened("step.delta", index=index, delta=delta) for delta in deltas),
        happened("step.stop", index=index),
    ]


SUMMARY = {"type": "thought_summary", "content": {"type": "text", "text": "Secret"}}
SIGNED = {"type": "thought_signature", "signature": SIGNATURE}
TEXT = {"type": "text", "text": "Hi"}
CALL = {"type": "function_call", "id": "c1", "name": "f", "arguments": {}, "signature": "s"}
CREATED = happened("interaction.created", interaction=interaction(status="in_progress"))
COMPLETED = happened("interaction.completed", interaction=interaction())
THOUGHT_STEP = {"type": "thought", "signature": SIGNATURE, "summary": [{"type": "text", "text": "Secret"}]}
OUTPUT_STEP = {"type": "model_output", "content": [TEXT]}


def frames(*documents: Any) -> bytes:
    return b"".join(b"event: %b\ndata: %b\n\n" % (one["event_type"].encode(), dump(one)) for one in documents)


def stripped(*documents: Any, plan: ResponsePlan = STRIP) -> list[Any]:
    """The documents that remain; each has its own name on the line above."""
    after = API.stream(frames(*documents) + b"event: done\ndata: [DONE]\n\n", plan)
    *blocks, done, end = after.decode().split("\n\n")
    assert (done, end) == ("event: done\ndata: [DONE]", "")
    lines = [block.split("\n") for block in blocks]
    left = [json.loads(data.removeprefix("data: ")) for _, data in lines]
    assert [name.removeprefix("event: ") for name, _ in lines] == [one["event_type"] for one in left]
    return left


# --- the table --------------------------------------------------------------------------------------------------


def test_an_event_is_about_one_step() -> None:
    (start,) = API.updates(happened("step.start", index=2, step={"type": "thought", "signature": "x"}))
    found = {"type": Kind.OTHER, "signature": Kind.OPAQUE}
    assert (start.item, start.is_reasoning, kinds(start)) == (ItemKey("step", 2), True, found)
    (delta,) = API.updates(happened("step.delta", index=3, delta=SUMMARY))
    assert (delta.item, delta.is_reasoning, kinds(delta)) == (ItemKey("step", 3), False, {"text": Kind.REASONING})
    (delta,) = API.updates(happened("step.delta", index=4, delta={"type": "arguments_delta", "arguments": "{"}))
    assert kinds(delta) == {"arguments": Kind.TOOL_CALL}


@pytest.mark.parametrize("document", [CREATED, COMPLETED, *step(0, "thought"), interaction(steps=[])])
def test_its_own_documents_are_known(document: Any) -> None:
    assert API.matches_document(document)


@pytest.mark.parametrize(
    "document",
    [
        happened("stream-start"),
        happened("error", error={"message": "interaction"}),
        {"error": {"message": "interaction"}},
        {"object": "response", "output": []},
        {"type": "response.completed"},
    ],
)
def test_other_documents_are_not(document: Any) -> None:
    assert not API.matches_document(document)


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
def test_what_it_writes_it_finds_again(kind: Kind) -> None:
    documents = API.written(kind, "größer", ItemKey("step", 3), CREATED)
    assert [one["event_type"] for one in documents] == ["step.start", "step.delta", "step.stop"]


def test_an_error_is_one_of_its_own() -> None:
    assert json.loads(GEMINI_INTERACTIONS.error(502, "no"))["error"]["message"] == "no"


# --- requests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/v1beta/interactions", "/v1beta/interactions/v1_abc", "/v1beta/interactions/"])
def test_a_request_is_known_by_its_path(path: str) -> None:
    facts = request_facts("h", path, "POST", [], b'{"model": "m", "input": "Hi", "stream": true}')
    assert (facts.dialect, facts.model, facts.stream) == ("gemini-interactions", "m", True)


def test_an_agent_is_named_like_a_model() -> None:
    facts = request_facts("h", "/v1beta/interactions", "POST", [], b'{"agent": "deep-research", "input": "Hi"}')
    assert (facts.model, facts.stream) == ("deep-research", False)


def test_a_body_with_an_input_and_its_settings_is_its_request() -> None:
    assert dialect_of_request("/", {"input": "Hi", "generation_config": {}}) is GEMINI_INTERACTIONS
    assert dialect_of_request("/", {"input": "Hi", "model": "m"}) is not GEMINI_INTERACTIONS


# --- streams ----------------------------------------------------------------------------------------------------


def test_a_thought_is_removed_with_all_its_events_and_later_steps_close_the_gap() -> None:
    assert stripped(
        CREATED,
        *step(0, "thought", SUMMARY, SIGNED),
        *step(1, "model_output", TEXT),
        *step(2, "thought", SIGNED),
        *step(3, "function_call", {"type": "arguments_delta", "arguments": "{}"}, **CALL | {"type": "function_call"}),
        COMPLETED,
    ) == [
        CREATED,
        *step(0, "model_output", TEXT),
        *step(1, "function_call", {"type": "arguments_delta", "arguments": "{}"}, **CALL | {"type": "function_call"}),
        COMPLETED,
    ]


def test_a_thoughts_delta_without_its_start_is_removed() -> None:
    assert stripped(CREATED, happened("step.delta", index=0, delta=SUMMARY)) == [CREATED]


@pytest.mark.parametrize("plan", [STRIP, STRIP_KEEP_OPAQUE], ids=["drop", "keep"])
def test_another_interaction_numbers_its_steps_anew(plan: ResponsePlan) -> None:
    output = step(0, "model_output", TEXT)
    first = [CREATED, *step(0, "thought", SUMMARY, SIGNED)]
    for deltas in (output, output[1:]):
        assert stripped(*first, CREATED, *deltas, plan=plan)[-len(deltas) - 1 :] == [CREATED, *deltas]


def test_a_step_that_begins_with_the_number_of_a_thought_is_another_one() -> None:
    output = step(0, "model_output", TEXT)
    assert stripped(*step(0, "thought", SUMMARY), *output) == output


def test_the_interaction_at_the_end_has_lost_the_steps_too() -> None:
    steps = [{"type": "user_input", "content": [TEXT]}, THOUGHT_STEP, OUTPUT_STEP]
    whole = happened("interaction.completed", interaction=interaction(steps=steps))
    (left,) = stripped(whole)
    assert left["interaction"] == interaction(steps=[steps[0], OUTPUT_STEP])


def test_the_first_form_of_the_api_is_read() -> None:
    thought = [
        happened("content.start", index=0, content={"type": "thought"}),
        happened("content.delta", index=0, delta=SUMMARY),
        happened("content.stop", index=0),
    ]
    said = happened("content.delta", index=1, delta=TEXT)
    assert stripped(*thought, said) == [{**said, "index": 0}]
    given = interaction(outputs=[THOUGHT_STEP, TEXT])
    assert json.loads(API.body(given, STRIP)) == interaction(outputs=[TEXT])


def test_opaque_keep_leaves_the_step_and_its_signature() -> None:
    thought, output = step(0, "thought", SUMMARY, SIGNED), step(1, "model_output", TEXT)
    assert stripped(*thought, *output, plan=STRIP_KEEP_OPAQUE) == [thought[0], *thought[2:], *output]
    after = API.body(interaction(steps=[THOUGHT_STEP, OUTPUT_STEP]), STRIP_KEEP_OPAQUE)
    assert json.loads(after)["steps"] == [{"type": "thought", "signature": SIGNATURE}, OUTPUT_STEP]


def test_what_is_not_known_passes() -> None:
    documents = [
        *step(0, "hologram", {"type": "light", "beam": 1}),
        happened("error", error={"code": "x", "message": "no"}),
        happened("interaction.sang", song="la"),
    ]
    assert stripped(*documents) == documents


@pytest.mark.parametrize("plan", [TO_BOTH, ResponsePlan()], ids=["rename", "keep"])
def test_rename_and_keep_change_nothing(plan: ResponsePlan) -> None:
    raw = frames(CREATED, *step(0, "thought", SUMMARY, SIGNED), *step(1, "model_output", TEXT))
    assert API.stream(raw, plan) == raw


# --- bodies -----------------------------------------------------------------------------------------------------


def test_a_body_loses_its_thoughts() -> None:
    given = interaction(steps=[THOUGHT_STEP, CALL, THOUGHT_STEP, OUTPUT_STEP])
    assert json.loads(API.body(given, STRIP)) == interaction(steps=[CALL, OUTPUT_STEP])


def test_an_answer_of_thinking_alone_is_still_an_interaction() -> None:
    assert json.loads(API.body(interaction(steps=[THOUGHT_STEP]), STRIP)) == interaction(steps=[])
