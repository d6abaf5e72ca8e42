"""Recordings as mitmproxy keeps them: chunks and their times, whatever somebody has written there."""

from pathlib import Path
from typing import Any

import pytest
from mitmproxy.test import tflow

from tests.flows import exchange, write_flows
from thinkwire.playback.chunk_times import CHUNKS
from thinkwire.playback.recording import RecordedExchange, read_recording


def recorded(metadata: Any, body: bytes = b"abcdef") -> RecordedExchange:
    flow = exchange(body)
    flow.metadata[CHUNKS] = metadata
    return RecordedExchange(1, flow)


@pytest.mark.parametrize(
    ("metadata", "chunks"),
    [
        ([[0.5, 2], [1, 4]], [(0.5, b"ab"), (1.0, b"cdef")]),
        ([(0.5, 6)], [(0.5, b"abcdef")]),
        ([[0.5, 2]], [(0.5, b"ab"), (0.5, b"cdef")]),
        ([[0.5, 2], [0.7, 0], [1.0, 99], [2.0, 5]], [(0.5, b"ab"), (1.0, b"cdef")]),
        ([[0.5, 2], ["soon", 4]], [(None, b"abcdef")]),
        ([[0.5, -2]], [(None, b"abcdef")]),
        ([[0.5]], [(None, b"abcdef")]),
        ([], [(None, b"abcdef")]),
        ("nonsense", [(None, b"abcdef")]),
        (None, [(None, b"abcdef")]),
    ],
    ids=str,
)
def test_chunks_have_their_times_as_far_as_these_are_noted(metadata: Any, chunks: list[tuple[Any, bytes]]) -> None:
    assert [(chunk.time, chunk.raw) for chunk in recorded(metadata).chunks] == chunks


def test_the_total_is_the_last_time_or_that_of_the_flow() -> None:
    assert recorded([[0.5, 2], [1.25, 4]]).total == 1.25
    assert recorded(None).total == 2.5
    without = recorded(None)
    assert without.flow.response is not None
    without.flow.response.timestamp_end = None
    assert without.total is None


def test_flows_of_other_protocols_are_counted_and_left_out(tmp_path: Path) -> None:
    path = write_flows(tmp_path / "a.flow", exchange(b"a"), tflow.ttcpflow(), exchange(b"b"))
    assert [one.number for one in read_recording(path).exchanges] == [1, 3]


def test_a_length_that_no_body_can_have_is_no_failure() -> None:
    flow = exchange(b"data: {}\n\n", headers=[("content-length", "9" * 5000)])
    assert RecordedExchange(1, flow).failure == ""


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://h/v1?a=b&auth=abc&X-Amz-Credential=abc", "http://h/v1?a=b&auth=[removed]&X-Amz-Credential=[removed]"),
        ("http://h/v1?password=abc&api%5Fkey=abc", "http://h/v1?password=[removed]&api%5Fkey=[removed]"),
        ("http://h/sk-proj-abcdef123456/v1", "http://h/[removed]/v1"),
    ],
)
def test_an_address_is_shown_as_it_would_be_recorded(url: str, shown: str) -> None:
    assert RecordedExchange(1, exchange(b"", url=url)).url == shown
