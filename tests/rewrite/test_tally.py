"""What was done to an answer, counted, as the log says it."""

from collections import Counter

import pytest

from thinkwire.rewrite.tally import Effect, Tally


def tally(**effects: int) -> Tally:
    result = Tally()
    for name, count in effects.items():
        result.effects[Effect[name]] += count
    return result


@pytest.mark.parametrize(
    ("counted", "phrase"),
    [
        (tally(), "nothing to change"),
        (tally(NONE=7), "nothing to change"),
        (tally(RENAMED=1, NONE=2), "1 event renamed"),
        (tally(DROPPED=3, RENAMED=41), "41 events renamed, 3 dropped"),
    ],
)
def test_the_summary_names_the_effects_in_their_order(counted: Tally, phrase: str) -> None:
    assert counted.summary("event") == phrase


def test_the_summary_says_what_went_beside_and_what_went_wrong() -> None:
    counted = tally(STRIPPED=2)
    counted.metadata = Counter(logprobs=2)
    counted.saw_unreadable("no JSON")
    counted.saw_unreadable("too deep")
    counted.forgotten = "too long"
    assert counted.summary("message") == (
        "2 messages stripped, logprobs removed from 2, 2 not readable (no JSON), not remembered (too long)"
    )


def test_every_event_is_counted_whatever_was_done_to_it() -> None:
    assert tally(NONE=2, RENAMED=1, DROPPED=4).events == 7


def test_the_first_change_is_kept() -> None:
    counted = tally()
    counted.note_change(b"a", b"b")
    counted.note_change(b"c", b"d")
    assert counted.first_change == (b"a", b"b")
