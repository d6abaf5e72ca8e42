"""Events like earlier ones are rewritten without being read, and come out as if they had been."""

import json
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewrite.answers import (
    CHAT_REQUEST,
    STRIP,
    STRIP_ALL,
    STRIP_KEEP_OPAQUE,
    TO_BOTH,
    TO_REASONING,
    chunk,
    event,
    rewrite_chunks,
    rewriter,
    stream,
)
from tests.rewrite.extract.test_extractor import RESPONSES, THINK
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, Keep, ResponsePlan, Strip
from thinkwire.rewrite.stream.fast_path import FastPath

INLINE = ResponsePlan(Inline(THINK))
PLANS = [STRIP, STRIP_ALL, STRIP_KEEP_OPAQUE, TO_REASONING, TO_BOTH]

texts = st.text(max_size=6) | st.sampled_from(
    ["", '"', "\\", "\\\\", '\\"', "\n", "é", "\U0001f600", "~thinkwire~mark~"]
)
deltas = st.one_of(
    st.fixed_dictionaries({"reasoning_content": texts}),
    st.fixed_dictionaries({"reasoning": texts}),
    st.fixed_dictionaries({"content": texts}),
    st.fixed_dictionaries({"content": st.none(), "reasoning_content": texts}),
    st.fixed_dictionaries({"content": texts, "reasoning_content": texts}),
    st.fixed_dictionaries({"role": st.just("assistant"), "content": texts, "reasoning": st.none()}),
    st.fixed_dictionaries({"reasoning_details": st.lists(st.fixed_dictionaries({"text": texts}), max_size=2)}),
    st.fixed_dictionaries(
        {
            "tool_calls": st.tuples(
                st.fixed_dictionaries({"index": st.just(0), "function": st.fixed_dictionaries({"arguments": texts})})
            )
        }
    ),
)
chunks = st.builds(
    lambda delta, index, created, more: chunk(delta, index, **more) | created,
    deltas,
    st.sampled_from([0, 0, 0, 1]),
    st.sampled_from([{"created": 1796028313}, {"created": 1796028314}, {"created": 7}, {"created": None}]),
    st.sampled_from([{}, {}, {}, {}, {"token_ids": [1]}, {"finish_reason": "stop"}, {"usage": {"n": 1}}]),
)
streams = st.lists(chunks, max_size=6).flatmap(
    lambda kinds: st.lists(st.sampled_from(kinds), max_size=30) if kinds else st.just([])
)


def by_reading(raw: bytes, plan: ResponsePlan) -> tuple[bytes, Any]:
    with patch.object(FastPath, "find", lambda *_: None):
        return rewrite_chunks([raw], plan)


@given(streams, st.sampled_from(PLANS), st.booleans(), st.sampled_from([1, 7, 10_000]))
def test_the_fast_path_and_the_exact_one_agree(
    documents: list[Any], plan: ResponsePlan, ascii: bool, size: int
) -> None:
    raw = b"".join(event(json.dumps(document, ensure_ascii=ascii)) for document in documents)
    expected, expected_tally = by_reading(raw, plan)
    pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
    after, tally = rewrite_chunks(pieces, plan)
    assert after == expected
    assert tally == expected_tally


def readings(plan: ResponsePlan, raw_events: list[bytes], request: RequestFacts = CHAT_REQUEST) -> int:
    """How many of the events had to be read."""
    count = 0
    read = AnswerRewriter.rewrite

    def counted(self: AnswerRewriter, *arguments: Any) -> Any:
        nonlocal count
        count += 1
        return read(self, *arguments)

    with patch.object(AnswerRewriter, "rewrite", counted):
        machine = rewriter(plan, request=request)
        for raw in raw_events:
            machine.feed(raw, 0.0)
    return count


@pytest.mark.parametrize("plan", [STRIP, TO_REASONING])
@pytest.mark.parametrize("name", ["reasoning_content", "content"])
def test_in_the_run_of_a_stream_events_are_not_read(plan: ResponsePlan, name: str) -> None:
    events = [event(chunk({name: f"word {n}"}) | {"created": 1796028313 + n // 10}) for n in range(100)]
    assert readings(plan, events) <= 3


# --- APIs whose events are counted ------------------------------------------------------------------------------

COUNTED = [*PLANS, INLINE, *(ResponsePlan(plan, extract=Extract(THINK)) for plan in (Keep(), Strip(), Inline(THINK)))]
words = st.lists(st.sampled_from(["<think>", "</think>", "<", "a", "b ", "é", "</thi", "nk>"]), max_size=12)
items = st.tuples(st.sampled_from(["reasoning", "message", "message", "function_call"]), words)


def response_of(pieces: list[tuple[str, list[str]]], numbered: bool) -> bytes:
    """A stream of items; without their numbers, they are named by their ids alone."""
    events: list[tuple[str, dict[str, Any]]] = [("created", {"response": {"object": "response"}})]
    for index, (kind, texts) in enumerate(pieces):
        place = {"item_id": f"i{index}", **({"output_index": index} if numbered else {})}
        item = {"id": f"i{index}", "type": kind, "content": []}
        name = {"reasoning": "reasoning_text", "message": "output_text"}.get(kind, "function_call_arguments")
        events.append(("output_item.added", place | {"item": item}))
        events += [(f"{name}.delta", place | {"delta": text}) for text in texts]
        events.append(("output_item.done", place | {"item": item}))
    events.append(("completed", {"response": {"object": "response", "status": "completed", "output": []}}))
    documents = [{"type": f"response.{name}", "sequence_number": n, **more} for n, (name, more) in enumerate(events)]
    return b"".join(map(event, documents))


@given(st.lists(items, max_size=4), st.sampled_from(COUNTED), st.booleans(), st.sampled_from([1, 10_000]))
def test_both_ways_agree_where_events_are_counted(
    pieces: list[tuple[str, list[str]]], plan: ResponsePlan, numbered: bool, size: int
) -> None:
    raw = response_of(pieces, numbered)

    def run(step: int) -> bytes:
        machine = rewriter(plan, request=RESPONSES)
        sent = [one for at in range(0, len(raw), step) for one in machine.feed(raw[at : at + step], 0.0)]
        return b"".join([*sent, *machine.finish()])

    with patch.object(FastPath, "find", lambda *_: None):
        expected = run(len(raw))
    assert run(size) == expected


@pytest.mark.parametrize("plan", [TO_REASONING, ResponsePlan(Keep(), extract=Extract(THINK))])
def test_counted_events_are_not_read_in_the_run_of_a_stream(plan: ResponsePlan) -> None:
    raw = response_of([("message", [f"word {n}" for n in range(500)])], numbered=True)
    events = [frame + b"\n\n" for frame in raw.split(b"\n\n") if frame]
    assert readings(plan, events, RESPONSES) <= 25


def test_interleaved_choices_each_have_their_compiled_event() -> None:
    events = [event(chunk({"reasoning_content": f"word {n}"}, index=n % 4)) for n in range(100)]
    assert readings(STRIP, events) <= 12


def test_pieces_of_tool_arguments_are_not_read_either() -> None:
    calls = [chunk({"tool_calls": [{"index": 0, "function": {"arguments": f"x{n}"}}]}) for n in range(100)]
    assert readings(TO_REASONING, [event(call) for call in calls]) <= 3


def test_a_text_with_escapes_fits_and_one_that_ends_the_string_does_not() -> None:
    plain = [chunk({"reasoning_content": text}) for text in ("a", "b", "c")]
    tricky = ['\\"', "\\\\", 'x"}}]}', "\\", ""]
    raw = stream(*plain, *(chunk({"reasoning_content": text}) for text in tricky))
    assert rewrite_chunks([raw], TO_REASONING) == by_reading(raw, TO_REASONING)


def test_a_raw_quote_in_the_text_is_not_taken_for_text() -> None:
    plain = [event(chunk({"reasoning": text})) for text in ("a", "b", "c")]
    smuggled = plain[0].replace(b'"a"', b'"a", "content": "b"')
    after, _ = rewrite_chunks([*plain, smuggled], STRIP)
    assert json.loads(after[6:])["choices"][0]["delta"] == {"content": "b"}
