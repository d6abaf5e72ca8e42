"""Flow files and HARs: what is complete is read, what is not a recording is refused."""

from pathlib import Path

import pytest

from tests.flows import exchange, har, write_flows
from thinkwire.playback.flow_reader import RecordingError, read_flows


def test_flows_are_read_in_their_order(tmp_path: Path) -> None:
    found = read_flows(write_flows(tmp_path / "a.flow", exchange(b"a"), exchange(b"b")))
    assert [flow.response.content for flow in found.flows] == [b"a", b"b"]  # type: ignore[attr-defined]
    assert found.damage == ""


def test_a_har_is_read_as_well(tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text(har("http://h/v1", "{}", "data: {}\n\n"), encoding="utf-8")
    assert len(read_flows(tmp_path / "a.har").flows) == 1


def test_the_complete_flows_of_a_damaged_file_are_read(tmp_path: Path) -> None:
    path = write_flows(tmp_path / "a.flow", exchange(b"a"), exchange(b"b"))
    path.write_bytes(path.read_bytes()[:-30])
    found = read_flows(path)
    assert len(found.flows) == 1
    assert found.damage == f"{path} is damaged or cut off after flow 1; the complete flows were read"


@pytest.mark.parametrize(("raw", "why"), [(b"nonsense", "is neither a mitmproxy"), (b"{broken", "is not a valid HAR")])
def test_a_file_that_is_not_a_recording_is_refused(tmp_path: Path, raw: bytes, why: str) -> None:
    (tmp_path / "a.flow").write_bytes(raw)
    with pytest.raises(RecordingError, match=why):
        read_flows(tmp_path / "a.flow")


def test_a_folder_is_not_a_recording(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="is a directory"):
        read_flows(tmp_path)
