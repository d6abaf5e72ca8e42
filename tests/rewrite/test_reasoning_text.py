"""The reasoning of an update is one text, whichever of its members carry it."""

from typing import Any

import pytest

from tests.dialects.api import Api
from tests.rewrite.answers import chunk
from thinkwire.dialects.apis.anthropic_messages import ANTHROPIC_MESSAGES
from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.core.parts import Update
from thinkwire.rewrite.reasoning_text import carriers_of, reasoning_of

CHAT = Api(CHAT_COMPLETIONS, "/v1/chat/completions")
DETAILS = [{"type": "reasoning.text", "text": "H"}, {"type": "reasoning.text", "text": "m"}]


def update_of(delta: dict[str, Any]) -> Update:
    (update,) = (one for one in CHAT.updates(chunk(delta)) if one.item is not None)
    return update


@pytest.mark.parametrize(
    ("delta", "text"),
    [
        ({"content": "Hi"}, ""),
        ({"reasoning": ""}, ""),
        ({"reasoning": "Hm"}, "Hm"),
        ({"reasoning_details": DETAILS}, "Hm"),
        ({"reasoning": "Hm", "reasoning_details": DETAILS}, "Hm"),
        ({"reasoning": "Hm", "reasoning_content": "Hm"}, "Hm"),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]}, "Hm"),
    ],
)
def test_it_is_read_once(delta: dict[str, Any], text: str) -> None:
    assert reasoning_of(update_of(delta)) == text


def test_the_first_name_wins_whatever_the_order_of_the_members() -> None:
    for delta in ({"reasoning_content": "a", "reasoning": "b"}, {"reasoning": "b", "reasoning_content": "a"}):
        assert reasoning_of(update_of(delta)) == "a"


def test_each_member_that_holds_some_is_a_carrier_and_empty_ones_are_not() -> None:
    carriers = carriers_of(update_of({"reasoning": "Hm", "reasoning_content": "", "reasoning_details": DETAILS}))
    assert [part.node.key for part in carriers] == ["reasoning", "reasoning_details"]


def test_a_flag_is_not_a_carrier() -> None:
    google = Api(CHAT_COMPLETIONS, "/v1beta/openai/chat/completions")
    flagged = {"content": "<thought>Hm", "extra_content": {"google": {"thought": True}}}
    updates = google.updates(chunk(flagged))
    assert [part.node.key for update in updates for part in carriers_of(update)] == ["content"]


def test_a_signature_is_no_reasoning() -> None:
    messages = Api(ANTHROPIC_MESSAGES, "/v1/messages")
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}}
    assert [reasoning_of(update) for update in messages.updates(delta)] == [""]
