"""Each event of an answer, and what a client gets for it."""

import gzip
import json
from typing import Any

import pytest

from tests.flows import exchange
from tests.playback.test_run import ANSWER, played, shipped_rules
from tests.rewrite.answers import chunk, event


def pairs(rules: str, *pieces: bytes, **members: Any) -> list[tuple[int | None, list[str]]]:
    """The number of each event, and the text of what is sent for it."""
    (result,) = played(shipped_rules(rules), exchange(*pieces, **members))
    return [(event.number if event is not None else None, [one.text for one in sent]) for event, sent in result.pairs]


def test_each_event_is_paired_with_what_is_sent_for_it() -> None:
    thought, answer = chunk({"reasoning": "Hm"}), chunk({"content": "Hi"})
    said = [event(one) for one in (thought, answer)]
    assert pairs("strip", b": hi\n\n", *said, b"data: [DONE]\n\n") == [
        (1, []),
        (2, [json.dumps(answer)]),
        (3, ["[DONE]"]),
    ]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_pairs_do_not_depend_on_how_the_body_was_cut(size: int) -> None:
    raw = gzip.compress(ANSWER, mtime=0)
    pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
    coded = pairs("strip", *pieces, headers=[("content-encoding", "gzip")])
    assert coded == pairs("strip", ANSWER)
    assert [number for number, _ in coded] == [1, 2, 3, 4]


def test_an_event_without_its_end_is_paired_too() -> None:
    whole = event(chunk({"content": "Hi"}))
    assert pairs("strip", whole.rstrip()) == pairs("strip", whole)


def test_text_that_is_held_back_is_paired_with_what_releases_it() -> None:
    held, finish = chunk({"content": "<thi"}), chunk(finish_reason="stop")
    first, second = pairs("think-tags", event(held), event(finish))
    assert first == (1, [])
    assert [json.loads(text)["choices"][0]["delta"] for text in second[1]] == [{"content": "<thi"}, {}]
    assert [number for number, _ in pairs("think-tags", event(held))] == [1, None]


def test_events_keep_their_times_and_are_counted_as_the_client_gets_them() -> None:
    said = [event(chunk(delta)) for delta in ({"reasoning": "Hm"}, {"content": "Hi"})]
    (result,) = played(shipped_rules("strip"), exchange(*said, times=[0.5, 1.5]))
    assert [(one.number, one.time) for one in result.sent] == [(1, 1.5)]
