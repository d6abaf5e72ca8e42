"""The one way to test what reads bytes piece by piece: the same input, cut in every way, has to give the same.

After h11's `tr()`. A machine is made anew for each run; `join` says what of its outputs must not depend on the cuts.
It holds for machines without a clock; wrap the others.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

__all__ = ["Machine", "drain", "run_at_every_split", "splits"]


class Machine[Output](Protocol):
    """A sans-IO core: bytes in, outputs out."""

    def feed(self, chunk: bytes, /) -> Iterable[Output]: ...

    def finish(self) -> Iterable[Output]: ...


def drain[Output](machine: Machine[Output], chunks: Iterable[bytes]) -> list[Output]:
    """All that the machine gives for these chunks."""
    outputs = [output for chunk in chunks for output in machine.feed(chunk)]
    return [*outputs, *machine.finish()]


def splits(raw: bytes) -> Iterator[list[bytes]]:
    """Whole; byte by byte; cut in two at every place, the ends included; in sevens, from each of seven beginnings."""
    yield [raw]
    yield [raw[at : at + 1] for at in range(len(raw))]
    for at in range(len(raw) + 1):
        yield [raw[:at], raw[at:]]
    for first in range(7):
        yield [raw[:first], *(raw[at : at + 7] for at in range(first, len(raw), 7))]


def run_at_every_split[Output](
    make: Callable[[], Machine[Output]], raw: bytes, join: Callable[[list[Output]], Any]
) -> Any:
    """What the machine gives for the whole input, joined, after asserting that it gives this at every split."""
    whole = join(drain(make(), [raw]))
    for chunks in splits(raw):
        assert join(drain(make(), chunks)) == whole, chunks
    return whole
