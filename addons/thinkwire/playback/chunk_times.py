"""When each chunk of a body arrived, as the flow's metadata says."""

from typing import Final

CHUNKS: Final = "thinkwire.chunks"
"""The key in a flow's metadata that holds [seconds since the request, bytes] for each chunk."""

type TimedChunk = tuple[float, bytes]
"""Seconds since the request, and what arrived then."""

_LONGEST: Final = 1e9
"""Seconds: more than thirty years."""


def is_time(seconds: float) -> bool:
    """Can a request and part of its answer be this far apart? A file may say anything, even NaN."""
    return abs(seconds) < _LONGEST


def noted_times(noted: object) -> list[tuple[float, int]]:
    """[(seconds, bytes)] of the chunks; empty if they were not recorded, or make no sense."""
    times: list[tuple[float, int]] = []
    for entry in noted if isinstance(noted, list | tuple) else ():
        match entry:
            case [int() | float() as at, int() as size] if is_time(at) and size >= 0:
                times.append((max(times[-1][0] if times else 0.0, at), size))
            case _:
                return []
    return times


def cut_as_noted(body: bytes, times: list[tuple[float, int]]) -> tuple[TimedChunk, ...]:
    """The body in the chunks in which it arrived; in one if that is not known."""
    chunks: list[TimedChunk] = []
    position = 0
    for at, size in [*times, (times[-1][0] if times else 0.0, len(body))]:
        if chunk := body[position : position + size]:
            chunks.append((at, chunk))
            position += size
    return tuple(chunks)
