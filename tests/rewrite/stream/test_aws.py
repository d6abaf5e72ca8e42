"""AWS event streams, rewritten message by message; what stays is read by botocore, which checks every checksum."""

from typing import Any

import pytest

from tests.dialects.apis.test_anthropic_messages import BEGIN, END, redacted, text, thinking, tool
from tests.rewrite.answers import STRIP, TO_REASONING, body
from tests.rewrite.answers import chunk as chat_chunk
from tests.wire.aws_messages import chunk, event, exception, message, read_all, unwrapped
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, OnError, ResponsePlan, Strip
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.rewrite.tally import Tally

CONVERSE = RequestFacts("h", "/model/m/converse-stream", "POST", (), None, "bedrock-converse")
INVOKE = RequestFacts("h", "/model/m/invoke-with-response-stream", "POST", (), None, "bedrock-invoke")
STRIP_AND_PASS = ResponsePlan(Strip(), OnError.PASS)


def rewritten(raw: bytes, plan: ResponsePlan = STRIP, request: RequestFacts = CONVERSE) -> tuple[bytes, Tally]:
    """The stream after rewriting, which must be the same at every split, and the tally."""
    outputs = {}
    for size in (1, 7, max(1, len(raw))):
        answer = AnswerRewriter(plan, request)
        machine = StreamRewriter(answer, ContentHint.AWS, None, 10.0, 0.0)
        pieces = [piece for at in range(0, len(raw), size) for piece in machine.feed(raw[at : at + size], 99.0 * at)]
        pieces += machine.finish()
        assert b"" not in pieces
        outputs[b"".join(pieces)] = answer.tally
    (output,) = outputs
    return output, outputs[output]


START = event("messageStart", {"p": "abcd", "role": "assistant"})
THOUGHT = event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Secret"}}})
STOP = event("messageStop", {"p": "a", "stopReason": "end_turn"})


def hi(index: int) -> bytes:
    return event("contentBlockDelta", {"contentBlockIndex": index, "delta": {"text": "Hi"}, "p": "abcdefgh"})


def test_a_dropped_document_drops_its_message_and_a_changed_one_gets_new_checksums() -> None:
    assert rewritten(START + THOUGHT + hi(10) + STOP)[0] == START + hi(9) + STOP


def test_a_message_leaves_as_soon_as_it_is_complete() -> None:
    machine = StreamRewriter(AnswerRewriter(STRIP, CONVERSE), ContentHint.AWS, None, 10.0, 0.0)
    assert machine.feed(START + THOUGHT + hi(1)[:-1], 0.0) == [START]
    assert machine.feed(hi(1)[-1:], 0.0) == [hi(0)]


def test_exceptions_and_messages_that_hold_no_json_pass() -> None:
    others = [
        exception("modelStreamErrorException", "oops"),
        message(b"", b""),
        event("note", b"text"),
        chunk(b"text"),
    ]
    for other in others:
        after, tally = rewritten(START + THOUGHT + other)
        assert after == START + other
        assert not tally.unreadable


@pytest.mark.parametrize("at", [20, -1], ids=["headers", "checksum"])
def test_a_message_that_does_not_fit_its_checksum_is_dropped_or_passed(at: int) -> None:
    damaged = bytearray(THOUGHT)
    damaged[at] ^= 1
    raw = START + damaged + hi(1)
    assert rewritten(raw)[0] == START + hi(1)
    after, tally = rewritten(raw, STRIP_AND_PASS)
    assert after == raw
    assert (tally.unreadable, tally.first_problem) == (1, "a message does not match its checksum")


def test_after_a_damaged_length_nothing_can_be_judged() -> None:
    damaged = bytearray(THOUGHT)
    damaged[2] ^= 1
    raw = START + damaged + hi(1) + THOUGHT
    assert rewritten(raw)[0] == START
    after, tally = rewritten(raw, STRIP_AND_PASS)
    assert after == raw
    assert (tally.unreadable, tally.first_problem) == (1, "a message has no valid length or is not complete")


def test_a_message_that_was_torn_off_is_dropped_or_passed() -> None:
    for length in range(1, len(THOUGHT)):
        assert rewritten(START + THOUGHT[:length])[0] == START
        assert rewritten(START + THOUGHT[:length], STRIP_AND_PASS)[0] == START + THOUGHT[:length]


@pytest.mark.parametrize("payload", [b'{"delta":', b'{"bytes":"eyJhIjo="}'])
def test_a_document_that_cannot_be_read_is_dropped_or_passed(payload: bytes) -> None:
    raw = START + event("chunk", payload) + hi(1)
    assert rewritten(raw)[0] == START + hi(1)
    assert rewritten(raw, STRIP_AND_PASS)[0] == raw


def test_no_comment_is_written_between_messages() -> None:
    machine = StreamRewriter(AnswerRewriter(STRIP, CONVERSE), ContentHint.AWS, None, 1.0, 0.0)
    assert machine.feed(THOUGHT, 100.0) == []


# --- documents wrapped in chunks ----------------------------------------------------------------------------------


def chunks(documents: list[Any]) -> bytes:
    return b"".join(map(chunk, documents))


def test_chunks_are_rewritten_by_the_api_of_what_they_wrap() -> None:
    before = [*BEGIN, *thinking(0, "Se", "cret"), *redacted(1), *text(2, "Hi"), *tool(3), *END]
    after = rewritten(chunks(before), request=INVOKE)[0]
    assert unwrapped(after) == [*BEGIN, *text(0, "Hi"), *tool(1), *END]
    assert [document["p"] for _, document in read_all(after)] == ["abcd"] * len(unwrapped(after))


def test_chunks_that_do_not_change_keep_every_byte() -> None:
    raw = chunks([*BEGIN, *text(0, "Hi"), *END])
    assert rewritten(raw, request=INVOKE)[0] == raw


def test_chat_completions_in_chunks_are_renamed() -> None:
    raw = chunks([chat_chunk({"reasoning_content": "Secret"}), chat_chunk({"content": "Hi"})])
    renamed = [chat_chunk({"reasoning": "Secret"}), chat_chunk({"content": "Hi"})]
    assert unwrapped(rewritten(raw, TO_REASONING, INVOKE)[0]) == renamed
    assert unwrapped(rewritten(raw, STRIP, INVOKE)[0]) == renamed[1:]


def test_a_chunk_of_an_api_that_nobody_knows_passes() -> None:
    raw = chunks([{"generation": "Hi", "stop_reason": None}, body({"content": "Hi"}) | {"choices": None}])
    assert rewritten(raw, request=INVOKE)[0] == raw


def test_kept_it_keeps_every_byte() -> None:
    raw = START + THOUGHT + chunks(thinking(0, "Secret")) + exception("e", "x") + THOUGHT[:9]
    assert rewritten(raw, ResponsePlan())[0] == raw


# --- documents of ours ------------------------------------------------------------------------------------------

TAGGED = [
    event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": text}})
    for text in ("<think>H", "m</th", "ink>Hi")
]
THINK = FAMILIES["think"]


def test_added_documents_are_events_of_their_own_names() -> None:
    plan = ResponsePlan(extract=Extract(THINK))
    stop = event("contentBlockStop", {"contentBlockIndex": 0})
    assert read_all(rewritten(START + b"".join(TAGGED) + stop + STOP, plan)[0]) == [
        ("messageStart", {"p": "abcd", "role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "H"}}}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "m"}}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Hi"}}),
        ("contentBlockStop", {"contentBlockIndex": 1}),
        ("messageStop", {"p": "a", "stopReason": "end_turn"}),
    ]


def test_inlined_reasoning_is_a_block_of_text() -> None:
    stops = [event("contentBlockStop", {"contentBlockIndex": index}) for index in (0, 1)]
    after = rewritten(START + THOUGHT + stops[0] + hi(1) + stops[1] + STOP, ResponsePlan(Inline(THINK)))[0]
    assert [(name, document.get("delta")) for name, document in read_all(after)] == [
        ("messageStart", None),
        ("contentBlockDelta", {"text": "<think>Secret"}),
        ("contentBlockDelta", {"text": "</think>"}),
        ("contentBlockStop", None),
        ("contentBlockDelta", {"text": "Hi"}),
        ("contentBlockStop", None),
        ("messageStop", None),
    ]
