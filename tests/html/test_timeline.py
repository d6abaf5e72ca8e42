"""The picture as data: lanes, curves, pauses and ticks."""

import pytest

from tests.flows import exchange
from tests.rewrite.answers import chunk, event
from thinkwire.html.timeline import Picture, picture_of, seconds
from thinkwire.html.timeline_marks import ContentPair
from thinkwire.playback.reading import read_exchange
from thinkwire.playback.recording import RecordedExchange


def picture(*deltas: dict[str, str], times: list[float] | None = None) -> Picture | None:
    recorded = RecordedExchange(1, exchange(*(event(chunk(delta)) for delta in deltas), times=times))
    return picture_of(recorded, [ContentPair(said, [said]) for said in read_exchange(recorded).said])


def test_a_curve_counts_the_characters_by_when_they_arrived() -> None:
    drawn = picture({"reasoning": "Hm"}, {"reasoning": "..."}, times=[1.0, 4.0])
    assert drawn is not None
    (lane,) = drawn.lanes
    assert [curve.points for curve in lane.curves] == [[(1.0, 2), (4.0, 5)]]
    assert (drawn.start, drawn.end, drawn.is_timed) == (0.0, 4.0, True)


def test_events_are_counted_if_no_times_are_known() -> None:
    drawn = picture({"content": "a"}, {"content": "b"})
    assert drawn is not None
    assert (drawn.is_timed, drawn.end, drawn.pauses) == (False, 2.0, [])
    assert [tick.label for tick in drawn.ticks] == ["1", "2 events"]


def test_an_answer_without_events_has_no_picture() -> None:
    assert picture() is None


@pytest.mark.parametrize(("value", "shown"), [(1.234, "1.23 s"), (12.34, "12.3 s"), (1234.5, "1,234 s")])
def test_lengths_of_time_are_rounded(value: float, shown: str) -> None:
    assert seconds(value) == shown
