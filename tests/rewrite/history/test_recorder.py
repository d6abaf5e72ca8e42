"""Reasoning that the client has lost comes back in its next request: what is remembered of an answer, and when."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import STRIP, TO_REASONING, chunk, stream
from tests.rewrite.history.session import (
    ASKED,
    CALL,
    CALL_PART,
    CALLED,
    CHAT,
    FUNCTION,
    KEEP,
    MESSAGES_ASKED,
    NEXT,
    REASONING,
    RESULT,
    SIZES,
    THINKING,
    THOUGHT,
    USE,
    USER,
    Session,
    blocks,
    calling,
    gemini_answer,
    messages_next,
    response,
)
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.history.mapper import map_history
from thinkwire.rewrite.plan import History, RequestPlan, ResponsePlan, To
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.json_tree import Unreadable


@SIZES
@pytest.mark.parametrize("plan", [STRIP, TO_REASONING, KEEP])
@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_a_call_gets_its_reasoning_back(plan: ResponsePlan, name: str, size: int | None) -> None:
    session = Session(CHAT, plan)
    session.answered(ASKED, calling(name), size)
    assert session.said(NEXT, To.REASONING_CONTENT) == CALLED | {"reasoning_content": THOUGHT}
    assert session.said(NEXT, To.REASONING) == CALLED | {"reasoning": THOUGHT}
    assert session.said(NEXT) == CALLED | {"reasoning_content": THOUGHT}  # as the table says of this model
    assert session.said(NEXT, To.INLINE)["content"] == f"<think>\n{THOUGHT}\n</think>\n\n"
    assert "reasoning put back: 1" in session.asked(NEXT).notes


def test_a_whole_answer_is_remembered_too() -> None:
    session = Session(CHAT)
    message = CALLED | {"reasoning_content": "Hm"}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    session.answered_whole(ASKED, {"object": "chat.completion", "choices": [choice]})
    assert session.said(NEXT)["reasoning_content"] == "Hm"


def test_it_is_there_as_soon_as_the_finish_is() -> None:
    session = Session(CHAT)
    raw = calling()
    before_end_mark = raw.removesuffix(b"data: [DONE]\n\n")
    machine = StreamRewriter(session._answer(ASKED), ContentHint.EVENTS, None, 10.0, 0.0)
    machine.feed(before_end_mark, 0.0)
    assert session.said(NEXT)["reasoning_content"] == THOUGHT


def test_what_the_client_still_has_is_not_touched() -> None:
    session = Session(CHAT)
    session.answered(ASKED, calling())
    kept = {"model": "deepseek-v4", "messages": [USER, CALLED | {"reasoning_content": "mine"}, RESULT]}
    assert session.asked(kept).raw == json.dumps(kept).encode()


def test_nothing_is_put_back_where_nobody_knows_a_form() -> None:
    session = Session(CHAT)
    unknown = NEXT | {"model": "m"}
    session.answered(ASKED | {"model": "m"}, calling())
    assert session.said(unknown) == CALLED
    assert session.said(unknown, To.AUTO) == CALLED
    assert session.said(unknown, To.DROP) == CALLED


def test_what_is_forgotten_is_filled_or_said() -> None:
    session = Session(CHAT)
    assert session.said(NEXT, History(To.REASONING_CONTENT, fill="")) == CALLED | {"reasoning_content": ""}
    assert "turns with calls but no reasoning, and none remembered: 1" in session.asked(NEXT).notes


@pytest.mark.parametrize(
    ("dialect", "asked", "raw", "last", "again"),
    [
        (
            "openai-responses",
            {"input": "q"},
            response(REASONING, FUNCTION),
            b"response.completed",
            {"input": [{"role": "user", "content": "q"}, FUNCTION]},
        ),
        ("anthropic-messages", MESSAGES_ASKED, blocks(THINKING, USE), b"message_delta", messages_next(USE)),
        (
            "gemini",
            {"contents": [{"role": "user", "parts": [{"text": "q"}]}]},
            gemini_answer(CALL_PART | {"thoughtSignature": "s"}),
            b"finishReason",
            {"contents": [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [CALL_PART]}]},
        ),
    ],
)
def test_a_client_may_act_on_a_call_before_the_answer_ends(
    dialect: str, asked: dict[str, Any], raw: bytes, last: bytes, again: dict[str, Any]
) -> None:
    session = Session(dialect, KEEP)
    machine = StreamRewriter(session._answer(asked), ContentHint.EVENTS, None, 10.0, 0.0)
    machine.feed(raw[: raw.index(last)], 0.0)
    assert session.asked(again).notes == ["reasoning put back: 1"]


def test_remembered_details_win_over_the_text_alone() -> None:
    session = Session(CHAT, host="openrouter.ai")
    details = [{"type": "reasoning.text", "text": "T", "signature": "s"}, {"type": "reasoning.encrypted", "data": "x"}]
    choice = {"index": 0, "message": CALLED | {"reasoning": "T", "reasoning_details": details}}
    session.answered_whole(ASKED, {"object": "chat.completion", "choices": [choice]})
    kept = NEXT | {"model": "m", "messages": [USER, CALLED | {"reasoning": "T"}, RESULT]}
    assert session.said(kept, To.NATIVE) == CALLED | {"reasoning_details": details}
    other = NEXT | {"model": "m", "messages": [USER, CALLED | {"reasoning": "mine"}, RESULT]}
    assert session.said(other, To.NATIVE)["reasoning_details"] == [{"type": "reasoning.text", "text": "mine"}]


def test_two_choices_that_say_the_same_restore_neither() -> None:
    session = Session(CHAT)
    chunks = [chunk({"reasoning_content": thought}, index) for index, thought in enumerate(("ONE", "TWO"))]
    chunks += [chunk({"content": "OK"}, index) for index in range(2)]
    session.answered(ASKED, stream(*chunks, *(chunk(index=index, finish_reason="stop") for index in range(2))))
    said = {"role": "assistant", "content": "OK"}
    assert session.said(ASKED | {"messages": [USER, said]}) == said


def test_nothing_is_said_to_be_put_back_where_nothing_was() -> None:
    session = Session(CHAT)
    sealed = [{"type": "reasoning.encrypted", "data": "x"}]
    choice = {"index": 0, "message": CALLED | {"reasoning_details": sealed}, "finish_reason": "stop"}
    session.answered_whole(ASKED, {"object": "chat.completion", "choices": [choice]})
    assert not any(note.startswith("reasoning put back") for note in session.asked(NEXT).notes)


def test_what_is_nested_too_deep_is_passed_and_not_remembered() -> None:
    request = {"model": "deepseek-v4", "messages": [{"role": "user", "content": "deep"}, CALLED]}
    raw = json.dumps(request).replace('"deep"', "[" * 3_000 + "]" * 3_000).encode()
    facts = RequestFacts("h", "/", "POST", (), None, CHAT, "deepseek-v4")
    with pytest.raises(Unreadable):
        map_history(raw, RequestPlan(restore=True), facts, None, lambda _turn: None)
    session = Session(CHAT)
    arguments = "[" * 100_000
    call = CALL | {"index": 0, "function": {"name": "f", "arguments": arguments}}
    raw = stream(chunk({"tool_calls": [call]}), chunk(finish_reason="tool_calls"))
    assert session.answered(ASKED, raw) == raw
