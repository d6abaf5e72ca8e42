"""`thinkwire test`: verdicts, exit codes, and the report for CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows import exchange, write_flows
from tests.rewrite.answers import chunk, stream
from thinkwire.cli import main as cli
from thinkwire.cli import test as cli_test

GOOD = "{id: hides, recording: a.flow, rules: [hide], expect: {reasoning: ''}}"
BAD = "{id: shows, recording: a.flow, rules: [], expect: {reasoning: Hm, request: {absent: [model]}}}"
GONE = "{id: gone, recording: gone.flow, rules: [hide]}"


def write(name: str, *tests: str) -> str:
    lines = ["version: 1", "rules:", "  - {id: hide, response: {reasoning: strip}}"]
    lines += ["tests:", *(f"  - {test}" for test in tests)] if tests else []
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return name


def run(*arguments: str) -> int:
    return cli.main(["test", *arguments])


@pytest.mark.usefixtures("folder")
def test_a_test_that_passes_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("r.yaml", GOOD)) == 0
    assert capsys.readouterr() == ("ok      hides\nr.yaml: 1 test, all passed\n", "")


@pytest.mark.usefixtures("folder")
def test_a_test_that_fails_says_where_it_stands_and_what_came(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("r.yaml", GOOD, BAD)) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "ok      hides",
        "FAILED  shows (r.yaml:6)",
        "        rules",
        "          expected  none",
        "          got       hide",
        "        reasoning",
        '          expected  "Hm"',
        '          got       ""',
        "        request.absent",
        "          expected  no model",
        '          got       model: "m"',
        "r.yaml: 2 tests, 1 failed",
    ]
    assert err == ""


@pytest.mark.usefixtures("folder")
def test_what_the_log_would_say_stands_with_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    asked = "with: {path: /v1/chat/completions, header: {authorization: AWS4-HMAC-SHA256 SignedHeaders=host}}"
    test = f"{{id: signed, recording: a.flow, {asked}, expect: {{request: {{absent: [model]}}}}}}"
    text = Path(write("r.yaml", test)).read_text().replace("response:", "request: {remove: [model]}, response:")
    Path("r.yaml").write_text(text)
    assert run("r.yaml") == 1
    assert "        request left alone: it is signed (AWS SigV4)\n" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_a_test_that_cannot_run_keeps_no_other_from_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("r.yaml", GONE, GOOD, BAD)) == 2
    out, err = capsys.readouterr()
    assert out.startswith(
        "could not run  gone (r.yaml:5)\n        cannot read gone.flow: no such file or directory\nok      hides\n"
    )
    assert out.endswith("r.yaml: 3 tests, 1 failed, 1 could not run\n")
    assert err == ""


@pytest.mark.usefixtures("folder")
def test_several_files_answer_the_worst_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = write("good.yaml", GOOD), write("bad.yaml", BAD)
    assert run(good, good) == 0
    assert capsys.readouterr().out.endswith("2 files, 2 tests, all passed\n")
    assert run(bad, good) == 1
    assert capsys.readouterr().out.endswith("2 files, 2 tests, 1 failed\n")
    assert run("none.yaml", bad, good) == 2
    out, err = capsys.readouterr()
    assert out.endswith("good.yaml: 1 test, all passed\n3 files, 2 tests, 1 failed, 1 file could not be run\n")
    assert err == "thinkwire: cannot read none.yaml: no such file or directory\n"


@pytest.mark.usefixtures("folder")
def test_a_file_with_mistakes_shows_them_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    wrong, good = write("wrong.yaml", GOOD.replace("expect", "expects")), write("good.yaml", GOOD)
    assert run(wrong, good) == 1
    out, _ = capsys.readouterr()
    assert "wrong.yaml:5:51: error: `expects` is not a known key here [unknown-key]" in out
    assert "wrong.yaml: the rule file has errors, so its tests were not run\n" in out
    assert out.endswith("2 files, 1 test, all passed, 1 file could not be run\n")


@pytest.mark.usefixtures("folder")
def test_a_file_without_tests_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("r.yaml")) == 0
    assert capsys.readouterr() == ("r.yaml: no tests\n", "")


@pytest.mark.usefixtures("folder")
def test_only_runs_the_tests_whose_ids_fit(capsys: pytest.CaptureFixture[str]) -> None:
    both, other = write("r.yaml", GOOD, BAD), write("other.yaml", BAD)
    assert run(both, other, "--only", "h*s") == 0
    assert capsys.readouterr().out == "ok      hides\nr.yaml: 1 test, all passed\n2 files, 1 test, all passed\n"
    assert run(both, other, "--only", "hide") == 2
    assert capsys.readouterr() == ("", "thinkwire: no test is called `hide`\n")


@pytest.mark.usefixtures("folder")
def test_where_a_file_could_not_be_run_nobody_knows_which_tests_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write("wrong.yaml", GOOD.replace("expect", "expects")), "--only", "others") == 1
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("arguments", [[], ["r.yaml", "--junit", "no/such/folder.xml"], ["r.yaml", "--junit", "."]])
def test_what_cannot_run_answers_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    write("r.yaml", GOOD)
    assert run(*arguments) == 2
    assert "Traceback" not in (err := capsys.readouterr().err)
    assert err


@pytest.mark.usefixtures("folder")
def test_a_bug_answers_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object) -> None:
        raise KeyError("oh")

    monkeypatch.setattr(cli_test, "run_test", fail)
    assert run(write("r.yaml", GOOD)) == 3
    assert "this is a bug in thinkwire" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_recording_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    write_flows(Path("a.flow"), exchange(stream(chunk({"content": "\x1b[2J\u202e"}), chunk(finish_reason="stop"))))
    assert run(write("r.yaml", "{id: one, recording: a.flow, expect: {content: a}}")) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_nothing_is_logged_beside_the_verdicts(folder: Path) -> None:
    """As a program of its own, where nobody has set up logging: Python would print warnings by itself."""
    conflict = stream(chunk({"reasoning": "A", "reasoning_content": "B"}), chunk(finish_reason="stop"))
    write_flows(folder / "a.flow", exchange(conflict))
    rules = "version: 1\nrules: [{id: name, response: {reasoning: {rename: reasoning}}}]\n"
    Path("r.yaml").write_text(f"{rules}tests:\n  - {{id: one, recording: a.flow, expect: {{reasoning: B}}}}\n")
    command = "import sys; from thinkwire.cli.main import main; sys.exit(main(['test', 'r.yaml']))"
    environment = os.environ | {"PYTHONPATH": str(Path(cli.__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
