"""Earlier reasoning, in every form in which clients keep it, is written in every form that a provider takes."""

import json
from typing import Any

import pytest

from tests.rewrite.history.requests import CALLS, MISTRAL, TEXT, THINKING, mapped, message
from thinkwire.rewrite.plan import History, To

FORMS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"reasoning": "Hm", "content": "a"}, {"content": "a"}),
    ({"reasoning_content": "Hm", "content": "a"}, {"content": "a"}),
    ({"reasoning": "Hm", "reasoning_content": "Hm", "thinking": None, "content": "a"}, {"content": "a"}),
    ({"content": "a", "reasoning_details": [{"type": "reasoning.text", "text": "Hm"}]}, {"content": "a"}),
    ({"content": "a", "thinking_blocks": [THINKING]}, {"content": "a"}),
    ({"content": "a", "reasoning": "Hm", "thinking_blocks": [THINKING]}, {"content": "a"}),
    ({"content": [MISTRAL, TEXT]}, {"content": [TEXT]}),
    ({"content": [THINKING, TEXT]}, {"content": [TEXT]}),
    ({"content": "<think>\nHm\n</think>\n\na"}, {"content": "a"}),
    ({"content": [{"type": "text", "text": "<think>Hm</think>a"}]}, {"content": [TEXT]}),
    ({"reasoning": "Hm", "content": "<think>Hm</think>a"}, {"content": "a"}),
    ({"reasoning": "Hm", "content": None, "tool_calls": CALLS}, {"content": None, "tool_calls": CALLS}),
    (
        {"provider_specific_fields": {"reasoning_content": "Hm"}, "reasoning_content": "Hm", "content": "a"},
        {"provider_specific_fields": {}, "content": "a"},
    ),
]


@pytest.mark.parametrize(("assistant", "rest"), FORMS)
def test_every_form_that_clients_keep_is_dropped(assistant: dict[str, Any], rest: dict[str, Any]) -> None:
    assert message(assistant, To.DROP) == rest


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize(("assistant", "rest"), FORMS)
def test_every_form_is_written_as_one_member(assistant: dict[str, Any], rest: dict[str, Any], name: str) -> None:
    assert message(assistant, To(name)) == rest | {name: "Hm"}


@pytest.mark.parametrize(("assistant", "rest"), FORMS)
def test_every_form_is_written_as_tags(assistant: dict[str, Any], rest: dict[str, Any]) -> None:
    after = message(assistant, To.INLINE)
    content = after.pop("content")
    shown = content if isinstance(content, str) else "".join(part["text"] for part in content)
    before = rest["content"] or ""
    text = before if isinstance(before, str) else "a"
    assert after == {name: value for name, value in rest.items() if name != "content"}
    assert shown in (f"<think>\nHm\n</think>\n\n{text}", "<think>Hm</think>a")
    assert isinstance(content, list) == isinstance(rest["content"], list)


def test_blocks_are_joined_by_a_newline() -> None:
    second = THINKING | {"thinking": "So"}
    assert message({"content": "a", "thinking_blocks": [THINKING, second]}, To.REASONING)["reasoning"] == "Hm\nSo"
    assert message({"content": [THINKING, TEXT, second]}, To.REASONING) == {"content": [TEXT], "reasoning": "Hm\nSo"}


def test_a_turn_of_nothing_but_reasoning_keeps_a_valid_empty_text() -> None:
    assert message({"reasoning": "Hm"}, To.DROP) == {"content": ""}
    assert message({"reasoning": "Hm", "content": None}, To.DROP) == {"content": ""}
    assert message({"content": "<think>Hm</think>"}, To.DROP) == {"content": ""}
    empty = [{"type": "text", "text": ""}]
    assert message({"content": [MISTRAL]}, To.DROP) == {"content": empty}
    assert message({"content": [THINKING]}, To.DROP, dialect="anthropic-messages") == {"content": empty}


def test_fill_is_for_calls_without_reasoning() -> None:
    fill = History(To.REASONING_CONTENT, fill=" ")
    call = {"content": None, "tool_calls": CALLS}
    assert message(call, fill) == call | {"reasoning_content": " "}
    assert message(call | {"reasoning_content": None}, fill) == call | {"reasoning_content": " "}
    assert message(call | {"reasoning": ""}, fill) == call | {"reasoning_content": " "}
    assert message(call | {"reasoning": "Hm"}, fill) == call | {"reasoning_content": "Hm"}
    assert message({"content": "a"}, fill) == {"content": "a"}
    assert message(call, History(To.NATIVE, fill=""), host="openrouter.ai")["reasoning_details"]


def test_native_forms() -> None:
    assert message({"reasoning": "Hm", "content": "a"}, To.NATIVE, host="openrouter.ai") == {
        "reasoning_details": [{"type": "reasoning.text", "text": "Hm"}],
        "content": "a",
    }
    details = [{"type": "reasoning.encrypted", "data": "x"}, {"type": "reasoning.text", "text": "Hm"}]
    kept = {"reasoning_details": details, "content": "a"}
    assert message(kept | {"reasoning": "Hm"}, To.NATIVE, host="openrouter.ai") == kept
    assert message({"content": "a", "thinking_blocks": [THINKING]}, To.NATIVE, host="openrouter.ai") == {
        "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Hm", "signature": "c2ln"}],
        "content": "a",
    }
    mistral = {"content": [MISTRAL, TEXT]}
    assert message({"reasoning": "Hm", "content": "a"}, To.NATIVE, host="api.mistral.ai") == mistral
    assert message({"reasoning": "Hm", "content": [TEXT]}, To.NATIVE, host="api.mistral.ai") == mistral
    assert message(mistral | {"reasoning": "Hm"}, To.NATIVE, host="api.mistral.ai") == mistral
    assert message({"thinking": "Hm", "content": "a"}, To.NATIVE, dialect="ollama") == {
        "thinking": "Hm",
        "content": "a",
    }
    assert message({"content": "<think>Hm</think>a"}, To.NATIVE, dialect="ollama") == {
        "thinking": "Hm",
        "content": "a",
    }
    assert message({"reasoning": "Hm", "content": "a"}, To.NATIVE) == {"reasoning": "Hm", "content": "a"}


@pytest.mark.parametrize("content", [{"type": "text", "text": "a"}, 1, True])
@pytest.mark.parametrize("to", [To.INLINE, To.NATIVE, To.REASONING_CONTENT])
def test_content_that_nobody_knows_passes(content: object, to: To) -> None:
    said = {"role": "assistant", "content": content, "reasoning": "Hm"}
    raw = json.dumps({"messages": [said]}).encode()
    assert mapped(raw, to, host="api.mistral.ai").raw == raw


def test_tags_beside_reasoning_in_a_list_go() -> None:
    tagged = {"content": [MISTRAL, {"type": "text", "text": "<think>Hm</think>a"}]}
    assert message(tagged, To.NATIVE, host="api.mistral.ai") == {"content": [MISTRAL, TEXT]}


def test_many_details_take_time_in_proportion() -> None:
    details = [{"type": "reasoning.text", "text": "w "} for _ in range(20_000)]
    after = message({"content": "a", "reasoning_details": details}, To.REASONING)
    assert after["reasoning"].count("w") == 20_000
