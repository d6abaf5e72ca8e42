"""One assistant message in a request: its reasoning, whatever carries it, and the text that is visible first."""

import json
from typing import Any

import pytest

from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent
from thinkwire.dialects.history.chat import CHAT_CONVERSATION
from thinkwire.dialects.history.message import AssistantMessage, TaggedText
from thinkwire.wire.json_tree import decode, read

THINKING = {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}
UNSIGNED = {"type": "thinking", "thinking": "so"}
REDACTED = {"type": "redacted_thinking", "data": "b3BhcXVl"}
LISTED = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
CALLS = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]


def read_tags(text: str) -> TaggedText | None:
    reasoning, closed, rest = text.removeprefix("<t>").partition("</t>")
    return TaggedText(reasoning, rest) if text.startswith("<t>") and closed else None


def message(**members: Any) -> AssistantMessage:
    body = {"messages": [{"role": "assistant", **members}]}
    root = read(decode(json.dumps(body).encode()), CHAT_CONVERSATION.table)
    (turn,) = CHAT_CONVERSATION.turns(root, locate(root, Extent.SNAPSHOT))
    assert turn.update is not None
    return AssistantMessage(turn.update, read_tags)


@pytest.mark.parametrize(
    ("members", "text", "count"),
    [
        ({"content": "a"}, "", 0),
        ({"reasoning": None, "content": "a"}, "", 0),
        ({"reasoning": "Hm"}, "Hm", 1),
        ({"reasoning": "Hm", "reasoning_content": "so"}, "so", 1),
        ({"thinking_blocks": [THINKING, UNSIGNED]}, "Hm\nso", 2),
        ({"content": [LISTED, {"type": "text", "text": "a"}]}, "Hm", 1),
        ({"thinking_blocks": [THINKING], "reasoning_details": [{"type": "reasoning.text", "text": "Hm"}]}, "Hm", 2),
        ({"content": "<t>Hm</t>a"}, "Hm", 1),
        ({"reasoning": "Hm", "content": "<t>so</t>a"}, "Hm", 1),
    ],
)
def test_its_reasoning_is_one_text(members: dict[str, Any], text: str, count: int) -> None:
    found = message(**members)
    assert (found.text, found.count) == (text, count)


def test_a_member_of_the_message_counts_before_a_copy_further_in() -> None:
    found = message(provider_specific_fields={"reasoning_content": "copy"}, reasoning="own")
    assert [part.node.value for part in found.named] == ["own", "copy"]


def test_tagged_text_is_no_member() -> None:
    assert not message(content="<t>Hm</t>a").has_reasoning
    assert message(reasoning="Hm").has_reasoning
    assert not message(reasoning="").has_reasoning


@pytest.mark.parametrize(
    ("content", "visible", "is_readable"),
    [
        ("a", "a", True),
        (None, None, True),
        ([LISTED, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a", True),
        ([LISTED], None, True),
        ({"type": "text", "text": "a"}, None, False),
        (1, None, False),
    ],
)
def test_the_first_visible_text_is_the_content_or_a_part_of_it(
    content: Any, visible: str | None, is_readable: bool
) -> None:
    found = message(content=content)
    assert (None if found.visible is None else found.visible.value) == visible
    assert found.has_readable_content == is_readable


def test_what_only_the_provider_can_read_has_no_other_form() -> None:
    assert message(thinking_blocks=[THINKING, REDACTED]).untranslatable == "redacted_thinking"
    assert message(thinking_blocks=[THINKING]).untranslatable == ""


def test_unsigned_blocks_are_those_of_text_without_a_signature() -> None:
    found = message(thinking_blocks=[THINKING, UNSIGNED, UNSIGNED | {"signature": ""}, REDACTED])
    assert {block.child("thinking").value for block in found.unsigned_blocks} == {"so"}  # type: ignore[union-attr]
    assert len(found.unsigned_blocks) == 2
    assert message(content=[LISTED]).unsigned_blocks == set()


def test_calls_count_if_there_are_any() -> None:
    assert message(tool_calls=CALLS).has_calls
    assert not message(tool_calls=[]).has_calls


def test_what_is_forgotten_is_left_out() -> None:
    found = message(reasoning="Hm", thinking_blocks=[THINKING])
    found.forget([part for part in found.parts if part.is_blocks])
    assert [part.node.key for part in found.parts] == ["reasoning"]
