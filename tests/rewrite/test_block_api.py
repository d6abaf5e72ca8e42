"""The four seams between dialects and rewriting (extent, item and counters, write, envelope) in a block API."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import STRIP, STRIP_KEEP_OPAQUE, documents_of, event
from tests.rewrite.block_api import BLOCK_API
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.json_tree import read

REQUEST = RequestFacts("h", "/blocks", "POST", (), None, "blocks")


def rewrite(*documents: Any, plan: ResponsePlan = STRIP, request: RequestFacts = REQUEST) -> list[Any]:
    machine = StreamRewriter(AnswerRewriter(plan, request, (BLOCK_API,)), ContentHint.EVENTS, None, 10.0, 0.0)
    raw = b"".join(map(event, documents))
    return documents_of(b"".join([*machine.feed(raw, 0.0), *machine.finish()]))


def begin(seq: int, block: int, type_: str) -> dict[str, Any]:
    return {"kind": "begin", "seq": seq, "block": block, "of": {"type": type_}}


def piece(seq: int, block: int, type_: str, **members: Any) -> dict[str, Any]:
    return {"kind": "piece", "seq": seq, "block": block, "piece": {"type": type_, **members}}


def end(seq: int, block: int) -> dict[str, Any]:
    return {"kind": "end", "seq": seq, "block": block}


THOUGHT = [begin(0, 0, "thought"), piece(1, 0, "thought", text="Secret"), end(2, 0)]


def test_reasoning_goes_with_all_its_documents_and_later_numbers_close_the_gap() -> None:
    assert rewrite(*THOUGHT, begin(3, 1, "say"), piece(4, 1, "say", text="Hi"), end(5, 1)) == [
        begin(0, 0, "say"),
        piece(1, 0, "say", text="Hi"),
        end(2, 0),
    ]


def test_a_document_about_a_removed_item_goes_however_late_it_comes() -> None:
    start, text, stop = THOUGHT
    after = rewrite(
        start, begin(1, 1, "say"), piece(2, 1, "say", text="Hi"), {**text, "seq": 3}, {**stop, "seq": 4}, end(5, 1)
    )
    assert after == [begin(0, 0, "say"), piece(1, 0, "say", text="Hi"), end(2, 0)]


def test_an_answer_that_begins_under_the_number_of_reasoning_is_not_reasoning() -> None:
    answer = [begin(3, 0, "say"), piece(4, 0, "say", text="Hi"), end(5, 0)]
    after = rewrite(*THOUGHT, *answer, begin(6, 1, "say"))
    assert after == [begin(0, 0, "say"), piece(1, 0, "say", text="Hi"), end(2, 0), begin(3, 1, "say")]


def test_several_pieces_of_reasoning_between_answers_leave_no_gap() -> None:
    documents = [begin(n, n, "thought" if n % 2 else "say") for n in range(6)]
    assert rewrite(*documents) == [begin(n, n, "say") for n in range(3)]


def test_a_second_start_resets_the_numbers() -> None:
    start = {"kind": "start", "message": {"id": 1}}
    assert rewrite(start, THOUGHT[0], begin(1, 1, "say"), start, begin(2, 0, "say"), begin(3, 1, "say")) == [
        start,
        begin(0, 0, "say"),
        start,
        begin(1, 0, "say"),
        begin(2, 1, "say"),
    ]


def test_a_whole_inside_the_stream_shows_what_the_deltas_showed() -> None:
    blocks = [{"type": "thought", "text": "Secret"}, {"type": "say", "text": "Hi"}]
    whole = {"kind": "all", "seq": 3, "blocks": blocks, "usage": {"n": 1}}
    assert rewrite(*THOUGHT, whole) == [{"kind": "all", "seq": 0, "blocks": blocks[1:], "usage": {"n": 1}}]


def test_the_request_decides_what_is_a_whole() -> None:
    cumulative = RequestFacts("h", "/blocks", "POST", (), {"cumulative": True}, "blocks")
    hidden = piece(0, 5, "thought", text="Secret")
    listed = piece(1, 6, "say", text="Hi", ids=[1])
    assert rewrite(hidden, listed) == [piece(0, 6, "say", text="Hi")]
    assert rewrite(hidden, listed, request=cumulative) == [piece(0, 6, "say", text="Hi", ids=[1])]


def test_a_whole_that_no_longer_shows_the_reasoning_of_an_earlier_one_may_still_list_it() -> None:
    cumulative = RequestFacts("h", "/blocks", "POST", (), {"cumulative": True}, "blocks")
    wholes = [piece(0, 5, "thought", text="Secret"), piece(1, 5, "say", text="Hi", ids=[1])]
    assert rewrite(*wholes, request=cumulative) == [piece(0, 5, "say", text="Hi")]


def test_what_a_block_after_a_hidden_one_lists_must_spell_its_text() -> None:
    first = begin(3, 1, "say")
    assert rewrite(*THOUGHT, first, piece(4, 1, "say", text="Hi", ids=[7]))[-1] == piece(1, 0, "say", text="Hi")
    spelled = rewrite(*THOUGHT, first, piece(4, 1, "say", text="Hi", ids=["Hi"]))
    assert spelled[-1] == piece(1, 0, "say", text="Hi", ids=["Hi"])
    alone = [begin(0, 0, "say"), piece(1, 0, "say", text="Hi", ids=[7])]
    assert rewrite(*alone) == alone


def note(seq: int, number: int, block: int | None, **members: Any) -> dict[str, Any]:
    about = {} if block is None else {"about": block}
    return {"kind": "note", "seq": seq, "note": number, **about, **members}


def test_what_is_about_reasoning_goes_with_it_and_other_references_follow_the_numbers() -> None:
    documents = [*THOUGHT, note(3, 0, 0, text="Secret"), note(4, 0, None), begin(5, 1, "say"), note(6, 1, 1, text="Hi")]
    assert rewrite(*documents) == [begin(0, 0, "say"), note(1, 0, 0, text="Hi")]


def test_the_places_in_a_list_are_numbers_that_references_follow() -> None:
    body = {
        "notes": [{"about": 0, "text": "Secret"}, {"about": 1, "text": "Hi"}, {"text": "Lo"}],
        "blocks": [{"type": "thought", "text": "Secret"}, {"type": "say", "text": "Hi"}],
    }
    after = rewrite_body(json.dumps(body).encode(), AnswerRewriter(STRIP, REQUEST, (BLOCK_API,)))
    assert json.loads(after) == {
        "notes": [{"about": 0, "text": "Hi"}, {"text": "Lo"}],
        "blocks": [{"type": "say", "text": "Hi"}],
    }


def test_a_whole_that_follows_hidden_reasoning_keeps_only_the_lists_that_spell_its_text() -> None:
    cumulative = RequestFacts("h", "/blocks", "POST", (), {"cumulative": True}, "blocks")
    spelled, more = ([{"token": token} for token in tokens] for tokens in (["H", "i"], ["hm", "H", "i"]))
    documents = [
        begin(3, 1, "say"),
        piece(4, 1, "say", text="Hi", ids=spelled),
        piece(5, 1, "say", text="Hi", ids=more),
    ]
    for plan in (STRIP, STRIP_KEEP_OPAQUE):
        (first, second) = rewrite(*THOUGHT, *documents, plan=plan, request=cumulative)[-2:]
        assert first["piece"]["ids"] == spelled
        assert "ids" not in second["piece"]
    (_, _, alone) = rewrite(*documents, request=cumulative)
    assert alone["piece"]["ids"] == more


def test_a_body_loses_the_blocks_of_reasoning() -> None:
    raw = json.dumps({"blocks": [{"type": "thought", "text": "Secret", "seal": "x"}, {"type": "say", "text": "Hi"}]})
    after = rewrite_body(raw.encode(), AnswerRewriter(STRIP, REQUEST, (BLOCK_API,)))
    assert json.loads(after) == {"blocks": [{"type": "say", "text": "Hi"}]}


def test_opaque_keep_leaves_the_block_and_its_seal() -> None:
    sealed = [THOUGHT[0], THOUGHT[1], piece(2, 0, "seal", seal="x"), end(3, 0)]
    assert rewrite(*sealed, plan=STRIP_KEEP_OPAQUE) == [
        begin(0, 0, "thought"),
        piece(1, 0, "seal", seal="x"),
        end(2, 0),
    ]


@pytest.mark.parametrize("empty", ["", [], None])
def test_opaque_keep_leaves_the_empty_members_of_the_block(empty: Any) -> None:
    opened = {**THOUGHT[0], "of": {"type": "thought", "text": empty, "seal": "x"}}
    assert rewrite(opened, plan=STRIP_KEEP_OPAQUE) == [opened]


def test_reasoning_without_a_beginning_goes_whole_where_it_had_no_seal() -> None:
    def mull(seq: int, block: int, **members: str) -> dict[str, Any]:
        return {"kind": "mull", "seq": seq, "block": block, **members}

    sealed = [mull(0, 0, text="Secret"), mull(1, 0, seal="x"), end(2, 0)]
    bare = [mull(3, 1, text="Secret"), mull(4, 1, text="Secret"), end(5, 1)]
    answer = [begin(6, 2, "say"), piece(7, 2, "say", text="Hi"), end(8, 2)]
    assert rewrite(*sealed, *bare, *answer, plan=STRIP_KEEP_OPAQUE) == [
        mull(0, 0, seal="x"),
        end(1, 0),
        begin(2, 1, "say"),
        piece(3, 1, "say", text="Hi"),
        end(4, 1),
    ]


def test_reasoning_that_can_hold_no_state_goes_under_opaque_keep_too() -> None:
    hums = [{"kind": "hum", "seq": 0, "text": "Secret"}, {"kind": "hum", "seq": 1}]
    assert rewrite(*hums, begin(2, 0, "say"), plan=STRIP_KEEP_OPAQUE) == [begin(0, 0, "say")]


def test_a_body_about_reasoning_alone_loses_the_reasoning_and_is_not_sent_as_it_came() -> None:
    raw = json.dumps({"kind": "begin", "block": 0, "of": {"type": "thought", "text": "Secret"}})
    after = rewrite_body(raw.encode(), AnswerRewriter(STRIP, REQUEST, (BLOCK_API,)))
    assert json.loads(after) == {"kind": "begin", "block": 0, "of": {"type": "thought"}}


def test_the_envelope_alone_is_not_worth_an_event() -> None:
    assert rewrite(piece(0, 0, "thought", text="Secret")) == []
    kept = {**piece(0, 0, "thought", text="Secret"), "news": 1}
    assert rewrite(kept) == [{"kind": "piece", "seq": 0, "block": 0, "piece": {"type": "thought"}, "news": 1}]


def test_what_a_dialect_writes_it_locates_again() -> None:
    like = read(json.dumps(begin(0, 0, "say")), BLOCK_API.table(REQUEST))
    texts = BLOCK_API.write(Kind.REASONING, "hm", ItemKey("block", 2), like)
    updates = [locate(read(text, BLOCK_API.table(REQUEST)), Extent.DELTA)[0] for text in texts]
    assert [update.item for update in updates] == [ItemKey("block", 2)] * 3
    assert [part.node.value for update in updates for part in update.of(Kind.REASONING)] == ["hm"]
    assert updates[0].is_reasoning
