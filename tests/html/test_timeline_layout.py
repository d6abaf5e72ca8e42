"""The layout: where marks, curves and words are."""

from itertools import pairwise

from tests.html.test_timeline import picture
from thinkwire.html.timeline_layout import LEFT, RIGHT, Chart, bar_width, chart_of
from thinkwire.html.timeline_marks import ItemKind


def chart(*, broke_off: bool = False) -> Chart:
    drawn = picture({"reasoning": "Hm"}, {"content": "Hi"}, times=[0.0, 4.0])
    assert drawn is not None
    return chart_of(drawn, broke_off=broke_off)


def test_the_axis_runs_from_the_request_to_the_end() -> None:
    assert [bar.x for bar in chart().bars] == [LEFT, RIGHT]
    assert (chart().grid[0], chart().grid[-1]) == (LEFT, RIGHT)


def test_nothing_overlaps() -> None:
    rows = sorted({bar.y for bar in chart().bars})
    assert all(below - above >= 12 for above, below in pairwise(rows))
    assert chart().height > chart().foot > rows[-1]


def test_an_answer_that_broke_off_is_marked_at_its_end() -> None:
    assert chart().broke_at is None
    assert chart(broke_off=True).broke_at == RIGHT


def test_hollow_marks_are_wider() -> None:
    assert bar_width(ItemKind.HIDDEN) > bar_width(ItemKind.ANSWER)
