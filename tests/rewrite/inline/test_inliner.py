"""Reasoning put into the text, between tags: opened once, closed once, and extracted again as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewrite.answers import body, chunk, documents_of, event, rewrite_json, rewrite_stream, stream
from tests.rewrite.extract.test_splitter import INLINE, plan, said
from thinkwire.dialects.core.tag_families import FAMILIES, Family
from thinkwire.rewrite.plan import Inline, Keep, ResponsePlan


def test_a_stretch_of_reasoning_is_opened_and_closed_once() -> None:
    raw = stream(
        chunk({"role": "assistant", "reasoning": "a"}),
        chunk({"reasoning": "b"}),
        chunk({"content": "c"}),
        chunk({"reasoning": "d"}),
        chunk({"tool_calls": [{"index": 0, "id": "x"}]}),
        chunk({"reasoning": "e"}),
        chunk({}, finish_reason="stop"),
    )
    after = rewrite_stream(raw, INLINE)
    assert said(after)["content"] == "<think>ab</think>c<think>d</think><think>e</think>"
    assert b"reasoning" not in after
    assert "role" in documents_of(after)[0]["choices"][0]["delta"]


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b""])
def test_it_is_closed_where_the_answer_never_starts(end: bytes) -> None:
    assert said(rewrite_stream(event(chunk({"reasoning": "a"})) + end, INLINE)) == {"content": "<think>a</think>"}


def test_a_body_is_inlined_in_place() -> None:
    for content, shown in (("b", "<think>a</think>b"), (None, "<think>a</think>"), ("", "<think>a</think>")):
        assert rewrite_json(INLINE, body({"content": content, "reasoning_content": "a"})) == body({"content": shown})


def test_a_text_that_several_members_carry_is_shown_once() -> None:
    details = [{"type": "reasoning.text", "text": "a"}]
    delta = {"reasoning": "a", "reasoning_content": "a", "reasoning_details": details}
    shown = {"content": "<think>a</think>"}
    assert said(rewrite_stream(stream(chunk(delta)), INLINE)) == shown
    assert said(rewrite_stream(stream(chunk({"reasoning_details": details})), INLINE)) == shown


WORDS = st.text(alphabet="ab \n<é", max_size=6)


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4))
def test_inline_then_extract_gives_back_the_same(thoughts: list[str], answers: list[str]) -> None:
    raw = stream(
        chunk({"role": "assistant"}),
        *(chunk({"reasoning": text}) for text in thoughts),
        *(chunk({"content": text}) for text in answers),
        chunk({}, finish_reason="stop"),
    )
    back = said(rewrite_stream(rewrite_stream(raw, INLINE), plan(Keep())))
    assert back.get("reasoning", "") == "".join(thoughts)
    assert back.get("content", "") == "".join(answers)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_what_was_inlined_by_a_family_is_extracted_by_it(family: Family) -> None:
    raw = stream(chunk({"role": "assistant"}), chunk({"reasoning": "a"}), chunk({"content": "b"}))
    text = rewrite_stream(raw, ResponsePlan(Inline(family)))
    assert said(text)["content"] == f"{family.opens}a{family.closes}b"
    assert said(rewrite_stream(text, plan(Keep(), family))) == {"reasoning": "a", "content": "b"}
