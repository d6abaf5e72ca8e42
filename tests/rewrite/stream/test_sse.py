"""Server-sent events: each leaves as soon as it is complete, and what cannot be read is dropped or passed."""

import json

import pytest

from tests.rewrite.answers import STRIP, TO_REASONING, chunk, event, rewrite_chunks, rewrite_stream, rewriter, stream
from thinkwire.rewrite.plan import OnError, ResponsePlan, Strip
from thinkwire.rewrite.stream.sse import is_document

HIDDEN = event(chunk({"reasoning": "Secret"}))
HELLO = event(chunk({"content": "Hi"}))

# --- events as they come -------------------------------------------------------------------------------------


def test_an_event_leaves_as_soon_as_it_is_complete() -> None:
    one = rewriter(TO_REASONING)
    assert one.feed(HELLO[:-1], 0.0) == []
    assert one.feed(HELLO[-1:], 0.0) == [HELLO]


def test_nothing_to_send_is_an_empty_list_and_never_an_empty_piece() -> None:
    one = rewriter(STRIP)
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


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("{}", True),
        (" \n[1]", True),
        ("[]", True),
        ("[DONE]", False),
        (" [ done ] ", False),
        ("done", False),
        ("", False),
    ],
)
def test_an_end_mark_is_no_document(text: str, is_one: bool) -> None:
    assert is_document(text) == is_one
