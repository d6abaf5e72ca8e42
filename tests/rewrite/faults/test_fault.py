"""What a fault touches, and how far an answer has to reach for all of it to happen."""

import pytest

from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First, Stall


def test_no_fault_touches_nothing() -> None:
    assert (NO_FAULT.is_any, NO_FAULT.touches_body, NO_FAULT.touches_events) == (False, False, False)
    assert (NO_FAULT.end, NO_FAULT.reach) == (None, 0)
    assert not Fault(live=True).is_any


@pytest.mark.parametrize(
    ("fault", "body", "events"),
    [
        (Fault(First(429)), False, False),
        (Fault(split=7), True, False),
        (Fault(stall=Stall(2, 0.1)), True, True),
        (Fault(cut_after=0), True, True),
        (Fault(error_after=0), True, True),
        (Fault(drop_done=True), True, True),
    ],
)
def test_what_a_fault_touches(fault: Fault, body: bool, events: bool) -> None:
    assert fault.is_any
    assert (fault.touches_body, fault.touches_events) == (body, events)


@pytest.mark.parametrize(
    ("fault", "end", "reach"),
    [
        (Fault(cut_after=3), 3, 3),
        (Fault(error_after=3), 3, 3),
        (Fault(stall=Stall(5, 1.0)), None, 5),
        (Fault(stall=Stall(5, 1.0), cut_after=3), 3, 5),
        (Fault(stall=Stall(2, 1.0), error_after=4), 4, 4),
    ],
)
def test_the_answer_has_to_reach_the_last_of_its_faults(fault: Fault, end: int | None, reach: int) -> None:
    assert (fault.end, fault.reach) == (end, reach)
