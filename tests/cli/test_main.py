"""The command line as a whole: exit codes, and outputs that are closed, full or gone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from thinkwire.cli import main as cli
from thinkwire.cli import schema

RULES = Path(__file__).parents[2] / "rules"
BAD = Path(__file__).parents[1] / "ruleset" / "bad"


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


def test_help_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    assert "check" in capsys.readouterr().out


def fail(*_: object, **__: object) -> None:
    raise KeyError("oh")


def test_a_bug_of_ours_asks_for_a_report_without_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("THINKWIRE_DEBUG", raising=False)
    monkeypatch.setattr(schema, "json_schema", fail)
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
    monkeypatch.setattr(schema, "json_schema", fail)
    assert cli.main(["schema"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_answers_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(schema, "json_schema", interrupt)
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
