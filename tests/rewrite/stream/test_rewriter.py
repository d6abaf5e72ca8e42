"""The shell of a stream: keep-alives, one JSON text, and an end that goes wrong."""

import json
from collections.abc import Sequence

import pytest

from tests.rewrite.answers import STRIP, TO_REASONING, chunk, event, rewrite_chunks, rewriter
from tests.wire.aws_messages import event as aws_event
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Keep, OnError, Reasoning, ResponsePlan, Strip
from thinkwire.rewrite.stream.sniff import ContentHint

HIDDEN = event(chunk({"reasoning": "Secret"}))
HELLO = event(chunk({"content": "Hi"}))


# --- keep-alives ---------------------------------------------------------------------------------------------


def test_a_comment_goes_out_when_bytes_come_and_nothing_was_sent_for_long() -> None:
    one = rewriter(STRIP)
    assert one.feed(HIDDEN, 9.9) == []
    assert one.feed(HIDDEN, 10.0) == [b": keep-alive\n\n"]
    assert one.feed(HIDDEN, 19.9) == []
    assert one.feed(HELLO, 21.0) == [HELLO]
    assert one.feed(HIDDEN, 30.9) == []
    assert one.feed(HIDDEN, 31.0) == [b": keep-alive\n\n"]


def test_a_body_gets_no_comments() -> None:
    one = rewriter(STRIP, ContentHint.JSON)
    assert one.feed(b'{"choices"', 99.0) == []
    assert one.finish() != []


def test_a_comment_comes_between_events_even_where_one_is_half_there() -> None:
    one = rewriter(TO_REASONING)
    pieces = [*one.feed(HELLO[:9], 20.0), *one.feed(HELLO[9:], 21.0)]
    assert pieces == [b": keep-alive\n\n", HELLO]


# --- one JSON text ------------------------------------------------------------------------------------------


def test_a_json_body_that_cannot_be_read_is_withheld_in_the_apis_words() -> None:
    after, _ = rewrite_chunks([b'{"choices": "Secret'], STRIP, ContentHint.JSON)
    assert "error" in json.loads(after)
    assert rewrite_chunks([b'{"choices": '], TO_REASONING, ContentHint.JSON)[0] == b'{"choices": '


# --- an end that goes wrong -----------------------------------------------------------------------------------

HELD_BACK = chunk({"content": "<"})
ENDS = {
    ContentHint.EVENTS: (event(HELD_BACK), b"data: [DONE]\n\n"),
    ContentHint.LINES: (json.dumps(HELD_BACK).encode() + b"\n", b""),
    ContentHint.LIST: (b"[" + json.dumps(HELD_BACK).encode(), b"\n]"),
    ContentHint.AWS: (aws_event("chunk", HELD_BACK), b""),
}


@pytest.mark.parametrize("label", ENDS)
@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_an_error_in_what_is_left_at_the_end_does_not_keep_the_end_from_the_client(
    label: ContentHint, reasoning: Reasoning, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_answer: AnswerRewriter) -> Sequence[str]:
        raise RuntimeError("broken")

    monkeypatch.setattr(AnswerRewriter, "finish", breaks)
    on_error = OnError.DROP if isinstance(reasoning, Strip) else OnError.PASS
    held_back, end = ENDS[label]
    plan = ResponsePlan(reasoning, on_error, extract=Extract(FAMILIES["think"]))
    raw, tally = rewrite_chunks([held_back, end], plan, label)
    assert raw.lstrip(b"[") == end
    assert (tally.unreadable > 0, tally.first_problem) == (True, "broken")
