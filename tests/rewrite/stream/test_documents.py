"""The documents of a stream in their frames: sent, dropped or passed, and new ones framed like those that came."""

import json

import pytest

from tests.rewrite.answers import CHAT_REQUEST, STRIP, TO_REASONING, body, chunk, event
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Inline, ResponsePlan
from thinkwire.rewrite.stream.documents import Documents, name_like, rewrite_body
from thinkwire.rewrite.tally import Effect
from thinkwire.wire.json_tree import Unreadable, decode
from thinkwire.wire.sse import Frame

INLINE = ResponsePlan(Inline(FAMILIES["think"]))


def frame(text: str) -> Frame:
    return Frame(event(chunk({"reasoning_content": text})))


def read(documents: Documents, one: Frame) -> bytes:
    assert one.data is not None
    return documents.read(one, decode(one.data))


def test_a_changed_document_goes_in_its_frame_and_the_first_change_is_noted() -> None:
    answer = AnswerRewriter(TO_REASONING, CHAT_REQUEST)
    one = frame("Hm")
    sent = read(Documents(answer), one)
    assert sent == one.raw.replace(b"reasoning_content", b"reasoning")
    assert answer.tally.first_change == (one.raw, sent)


def test_a_frame_like_an_earlier_one_needs_no_reading_and_is_counted() -> None:
    answer = AnswerRewriter(TO_REASONING, CHAT_REQUEST)
    documents = Documents(answer)
    assert documents.repeat(frame("a").raw) is None
    for text in "abc":
        read(documents, frame(text))
    assert documents.repeat(frame("so").raw) == frame("so").raw.replace(b"reasoning_content", b"reasoning")
    assert answer.tally.effects[Effect.RENAMED] == 4
    assert documents.repeat(event(chunk({"content": "Hi"}))) is None


def test_what_cannot_be_read_is_dropped_or_passed_and_counted_either_way() -> None:
    for plan, sent in ((STRIP, b""), (TO_REASONING, b"data: {\n\n")):
        answer = AnswerRewriter(plan, CHAT_REQUEST)
        assert Documents(answer).fail(Unreadable("no"), b"data: {\n\n") == sent
        assert (answer.tally.unreadable, answer.tally.first_problem) == (1, "no")


def test_an_error_without_words_is_called_by_its_type() -> None:
    answer = AnswerRewriter(STRIP, CHAT_REQUEST)
    Documents(answer).fail(KeyError(), b"")
    assert answer.tally.first_problem == "KeyError"


def test_documents_that_are_added_at_the_end_are_framed_like_those_that_came() -> None:
    documents = Documents(AnswerRewriter(INLINE, CHAT_REQUEST))
    raw = frame("Hm").raw.replace(b"\n\n", b"\r\n\r\n")
    read(documents, Frame(raw))
    end = documents.finish()
    assert json.loads(end.removeprefix(b"data: "))["choices"][0]["delta"] == {"content": "</think>"}
    assert end.endswith(b"\r\n\r\n")
    assert documents.finish() == b""


def test_nothing_is_added_to_a_stream_that_held_nothing() -> None:
    assert Documents(AnswerRewriter(INLINE, CHAT_REQUEST)).finish() == b""


@pytest.mark.parametrize(
    ("like", "text", "name"),
    [
        (b'data: {"type":"a"}\n\n', '{"type":"b"}', ""),
        (b'event: a\ndata: {"type":"a"}\n\n', '{"type":"b"}', "b"),
        (b'event: a\ndata: {"type":"a"}\n\n', '{"kind":"b"}', "otherwise"),
        (b'event: a\ndata: {"type":"x"}\n\n', '{"type":"b"}', "otherwise"),
        (b'event: a\ndata: {"type":"a"}\n\n', '{"type":1}', "otherwise"),
    ],
    ids=["no names", "the same member", "without the member", "another name than the member's", "no text"],
)
def test_a_documents_name_is_what_the_same_member_says(like: bytes, text: str, name: str) -> None:
    assert name_like(Frame(like), text, "otherwise") == name


def test_a_body_keeps_every_byte_that_no_edit_names() -> None:
    raw = json.dumps(body({"content": "Hi", "reasoning": "Hm"}), indent=2).encode()
    answer = AnswerRewriter(TO_REASONING, CHAT_REQUEST)
    assert rewrite_body(raw, answer) is raw
    assert answer.tally.first_change is None
    stripped = AnswerRewriter(STRIP, CHAT_REQUEST)
    after = rewrite_body(raw, stripped)
    assert json.loads(after) == body({"content": "Hi"})
    assert stripped.tally.first_change == (raw, after)
