"""The one way to test what reads bytes piece by piece: the same input, cut in every way, has to give the same.

After h11's `tr()`. A machine is made anew for each run; `join` says what of its outputs must not depend on the cuts.
It holds for machines without a clock; wrap the others.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from hypothesis import settings

__all__ = ["PROPERTY", "Machine", "drain", "run_at_every_split", "splits"]

PROPERTY = settings(
    derandomize=True,
    deadline=None,
    max_examples=5000 if os.environ.get("HYPOTHESIS_PROFILE") == "deep" else 60,
)
"""How properties of bytes are tried: the same examples in each run, and many more where one asks for it."""


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
