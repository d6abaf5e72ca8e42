"""What tests of several commands share."""

from pathlib import Path

import pytest

from tests.flows import exchange, write_flows
from tests.rewrite.answers import chunk, stream

ANSWER = stream(chunk({"reasoning_content": "Hm"}), chunk({"content": "Hi"}), chunk(finish_reason="stop"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands run; it holds a recording."""
    monkeypatch.chdir(tmp_path)
    write_flows(tmp_path / "a.flow", exchange(ANSWER))
    return tmp_path
