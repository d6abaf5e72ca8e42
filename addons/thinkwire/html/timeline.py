"""The picture of an answer over time, as data: lanes, marks, pauses, curves and ticks, in seconds or in events.

It knows no drawing: `timeline_layout.py` decides where a mark goes on the page.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import floor, log10
from statistics import median
from typing import Final

from thinkwire.html.timeline_marks import ContentPair, ItemKind, TimelineItem, in_order, timeline_items
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.text import counted


@dataclass(frozen=True, slots=True)
class Mark:
    """One event, or several that are too close to each other to be drawn apart."""

    at: float
    until: float
    first: int
    """The number of the event, or of the first of several."""
    last: int
    events: int
    text: str
    """What was said, or what it was."""


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """The marks of one kind."""

    kind: ItemKind
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class Curve:
    """How many characters have arrived by when."""

    kind: ItemKind
    points: list[tuple[float, int]]

    @property
    def total(self) -> int:
        return self.points[-1][1]


@dataclass(frozen=True, slots=True)
class Lane:
    """One choice; or, without a name, what is said beside all of them."""

    name: str
    rows: list[TimelineRow]
    curves: list[Curve] = field(default_factory=list)
    hidden: str = ""
    """Everything that the rules removed from it, or held back."""

    @property
    def is_choice(self) -> bool:
        """Is it one choice of several?"""
        return self.name.startswith("choice ")


@dataclass(frozen=True, slots=True)
class Silence:
    """A pause: much longer than between the other events."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled position on the axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Picture:
    """An answer over time."""

    is_timed: bool
    """If not, the axis counts events: their times were not recorded."""
    start: float
    end: float
    lanes: list[Lane]
    ticks: list[Tick]
    pauses: list[Silence]
    left_out: int = 0
    """The number of choices that there is no room for."""

    @property
    def is_worthwhile(self) -> bool:
        """Is there more to see than one mark without a time?"""
        return self.is_timed or len({mark.first for lane in self.lanes for row in lane.rows for mark in row.marks}) > 1

    @property
    def used(self) -> list[ItemKind]:
        """The kinds that have marks, in the order of the legend."""
        there = {row.kind for lane in self.lanes for row in lane.rows}
        return [kind for kind in ItemKind if kind in there]


_MOST_LANES: Final = 16
_COLUMNS: Final = 440
"""Marks in a row at most, if there is one choice in one exchange."""
_FEWEST_COLUMNS: Final = 60


def picture_of(recorded: RecordedExchange, pairs: Iterable[ContentPair], share: int = 1) -> Picture | None:
    """The picture of an answer; None if there is no event. `share` is the number of pictures on the page."""
    seen = [*timeline_items(pairs)]
    if not seen:
        return None
    is_timed = all(one.time is not None for one in seen)
    start, end = _span(recorded, seen) if is_timed else (0.0, float(max(1, *(one.event for one in seen))))
    choices = in_order({one.choice for one in seen if one.choice is not None})
    columns = max(_FEWEST_COLUMNS, _COLUMNS // max(1, len(choices) // 2, share // 16))
    scale = _Scale(is_timed, (end - start) / columns)
    lanes = [
        _lane(f"choice {choice}" if len(choices) > 1 else "answer", [s for s in seen if s.choice == choice], scale)
        for choice in choices[:_MOST_LANES]
    ]
    rest = [one for one in seen if one.choice is None]
    if rest:
        lanes.append(Lane("", _rows(rest, scale)))
    times = sorted({scale.place(one) for one in seen})
    pauses = list(_pauses([start, *times, end], end - start)) if is_timed else []
    ticks = _ticks(start, end, is_timed=is_timed)
    return Picture(is_timed, start, end, lanes, ticks, pauses, len(choices[_MOST_LANES:]))


def seconds(value: float) -> str:
    """A length of time, rounded."""
    return f"{value:.2f} s" if abs(value) < 10 else f"{value:.1f} s" if abs(value) < 100 else f"{value:,.0f} s"


# --- lanes --------------------------------------------------------------------------------------------------------

_LONGEST_TEXT: Final = 160
"""Characters in the text of a mark."""


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where items are on the axis."""

    is_timed: bool
    column: float
    """Items closer than this are one mark."""

    def place(self, one: TimelineItem) -> float:
        return one.time if self.is_timed and one.time is not None else float(one.event)


def _lane(name: str, seen: list[TimelineItem], scale: _Scale) -> Lane:
    curves = [curve for kind in ItemKind if (curve := _curve(kind, seen, scale)) is not None]
    return Lane(name, _rows(seen, scale), curves, _hidden(seen))


def _hidden(seen: list[TimelineItem]) -> str:
    """Everything that is hidden, except what was only held back for a while."""
    texts: list[str] = []
    for one in seen:
        if one.released:
            texts = ["".join(texts)[: -one.released]]
        if one.kind is ItemKind.HIDDEN and one.size:
            texts.append(one.text)
    return "".join(texts)


def _rows(seen: list[TimelineItem], scale: _Scale) -> list[TimelineRow]:
    rows = []
    for kind in ItemKind:
        mine = sorted((one for one in seen if one.kind is kind), key=scale.place)
        if mine:
            rows.append(TimelineRow(kind, list(_marks(mine, scale))))
    return rows


def _marks(seen: list[TimelineItem], scale: _Scale) -> Iterator[Mark]:
    group: list[TimelineItem] = []
    for one in seen:
        if group and scale.place(one) - scale.place(group[0]) >= scale.column:
            yield _mark(group, scale)
            group = []
        group.append(one)
    yield _mark(group, scale)


def _mark(group: list[TimelineItem], scale: _Scale) -> Mark:
    first, last = group[0], group[-1]
    text, events = "", len({one.event for one in group})
    for one in group:
        is_words = bool(one.size)
        text += one.text if is_words or not text else f"; {one.text}"
        if len(text) > _LONGEST_TEXT:
            text = f"{text[:_LONGEST_TEXT]}..."
            break
    return Mark(scale.place(first), scale.place(last), first.event, last.event, events, text)


def _curve(kind: ItemKind, seen: list[TimelineItem], scale: _Scale) -> Curve | None:
    """One point for each column in which something arrived; the last is the total."""
    points: list[tuple[float, int]] = []
    total = 0
    for one in seen:
        if size := one.size if one.kind is kind else -one.released if kind is ItemKind.HIDDEN else 0:
            total += size
            place = scale.place(one)
            if points and place - points[-1][0] < scale.column:
                points[-1] = (points[-1][0], total)
            else:
                points.append((place, total))
    return Curve(kind, points) if total else None


# --- the axis -----------------------------------------------------------------------------------------------------

_MANY_TIMES: Final = 5
"""A pause is this many times as long as the usual gap between two events,"""
_VISIBLE: Final = 1 / 50
"""and at least this fraction of the whole, or it could not be seen."""
_MOST_TICKS: Final = 10


def _span(recorded: RecordedExchange, seen: list[TimelineItem]) -> tuple[float, float]:
    """From the request to the end; some servers send before they are asked."""
    times = [one.time for one in seen if one.time is not None]
    start, end = min(0.0, *times), max([*times, recorded.total or 0.0, recorded.broke_at or 0.0])
    return start, end if end > start else start + 1.0


def _pauses(times: list[float], span: float) -> Iterator[Silence]:
    gaps = [(earlier, later) for earlier, later in pairwise(times) if later > earlier]
    usual = median([later - earlier for earlier, later in gaps]) if gaps else 0.0
    for earlier, later in gaps:
        if later - earlier >= max(span * _VISIBLE, usual * _MANY_TIMES):
            yield Silence(earlier, later)


def _ticks(start: float, end: float, *, is_timed: bool) -> list[Tick]:
    step = _step((end - start) / _MOST_TICKS)
    if not is_timed:
        step = max(1.0, step)
    digits = max(0, -floor(log10(step)))
    places = [number * step for number in range(floor(start / step), floor(end / step) + 1) if number * step >= start]
    if is_timed:
        return [Tick(at, f"{at:,.{digits}f} s") for at in places]
    return [Tick(at, counted(int(at), "event") if at == places[-1] else f"{at:,.0f}") for at in places if at]


def _step(least: float) -> float:
    """The next of 1, 2 and 5, and their tens and tenths."""
    power = 10.0 ** floor(log10(least))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9)))
