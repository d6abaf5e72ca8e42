"""Tool calls are read however an API writes them."""

import json
from typing import Any

import pytest

from thinkwire.dialects.core.parts import Kind, Part
from thinkwire.dialects.core.tool_calls import ToolCall, calls_in
from thinkwire.wire.json_tree import Shape, decode, read

WHOLE = Shape(members={})


def calls(member: str, value: Any, **beside: Any) -> list[ToolCall]:
    """The calls in the member of an object."""
    root = read(decode(json.dumps({member: value} | beside).encode()), WHOLE)
    node = root.child(member)
    assert node is not None
    return [*calls_in(Part(Kind.TOOL_CALL, node, None))]


@pytest.mark.parametrize(
    ("member", "value", "found"),
    [
        (
            "tool_calls",
            [{"index": 1, "id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a"'}}],
            ToolCall("f", '{"a"', 1),
        ),
        ("tool_calls", [{"index": 1, "function": {"arguments": ": 1}"}}], ToolCall("", ": 1}", 1)),
        ("tool_calls", [{"function": {"name": "f", "arguments": {"a": 1}}}], ToolCall("f", '{"a": 1}', None, True)),
        ("functionCall", {"name": "f", "args": {"a": 1}}, ToolCall("f", '{"a": 1}', None, True)),
        ("content_block", {"type": "tool_use", "name": "f", "input": {}}, ToolCall("f")),
        ("delta", {"type": "input_json_delta", "partial_json": '{"a"'}, ToolCall("", '{"a"')),
        ("call", {"toolName": "f", "parameters": {"a": 1}}, ToolCall("f", '{"a": 1}', None, True)),
    ],
    ids=["chat, the head", "chat, a piece", "Ollama", "Gemini", "Messages, the head", "Messages, a piece", "others"],
)
def test_a_call_is_read_in_each_form(member: str, value: Any, found: ToolCall) -> None:
    assert calls(member, value) == [found]


def test_several_calls_without_numbers_are_counted() -> None:
    both = [{"function": {"name": name, "arguments": "{}"}} for name in "fg"]
    assert [(call.name, call.number) for call in calls("tool_calls", both)] == [("f", 0), ("g", 1)]


def test_members_of_a_call_are_read_with_the_name_beside_them() -> None:
    assert calls("arguments", '{"a"', name="f") == [ToolCall("f", '{"a"')]
    assert calls("arguments", {"a": 1}, name="f") == [ToolCall("f", '{"a": 1}')]
    assert calls("name", "f") == [ToolCall("f")]


@pytest.mark.parametrize(
    ("member", "value"), [("id", "c1"), ("type", "function"), ("arguments", {}), ("x", [1]), ("x", 1)]
)
def test_what_says_nothing_of_a_call_is_none(member: str, value: Any) -> None:
    assert calls(member, value) == []
