"""One answer, document by document: what is counted, what is only tried, and what becomes of errors in between."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import CHAT_REQUEST, STRIP, TO_REASONING, body, chunk, logprobs
from thinkwire.dialects.core.parts import Extent, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.history.base import DISCARD
from thinkwire.dialects.registry import CONVERSATIONS
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.history.recorder import ReasoningCapture
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.tally import Effect
from thinkwire.wire.json_tree import Unreadable

HIDDEN = json.dumps(chunk({"reasoning_content": "Hm"}))
BOTH = json.dumps(chunk({"reasoning_content": "Hm", "content": "Hi"}, logprobs=logprobs("Hm", "Hi")))
SHOWN = json.dumps(chunk({"content": "Hi"}))
UNKNOWN = RequestFacts("h", "/", "POST", (), None, None)


def capture() -> ReasoningCapture:
    memory = Memory(10_000, 100.0, lambda: 0.0)
    return ReasoningCapture(memory, b"ann", CONVERSATIONS["chat-completions"], "?", None)


def test_a_document_is_counted_by_what_was_done_to_it() -> None:
    answer = AnswerRewriter(STRIP, CHAT_REQUEST)
    assert not answer.rewrite(HIDDEN, Extent.DELTA).outcome.is_sent
    assert answer.rewrite(SHOWN, Extent.DELTA).outcome.is_sent
    assert answer.rewrite(BOTH, Extent.DELTA).outcome.is_sent
    counts = answer.tally.effects
    assert (counts[Effect.DROPPED], counts[Effect.NONE], counts[Effect.STRIPPED]) == (1, 1, 1)
    assert answer.tally.metadata == {"logprobs": 1}


def test_what_is_only_tried_is_not_counted_and_not_heard() -> None:
    heard = capture()
    answer = AnswerRewriter(TO_REASONING, CHAT_REQUEST, capture=heard)
    assert answer.probe(HIDDEN, Extent.DELTA).edits
    assert answer.tally.events == 0
    assert answer.sink is DISCARD


def test_a_document_that_nothing_changes_has_no_edits() -> None:
    kept = AnswerRewriter(ResponsePlan(), CHAT_REQUEST).rewrite(HIDDEN, Extent.DELTA)
    assert (kept.edits, kept.updates, kept.outcome.is_sent) == ([], [], True)
    assert AnswerRewriter(TO_REASONING, CHAT_REQUEST).rewrite(SHOWN, Extent.DELTA).edits == []


def test_a_document_of_no_api_is_left_as_it_is() -> None:
    answer = AnswerRewriter(STRIP, UNKNOWN)
    assert answer.rewrite('{"a": 1}', Extent.SNAPSHOT).edits == []
    assert answer.dialect is None
    assert [*answer.finish()] == []


def test_the_api_is_the_requests_until_a_document_shows_another() -> None:
    answer = AnswerRewriter(STRIP, CHAT_REQUEST)
    assert getattr(answer.dialect, "name", None) == "chat-completions"
    answer.rewrite('{"type": "message_start", "message": {"id": "m", "role": "assistant"}}', Extent.DELTA)
    assert getattr(answer.dialect, "name", None) == "anthropic-messages"


def test_an_error_is_worded_as_the_answers_api_has_it_or_the_most_common_one() -> None:
    assert set(json.loads(AnswerRewriter(STRIP, UNKNOWN).error_text(502, "no"))) == {"error"}
    messages = RequestFacts("h", "/v1/messages", "POST", (), None, "anthropic-messages")
    assert json.loads(AnswerRewriter(STRIP, messages).error_text(502, "no"))["type"] == "error"


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_what_cannot_be_read_is_raised_and_not_counted(text: str) -> None:
    answer = AnswerRewriter(STRIP, CHAT_REQUEST)
    with pytest.raises(Unreadable):
        answer.rewrite(text, Extent.DELTA)
    assert answer.tally.events == 0


def test_what_a_document_holds_can_be_read_without_a_plan() -> None:
    updates = AnswerRewriter(ResponsePlan(), CHAT_REQUEST).updates(json.dumps(body({"content": "Hi"})), Extent.SNAPSHOT)
    assert any(update.item is not None and update.extent is Extent.SNAPSHOT for update in updates)


def test_an_error_while_hearing_ends_the_hearing_and_not_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_capture: ReasoningCapture, _updates: list[Update], _extent: Extent) -> Any:
        raise RecursionError("too deep")

    monkeypatch.setattr(ReasoningCapture, "hear", fail)
    answer = AnswerRewriter(TO_REASONING, CHAT_REQUEST, capture=capture())
    assert answer.rewrite(HIDDEN, Extent.DELTA).edits
    assert answer.rewrite(HIDDEN, Extent.DELTA).edits
    assert answer.tally.forgotten == "too deep"
    assert answer.sink is DISCARD
