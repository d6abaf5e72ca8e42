"""When each chunk of a body came, as a flow's metadata says it."""

from typing import Final

__all__ = ["CHUNKS", "Chunk", "cut_as_noted", "is_time", "noted_times"]

CHUNKS: Final = "thinkwire.chunks"
"""The name in a flow's metadata under which [seconds since the request, bytes] of each chunk stand."""

Chunk = tuple[float, bytes]
"""Seconds since the request, and what came then."""


_LONGEST: Final = 1e9
"""Seconds: more than thirty years."""


def is_time(seconds: float) -> bool:
    """Can so many seconds lie between a request and something in its answer? A file can say anything, NaN, too."""
    return abs(seconds) < _LONGEST


def noted_times(noted: object) -> list[tuple[float, int]]:
    """When how many bytes came; nothing where nobody noted it, or what was noted makes no sense."""
    times: list[tuple[float, int]] = []
    for entry in noted if isinstance(noted, list | tuple) else ():
        match entry:
            case [int() | float() as at, int() as size] if is_time(at) and size >= 0:
                times.append((max(times[-1][0] if times else 0.0, at), size))
            case _:
                return []
    return times


def cut_as_noted(body: bytes, times: list[tuple[float, int]]) -> tuple[Chunk, ...]:
    """The body, cut as it came; one chunk where that is not known."""
    chunks: list[Chunk] = []
    position = 0
    for at, size in [*times, (times[-1][0] if times else 0.0, len(body))]:
        if chunk := body[position : position + size]:
            chunks.append((at, chunk))
            position += size
    return tuple(chunks)
