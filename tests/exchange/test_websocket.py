"""Which plan decides about a message, and what a changed one must look like for mitmproxy to cut it into frames."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mitmproxy.test import tflow
from mitmproxy.websocket import WebSocketMessage
from wsproto.frame_protocol import Opcode

from tests.rewrite.answers import STRIP
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.websocket import WebSocketExchange, without_torn_characters
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.plan import Plan, ResponsePlan
from thinkwire.ruleset.choose import Selection


def frames(document: bytes, size: int) -> str:
    """As mitmproxy does it: each frame is decoded by itself."""
    return "".join(document[at : at + size].decode("utf-8", "replace") for at in range(0, len(document), size))


@given(text=st.text(st.sampled_from("aé…🙂")), size=st.integers(12, 20))
def test_every_frame_can_be_decoded_by_itself(text: str, size: int) -> None:
    document = json.dumps({"text": text}, ensure_ascii=False).encode()
    sent = without_torn_characters(document, size)
    assert frames(sent, size).encode() == sent
    assert json.loads(sent) == {"text": text}


@pytest.mark.parametrize(
    ("document", "sent"),
    [
        ('["abcé"]', '["abcé"]'),
        ('["abé"]', '["ab\\u00e9"]'),
        ('["a🙂"]', '["a\\ud83d\\ude42"]'),
    ],
)
def test_only_a_character_on_a_border_is_escaped(document: str, sent: str) -> None:
    assert without_torn_characters(document.encode(), 5) == sent.encode()


# --- plans --------------------------------------------------------------------------------------------------------


def ask(plan: str) -> dict[str, Any]:
    return {"type": "response.create", "plan": plan}


def happened(type_: str, name: str | None = None) -> dict[str, Any]:
    response = {} if name is None else {"response": {"id": name, "output": []}}
    return {"type": f"response.{type_}", **response}


KEEP, HIDE, BEGAN, ENDED = ask("keep"), ask("strip"), happened("created"), happened("completed")
ERROR = {"type": "error", "error": {"message": "no"}}
REASONING = {"type": "response.reasoning_text.delta", "output_index": 0, "delta": "Secret"}


def choose(asked: bytes | None) -> tuple[RequestFacts, Selection]:
    response = STRIP if asked is not None and json.loads(asked)["plan"] == "strip" else ResponsePlan()
    return RequestFacts("h", "/v1/responses", "GET", (), None, "openai-responses"), Selection(
        Plan(response=response), ()
    )


def last_of(*documents: dict[str, Any]) -> WebSocketMessage:
    """What becomes of the last message."""
    flow = tflow.twebsocketflow()
    assert flow.websocket is not None
    websocket = WebSocketExchange(flow, choose, Memory(0, 0.0, lambda: 0.0), observes=False)
    for document in documents:
        by_client = document["type"] == "response.create"
        flow.websocket.messages.append(WebSocketMessage(Opcode.TEXT, by_client, json.dumps(document).encode()))
        websocket.message()
    return flow.websocket.messages[-1]


@pytest.mark.parametrize(
    "before",
    [
        [HIDE],
        [HIDE, BEGAN],
        [KEEP, BEGAN, HIDE, ENDED, BEGAN],
        [KEEP, BEGAN, HIDE, ERROR, BEGAN],  # about the first
        [HIDE, BEGAN, KEEP, ERROR],  # about the second
        [HIDE, KEEP, ERROR, BEGAN],
        [KEEP, BEGAN, KEEP, HIDE, ERROR, BEGAN, ENDED, BEGAN],
        [KEEP, BEGAN, KEEP, ERROR, HIDE, BEGAN],
        [HIDE, BEGAN, ENDED, KEEP],  # late
        [HIDE, BEGAN, KEEP, ENDED],
        [HIDE, happened("created", "a"), KEEP, happened("created", "b")],  # at the same time
        [HIDE, BEGAN, KEEP, BEGAN, ENDED],
        [HIDE, happened("created", "a"), KEEP, happened("created", "b"), happened("completed", "b")],
    ],
)
def test_reasoning_that_may_belong_to_a_hidden_answer_is_not_sent(before: list[dict[str, Any]]) -> None:
    assert last_of(*before, REASONING).dropped


@pytest.mark.parametrize(
    "before",
    [
        [],
        [KEEP],
        [HIDE, BEGAN, ENDED, KEEP, BEGAN],
        [HIDE, ERROR, KEEP, BEGAN],
        [HIDE, BEGAN, KEEP, ERROR, ENDED, KEEP, BEGAN],
        [HIDE, happened("created", "a"), KEEP, happened("created", "b"), happened("completed", "a")],
        [
            *(HIDE, happened("created", "a"), happened("completed", "a")),
            *(KEEP, happened("created", "b"), happened("completed", "a")),
        ],
        [HIDE, happened("created", "a"), happened("completed", "of another name"), KEEP, BEGAN],
    ],
)
def test_reasoning_that_can_only_belong_to_a_shown_answer_is_sent(before: list[dict[str, Any]]) -> None:
    assert not last_of(*before, REASONING).dropped


def test_a_message_with_an_answer_id_is_judged_by_the_plan_of_that_answer() -> None:
    told = happened("completed", "a")
    told["response"]["output"] = [{"type": "reasoning", "content": "Secret"}]
    last = last_of(HIDE, happened("created", "a"), KEEP, happened("created", "b"), told)
    assert b"Secret" not in last.content
