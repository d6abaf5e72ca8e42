"""Times of chunks, as the metadata of a flow says them or does not."""

from typing import Any

import pytest

from thinkwire.playback.chunk_times import cut_as_noted, is_time, noted_times


@pytest.mark.parametrize(
    ("noted", "times"),
    [
        ([[0.5, 2], (1, 4)], [(0.5, 2), (1, 4)]),
        ([[1.0, 2], [0.5, 4]], [(1.0, 2), (1.0, 4)]),
        ([[0.5, 2], ["soon", 4]], []),
        ([[0.5, -2]], []),
        ([[float("nan"), 2]], []),
        ("nonsense", []),
        (None, []),
    ],
    ids=str,
)
def test_times_never_go_back_and_are_all_or_nothing(noted: Any, times: list[tuple[float, int]]) -> None:
    assert noted_times(noted) == times


def test_what_no_time_is_known_of_arrives_with_the_last_chunk() -> None:
    assert cut_as_noted(b"abcdef", [(0.5, 2), (0.7, 0), (1.0, 1)]) == ((0.5, b"ab"), (1.0, b"c"), (1.0, b"def"))
    assert cut_as_noted(b"abc", []) == ((0.0, b"abc"),)
    assert cut_as_noted(b"", [(0.5, 2)]) == ()


@pytest.mark.parametrize(("seconds", "can_be"), [(0.0, True), (-1.0, True), (float("inf"), False), (1e300, False)])
def test_only_times_of_this_world_are_times(seconds: float, can_be: bool) -> None:
    assert is_time(seconds) == can_be
