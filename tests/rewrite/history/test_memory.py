"""What is remembered of earlier turns: for whom, by what, how much and how long."""

import tracemalloc

import pytest

from thinkwire.dialects.history.base import Turn, TurnReasoning, item_key
from thinkwire.rewrite.history.memory import Memory

ANN, BEN = b"a" * 16, b"b" * 16


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def memory(most_bytes: int = 1_000_000, longest: float = 100.0) -> tuple[Memory, Clock]:
    clock = Clock()
    return Memory(most_bytes, longest, clock), clock


def call(identity: str, thought: str = "", user: str = "q") -> Turn:
    return Turn((item_key(identity),), user, reasoning=TurnReasoning(thought))


def said(text: str, thought: str = "", user: str = "q") -> Turn:
    return Turn((f"text {text}",), user, reasoning=TurnReasoning(thought))


def test_a_call_is_known_by_its_id_whatever_was_said_before() -> None:
    known, _ = memory()
    known.remember(ANN, call("1", "Hm"))
    assert known.recall(ANN, call("1")) == known.recall(ANN, call("1", user="cut")) == TurnReasoning("Hm")
    assert known.recall(ANN, call("2")) is None


def test_a_text_is_known_by_what_was_said_before() -> None:
    known, _ = memory()
    known.remember(ANN, said("ok", "Hm"))
    assert known.recall(ANN, said("ok")) == TurnReasoning("Hm")
    assert known.recall(ANN, said("ok", user="another")) is None


def test_callers_never_see_each_others_thoughts() -> None:
    known, _ = memory()
    known.remember(ANN, call("1", "of Ann"))
    assert known.recall(BEN, call("1")) is None
    known.remember(BEN, call("1", "of Ben"))
    assert known.recall(ANN, call("1")) == TurnReasoning("of Ann")
    assert known.recall(BEN, call("1")) == TurnReasoning("of Ben")


def test_two_thoughts_under_one_key_restore_neither() -> None:
    known, _ = memory()
    for thought in ("one", "two"):
        known.remember(ANN, said("ok", thought))
        known.remember(ANN, call("functions.dir:0", thought, user=f"asked {thought}"))
    assert known.recall(ANN, said("ok")) is None
    assert known.recall(ANN, call("functions.dir:0", user="cut")) is None
    # Some count their calls anew in each conversation: what the user said tells them apart.
    assert known.recall(ANN, call("functions.dir:0", user="asked one")) == TurnReasoning("one")


def test_the_same_thought_twice_is_one() -> None:
    known, _ = memory()
    known.remember(ANN, said("ok", "Hm"))
    known.remember(ANN, said("ok", "Hm"))
    assert known.recall(ANN, said("ok")) == TurnReasoning("Hm")


def test_a_turn_that_went_on_is_remembered_as_it_ended() -> None:
    known, _ = memory()
    first = known.remember(ANN, call("1", "H"))
    known.remember(ANN, call("1", "Hm"), instead_of=first)
    assert (known.recall(ANN, call("1")), len(known)) == (TurnReasoning("Hm"), 1)


def test_blocks_come_back_as_they_were() -> None:
    known, _ = memory()
    thought = TurnReasoning("Hm \ud83d", ((0, '{"type":"thinking"}'), (2, '{"data":"\xc3\xa9"}')), 3)
    known.remember(ANN, Turn((item_key("1"),), reasoning=thought))
    assert known.recall(ANN, call("1", user="")) == thought


def test_what_nobody_asks_for_is_forgotten_in_time() -> None:
    known, clock = memory(longest=100.0)
    known.remember(ANN, call("1", "Hm"))
    known.remember(ANN, call("2", "So"))
    clock.now = 90.0
    assert known.recall(ANN, call("1")) == TurnReasoning("Hm")
    clock.now = 150.0
    assert known.recall(ANN, call("2")) is None
    assert known.recall(ANN, call("1")) == TurnReasoning("Hm")
    clock.now = 260.0
    assert (known.recall(ANN, call("1")), len(known), known.size) == (None, 0, 0)


def test_the_oldest_go_where_there_is_too_much() -> None:
    known, _ = memory(most_bytes=5_000)
    for number in range(10):
        known.remember(ANN, call(str(number), "x" * 1_000))
    assert known.size <= 5_000
    assert known.recall(ANN, call("9")) is not None
    assert known.recall(ANN, call("0")) is None
    assert known.remember(ANN, call("big", "x" * 10_000)) is None


@pytest.mark.no_cover
def test_memory_stays_within_its_bound_under_many_turns() -> None:
    bound = 8 * 1024 * 1024
    known, _ = memory(most_bytes=bound)
    tracemalloc.start()
    for number in range(100_000):
        known.remember(ANN, call(f"call_{number}", f"a thought of some length, number {number}"))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert known.size <= bound
    assert held <= bound
    assert len(known) > 1_000
