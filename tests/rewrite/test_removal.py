"""`opaque: keep` leaves signatures alone: whatever else belongs to reasoning goes as it does without."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api, events
from tests.rewrite.answers import STRIP_KEEP_OPAQUE, documents_of
from thinkwire.dialects.apis.anthropic_messages import ANTHROPIC_MESSAGES
from thinkwire.dialects.apis.bedrock_converse import BEDROCK_CONVERSE
from thinkwire.dialects.apis.gemini_interactions import GEMINI_INTERACTIONS
from thinkwire.dialects.apis.openai_responses import OPENAI_RESPONSES

MESSAGES = Api(ANTHROPIC_MESSAGES, "/v1/messages")
CONVERSE = Api(BEDROCK_CONVERSE, "/model/m/converse-stream")
INTERACTIONS = Api(GEMINI_INTERACTIONS, "/v1beta/interactions")
RESPONSES = Api(OPENAI_RESPONSES, "/v1/responses")

ITEM = {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "r"}}
BLOCK = {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}
STEP = {"event_type": "step.start", "index": 0, "step": {"type": "thought"}}


def in_item(type_: str, **members: Any) -> dict[str, Any]:
    return {"type": f"response.{type_}", "output_index": 0, **members}


def in_block(**delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def in_step(**delta: Any) -> dict[str, Any]:
    return {"event_type": "step.delta", "index": 0, "delta": delta}


def stripped(api: Api, *documents: Any) -> list[Any]:
    return documents_of(api.stream(events(*documents), STRIP_KEEP_OPAQUE))


@pytest.mark.parametrize(
    ("api", "start", "late"),
    [
        (RESPONSES, ITEM, in_item("content_part.added", part={"type": "text", "text": "Secret"})),
        (RESPONSES, ITEM, in_item("content_part.done", part={"type": "output_text", "text": "Secret"})),
        (RESPONSES, ITEM, in_item("output_text.delta", delta="Secret")),
        (RESPONSES, ITEM, in_item("output_text.done", text="Secret")),
        (RESPONSES, ITEM, in_item("sung.delta", delta="Secret")),
        (MESSAGES, BLOCK, in_block(type="text_delta", text="Secret")),
        (MESSAGES, BLOCK, in_block(type="dream_delta", dream="Secret")),
        (MESSAGES, BLOCK, in_block(type="input_json_delta", partial_json="Secret")),
        (INTERACTIONS, STEP, in_step(type="text", text="Secret")),
        (INTERACTIONS, STEP, in_step(type="thought_image", data="Secret")),
    ],
)
def test_what_comes_to_reasoning_is_reasoning(api: Api, start: Any, late: Any) -> None:
    assert stripped(api, start, late) == [start]


def test_a_block_that_begins_on_the_number_of_reasoning_is_none() -> None:
    text = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        in_block(type="text_delta", text="Hi"),
    ]
    assert stripped(MESSAGES, BLOCK, *text) == [BLOCK, *text]


@pytest.mark.parametrize("thought", ["Secret", {"text": "Secret"}, ["Secret"]])
def test_bedrocks_reasoning_of_an_unknown_form_goes(thought: Any) -> None:
    delta = {"contentBlockIndex": 0, "delta": {"reasoningContent": {"reasoningText": thought}}}
    assert stripped(CONVERSE, delta) == []
    message = {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": thought}}, {"text": "Hi"}]}
    after = CONVERSE.body({"output": {"message": message}, "stopReason": "end_turn"}, STRIP_KEEP_OPAQUE)
    assert b"Secret" not in after
    assert json.loads(after)["output"]["message"]["content"][-1] == {"text": "Hi"}
