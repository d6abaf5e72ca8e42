"""What the rules change, before and after. How it is printed is tried in `tests/cli/test_show.py`."""

import json

import pytest

from tests.flows import QUESTION, exchange
from tests.playback.test_run import ANSWER, played, shipped_rules
from tests.rewrite.answers import body, chunk, event
from thinkwire.playback.diff import listing_of


def changes(rules: str, *pieces: bytes, kind: str = "text/event-stream") -> list[tuple[str, list[tuple[str, str]]]]:
    (result,) = played(shipped_rules(rules), exchange(*pieces, kind=kind))
    return [(one.where, [(line.sign, line.differs) for line in one.lines]) for one in listing_of(result).changes]


def test_a_change_is_cut_to_what_differs() -> None:
    assert changes("default", event(chunk({"reasoning_content": "Hm"}))) == [
        ("event 1", [("-", "_content"), ("+", "")])
    ]


def test_an_event_that_is_not_sent_has_only_a_before() -> None:
    ((where, lines),) = changes("strip", ANSWER)
    assert where == "event 1"
    assert [sign for sign, _ in lines] == ["-"]


def test_a_body_has_no_number() -> None:
    raw = json.dumps(body({"reasoning_content": "Hm", "content": "Hi"})).encode()
    assert [where for where, _ in changes("default", raw, kind="application/json")] == ["body"]


def test_an_event_beside_which_others_are_sent_is_not_a_change() -> None:
    held, finish = event(chunk({"content": "<thi"})), event(chunk(finish_reason="stop"))
    (_, lost), (where, lines) = changes("think-tags", held, finish)
    assert [sign for sign, _ in lost] == ["-"]
    assert (where, [sign for sign, _ in lines]) == ("event 2", ["+"])


def test_nothing_is_listed_if_nothing_changes() -> None:
    (result,) = played(shipped_rules("default"), exchange(event(chunk({"content": "Hi"}))))
    listing = listing_of(result)
    assert (listing.changes, listing.summary) == ([], "nothing to change")


@pytest.mark.parametrize("length", [399, 401])
def test_long_documents_are_cut(length: int) -> None:
    text = "x" * length
    ((_, [(_, before)]),) = changes("strip", event(chunk({"reasoning": text})))
    assert before.endswith("...")
    assert len(before) == 403


def test_members_of_a_request_are_named_by_their_paths() -> None:
    flow = exchange(ANSWER, question=QUESTION | {"include_reasoning": False})
    (result,) = played(shipped_rules("default"), flow)
    (first, *_) = listing_of(result).changes
    assert first.where == "request"
    assert [(line.sign, line.head + line.differs) for line in first.lines] == [("-", "include_reasoning: false")]
