"""`thinkwire explain`: requests from a file, from standard input, from options."""

import io
import sys
from pathlib import Path

import pytest

from thinkwire.cli import main as cli

RULES = Path(__file__).parents[2] / "rules"
BAD = Path(__file__).parents[1] / "ruleset" / "bad"
REQUEST = '{"model": "deepseek-chat", "stream": true, "include_reasoning": false}'


@pytest.fixture
def body(tmp_path: Path) -> str:
    path = tmp_path / "request.json"
    path.write_text(REQUEST)
    return str(path)


def test_explain_reads_the_request_from_a_file(body: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = RULES / "default.yaml"
    arguments = ["explain", str(path), "--host", "api.deepseek.com", "--path", "/chat/completions?x=1", "--body", body]
    assert cli.main(arguments) == 0
    out, _ = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == (
        "POST api.deepseek.com/chat/completions (dialect chat-completions, model deepseek-chat, stream)"
    )
    assert f"response.reasoning = strip        default-hide ({path}:17)" in lines
    assert f"request.restore = true            default-hide ({path}:17)" in lines
    assert f"  default-rename ({path}:30)" in lines


def test_explain_reads_the_request_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(REQUEST.encode())))
    assert cli.main(["explain", str(RULES / "both.yaml"), "--request", "-"]) == 0
    assert "response.reasoning = strip        both-hide" in capsys.readouterr().out


def test_explain_takes_headers_and_needs_no_body(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", str(RULES / "default.yaml"), "--header", "X-Thinkwire: strip"]) == 0
    out, _ = capsys.readouterr()
    assert "response.reasoning = strip  default-hide" in out
    assert "body include_reasoning is absent, wanted false" in out


def test_explain_asks_filters_about_the_request(tmp_path: Path, body: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rules.yaml"
    when = "{filter: '~u secret=1 & ~m PUT & ~hq x-a & ~bq deepseek & ~d api.example'}"
    path.write_text(f"version: 1\nrules:\n  - id: a\n    when: {when}\n    response: {{reasoning: strip}}\n")
    request = ["--host", "api.example", "--path", "/x?secret=1", "--method", "PUT", "--header", "x-a:1", "--body", body]
    assert cli.main(["explain", str(path), *request]) == 0
    assert "response.reasoning = strip  a (" in capsys.readouterr().out


def test_explain_of_a_bad_file_prints_its_problems(capsys: pytest.CaptureFixture[str]) -> None:
    path = BAD / "empty.yaml"
    assert cli.main(["explain", str(path)]) == 1
    out, _ = capsys.readouterr()
    assert f"{path}:4:11: error: `when` is an empty mapping [empty]" in out
    assert out.endswith(f"{path}: 1 error\n")
