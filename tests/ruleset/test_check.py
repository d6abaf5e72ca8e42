"""One file per way of being wrong, `bad/CODE.yaml` or `bad/CODE.more.yaml`; its report is the `.txt` beside it."""

from pathlib import Path

import pytest

from tests.ruleset.loading import load_file
from thinkwire.ruleset.problem import WARNINGS, Code, render

BAD = Path(__file__).parent / "bad"
FILES = sorted(BAD.glob("*.yaml"))


def code_of(path: Path) -> str:
    return path.name.partition(".")[0]


def test_every_code_has_a_bad_file() -> None:
    assert {code_of(path) for path in FILES} == {code.value for code in Code}


def test_every_bad_file_has_a_report_and_every_report_a_bad_file() -> None:
    assert {path.stem for path in FILES} == {path.stem for path in BAD.glob("*.txt")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_report_of_bad_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    loaded = load_file(Path(path.name), shipped=Path("../../../rules"))
    report = "\n\n".join(map(render, loaded.problems)) + "\n"
    assert report == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_bad_file_has_its_own_problem_and_no_ruleset_if_that_is_an_error(path: Path) -> None:
    loaded = load_file(path)
    assert code_of(path) in {problem.code for problem in loaded.problems}
    assert (loaded.ruleset is None) == (Code(code_of(path)) not in WARNINGS)
