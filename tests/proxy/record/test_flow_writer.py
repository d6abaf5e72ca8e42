"""A flow file holds only complete flows, whatever was there before."""

import logging
import os
from pathlib import Path
from types import ModuleType

import pytest
from mitmproxy import http, io
from mitmproxy.test import tflow

from tests.flows import recorded_flow
from thinkwire.proxy.record.flow_writer import FlowFile, NotAFlowFile

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows
    resource = None


def ids(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [flow.id for flow in io.FlowReader(file).stream()]


def append(path: Path, *flows: http.HTTPFlow) -> None:
    file = FlowFile(path)
    for flow in flows:
        file.append(flow)
    file.close()


def test_flows_are_added_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "my.flow"
    flows = [tflow.tflow(resp=True) for _ in range(3)]
    append(path, flows[0])
    append(path, *flows[1:])
    assert ids(path) == [flow.id for flow in flows]


def test_a_flow_can_be_read_before_the_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "my.flow"
    file = FlowFile(path)
    flow = tflow.tflow()
    file.append(flow)
    assert ids(path) == [flow.id]
    file.close()


def test_a_torn_end_is_removed_wherever_it_was_torn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "my.flow"
    flows = [tflow.tflow(resp=True) for _ in range(3)]
    append(path, flows[0])
    whole = path.read_bytes()
    append(path, flows[1])
    both = path.read_bytes()
    for end in range(len(whole) + 1, len(both)):
        path.write_bytes(both[:end])
        FlowFile(path).close()
        assert path.read_bytes() == whole
    assert len(caplog.records) == len(both) - len(whole) - 1
    assert all(record.levelno == logging.WARNING for record in caplog.records)


@pytest.mark.skipif(resource is None, reason="this system does not limit the size of files")
def test_a_disk_that_is_full_in_the_middle_of_a_flow_leaves_the_whole_ones(tmp_path: Path) -> None:
    assert resource is not None
    path = tmp_path / "my.flow"
    first, second = tflow.tflow(resp=True), tflow.tflow(resp=True)
    file = FlowFile(path)
    file.append(first)
    whole = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, limits[1]))
    try:
        with pytest.raises(OSError, match="large"):
            file.append(second)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == whole
    file.append(second)
    file.close()
    assert ids(path) == [first.id, second.id]


@pytest.mark.parametrize(
    "content",
    [b"version: 1\n", b'{"log": {}}', b"12:hello world,", b"123", b"3:abc#1", b"99999999999999:x", b"\x00" * 100],
)
def test_another_file_is_refused_and_stays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content * 20)
    with pytest.raises(NotAFlowFile):
        FlowFile(path)
    assert path.read_bytes() == content * 20


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "my.flow"):
        with pytest.raises(OSError, match="directory"):
            FlowFile(path)


def test_a_pipe_without_a_reader_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe"):
        FlowFile(tmp_path / "pipe")


def test_a_pipe_with_a_reader_gets_the_flows(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    file = FlowFile(tmp_path / "pipe")
    file.append(recorded_flow())
    assert os.read(reader, 10)[:1].isdigit()
    file.close()
    os.close(reader)
