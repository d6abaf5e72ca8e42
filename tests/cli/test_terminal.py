"""What is printed in colour, and that the text of others gives the terminal no commands."""

import io
import os
import sys
from pathlib import Path

import pytest

from tests.cli.test_show import PIECES, TIMES, show
from tests.flows import exchange, write_flows
from tests.rewrite.answers import chunk, stream
from thinkwire.cli import main as cli
from thinkwire.cli.terminal import Colours
from thinkwire.playback.text import printable


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return write_flows(tmp_path / "made.flow", exchange(*PIECES, times=TIMES))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("out", "environment", "are_on"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, out: io.StringIO, environment: dict[str, str], are_on: bool
) -> None:
    monkeypatch.setattr(os, "environ", environment)
    assert Colours(out).are_on == are_on


def test_on_a_terminal_only_what_differs_is_in_colour(monkeypatch: pytest.MonkeyPatch, made: Path) -> None:
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    assert cli.main(["show", str(made), "--diff"]) == 0
    assert '{"reasoning\x1b[31m_content\x1b[0m": "Hm"}' in out.getvalue()


def test_the_text_of_others_gives_the_terminal_no_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    raw = stream(chunk({"content": "\x1b[2Jgone \u202e"}))
    path = write_flows(tmp_path / "a.flow", exchange(raw))
    out = show(capsys, path)
    assert "\x1b" not in out
    assert "  content   \\x1b[2Jgone \\u202e\n" in out
    assert printable("a\tb\nc") == "a\tb\nc"
