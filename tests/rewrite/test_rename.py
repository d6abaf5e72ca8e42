"""Renaming reasoning in chat-completions objects."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import (
    CHAT_REQUEST,
    TO_BOTH,
    TO_REASONING,
    TO_REASONING_CONTENT,
    body,
    chunk,
    event,
    rewrite_chunks,
    rewrite_documents,
    rewrite_json,
    rewrite_stream,
    stream,
)
from thinkwire.dialects.apis.chat_completions import SPELLINGS
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Rename, ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body


def delta_after(plan: ResponsePlan, delta: dict[str, Any]) -> dict[str, Any]:
    (document,) = rewrite_documents(plan, chunk(delta))
    result: dict[str, Any] = document["choices"][0]["delta"]
    return result


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_becomes_the_one_asked_for(spelling: str) -> None:
    assert delta_after(TO_REASONING, {spelling: "hm"}) == {"reasoning": "hm"}
    assert delta_after(TO_REASONING_CONTENT, {spelling: "hm"}) == {"reasoning_content": "hm"}


def test_the_name_changes_in_place_and_all_else_keeps_its_bytes() -> None:
    raw = b'data: { "choices" :[{"delta":{"a":1.0, "reasoning_content" : "x\\u00e9\\/" ,"b":1e-7}} ],"n":NaN}\n\n'
    assert rewrite_stream(raw, TO_REASONING) == raw.replace(b'"reasoning_content"', b'"reasoning"')


def test_a_stream_that_has_the_name_already_is_not_touched() -> None:
    raw = stream(chunk({"role": "assistant"}), chunk({"reasoning": "a"}), chunk({"content": "b"}))
    assert rewrite_stream(raw, TO_REASONING) == raw


def test_both_names_carry_the_text_once_each() -> None:
    assert delta_after(TO_BOTH, {"reasoning": "hm"}) == {"reasoning": "hm", "reasoning_content": "hm"}
    assert delta_after(TO_BOTH, {"thinking": "hm"}) == {"reasoning": "hm", "reasoning_content": "hm"}
    assert delta_after(TO_BOTH, {"reasoning": "hm", "reasoning_content": "hm"}) == {
        "reasoning": "hm",
        "reasoning_content": "hm",
    }


def test_two_names_with_one_text_leave_one() -> None:
    assert delta_after(TO_REASONING, {"reasoning_content": "hm", "reasoning": "hm"}) == {"reasoning": "hm"}
    assert delta_after(TO_REASONING_CONTENT, {"reasoning_content": "hm", "reasoning": "hm"}) == {
        "reasoning_content": "hm"
    }


def test_reasoning_content_wins_where_texts_differ_and_the_conflict_is_counted() -> None:
    raw = stream(chunk({"reasoning": "one", "reasoning_content": "two"}))
    after, tally = rewrite_chunks([raw], TO_REASONING)
    assert b'"reasoning": "two"' in after
    assert b"one" not in after
    assert tally.conflicts == 1


def test_texts_that_differ_only_in_escapes_are_no_conflict() -> None:
    text = r'{"choices":[{"delta":{"reasoning":"\u00e9","reasoning_content":"é"}}]}'
    after, tally = rewrite_chunks([event(text)], TO_REASONING)
    assert tally.conflicts == 0
    assert after == event(r'{"choices":[{"delta":{"reasoning":"\u00e9"}}]}')


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_name_never_wins(empty: str | None) -> None:
    assert delta_after(TO_REASONING, {"reasoning_content": empty, "reasoning": "hm"}) == {"reasoning": "hm"}
    assert delta_after(TO_REASONING, {"reasoning_content": "hm", "reasoning": empty}) == {"reasoning": "hm"}


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_placeholder_of_another_name_goes_and_is_not_renamed(empty: str | None) -> None:
    assert delta_after(TO_REASONING, {"content": "a", "reasoning_content": empty}) == {"content": "a"}
    assert delta_after(TO_REASONING, {"content": "a", "reasoning": empty}) == {"content": "a", "reasoning": empty}


def test_rename_never_removes_an_event() -> None:
    documents = rewrite_documents(TO_REASONING, chunk({"reasoning_content": None}), chunk({"reasoning_content": ""}))
    assert [document["choices"][0]["delta"] for document in documents] == [{}, {}]


def test_details_stay_and_are_written_out_where_they_are_the_only_carrier() -> None:
    details = [{"type": "reasoning.text", "text": "a\n"}, {"type": "reasoning.summary", "summary": "b"}]
    after = delta_after(TO_REASONING, {"reasoning_details": details})
    assert after == {"reasoning_details": details, "reasoning": "a\nb"}
    after = delta_after(TO_BOTH, {"thinking_blocks": [{"type": "thinking", "thinking": "t", "signature": "s"}]})
    assert (after["reasoning"], after["reasoning_content"]) == ("t", "t")


def test_details_beside_a_name_are_left_alone() -> None:
    details = [{"type": "reasoning.text", "text": "a"}]
    after = delta_after(TO_REASONING_CONTENT, {"reasoning": "a", "reasoning_details": details})
    assert after == {"reasoning_content": "a", "reasoning_details": details}


def test_details_without_text_write_nothing() -> None:
    details = [{"type": "reasoning.encrypted", "data": "AAAA"}]
    assert delta_after(TO_REASONING, {"reasoning_details": details}) == {"reasoning_details": details}


def test_a_null_name_beside_details_takes_their_text() -> None:
    details = [{"type": "reasoning.text", "text": "a"}]
    assert delta_after(TO_REASONING, {"reasoning": None, "reasoning_details": details})["reasoning"] == "a"


def test_copies_in_provider_specific_fields_are_renamed_too() -> None:
    after = delta_after(
        TO_REASONING,
        {"reasoning_content": "a", "provider_specific_fields": {"reasoning_content": "a", "citations": None}},
    )
    assert after == {"reasoning": "a", "provider_specific_fields": {"reasoning": "a", "citations": None}}


def test_a_copy_of_blocks_adds_no_name() -> None:
    delta = {"reasoning": "a", "provider_specific_fields": {"thinking_blocks": [{"type": "thinking", "thinking": "a"}]}}
    assert delta_after(TO_REASONING, delta) == delta


def test_duplicate_members_leave_one_with_the_text_that_readers_take() -> None:
    raw = event('{"choices":[{"delta":{"reasoning_content":"old","reasoning_content":"new"}}]}')
    assert rewrite_stream(raw, TO_REASONING) == event('{"choices":[{"delta":{"reasoning":"new"}}]}')


def test_a_name_written_with_escapes_is_seen() -> None:
    raw = event(r'{"choices":[{"delta":{"reasoning_cont\u0065nt":"a"}}]}')
    assert rewrite_stream(raw, TO_REASONING) == event('{"choices":[{"delta":{"reasoning":"a"}}]}')


def test_a_value_that_is_not_text_keeps_its_form() -> None:
    assert delta_after(TO_REASONING, {"reasoning_content": ["a", {"b": 1}]}) == {"reasoning": ["a", {"b": 1}]}
    assert delta_after(TO_REASONING, {"thought": True, "content": "a"}) == {"thought": True, "content": "a"}


def test_false_is_a_placeholder_too() -> None:
    assert delta_after(TO_REASONING, {"reasoning_content": False, "content": "a"}) == {"content": "a"}


def test_only_the_texts_of_blocks_are_written_out() -> None:
    details = [
        {"type": "reasoning.text", "text": "T"},
        {"type": "reasoning.server_tool_call", "tool_name": "web", "arguments": "{}", "result": "R"},
    ]
    assert delta_after(TO_REASONING, {"reasoning_details": details})["reasoning"] == "T"


def test_token_metadata_is_none_of_renames_business() -> None:
    document = body({"reasoning_content": "a", "content": "b"}, logprobs={"content": [{"token": "a"}]}, token_ids=[1])
    after = rewrite_json(TO_REASONING, document)
    assert after["choices"][0]["logprobs"] == {"content": [{"token": "a"}]}
    assert after["choices"][0]["token_ids"] == [1]


def test_every_choice_of_a_chunk_is_renamed() -> None:
    document = chunk({"reasoning_content": "a"})
    document["choices"].append({"index": 1, "delta": {"reasoning_content": "b"}})
    (after,) = rewrite_documents(TO_REASONING, document)
    assert [choice["delta"] for choice in after["choices"]] == [{"reasoning": "a"}, {"reasoning": "b"}]


def test_reasoning_of_other_shapes_of_document_is_left_alone() -> None:
    raw = stream({"type": "x", "reasoning_content": "a"}, {"error": {"reasoning_content": "b"}})
    assert rewrite_stream(raw, TO_REASONING) == raw


@pytest.mark.parametrize("names", [("reasoning",), ("reasoning", "reasoning_content")])
def test_renaming_twice_is_renaming_once(names: tuple[str, ...]) -> None:
    plan = ResponsePlan(Rename(names))
    once = rewrite_stream(stream(chunk({"reasoning_content": "a", "thinking": None}), chunk({"reasoning": ""})), plan)
    assert rewrite_stream(once, plan) == once


def test_stream_and_body_agree() -> None:
    message = {"content": "c", "reasoning": "ab"}
    deltas = rewrite_documents(TO_REASONING_CONTENT, chunk({"reasoning": "a"}), chunk({"reasoning": "b"}))
    text = "".join(document["choices"][0]["delta"]["reasoning_content"] for document in deltas)
    assert text == rewrite_json(TO_REASONING_CONTENT, body(message))["choices"][0]["message"]["reasoning_content"]


def test_a_body_keeps_every_byte_but_the_name() -> None:
    document = body({"reasoning_content": "é \u2028", "content": None})
    before = json.dumps(document, indent=3, ensure_ascii=False)

    after = rewrite_body(before.encode(), AnswerRewriter(TO_REASONING, CHAT_REQUEST))
    assert after == before.replace("reasoning_content", "reasoning").encode()
