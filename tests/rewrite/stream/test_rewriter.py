"""The shell of a stream: framing, first bytes, what cannot be read, keep-alives."""

import json
from collections.abc import Sequence

import pytest

from tests.rewrite.answers import (
    CHAT_REQUEST,
    STRIP,
    TO_REASONING,
    body,
    chunk,
    event,
    rewrite_chunks,
    rewrite_stream,
    stream,
)
from tests.wire.aws_messages import event as aws_event
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Keep, OnError, Reasoning, ResponsePlan, Strip
from thinkwire.rewrite.stream.rewriter import ContentHint, StreamRewriter

HIDDEN = event(chunk({"reasoning": "Secret"}))
HELLO = event(chunk({"content": "Hi"}))


def machine(plan: ResponsePlan, label: ContentHint = ContentHint.EVENTS) -> StreamRewriter:
    return StreamRewriter(AnswerRewriter(plan, CHAT_REQUEST), label, None, plan.keepalive, 0.0)


# --- events as they come -------------------------------------------------------------------------------------


def test_an_event_leaves_as_soon_as_it_is_complete() -> None:
    one = machine(TO_REASONING)
    assert one.feed(HELLO[:-1], 0.0) == []
    assert one.feed(HELLO[-1:], 0.0) == [HELLO]


def test_nothing_to_send_is_an_empty_list_and_never_an_empty_piece() -> None:
    one = machine(STRIP)
    assert one.feed(HIDDEN, 0.0) == []
    assert one.finish() == []


def test_an_event_over_several_data_lines_is_edited_in_place() -> None:
    raw = b'data: {"choices": [{"delta":\r\ndata: {"reasoning_content":\rdata:"a"}}],\ndata: "x": 1}\n\n'
    assert rewrite_stream(raw, TO_REASONING) == raw.replace(b"reasoning_content", b"reasoning")


def test_the_line_feed_of_a_torn_line_end_goes_with_its_event() -> None:
    for plan in (STRIP, TO_REASONING):
        raw = (HIDDEN + HELLO).replace(b"\n", b"\r\n")
        outputs = {rewrite_stream(raw, plan, size) for size in (1, 2, 3, 7, len(raw))}
        assert len(outputs) == 1


def test_an_unfinished_last_event_counts() -> None:
    assert rewrite_stream(HIDDEN[:-2], STRIP) == b""
    assert rewrite_stream(HIDDEN[:-2], TO_REASONING) == HIDDEN[:-2]


@pytest.mark.parametrize(
    "mark", [b"data: [DONE]\n\n", b"data:[DONE]\n\n", b"data: [DONE] \n\n", b"data: done\n\n", b"data\n\n"]
)
def test_end_marks_and_other_text_always_pass(mark: bytes) -> None:
    assert rewrite_stream(HIDDEN + mark, STRIP) == mark


@pytest.mark.parametrize("mark", [b"[done]", b"[ DONE ]", b"[END]", b"[DONE][DONE]"])
def test_end_marks_of_other_spellings_pass(mark: bytes) -> None:
    assert rewrite_stream(HIDDEN + event(mark.decode()), STRIP) == event(mark.decode())


def test_comments_and_fields_without_data_pass() -> None:
    raw = b": working\n\nretry: 3\n\nevent: ping\n\n\n\n"
    assert rewrite_stream(raw, STRIP) == raw


# --- what cannot be read -------------------------------------------------------------------------------------


BROKEN = b'data: {"choices":[{"delta":{"reasoning":"Secret\n\n'


def test_an_unreadable_event_is_dropped_or_passed_and_counted() -> None:
    after, tally = rewrite_chunks([BROKEN + HELLO], STRIP)
    assert (after, tally.unreadable) == (HELLO, 1)
    after, tally = rewrite_chunks([BROKEN + HELLO], TO_REASONING)
    assert (after, tally.unreadable) == (BROKEN + HELLO, 1)


def test_the_rule_may_say_otherwise() -> None:
    assert rewrite_stream(BROKEN + HELLO, ResponsePlan(Strip(), OnError.PASS)) == BROKEN + HELLO


def test_the_rest_of_a_text_that_a_raw_line_end_tore_is_not_shown() -> None:
    torn = b'data: {"choices":[{"delta":{"reasoning":"one\n\nSecret two"}}]}\n\n'
    assert rewrite_stream(torn + HELLO, STRIP) == HELLO


def test_nesting_that_is_too_deep_is_unreadable_and_no_crash() -> None:
    deep = b"data: " + b"[" * 200_000 + b"\n\n"
    assert rewrite_stream(deep + HELLO, STRIP) == HELLO


@pytest.mark.parametrize("rest", [b": Secret", b"id: Secret", b"retry: Secret", b"Secret"])
def test_what_follows_an_unreadable_event_is_its_rest_until_another_can_be_read(rest: bytes) -> None:
    assert rewrite_stream(BROKEN + rest + b"\n\n" + rest + b"\n\n" + HELLO + b": hi\n\n", STRIP) == HELLO + b": hi\n\n"


@pytest.mark.parametrize("frame", [b"event: x\n", b": c\n", HELLO[:-1], b"foo\n"])
def test_bare_json_between_the_lines_of_a_frame_is_cut_out(frame: bytes) -> None:
    bare = json.dumps(chunk({"reasoning": "Secret"}), indent=1).encode() + b"\n"
    assert rewrite_stream(HELLO + frame + bare + b"\n", STRIP) == HELLO + frame + b"\n"
    assert rewrite_stream(HELLO + frame + bare + b"\n", TO_REASONING) == HELLO + frame + bare + b"\n"


def test_a_byte_order_mark_before_the_document_hides_nothing() -> None:
    assert rewrite_stream(b"data: \xef\xbb\xbf" + HIDDEN[6:], STRIP) == b""


def test_json_of_an_unknown_shape_passes() -> None:
    raw = stream({"type": "ping"}, [1], {"text": "x"}) + event("[]")
    assert rewrite_stream(raw, STRIP) == raw


# --- bodies that are labelled as something else --------------------------------------------------------------


def test_a_json_body_labelled_as_an_event_stream_is_a_body() -> None:
    document = json.dumps(body({"content": "a", "reasoning": "Secret"}), indent=2).replace("\n", "\n\n").encode()
    after = rewrite_stream(document, STRIP, 7)
    assert json.loads(after) == body({"content": "a"})
    error = b' {"error": {"message": "no"}}'
    assert rewrite_stream(error, STRIP) == error


def test_bare_json_after_events_is_a_body() -> None:
    error = b'{\n "error": {"message": "overloaded"}\n}\n'
    assert rewrite_stream(HELLO + error, STRIP) == HELLO + error
    whole = json.dumps(body({"content": "a", "reasoning": "Secret"})).encode()
    assert b"Secret" not in rewrite_stream(HELLO + whole, STRIP)
    assert b"Secret" not in rewrite_stream(HELLO + whole.replace(b'"Secret"', b'\n\n"Secret"'), STRIP)


@pytest.mark.parametrize("beginning", [b"", b"\xef\xbb\xbf", b"\n\n", b": hello\n\n", b"event: x\n", b"id: 1\n"])
def test_plain_text_that_begins_as_events_do_is_events(beginning: bytes) -> None:
    raw = beginning + HELLO + HIDDEN
    for size in (1, 2, 5, len(raw)):
        pieces = (raw[at : at + size] for at in range(0, len(raw), size))
        assert rewrite_chunks(pieces, STRIP, ContentHint.UNSURE)[0] == beginning + HELLO


@pytest.mark.parametrize(
    "text", [b"Hello data: x", b"dat", b"reply", b"<html>", b"\xef\xbb", b"", b"  ", b"evening: x"]
)
def test_other_plain_text_passes_at_every_split(text: bytes) -> None:
    for size in (1, 2, 3, 10):
        pieces = (text[at : at + size] for at in range(0, len(text), size))
        assert rewrite_chunks(pieces, STRIP, ContentHint.UNSURE)[0] == text


def test_a_json_body_that_cannot_be_read_is_withheld_in_the_apis_words() -> None:
    after, _ = rewrite_chunks([b'{"choices": "Secret'], STRIP, ContentHint.JSON)
    assert "error" in json.loads(after)
    assert rewrite_chunks([b'{"choices": '], TO_REASONING, ContentHint.JSON)[0] == b'{"choices": '


def test_a_bare_json_line_before_the_events_does_not_swallow_them() -> None:
    for size in (1, 7, None):
        assert rewrite_stream(b'{"warming":1}\n\n' + HIDDEN + HELLO, STRIP, size) == b'{"warming":1}\n\n' + HELLO


def test_blanks_before_the_first_event_go_on_at_once() -> None:
    one = machine(STRIP)
    assert one.feed(b"\r\n", 0.0) == [b"\r\n"]
    assert one.feed(b"\n", 0.0) == [b"\n"]
    assert one.feed(HELLO, 0.0) == [HELLO]


# --- signs of life -------------------------------------------------------------------------------------------


def test_a_comment_goes_out_when_bytes_come_and_nothing_was_sent_for_long() -> None:
    one = machine(STRIP)
    assert one.feed(HIDDEN, 9.9) == []
    assert one.feed(HIDDEN, 10.0) == [b": keep-alive\n\n"]
    assert one.feed(HIDDEN, 19.9) == []
    assert one.feed(HELLO, 21.0) == [HELLO]
    assert one.feed(HIDDEN, 30.9) == []
    assert one.feed(HIDDEN, 31.0) == [b": keep-alive\n\n"]


def test_a_body_gets_no_comments() -> None:
    one = machine(STRIP, ContentHint.JSON)
    assert one.feed(b'{"choices"', 99.0) == []
    assert one.finish() != []


def test_a_comment_comes_between_events_even_where_one_is_half_there() -> None:
    one = machine(TO_REASONING)
    pieces = [*one.feed(HELLO[:9], 20.0), *one.feed(HELLO[9:], 21.0)]
    assert pieces == [b": keep-alive\n\n", HELLO]


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
