"""Earlier turns of chat completions and of Ollama: what identifies them, and what the user said before them."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import chunk, event, stream
from tests.rewrite.history.session import ASKED, CALL, CALLED, CHAT, THOUGHT, USER, Session, calling


def test_a_text_gets_its_reasoning_back() -> None:
    session = Session(CHAT)
    raw = stream(chunk({"reasoning_content": "Hm"}), chunk({"content": "Hello"}), chunk({"content": " you"}, 0))
    session.answered(ASKED, raw + event(chunk(finish_reason="stop")))
    said = {"role": "assistant", "content": "Hello you\n"}
    again = {"model": "deepseek-v4", "messages": [USER, said, {"role": "user", "content": "r"}]}
    assert session.said(again) == said | {"reasoning_content": "Hm"}
    parts = {"role": "user", "content": [{"type": "text", "text": "q", "cache_control": {"type": "ephemeral"}}]}
    assert session.said(again | {"messages": [parts, said]}) == said | {"reasoning_content": "Hm"}
    assert session.said(again | {"messages": [{"role": "user", "content": "else"}, said]}) == said


@pytest.mark.parametrize("content", ["", None, [], [{"type": "image_url", "image_url": {"url": "x"}}]])
def test_a_question_without_a_word_is_one(content: Any) -> None:
    session = Session(CHAT)
    before = [USER, {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": content}]
    raw = stream(chunk({"reasoning_content": "Hm"}), chunk({"content": "Hello"}), chunk(finish_reason="stop"))
    session.answered({"model": "deepseek-v4", "messages": before}, raw)
    said = {"role": "assistant", "content": "Hello"}
    after = json.loads(session.asked({"model": "deepseek-v4", "messages": [*before, said]}).raw)["messages"]
    assert after[-1] == said | {"reasoning_content": "Hm"}


def test_calls_without_ids_are_known_by_what_they_ask_for() -> None:
    session = Session("ollama")
    call = {"function": {"name": "f", "arguments": {"a": 1, "b": 2}}}
    lines = [
        {"message": {"role": "assistant", "content": "", "thinking": "Hm"}, "done": False},
        {"message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False},
        {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
    ]
    asked = {"model": "qwen3", "messages": [USER]}
    session.answered(asked, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    again = {"function": {"name": "f", "arguments": {"b": 2, "a": 1}}}
    said = {"role": "assistant", "content": "", "tool_calls": [again]}
    assert session.said({"model": "qwen3", "messages": [USER, said]}) == said | {"thinking": "Hm"}


def test_the_same_id_for_another_call_is_another_call() -> None:
    session = Session(CHAT)
    session.answered(ASKED, calling())
    bob = CALL | {"function": {"name": "f", "arguments": '{"q": "bob"}'}}
    asked = {"model": "deepseek-v4", "messages": [{"role": "user", "content": "r"}, CALLED | {"tool_calls": [bob]}]}
    assert session.said(asked) == CALLED | {"tool_calls": [bob]}
    spelled = CALL | {"function": {"name": "f", "arguments": '{"a":1.0}'}}
    same = asked | {"messages": [{"role": "user", "content": "r"}, CALLED | {"tool_calls": [spelled]}]}
    assert session.said(same)["reasoning_content"] == THOUGHT
