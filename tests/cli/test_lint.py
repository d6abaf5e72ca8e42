"""`thinkwire lint`: which exchanges are looked at, and what is printed of the findings."""

from pathlib import Path

import pytest

from tests.e2e.test_recordings import EXPECTED, FOLDER
from tests.flows import exchange, write_flows
from tests.linting import END, GOOD, USAGE, found, lint
from tests.rewrite.answers import chunk, stream
from thinkwire.cli import lint as cli_lint
from thinkwire.cli import main as cli
from thinkwire.rewrite.reading.lint import RULES


@pytest.mark.parametrize("name", EXPECTED)
def test_no_recording_has_a_problem(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert cli.main(["lint", str(FOLDER / f"{name}.flow")]) == 0
    assert "problem:" not in capsys.readouterr().out


def test_what_is_no_answer_of_a_model_is_not_looked_at(tmp_path: Path) -> None:
    page = exchange(b"{}", kind="application/json", url="http://other.test/", question={"a": 1})
    assert found(tmp_path, page) == []
    refused = exchange(b"{}", kind="application/json", status=429)
    assert found(tmp_path, refused) == [("refused", "note", None)]


def test_where_there_is_no_answer_to_read_that_is_said(tmp_path: Path) -> None:
    gone = exchange()
    assert gone.response is not None
    gone.response.raw_content = None
    assert found(tmp_path, gone) == [("not-kept", "note", None)]
    assert found(tmp_path, exchange(b"")) == [("empty", "problem", None)]
    assert found(tmp_path, exchange(b"<html>", kind="text/html")) == [("not-read", "note", None)]


def test_a_finding_is_a_line_with_its_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = stream(chunk({"content": "Hi\x1b"}), chunk({"reasoning": "Hm"}), END)
    path = write_flows(tmp_path / "a.flow", exchange(GOOD), exchange(bad))
    assert cli.main(["lint", str(path)]) == 1
    assert capsys.readouterr().out == (
        f"{path}: flow 2, event 2: problem: reasoning comes after the answer has begun, which clients show out of"
        f" place, or not at all [reasoning-after-answer]\n"
        f"{path}: flow 2: note: the answer has no usage [no-usage]\n"
        f"{path}: 2 exchanges, 1 problem, 1 note\n"
    )


def test_json_lines_say_the_same(tmp_path: Path) -> None:
    _, (line,) = lint(tmp_path, exchange(GOOD), exchange(stream(chunk({"content": "Hi"}), USAGE)))
    assert line == {
        "file": str(tmp_path / "a.flow"),
        "flow": 2,
        "event": None,
        "level": "problem",
        "rule": "no-finish-reason",
        "text": "there is no finish reason; clients may wait for one, or think that the answer was cut off",
    }


def test_a_damaged_file_is_a_problem_and_what_is_complete_is_looked_at(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write_flows(tmp_path / "a.flow", exchange(GOOD), exchange(GOOD))
    path.write_bytes(path.read_bytes()[:-10])
    assert cli.main(["lint", str(path)]) == 1
    assert "[damaged-file]\n" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["none.flow"], [], ["a.flow", "--gap", "0"], ["a.flow", "--gap", "x"]])
def test_what_cannot_run_answers_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert cli.main(["lint", *arguments]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_other_files_are_looked_at_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    good = FOLDER / "llamacpp-chat-stream.flow"
    assert cli.main(["lint", "none.flow", str(good)]) == 2
    assert capsys.readouterr() == (
        f"{good}: 1 exchange, no problems\n",
        "thinkwire: cannot read none.flow: no such file or directory\n",
    )


def test_a_bug_of_ours_answers_3(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("oh")

    monkeypatch.setattr(cli_lint, "findings", fail)
    assert cli.main(["lint", str(FOLDER / "llamacpp-chat-stream.flow")]) == 3
    assert "bug in thinkwire" in capsys.readouterr().err


def test_the_help_names_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lint", "--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in RULES)
