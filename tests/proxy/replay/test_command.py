"""The mitmdump that `thinkwire replay` starts; `e2e/test_replay_command.py` starts it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from mitmproxy.tools import main

from tests.flows import recorded_flow
from thinkwire.proxy.replay.command import ReplaySettings, replay
from thinkwire.proxy.replay.recordings import ReplayExchange


def arguments(monkeypatch: pytest.MonkeyPatch, url: str, settings: ReplaySettings) -> list[str]:
    """The arguments that mitmdump gets."""
    given: list[str] = []
    monkeypatch.setattr(main, "run", lambda _make, _parser, words: given.extend(words))
    recorded = ReplayExchange("a.flow", 1, recorded_flow(url=url), None, 0.0, breaks_off=True)
    assert replay(settings, recorded)
    return given


@pytest.mark.parametrize(
    ("url", "mode"),
    [
        ("https://api.example/v1", "reverse:https://api.example:443"),
        ("http://[::1]:8080/v1", "reverse:http://[::1]:8080"),
    ],
)
def test_it_stands_in_for_the_recorded_provider(monkeypatch: pytest.MonkeyPatch, url: str, mode: str) -> None:
    given = arguments(monkeypatch, url, ReplaySettings(["a.flow"], 0, "1", None))
    assert given[given.index("--mode") + 1] == mode
    assert given[given.index("--listen-host") + 1] == "127.0.0.1"


def test_settings_become_options(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ReplaySettings(["a.flow", "b.har"], 0, "2", Path("r.yaml"), ["split=7"])
    given = arguments(monkeypatch, "http://h/", settings)
    options = [value for name, value in pairwise(given) if name == "--set"]
    assert options == [
        *("thinkwire_replay=a.flow", "thinkwire_replay=b.har", "thinkwire_fault=split=7"),
        *("thinkwire_replay_speed=2", "flow_detail=0", "thinkwire_rules=r.yaml"),
    ]


@pytest.mark.parametrize(("code", "expected"), [(0, True), (None, True), (1, False)])
def test_a_mitmdump_that_ends_with_an_error_could_not_run(
    monkeypatch: pytest.MonkeyPatch, code: Any, expected: bool
) -> None:
    def end(*_: object) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(main, "run", end)
    recorded = ReplayExchange("a.flow", 1, recorded_flow(), None, 0.0, breaks_off=True)
    assert replay(ReplaySettings(["a.flow"], 0, "1", None), recorded) == expected
