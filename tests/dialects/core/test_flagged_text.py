"""Text that a member beside it flags as reasoning, with tags around it: Gemini's chat completions."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import (
    STRIP,
    STRIP_KEEP_OPAQUE,
    TO_REASONING,
    accumulate,
    body,
    chunk,
    documents_of,
    logprobs,
    rewrite_documents,
    rewrite_json,
    rewrite_stream,
    stream,
)
from thinkwire.rewrite.plan import ResponsePlan

MARK: dict[str, Any] = {"google": {"thought": True}}
SIGNED: dict[str, Any] = {"google": {"thought": True, "thought_signature": "c2ln"}}


def thought(content: str | None, **delta: Any) -> dict[str, Any]:
    return chunk({"role": "assistant", "content": content, "extra_content": MARK, **delta})


def said(content: str | None, **choice: Any) -> dict[str, Any]:
    return chunk({"role": "assistant", "content": content}, **choice)


STREAM = [thought("<thought>Secret plan"), thought("more Secret"), said("</thought>Hel"), said("lo")]


@pytest.mark.parametrize("size", [1, 7, None])
def test_flagged_deltas_are_removed_and_the_answer_loses_the_closing_tag(size: int | None) -> None:
    after = documents_of(rewrite_stream(stream(*STREAM), STRIP, size))
    assert after == [chunk({"role": "assistant"}), said("Hel"), said("lo")]


@pytest.mark.parametrize("opaque", [STRIP, STRIP_KEEP_OPAQUE], ids=["drop", "keep"])
def test_a_flag_hides_the_text_without_any_tag(opaque: ResponsePlan) -> None:
    after = rewrite_documents(opaque, thought("Secret"), said("Hello"))
    assert accumulate(after)[0]["content"] == "Hello"
    assert "Secret" not in json.dumps(after)


def test_a_flag_hides_the_texts_of_a_content_list() -> None:
    listed = chunk({"content": [{"type": "text", "text": "<thought>Secret"}], "extra_content": MARK})
    after = rewrite_documents(STRIP, listed, said("</thought>Hello"))
    assert after == [said("Hello")]


def test_a_flagged_delta_that_closes_its_tag_keeps_what_follows() -> None:
    after = rewrite_documents(STRIP, thought("<thought>Secret</thought>Hel"), said("</thought>lo"))
    assert accumulate(after)[0]["content"] == "Hel</thought>lo"


def test_a_closing_tag_that_closes_nothing_is_text() -> None:
    documents = [said("</thought>"), chunk({"reasoning_content": "Secret"}), said("</thought>")]
    assert rewrite_documents(STRIP, *documents) == [documents[0], documents[2]]


def test_a_closing_tag_beside_a_call_is_removed_and_the_call_stays_with_its_signature() -> None:
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "c2ln"}},
    }
    after = rewrite_documents(
        STRIP, thought("<thought>Secret"), chunk({"content": "</thought>", "tool_calls": [call]}), said(None)
    )
    assert after == [chunk({"role": "assistant"}), chunk({"tool_calls": [call]}), said(None)]


def test_choices_do_not_share_their_tags() -> None:
    second = {**thought("<thought>Secret"), "choices": [{**thought("<thought>Secret")["choices"][0], "index": 1}]}
    after = rewrite_documents(STRIP, second, said("</thought>Hello"))
    assert accumulate(after)[0]["content"] == "</thought>Hello"


def test_tokens_of_the_closing_tag_are_removed_with_it() -> None:
    (_, first, second) = rewrite_documents(
        STRIP,
        thought(
            "<thought>Secret",
        ),
        said("</thought>Hi", logprobs=logprobs("</thought>", "Hi")),
        said("!", logprobs=logprobs("!")),
    )
    assert "logprobs" not in first["choices"][0]
    assert second["choices"][0]["logprobs"] == logprobs("!")


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("<thought>Secret</thought>Hello", "Hello"),
        (" \n<thought>Secret</thought> Hello", " Hello"),
        ("<thought>Secret</thought>", ""),
        ("<thought>Secret that never ends", ""),
        ("<thought>Secret \\</thought>A </thought> B", "A </thought> B"),
        ("The current time is <thought>.", "The current time is <thought>."),
        ("\\u003cthought>x</thought>", "\\u003cthought>x</thought>"),
    ],
)
def test_a_flagged_message_loses_what_is_between_the_tags(content: str, left: str) -> None:
    message = rewrite_json(STRIP, body({"content": content, "extra_content": MARK}))["choices"][0]["message"]
    assert message == {"role": "assistant", "content": left}


def test_tags_are_read_as_json_writes_them() -> None:
    content = r"\u003cthought\u003ESecret \\\u003c\/thought\u003eHello"
    raw = json.dumps(body({"content": "X", "extra_content": MARK})).replace("X", content)
    assert rewrite_json(STRIP, json.loads(raw))["choices"][0]["message"]["content"] == "Hello"
    after = documents_of(rewrite_stream(f"data: {raw}\n\n".encode(), STRIP))
    assert after[0]["choices"][0]["message"]["content"] == "Hello"


@pytest.mark.parametrize("plan", [STRIP, STRIP_KEEP_OPAQUE], ids=["drop", "keep"])
def test_a_signature_beside_the_flag_stays(plan: ResponsePlan) -> None:
    given = body({"content": "Noon.", "extra_content": SIGNED, "thought_signature": "c2ln"})
    message = rewrite_json(plan, given)["choices"][0]["message"]
    assert message["content"] == "Noon."
    assert message["extra_content"] == {"google": {"thought_signature": "c2ln"}}
    assert message["thought_signature"] == "c2ln"


def test_a_flag_that_is_false_hides_nothing() -> None:
    denied = chunk({"content": "Hi", "extra_content": {"google": {"thought": False}}}, logprobs=logprobs("Hi"))
    (after,) = rewrite_documents(STRIP, denied)
    assert after == chunk({"content": "Hi"}, logprobs=logprobs("Hi"))


@pytest.mark.parametrize("plan", [TO_REASONING, ResponsePlan()], ids=["rename", "keep"])
def test_if_nothing_is_stripped_the_content_stays_as_it_was(plan: ResponsePlan) -> None:
    raw = stream(*STREAM)
    assert rewrite_stream(raw, plan) == raw
