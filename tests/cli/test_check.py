"""`thinkwire check`: every problem, and the exit code."""

from pathlib import Path

import pytest

from thinkwire.cli import main as cli

RULES = Path(__file__).parents[2] / "rules"
BAD = Path(__file__).parents[1] / "ruleset" / "bad"


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
