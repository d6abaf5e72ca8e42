"""The layout of a picture: the position of each mark, line and word, in units of the drawing. It writes no SVG."""

from dataclasses import dataclass, field
from typing import Final

from thinkwire.html.timeline import Curve, Lane, Mark, Picture, seconds
from thinkwire.html.timeline_marks import ItemKind
from thinkwire.playback.text import counted

WIDTH: Final = 1000
LEFT: Final = 92
"""Where the axis begins; names are to its left."""
RIGHT: Final = 892
"""Where it ends; totals are to its right."""
_TOP: Final = 20
_ROW: Final = 20
_BAR: Final = 12
_CURVES: Final = 64
_GAP: Final = 10
_AXIS: Final = 24
_LENGTH: Final = 44
"""The least horizontal distance between the lengths of two pauses."""
_WORD: Final = 11
"""The least vertical distance between two words."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A mark."""

    x: float
    y: float
    width: float
    height: float
    kind: ItemKind
    title: str


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A curve, as the points of a polyline."""

    kind: ItemKind
    points: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word; x and y are the left end of its baseline."""

    x: float
    y: float
    text: str
    role: str
    """What it is: the name of a row, a number on the axis, ..."""


@dataclass(frozen=True, slots=True)
class Band:
    """A pause, over the whole height."""

    x: float
    width: float
    title: str


@dataclass(frozen=True, slots=True)
class Area:
    """The background of a lane."""

    y: float
    height: float


@dataclass(slots=True)
class Chart:
    """A picture with its layout."""

    height: float = 0.0
    foot: float = 0.0
    """Where the axis is."""
    areas: list[Area] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    grid: list[float] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    lines: list[ChartLine] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    broke_at: float | None = None
    """Where the answer broke off."""


def chart_of(picture: Picture, *, broke_off: bool) -> Chart:
    """The layout of a picture."""
    return _Layout(picture).laid_out(broke_off=broke_off)


class _Layout:
    """Places the parts from top to bottom."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._chart = Chart()
        self._y: float = _TOP

    def laid_out(self, *, broke_off: bool) -> Chart:
        chart, picture = self._chart, self._picture
        for pause in picture.pauses:
            left, right = self._x(pause.start), self._x(pause.end)
            length, middle = seconds(pause.end - pause.start), _round((left + right) / 2)
            chart.bands.append(Band(left, _round(right - left), f"a pause of {length} from {seconds(pause.start)} on"))
            if all(middle - word.x >= _LENGTH for word in chart.words):
                chart.words.append(Word(middle, _TOP - 7, length, "pause"))
        for lane in picture.lanes:
            self._lane(lane)
        chart.foot = self._y
        for tick in picture.ticks:
            chart.grid.append(self._x(tick.at))
            chart.words.append(Word(self._x(tick.at), chart.foot + 15, tick.label, "tick"))
        if broke_off:
            chart.broke_at = self._x(picture.end)
            chart.words.append(Word(RIGHT + 8, _TOP - 7, "broke off", "broke"))
        chart.height = chart.foot + _AXIS
        return chart

    def _lane(self, lane: Lane) -> None:
        top = self._y
        if lane.is_choice:
            self._chart.words.append(Word(8, top + 14, lane.name, "lane"))
            self._y += _ROW
        for row in lane.rows:
            self._chart.words.append(Word(8, self._y + 14, row.kind.value, "row"))
            self._chart.bars += [self._bar(mark, row.kind) for mark in row.marks]
            events = sum(mark.events for mark in row.marks)
            self._chart.words.append(Word(RIGHT + 8, self._y + 14, counted(events, "event"), "sum"))
            self._y += _ROW
        if lane.curves:
            self._curves(lane.curves)
        self._chart.areas.append(Area(top, self._y - top))
        self._y += _GAP

    def _bar(self, mark: Mark, kind: ItemKind) -> Bar:
        left, right = self._x(mark.at), self._x(mark.until)
        y, height = self._y + (_ROW - _BAR) / 2, _BAR
        return Bar(left, y, _round(right - left + bar_width(kind)), height, kind, self._title(mark, kind))

    def _title(self, mark: Mark, kind: ItemKind) -> str:
        numbers = f"event {mark.first}" if mark.events == 1 else f"{mark.events:,} events, {mark.first} to {mark.last}"
        when = ""
        if self._picture.is_timed:
            times = f"{mark.at:.3f}" if mark.events == 1 else f"{mark.at:.3f} to {mark.until:.3f}"
            when = f", {times} s"
        return f"{numbers}{when}, {kind.value}: {mark.text}"

    def _curves(self, curves: list[Curve]) -> None:
        most = max(curve.total for curve in curves)
        top, foot = self._y + 8, self._y + _CURVES - 4
        self._chart.words.append(Word(8, foot - 2, "characters", "row"))
        ends: list[tuple[float, Curve]] = []
        for curve in curves:
            points = [(self._x(curve.points[0][0]), foot)]
            for at, total in curve.points:
                x, y = self._x(at), _round(foot - (foot - top) * total / most)
                points += [(x, points[-1][1]), (x, y)]
            points.append((RIGHT, points[-1][1]))
            self._chart.lines.append(ChartLine(curve.kind, " ".join(f"{x:g},{y:g}" for x, y in points)))
            ends.append((points[-1][1], curve))
        self._ends(sorted(ends, key=lambda end: end[0]), foot)
        self._y += _CURVES

    def _ends(self, ends: list[tuple[float, Curve]], foot: float) -> None:
        """The totals at the ends of the curves, the highest first, none overlapping another or below the foot."""
        places: list[float] = []
        for y, _ in ends:
            places.append(max([y + 4, *(place + _WORD for place in places[-1:])]))
        for number in reversed(range(len(places))):
            below = places[number + 1] - _WORD if number + 1 < len(places) else foot
            places[number] = min(places[number], below)
        for y, (_, curve) in zip(places, ends, strict=True):
            text = f"{_short(curve.total)} {curve.kind.value}"
            self._chart.words.append(Word(RIGHT + 8, _round(y), text, f"end {curve.kind.name.lower()}"))

    def _x(self, at: float) -> float:
        span = self._picture.end - self._picture.start
        return _round(LEFT + (at - self._picture.start) / span * (RIGHT - LEFT))


def bar_width(kind: ItemKind) -> float:
    """The width of the mark of one event; hollow ones need more."""
    return 2.5 if kind is ItemKind.HIDDEN else 1.6


def _short(number: int) -> str:
    """A number in a few characters."""
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1e3:,.0f}k" if number < 10_000_000 else f"{number / 1e6:,.0f}M"


def _round(value: float) -> float:
    return round(value, 2)
