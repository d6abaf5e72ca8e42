"""What the next request needs of a chat completion: the reasoning of each choice, its details and its calls."""

import json

from tests.rewrite.answers import chunk, stream
from tests.rewrite.history.session import ASKED, CALL, CALLED, CHAT, NEXT, USER, Session
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.plan import Extract, Keep, ResponsePlan


def test_each_choice_is_collected_for_itself() -> None:
    session = Session(CHAT)
    raw = stream(
        chunk({"reasoning_content": "A"}, 0),
        chunk({"reasoning_content": "B"}, 1),
        chunk({"content": "a"}, 0),
        chunk({"content": "b"}, 1),
        chunk(index=0, finish_reason="stop"),
        chunk(index=1, finish_reason="stop"),
    )
    session.answered(ASKED, raw)
    for text in "ab":
        said = {"role": "assistant", "content": text}
        assert session.said(ASKED | {"messages": [USER, said]})["reasoning_content"] == text.upper()


def test_details_come_back_as_they_came_with_what_is_encrypted() -> None:
    session = Session(CHAT, host="openrouter.ai")
    base = {"type": "reasoning.text", "index": 0, "format": "anthropic-claude-v1"}
    raw = stream(
        chunk({"reasoning": "Hm", "reasoning_details": [base | {"text": "Hm"}]}),
        chunk({"reasoning": " so", "reasoning_details": [base | {"text": " so"}]}),
        chunk({"reasoning_details": [base | {"signature": "c2ln"}]}),
        chunk({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "xyz"}]}),
        chunk({"tool_calls": [CALL | {"index": 0}]}),
        chunk(finish_reason="tool_calls"),
    )
    session.answered(ASKED | {"model": "m"}, raw)
    whole = [base | {"text": "Hm so", "signature": "c2ln"}, {"type": "reasoning.encrypted", "index": 1, "data": "xyz"}]
    assert session.said(NEXT | {"model": "m"}) == CALLED | {"reasoning_details": whole}


def test_details_of_one_index_stay_what_they_are() -> None:
    sealed = [{"type": "reasoning.encrypted", "index": 0, "id": f"c{n}", "data": f"{n}AA="} for n in range(2)]
    signed = [{"type": "reasoning.text", "index": 0, "text": f"t{n}", "signature": f"s{n}"} for n in range(2)]
    for details in (sealed, signed):
        streamed = Session(CHAT, host="openrouter.ai")
        chunks = [chunk({"reasoning_details": [one]}) for one in details]
        streamed.answered(
            ASKED, stream(*chunks, chunk({"tool_calls": [CALL | {"index": 0}]}), chunk(finish_reason="stop"))
        )
        whole = Session(CHAT, host="openrouter.ai")
        choice = {"index": 0, "message": CALLED | {"reasoning_details": details}, "finish_reason": "stop"}
        whole.answered_whole(ASKED, {"object": "chat.completion", "choices": [choice]})
        for session in (streamed, whole):
            assert session.said(NEXT | {"model": "m"})["reasoning_details"] == details


def test_halves_of_a_character_in_details_come_back_as_one() -> None:
    session = Session(CHAT, host="openrouter.ai")
    base = {"type": "reasoning.text", "index": 0}
    pieces = [json.dumps(chunk({"reasoning_details": [base | {"text": text}]})) for text in ("a \ud83d", "\ude00 b")]
    session.answered(ASKED, stream(*pieces, chunk({"tool_calls": [CALL | {"index": 0}]}), chunk(finish_reason="stop")))
    raw = session.asked(NEXT | {"model": "m"}).raw
    assert "a 😀 b" in raw.decode()


def test_reasoning_in_the_text_is_remembered_as_the_client_sees_it() -> None:
    plan = ResponsePlan(Keep(), extract=Extract(FAMILIES["think"]))
    session = Session(CHAT, plan)
    raw = stream(
        *(chunk({"content": word}) for word in ("<think>", "Hm", "</think>", "Hello")), chunk(finish_reason="stop")
    )
    session.answered(ASKED, raw)
    said = {"role": "assistant", "content": "Hello"}
    assert session.said(ASKED | {"messages": [USER, said]}) == said | {"reasoning_content": "Hm"}
