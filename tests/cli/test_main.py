"""The command line: what it prints, and its exit codes."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from thinkwire.cli import main as cli
from thinkwire.ruleset.model.rule_file import json_schema

RULES = Path(__file__).parents[2] / "rules"
BAD = Path(__file__).parents[1] / "ruleset" / "bad"
REQUEST = '{"model": "deepseek-chat", "stream": true, "include_reasoning": false}'


@pytest.fixture
def body(tmp_path: Path) -> str:
    path = tmp_path / "request.json"
    path.write_text(REQUEST)
    return str(path)


def test_check_of_a_good_file_is_one_line_and_clean(capsys: pytest.CaptureFixture[str]) -> None:
    path = RULES / "default.yaml"
    assert cli.main(["check", str(path)]) == 0
    assert capsys.readouterr() == (f"{path}: 3 rules, no problems\n", "")


def test_check_prints_every_problem_and_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    path = BAD / "unknown-key.yaml"
    assert cli.main(["check", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out.count(": error: ") == 4
    assert f"{path}:4:12: error: `hots`" in out
    assert out.endswith(f"\n\n{path}: 4 errors\n")
    assert err == ""


def test_warnings_alone_are_printed_and_clean(capsys: pytest.CaptureFixture[str]) -> None:
    path = BAD / "undoes-strip.yaml"
    assert cli.main(["check", str(path)]) == 0
    out, _ = capsys.readouterr()
    assert "warning: " in out
    assert out.endswith(f"{path}: 4 rules, 1 warning\n")


def test_check_of_several_files_answers_the_worst_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, gone = RULES / "strip.yaml", BAD / "null.yaml", BAD / "none.yaml"
    assert cli.main(["check", str(bad), str(good)]) == 1
    assert cli.main(["check", str(gone), str(bad), str(good)]) == 2
    out, err = capsys.readouterr()
    assert out.count(f"{good}: 4 rules, no problems\n") == 2
    assert err == f"thinkwire: cannot read {gone}: no such file or directory\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["check"],
        ["nosuch"],
        ["check", str(RULES)],
        ["explain", "none.yaml"],
        ["explain", str(RULES / "default.yaml"), "--body", "none.json"],
        ["explain", str(RULES / "default.yaml"), "--body", str(RULES / "default.yaml")],
        ["explain", str(RULES / "default.yaml"), "--header", "no-colon"],
        ["schema", "unexpected"],
    ],
    ids=" ".join,
)
def test_what_cannot_run_answers_2_and_says_why(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err
    assert "Traceback" not in err


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


def test_schema_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json_schema()


def test_help_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    assert "check" in capsys.readouterr().out


def fail(*_: object, **__: object) -> None:
    raise KeyError("oh")


def test_a_bug_of_ours_asks_for_a_report_without_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("THINKWIRE_DEBUG", raising=False)
    monkeypatch.setattr(cli, "json_schema", fail)
    assert cli.main(["schema"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "bug in thinkwire" in err
    assert "KeyError: 'oh'" in err
    assert "report" in err
    assert "Traceback" not in err


def test_a_bug_of_ours_shows_where_it_happened_if_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("THINKWIRE_DEBUG", "1")
    monkeypatch.setattr(cli, "json_schema", fail)
    assert cli.main(["schema"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_answers_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "json_schema", interrupt)
    assert cli.main(["schema"]) == 130


def run_thinkwire(*arguments: str, **options: object) -> "subprocess.CompletedProcess[str]":
    code = "import sys; from thinkwire.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, text=True, stderr=subprocess.PIPE, check=False, **options)  # type: ignore[call-overload,no-any-return]


def test_the_exit_code_reaches_the_shell() -> None:
    done = run_thinkwire("check", str(BAD / "tab.yaml"), stdout=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stdout.endswith("tab.yaml: 1 error\n")
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_reason_for_a_traceback() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = run_thinkwire("schema", stdout=write_end)
    os.close(write_end)
    assert done.stderr == ""
    assert done.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_full_disk_is_no_bug_of_ours() -> None:
    with open("/dev/full", "wb") as full:
        done = run_thinkwire("schema", stdout=full.fileno())
    assert done.stderr == "thinkwire: cannot write: no space left on device\n"
    assert done.returncode == 2


@pytest.mark.parametrize("arguments", [["check", "rules/strip.yaml"], ["show", "recordings/llamacpp-chat-body.flow"]])
def test_a_closed_output_is_no_bug(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RULES.parent)
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(arguments) == 0
