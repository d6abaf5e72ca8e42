"""The counts of an answer, as the phrase of a log line."""

from thinkwire.rewrite.tally import Effect, Tally


def test_nothing_to_count_is_nothing_to_change() -> None:
    tally = Tally()
    tally.effects[Effect.NONE] += 3
    assert tally.summary("event") == "nothing to change"
    assert tally.events == 3


def test_effects_come_in_their_order_and_the_first_names_what_is_counted() -> None:
    tally = Tally()
    tally.effects[Effect.DROPPED] += 3
    tally.effects[Effect.RENAMED] += 1
    tally.metadata["logprobs"] += 2
    assert tally.summary("event") == "1 event renamed, 3 dropped, logprobs removed from 2"


def test_what_went_wrong_is_said_with_its_first_reason() -> None:
    tally = Tally()
    tally.saw_unreadable("a")
    tally.saw_unreadable("b")
    tally.forgotten = "c"
    assert tally.summary("event") == "2 not readable (a), not remembered (c)"


def test_the_first_change_is_kept() -> None:
    tally = Tally()
    tally.note_change(b"a", b"b")
    tally.note_change(b"c", b"d")
    assert tally.first_change == (b"a", b"b")
