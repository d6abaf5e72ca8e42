"""Earlier turns of OpenAI Responses: reasoning items come back before those that they belong to."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import STRIP
from tests.rewrite.history.session import ANSWER, FUNCTION, KEEP, REASONING, SIZES, Session, response
from thinkwire.rewrite.plan import ResponsePlan


@SIZES
@pytest.mark.parametrize("plan", [STRIP, KEEP])
def test_reasoning_items_come_back_in_front_of_theirs(plan: ResponsePlan, size: int | None) -> None:
    session = Session("openai-responses", plan)
    user = {"role": "user", "content": "q"}
    second = REASONING | {"id": "rs_2"}
    session.answered({"input": "q"}, response(REASONING, FUNCTION, second, ANSWER), size)
    again = {"input": [user, FUNCTION, {"type": "function_call_output", "call_id": "k1", "output": "x"}, ANSWER]}
    items = json.loads(session.asked(again).raw)["input"]
    assert items == [user, REASONING, FUNCTION, again["input"][2], second, ANSWER]
    kept = {"input": items}
    assert session.asked(kept).raw == json.dumps(kept).encode()
    whole = Session("openai-responses", plan)
    whole.answered_whole({"input": "q"}, {"object": "response", "output": [REASONING, FUNCTION, second, ANSWER]})
    assert json.loads(whole.asked(again).raw)["input"] == items


def test_the_later_ones_of_several_calls_lack_nothing() -> None:
    responses = Session("openai-responses", KEEP)
    second = FUNCTION | {"id": "fc_2", "call_id": "k2"}
    responses.answered({"input": "q"}, response(REASONING, FUNCTION, second))
    again = {"input": [{"role": "user", "content": "q"}, FUNCTION, second]}
    assert responses.asked(again).notes == ["reasoning put back: 1"]


def test_an_item_without_an_id_needs_nothing() -> None:
    session = Session("openai-responses", KEEP)
    session.answered({"input": "q"}, response(REASONING, FUNCTION, REASONING | {"id": "rs_2"}, ANSWER))
    bare = {name: value for name, value in FUNCTION.items() if name != "id"}
    easy = {"role": "assistant", "content": "Hi"}
    asked = {"input": [{"role": "user", "content": "q"}, bare, easy]}
    assert session.asked(asked).raw == json.dumps(asked).encode()


@pytest.mark.parametrize("item", [REASONING, {"id": "rs_1", "type": "reasoning", "summary": []}])
def test_what_is_not_stored_comes_back_only_where_it_is_encrypted(item: dict[str, Any]) -> None:
    session = Session("openai-responses", KEEP)
    session.answered({"input": "q"}, response(item, FUNCTION))
    asked = {"store": False, "input": [{"role": "user", "content": "q"}, FUNCTION]}
    after = json.loads(session.asked(asked).raw)["input"]
    assert after[1:] == ([item, FUNCTION] if "encrypted_content" in item else [FUNCTION])


def test_items_of_all_kinds_are_known_by_their_ids() -> None:
    session = Session("openai-responses", KEEP)
    search = {"id": "ws_1", "type": "web_search_call", "status": "completed"}
    second = REASONING | {"id": "rs_2"}
    session.answered({"input": "q"}, response(REASONING, search, second, FUNCTION))
    reference = {"type": "item_reference", "id": "fc_1"}
    asked = {"input": [{"role": "user", "content": "q"}, search, reference]}
    assert json.loads(session.asked(asked).raw)["input"][1:] == [REASONING, search, second, reference]
