"""Content that is a list with reasoning in it (Mistral), turns into plain text mid-stream, and what becomes of it."""

import json
from typing import Any

import pytest

from tests.corpus import Recorded, needs_corpus, recorded_answers
from tests.rewrite.answers import (
    CHAT_REQUEST,
    STRIP,
    STRIP_ALL,
    STRIP_KEEP_OPAQUE,
    TO_BOTH,
    TO_REASONING,
    TO_REASONING_CONTENT,
    body,
    chunk,
    logprobs,
    rewrite_documents,
    rewrite_json,
    rewrite_stream,
    stream,
)
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body

SEAL = "EqQBCkgIARABGAIiQL7vE0c9"
RECORDED = [answer for answer in recorded_answers() if answer.path.parent.name == "mistral"]
each_recorded = pytest.mark.parametrize("answer", RECORDED, ids=lambda answer: answer.name)


def thinking(*texts: str, **more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text} for text in texts], **more}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


FLIPPING = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": [thinking("Quiet ")]}),
    chunk({"content": [thinking("thought", closed=True), said("Loud ")]}),
    chunk({"content": "answer"}),
    chunk({"content": ""}, finish_reason="stop"),
]


# --- strip ------------------------------------------------------------------------------------------------------


def test_stripped_the_reasoning_goes_and_the_list_of_the_answer_stays() -> None:
    assert rewrite_documents(STRIP, *FLIPPING) == [
        FLIPPING[0],
        chunk({"content": [said("Loud ")]}),
        *FLIPPING[3:],
    ]


@pytest.mark.parametrize("plan", [STRIP, STRIP_KEEP_OPAQUE, TO_REASONING, ResponsePlan()])
@pytest.mark.parametrize("size", [1, 7])
def test_the_output_does_not_depend_on_how_the_bytes_are_cut(plan: ResponsePlan, size: int) -> None:
    raw = stream(*FLIPPING)
    assert rewrite_stream(raw, plan, size) == rewrite_stream(raw, plan)


def test_kept_it_keeps_every_byte() -> None:
    raw = stream(*FLIPPING)
    assert rewrite_stream(raw, ResponsePlan(), 7) == raw


def test_a_list_of_reasoning_alone_becomes_an_empty_text() -> None:
    """A client that reads texts and one that reads lists both take it (docs/apis.md, "Mistral")."""
    thought = body({"content": [thinking("Quiet thought"), thinking("More")]})
    assert rewrite_json(STRIP, thought) == body({"content": ""})
    first = chunk({"role": "assistant", "content": [thinking("Quiet thought")]})
    assert rewrite_documents(STRIP, first) == [chunk({"role": "assistant", "content": ""})]


def test_an_empty_list_of_the_provider_stays_one() -> None:
    empty = body({"content": []})
    assert rewrite_json(STRIP, empty) == empty


@pytest.mark.parametrize("plan", [STRIP, STRIP_ALL])
def test_what_reasoning_refers_to_goes_with_it(plan: ResponsePlan) -> None:
    thought = thinking("Quiet", signature=SEAL)
    thought["thinking"] += [
        {"type": "reference", "reference_ids": [7]},
        {"type": "tool_reference", "tool": "web_search", "title": "Quiet page"},
    ]
    assert rewrite_json(plan, body({"content": [thought, said("Loud")]})) == body({"content": [said("Loud")]})


def test_an_answer_without_reasoning_keeps_its_token_metadata() -> None:
    spoken = body({"content": [said("Loud")]}, logprobs=logprobs("Loud"))
    assert rewrite_json(STRIP, spoken) == spoken
    thought = body({"content": [thinking("Quiet"), said("Loud")]}, logprobs=logprobs("Quiet", "Loud"))
    assert rewrite_json(STRIP, thought) == body({"content": [said("Loud")]})


def test_reasoning_that_says_nothing_is_a_placeholder() -> None:
    empty = chunk({"content": [thinking(), said("Loud")]}, logprobs=logprobs("Loud"))
    assert rewrite_documents(STRIP, empty) == [chunk({"content": [said("Loud")]}, logprobs=logprobs("Loud"))]


# --- opaque: keep -----------------------------------------------------------------------------------------------


def test_a_signature_stays_on_its_part_with_no_text() -> None:
    signed = body({"content": [thinking("Quiet"), thinking("More", signature=SEAL, closed=True), said("Loud")]})
    kept = {"type": "thinking", "thinking": [], "signature": SEAL, "closed": True}
    assert rewrite_json(STRIP_KEEP_OPAQUE, signed) == body({"content": [kept, said("Loud")]})


def test_a_chunk_with_a_signature_alone_is_sent() -> None:
    documents = [
        chunk({"content": [thinking("Quiet")]}),
        chunk({"content": [thinking(signature=SEAL, closed=True)]}),
        chunk({"content": "Loud"}),
    ]
    assert rewrite_documents(STRIP_KEEP_OPAQUE, *documents) == documents[1:]


def test_a_signature_that_anybody_can_read_goes() -> None:
    readable = body({"content": [thinking("Quiet", signature="the quiet thought again"), said("Loud")]})
    assert rewrite_json(STRIP_KEEP_OPAQUE, readable) == body({"content": [said("Loud")]})


def test_reasoning_in_one_text_is_emptied_in_place() -> None:
    part = {"type": "thinking", "thinking": "Quiet", "signature": SEAL}
    assert rewrite_json(STRIP_KEEP_OPAQUE, body({"content": [part, said("Loud")]})) == body(
        {"content": [{**part, "thinking": ""}, said("Loud")]}
    )


# --- rename -----------------------------------------------------------------------------------------------------


def test_renamed_the_reasoning_is_written_under_the_name_and_the_list_stays() -> None:
    assert rewrite_documents(TO_REASONING, *FLIPPING) == [
        FLIPPING[0],
        chunk({"content": [thinking("Quiet ")], "reasoning": "Quiet "}),
        chunk({"content": [thinking("thought", closed=True), said("Loud ")], "reasoning": "thought"}),
        *FLIPPING[3:],
    ]


def test_several_reasoning_in_one_list_are_one_text() -> None:
    content = [thinking("One, ", "two, "), said("Loud"), thinking('"three"')]
    renamed = rewrite_json(TO_BOTH, body({"content": content}))
    assert renamed == body(
        {"content": content, "reasoning": 'One, two, "three"', "reasoning_content": 'One, two, "three"'}
    )


def test_reasoning_that_has_a_name_already_is_not_written_twice() -> None:
    named = body({"content": [thinking("Quiet"), said("Loud")], "reasoning_content": "Quiet"})
    assert rewrite_json(TO_REASONING, named) == body(
        {"content": [thinking("Quiet"), said("Loud")], "reasoning": "Quiet"}
    )


def test_a_placeholder_takes_the_text() -> None:
    empty = body({"reasoning_content": None, "content": [thinking("Quiet")]})
    assert rewrite_json(TO_REASONING_CONTENT, empty) == body(
        {"reasoning_content": "Quiet", "content": [thinking("Quiet")]}
    )


def test_reasoning_without_text_is_not_written() -> None:
    sealed = chunk({"content": [thinking(signature=SEAL)]})
    assert rewrite_documents(TO_REASONING, sealed) == [sealed]


# --- recorded ---------------------------------------------------------------------------------------------------


def rewritten(answer: Recorded, plan: ResponsePlan, size: int | None = None) -> bytes:
    if answer.is_stream:
        return rewrite_stream(answer.raw, plan, size)
    return rewrite_body(answer.raw, AnswerRewriter(plan, CHAT_REQUEST))


def read(documents: list[Any]) -> dict[str, str]:
    """The thought and the answer, as a client of this API reads them, and what stands under `reasoning`."""
    seen = {"thought": "", "answer": "", "named": ""}
    for document in documents:
        for choice in document["choices"]:
            message = choice.get("delta") or choice.get("message") or {}
            content = message.get("content") or []
            for part in [said(content)] if isinstance(content, str) else content:
                if part["type"] == "thinking":
                    seen["thought"] += "".join(piece["text"] for piece in part["thinking"])
                else:
                    seen["answer"] += part["text"]
            seen["named"] += message.get("reasoning") or ""
    return seen


@needs_corpus
@each_recorded
def test_recorded_answers_lose_the_reasoning_or_show_it_under_the_name(answer: Recorded) -> None:
    before = read(answer.documents())
    assert before["thought"]
    assert before["answer"]
    stripped = rewritten(answer, STRIP)
    assert read(answer.documents(stripped)) == {"thought": "", "answer": before["answer"], "named": ""}
    assert b'"thinking"' not in stripped
    renamed = answer.documents(rewritten(answer, TO_REASONING))
    assert read(renamed) == {**before, "named": before["thought"]}
    assert json.dumps(renamed).count('"closed"') == json.dumps(answer.documents()).count('"closed"')


@needs_corpus
@each_recorded
@pytest.mark.parametrize("size", [1, 7])
def test_recorded_answers_are_the_same_at_every_cut(answer: Recorded, size: int) -> None:
    for plan in (STRIP, TO_REASONING, ResponsePlan()):
        assert rewritten(answer, plan, size) == rewritten(answer, plan)
    assert rewritten(answer, ResponsePlan()) == answer.raw
