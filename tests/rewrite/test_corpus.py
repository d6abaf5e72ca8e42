"""Recorded chat completions of many providers, renamed and stripped."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.corpus import Recorded, chat_answers, needs_corpus
from tests.rewrite.answers import CHAT_REQUEST, STRIP, TO_REASONING, TO_REASONING_CONTENT, rewrite_stream
from thinkwire.dialects.apis.chat_completions import SPELLINGS
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Rename, ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body

pytestmark = needs_corpus

ANSWERS = chat_answers()
each_answer = pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.name)
RUN = 4
"""Tokens in a row that count as a trace of the thought."""


def rewritten(answer: Recorded, plan: ResponsePlan, size: int | None = None) -> bytes:
    if answer.is_stream:
        return rewrite_stream(answer.raw, plan, size)
    return rewrite_body(answer.raw, AnswerRewriter(plan, CHAT_REQUEST))


def messages(documents: list[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    for document in documents:
        for choice in document.get("choices") or []:
            yield choice.get("index", 0), choice.get("delta") or choice.get("message") or {}


def texts(documents: list[Any], *names: str) -> dict[int, str]:
    """Per choice, the joined text under the first of these names that holds any, chunk by chunk."""
    joined: dict[int, str] = {}
    for index, message in messages(documents):
        values = (message.get(name) for name in names)
        joined[index] = joined.get(index, "") + next((v for v in values if isinstance(v, str) and v), "")
    return joined


def details_text(documents: list[Any]) -> dict[int, str]:
    joined: dict[int, str] = {}
    for index, message in messages(documents):
        blocks = message.get("reasoning_details") or thoughts_in(message.get("content"))
        joined[index] = joined.get(index, "") + "".join(b.get("text") or b.get("summary") or "" for b in blocks)
    return joined


def thoughts_in(content: Any) -> list[Any]:
    """The pieces of the thoughts in a list of content (Mistral)."""
    parts = content if isinstance(content, list) else []
    return [piece for part in parts if part["type"] == "thinking" for piece in part["thinking"]]


def reasoning(documents: list[Any]) -> dict[int, str]:
    named = texts(documents, *SPELLINGS)
    return named if any(named.values()) else details_text(documents)


PROMPT = ("prompt_text", "prompt_token_ids", "prompt_logprobs")


def test_there_are_recordings_of_many_providers() -> None:
    assert len(ANSWERS) >= 55
    assert sum(any(reasoning(answer.documents()).values()) for answer in ANSWERS) >= 35


@each_answer
@pytest.mark.parametrize("plan", [TO_REASONING, TO_REASONING_CONTENT], ids=["reasoning", "reasoning_content"])
def test_renamed_it_reads_the_same_under_the_new_name(answer: Recorded, plan: ResponsePlan) -> None:
    assert isinstance(plan.reasoning, Rename)
    (name,) = plan.reasoning.names
    before = answer.documents()
    after = answer.documents(rewritten(answer, plan))
    assert texts(after, name) == reasoning(before)
    assert texts(after, "content") == texts(before, "content")
    for _, message in messages(after):
        assert not set(message) & (set(SPELLINGS) - {name})


@each_answer
def test_renamed_all_else_keeps_its_bytes(answer: Recorded) -> None:
    """Undo the renaming as text: what differs then can only be placeholders, copies and text from details."""
    after = rewritten(answer, TO_REASONING)
    if after == answer.raw:
        return
    pieces = (lambda raw: raw.split(b"\n")) if answer.is_stream else (lambda raw: [raw])
    for piece_before, piece_after in zip(pieces(answer.raw), pieces(after), strict=True):
        if piece_before != piece_after:
            assert strip_names(piece_before) == strip_names(piece_after)


def strip_names(piece: bytes) -> Any:
    """A line or body as parsed JSON without the names that rename may touch, in order, numbers as spelled."""

    def without_names(pairs: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        return [(key, value) for key, value in pairs if key not in SPELLINGS]

    text = piece.decode().removeprefix("data:").strip()
    return json.loads(text, object_pairs_hook=without_names, parse_float=str, parse_int=str)


@each_answer
def test_stripped_no_trace_of_the_reasoning_is_left(answer: Recorded) -> None:
    before = answer.documents()
    after = answer.documents(rewritten(answer, STRIP))
    assert texts(after, "content") == texts(before, "content")
    for _, message in messages(after):
        assert not {"reasoning_details", *SPELLINGS} & set(message)
        for visible in ("content", "tool_calls"):
            message.pop(visible, None)
    for document in after:
        for member in PROMPT:  # the client's own words, with what it says itself of an earlier turn's reasoning
            document.pop(member, None)
    output = json.dumps(after, ensure_ascii=False)
    for thought in reasoning(before).values():
        words = thought.split(" ")
        runs = (" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1)))
        assert not [run for run in runs if len(run) > RUN and run in output]


@each_answer
def test_stripped_what_lists_tokens_lists_only_the_answer(answer: Recorded) -> None:
    before = answer.documents()
    after = answer.documents(rewritten(answer, STRIP))
    if not any(reasoning(before).values()):
        return
    for document in after:
        for choice in document.get("choices") or []:
            listed = (choice.get("logprobs") or {}).get("content") if isinstance(choice.get("logprobs"), dict) else None
            if listed and (choice.get("delta") or {}).get("content"):
                assert b"".join(bytes(entry["bytes"]) for entry in listed).decode() == choice["delta"]["content"]
            elif listed:
                assert "delta" in choice
                assert choice.get("finish_reason") or choice["delta"].get("tool_calls")
            assert not (isinstance(choice.get("logprobs"), dict) and choice["logprobs"].get("reasoning_content"))


@each_answer
@pytest.mark.parametrize("plan", [STRIP, TO_REASONING], ids=["strip", "rename"])
def test_the_output_does_not_depend_on_how_the_bytes_are_cut(answer: Recorded, plan: ResponsePlan) -> None:
    if answer.is_stream:
        assert rewritten(answer, plan, 7) == rewritten(answer, plan)


@each_answer
def test_kept_it_keeps_every_byte(answer: Recorded) -> None:
    assert rewritten(answer, ResponsePlan(), 7 if answer.is_stream else None) == answer.raw
