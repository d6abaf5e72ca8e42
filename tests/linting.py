"""Recordings that are linted, and what was found in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.flows import write_flows
from tests.rewrite.answers import chunk, stream
from thinkwire.cli import main as cli

USAGE: dict[str, Any] = {"choices": [], "usage": {"total_tokens": 3}}
END = chunk(finish_reason="stop")
GOOD = stream(chunk({"reasoning": "Hm"}), chunk({"content": "Hi"}), END, USAGE)


def lint(path: Path, *flows: Any, arguments: tuple[str, ...] = ()) -> tuple[int, list[dict[str, Any]]]:
    """The exit code, and what was found."""
    file = write_flows(path / "a.flow", *flows)
    with pytest.MonkeyPatch.context() as patch:
        lines: list[str] = []
        patch.setattr("builtins.print", lambda line, **_: lines.append(line))
        code = cli.main(["lint", str(file), "--json", *arguments])
    return code, [json.loads(line) for line in lines]


def found(path: Path, *flows: Any, arguments: tuple[str, ...] = ()) -> list[tuple[str, str, int | None]]:
    code, lines = lint(path, *flows, arguments=arguments)
    assert code == any(line["level"] == "problem" for line in lines)
    return [(line["rule"], line["level"], line["event"]) for line in lines]
