"""What is read from flow files and HAR files, and which warnings there are about the rest."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http
from mitmproxy.test import tflow

from tests.flows import har, recorded_flow, write_flows
from thinkwire.playback.chunk_times import CHUNKS
from thinkwire.playback.flow_reader import RecordingError
from thinkwire.proxy.replay.recordings import ReplayAnswer, parse_speed, read_recordings

TIMED = [(0.5, b"one"), (0.75, b"two"), (1.5, b"three")]


def read_answer(tmp_path: Path, flow: http.HTTPFlow) -> ReplayAnswer:
    (recorded,), warnings = read_recordings([str(write_flows(tmp_path / "one.flow", flow))])
    assert not warnings
    assert recorded.answer is not None
    return recorded.answer


def test_chunks_come_with_their_times(tmp_path: Path) -> None:
    answer = read_answer(tmp_path, recorded_flow(chunks=TIMED))
    assert answer.chunks == tuple(TIMED)
    assert answer.began == 0.5


def test_a_flow_without_times_is_one_chunk_at_once(tmp_path: Path) -> None:
    answer = read_answer(tmp_path, recorded_flow(chunks=TIMED, timed=False))
    assert (answer.chunks, answer.began) == (((0.0, b"onetwothree"),), 0.0)


@pytest.mark.parametrize("noted", ["nonsense", [["a", 1]], [[0.1]], [7], [[0.1, -1]], []])
def test_without_valid_times_there_is_one_chunk(tmp_path: Path, noted: Any) -> None:
    flow = recorded_flow(chunks=TIMED)
    flow.metadata[CHUNKS] = noted
    (recorded,), _ = read_recordings([str(write_flows(tmp_path / "one.flow", flow))])
    assert recorded.answer is not None
    assert recorded.answer.chunks == ((0.0, b"onetwothree"),)
    assert (recorded.answer.began, recorded.ended) == (0.0, 0.0)


def test_no_byte_is_lost_or_invented_if_the_times_do_not_fit(tmp_path: Path) -> None:
    flow = recorded_flow(chunks=TIMED)
    flow.metadata[CHUNKS] = [[0.1, 4], [0.05, 2], [0.2, 0]]
    assert read_answer(tmp_path, flow).chunks == ((0.1, b"onet"), (0.1, b"wo"), (0.2, b"three"))
    flow.metadata[CHUNKS] = [[0.1, 4], [0.2, 400], [0.3, 5]]
    assert read_answer(tmp_path, flow).chunks == ((0.1, b"onet"), (0.2, b"wothree"))


def test_headers_keep_order_and_spelling_and_those_of_the_connection_go(tmp_path: Path) -> None:
    headers = [("X-b", "1"), ("Connection", "x-gone"), ("x-A", "2"), ("transfer-encoding", "chunked"), ("x-Gone", "")]
    answer = read_answer(tmp_path, recorded_flow(headers=[*headers, ("X-b", "3"), ("content-length", "7")]))
    assert answer.fields == (("X-b", "1"), ("x-A", "2"), ("X-b", "3"))


@pytest.mark.parametrize(
    ("stated", "error", "length"),
    [("11", "", 11), ("7", "", 11), ("x", "", None), ("90", "broke", 90), ("11", "broke", None), ("7", "broke", None)],
)
def test_a_stated_length_is_true_or_was_when_the_body_broke_off(
    tmp_path: Path, stated: str, error: str, length: int | None
) -> None:
    flow = recorded_flow(chunks=TIMED, headers=[("content-length", stated)], error=error)
    assert read_answer(tmp_path, flow).length == length


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 304)])
def test_an_answer_without_body_states_the_length_of_another(tmp_path: Path, method: str, status: int) -> None:
    flow = recorded_flow(method=method, status=status, chunks=[], headers=[("content-length", "90")])
    assert read_answer(tmp_path, flow).length == 90


def test_a_coding_is_undone_chunk_for_chunk(tmp_path: Path) -> None:
    raw = gzip.compress(b"one and two")
    headers = [("content-type", "text/plain"), ("content-encoding", "gzip"), ("content-length", str(len(raw)))]
    answer = read_answer(tmp_path, recorded_flow(chunks=[(0.1, raw[:14]), (0.2, raw[14:])], headers=headers))
    assert answer.coding == "gzip"
    decoded = answer.decoded()
    assert b"".join(chunk for _, chunk in decoded.chunks) == b"one and two"
    assert (decoded.fields, decoded.length) == ((("content-type", "text/plain"),), None)


@pytest.mark.parametrize("coding", ["gzip", "unheard-of"])
def test_a_coding_that_cannot_be_undone_stays(tmp_path: Path, coding: str) -> None:
    answer = read_answer(tmp_path, recorded_flow(chunks=TIMED, headers=[("content-encoding", coding)]))
    assert answer.decoded() == answer


def test_a_broken_exchange_breaks_off_where_it_did(tmp_path: Path) -> None:
    cut, refused = recorded_flow(chunks=TIMED, error="peer closed"), recorded_flow(error="connection refused")
    refused.response = None
    exchanges, _ = read_recordings([str(write_flows(tmp_path / "cut.flow", cut, refused))])
    assert [one.breaks_off for one in exchanges] == [True, True]
    assert exchanges[0].answer is not None
    assert exchanges[0].answer.chunks == tuple(TIMED)
    assert exchanges[1].answer is None


def test_what_cannot_be_replayed_is_a_warning_and_counts(tmp_path: Path) -> None:
    unanswered, streamed, early = recorded_flow(), recorded_flow(), recorded_flow(status=101)
    unanswered.response = None
    assert streamed.response is not None
    streamed.response.raw_content = None
    odd = [tflow.ttcpflow(), unanswered, streamed, early, tflow.twebsocketflow()]
    path = str(write_flows(tmp_path / "odd.flow", *odd, recorded_flow()))
    (recorded,), warnings = read_recordings([path])
    assert str(recorded) == f"number 6 of {path}"
    assert [warning.partition(": ")[2] for warning in warnings] == [
        "it is not HTTP",
        "it has no answer",
        "its answer was recorded without the body",
        "its answer has the status 101",
        "it is a WebSocket",
    ]
    assert warnings[0].startswith(f"number 1 of {path} cannot be replayed: ")


def test_a_file_that_is_damaged_is_replayed_as_far_as_it_goes(tmp_path: Path) -> None:
    path = write_flows(tmp_path / "cut.flow", recorded_flow(), recorded_flow())
    path.write_bytes(path.read_bytes()[:-20])
    exchanges, warnings = read_recordings([str(path)])
    assert len(exchanges) == 1
    assert warnings == [f"{path} is damaged or cut off after flow 1; the complete flows were read"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"# Not a flow file\n", "is neither a mitmproxy flow file nor a HAR file"),
        (b"\x00" * 100, "is neither a mitmproxy flow file nor a HAR file"),
        (b"4:true!", "is neither a mitmproxy flow file nor a HAR file"),
        (b"2:{}}", "is neither a mitmproxy flow file nor a HAR file"),
        (b'{"log": {}}', "is not a valid HAR file"),
        (b"", "holds no answer that could be replayed"),
        (b'{"log": {"entries": []}}', "holds no answer that could be replayed"),
    ],
)
def test_a_file_that_is_not_a_recording_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "odd"
    path.write_bytes(content)
    with pytest.raises(RecordingError) as raised:
        read_recordings([str(path)])
    assert str(raised.value) == f"{path} {why}"


def test_all_files_that_cannot_be_read_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(RecordingError) as raised:
        read_recordings([str(tmp_path / "none"), str(tmp_path)])
    assert str(raised.value).splitlines() == [
        f"cannot read {tmp_path / 'none'}: no such file or directory",
        f"cannot read {tmp_path}: is a directory",
    ]


def test_a_har_file_is_one_chunk_for_each_answer(tmp_path: Path) -> None:
    path = tmp_path / "one.har"
    headers = [("content-type", "text/event-stream"), ("content-encoding", "gzip"), ("content-length", "7")]
    path.write_text(har("https://api.test/v1/x", '{"model": "m"}', "data: {}\n\n", headers))
    (recorded,), warnings = read_recordings([str(path)])
    assert not warnings
    assert recorded.answer is not None
    assert recorded.answer.chunks == ((0.0, b"data: {}\n\n"),)
    assert recorded.answer.length in (None, 10)
    assert recorded.answer.reason == "OK"
    assert (recorded.flow.request.method, recorded.flow.request.path) == ("POST", "/v1/x")


@pytest.mark.parametrize(("text", "speed"), [("1", 1.0), ("0", 0.0), ("2.5", 2.5)])
def test_a_speed_is_a_number(text: str, speed: float) -> None:
    assert parse_speed(text) == speed


@pytest.mark.parametrize("text", ["", "fast", "-1", "inf", "nan"])
def test_what_is_not_a_speed_is_refused(text: str) -> None:
    with pytest.raises(RecordingError, match="replay speed is a number from 0 on"):
        parse_speed(text)


def test_a_length_that_no_body_can_have_is_ignored(tmp_path: Path) -> None:
    answer = read_answer(tmp_path, recorded_flow(chunks=TIMED, headers=[("content-length", "9" * 5000)]))
    assert answer.length is None


def test_headers_with_control_characters_are_left_out(tmp_path: Path) -> None:
    odd = [("content-type", "text/html\x1b[31m"), ("x-bell", "a\x07"), ("x-tab", "a\tb")]
    assert read_answer(tmp_path, recorded_flow(chunks=TIMED, headers=odd)).fields == (("x-tab", "a\tb"),)


def test_a_pipe_is_refused_rather_than_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordingError, match="pipe: it is a pipe"):
        read_recordings([str(tmp_path / "pipe")])
