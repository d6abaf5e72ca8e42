"""g4f's event stream: its documents, how it reads requests, and its answers rewritten."""

from typing import Any

import pytest

from tests.dialects.api import Api, dump, events, kinds, lines
from tests.rewrite.answers import STRIP, STRIP_KEEP_OPAQUE, TO_BOTH
from thinkwire.dialects.apis.g4f import G4F
from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.registry import request_facts
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.sniff import ContentHint

API = Api(G4F, "/backend-api/v2/conversation")
REASONING: list[dict[str, Any]] = [
    {"type": "reasoning", "label": "Searching", "status": "still"},
    {"type": "reasoning", "token": "Still ", "status": "Thinking..."},
    {"type": "reasoning", "token": "waters"},
    {"type": "reasoning", "token": None, "status": None, "is_thinking": "</think>"},
    {"type": "reasoning", "status": ""},
]
OTHERS: list[dict[str, Any]] = [
    {"type": "provider", "provider": {"name": "P", "model": "m"}},
    {"type": "conversation", "conversation": {"P": {"id": 1}}},
    {"type": "content", "content": "Deep"},
    {"type": "content", "content": ".", "urls": ["u"], "alt": ""},
    {"type": "tool_calls", "tool_calls": [{"id": 1}]},
    {"type": "finish", "finish": {"reason": "stop"}},
    {"type": "usage", "usage": {"total_tokens": 3}, "model": "m"},
    {"type": "title", "title": "T"},
]
ERROR = {"type": "error", "error": "RateLimitError", "message": "no"}


def test_every_reasoning_document_is_nothing_but_reasoning() -> None:
    for document in REASONING:
        (update,) = API.updates(document)
        assert (update.is_reasoning, update.item) == (True, ItemKey("", 0))


def test_other_documents_hold_one_part_each() -> None:
    found = {document["type"]: kinds(API.updates(document)[0]) for document in (*OTHERS[4:7], OTHERS[2], ERROR)}
    assert found == {
        "content": {"content": Kind.TEXT},
        "tool_calls": {"tool_calls": Kind.TOOL_CALL},
        "finish": {"finish": Kind.FINISH},
        "usage": {"usage": Kind.USAGE, "model": Kind.OTHER},
        "error": {"error": Kind.ERROR, "message": Kind.OTHER},
    }


@pytest.mark.parametrize(
    ("document", "known"),
    [
        *((document, True) for document in (*REASONING, *OTHERS)),
        (ERROR, False),
        ({"type": "error", "error": {"type": "overloaded_error"}}, False),
        ({"type": "reasoning", "summary": [], "id": "rs_1"}, False),
        ({"type": "reasoning"}, False),
        ({"type": "message", "role": "assistant", "content": []}, False),
        ({"type": "content"}, False),
        ({"content": "a"}, False),
        ({"type": ["content"], "content": "a"}, False),
        ([], False),
    ],
)
def test_documents_are_known_by_their_shape(document: Any, known: bool) -> None:
    assert API.matches_document(document) == known


def test_what_is_written_is_located_again() -> None:
    thought, end = API.written(Kind.REASONING, 'say "é"\n', ItemKey("", 0), OTHERS[0])
    assert (thought["token"], end) == ('say "é"\n', {"type": "reasoning", "status": ""})
    API.written(Kind.TEXT, 'say "é"\n', ItemKey("", 0), OTHERS[0])


def test_facts_of_a_request() -> None:
    facts = request_facts("h", API.path, "POST", [], dump({"model": "m", "messages": []}))
    assert (facts.dialect, facts.model, facts.stream) == ("g4f", "m", True)


@pytest.mark.parametrize("plan", [STRIP, STRIP_KEEP_OPAQUE], ids=["drop", "keep"])
def test_a_stream_loses_all_of_the_reasoning_and_nothing_else(plan: ResponsePlan) -> None:
    before, after = OTHERS[:2], [*OTHERS[2:], ERROR]
    assert API.stream(events(*before, *REASONING, *after), plan) == events(*before, *after)
    assert API.stream(lines(*before, *REASONING, *after), plan, ContentHint.LINES) == lines(*before, *after)
    assert API.stream(lines(*before, *REASONING, *after), plan) == lines(*before, *after)  # labelled as events


def test_reasoning_that_comes_back_is_removed_again() -> None:
    assert API.stream(events(*REASONING, OTHERS[2], *REASONING, OTHERS[3]), STRIP) == events(OTHERS[2], OTHERS[3])


def test_the_providers_raw_answer_is_removed() -> None:
    raw = {"type": "response", "response": {"choices": [{"delta": {"reasoning_content": "Secret"}}]}}
    assert API.stream(events(*REASONING, raw, OTHERS[2]), STRIP) == events(OTHERS[2])


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_BOTH], ids=["keep", "rename"])
def test_kept_or_renamed_every_byte_stays(plan: ResponsePlan) -> None:
    raw = events(*OTHERS[:2], *REASONING, *OTHERS[2:])
    assert API.stream(raw, plan) == raw
