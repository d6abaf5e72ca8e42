"""Two actions in a row see one stream: the second one acts on what the first leaves, holds back and adds."""

from typing import Any

import pytest

from tests.rewrite.answers import chunk, documents_of, event, rewrite_chunks, rewrite_documents
from tests.rewrite.extract.test_extractor import THINK
from thinkwire.rewrite.plan import Extract, Inline, Keep, Reasoning, Rename, ResponsePlan, Strip
from thinkwire.rewrite.tally import Effect

INLINE = ResponsePlan(Inline(THINK), extract=Extract(THINK))


def contents(documents: list[Any]) -> str:
    return "".join(document["choices"][0]["delta"].get("content") or "" for document in documents)


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        ([{"content": "<think>abc</thi"}], "<think>abc</thi</think>"),
        ([{"content": "<think>abc"}], "<think>abc</think>"),
        ([{"reasoning_content": "abc"}, {"content": "<thi"}], "<think>abc</think><thi"),
        ([{"content": "a<thi"}], "a<thi"),
    ],
)
def test_a_stream_that_breaks_off_closes_inlined_reasoning_after_what_was_held_back_of_it(
    deltas: list[dict[str, Any]], expected: str
) -> None:
    sent, _ = rewrite_chunks([event(chunk(delta)) for delta in deltas], INLINE)
    assert contents(documents_of(sent)) == expected


@pytest.mark.parametrize(
    ("reasoning", "name", "effect"),
    [
        (Keep(), "reasoning", Effect.EXTRACTED),
        (Rename(("thinking",)), "thinking", Effect.RENAMED),
        (Strip(), None, Effect.STRIPPED),
        (Inline(THINK), "content", Effect.INLINED),
    ],
)
def test_what_was_extracted_is_what_the_next_action_acts_on(
    reasoning: Reasoning, name: str | None, effect: Effect
) -> None:
    plan = ResponsePlan(reasoning, extract=Extract(THINK))
    documents = rewrite_documents(plan, chunk({"content": "<think>a</think>b"}), chunk(finish_reason="stop"))
    deltas = [document["choices"][0]["delta"] for document in documents]
    assert ("a" in "".join(delta.get(name) or "" for delta in deltas)) if name else "a" not in str(deltas)
    assert "b" in contents(documents)
    _, tally = rewrite_chunks([event(chunk({"content": "<think>a</think>b"}))], plan)
    assert tally.effects[effect] == 1
