"""Loading: includes, order, files to watch, tests."""

from pathlib import Path

import pytest

from tests.ruleset.loading import ONE, ids, load_file, load_text, write
from thinkwire.ruleset.problem import Code


def test_included_rules_come_after_our_own_and_in_the_order_of_the_includes(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main="version: 1\ninclude: [b.yaml, a.yaml]\n" + ONE.format(id="own").removeprefix("version: 1\n"),
        a=ONE.format(id="a"),
        b="include: [c.yaml]\n" + ONE.format(id="b"),
        c=ONE.format(id="c"),
    )
    assert ids(main) == ["own", "b", "c", "a"]


def test_a_file_included_twice_counts_once(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main="version: 1\ninclude: [a.yaml, b.yaml, ./a.yaml]\n",
        a="version: 1\ninclude: [c.yaml]\n",
        b="version: 1\ninclude: [c.yaml]\n",
        c=ONE.format(id="c"),
    )
    assert ids(main) == ["c"]


def test_a_bare_name_is_a_shipped_file_and_a_path_is_relative_to_the_including_file(tmp_path: Path) -> None:
    (tmp_path / "shipped").mkdir()
    (tmp_path / "shipped" / "a.yaml").write_text(ONE.format(id="shipped"))
    (tmp_path / "deeper").mkdir()
    write(tmp_path / "deeper", inner="version: 1\ninclude: [a.yaml]\n", a=ONE.format(id="beside"))
    main = write(tmp_path, main="version: 1\ninclude: [a, deeper/inner.yaml]\n")
    assert ids(main, shipped=tmp_path / "shipped") == ["shipped", "beside"]


def test_files_lists_what_was_read_and_what_was_looked_for(tmp_path: Path) -> None:
    main = write(tmp_path, main="version: 1\ninclude: [a.yaml, gone.yaml]\n", a="version: [\n")
    assert load_file(main).files == (main, tmp_path / "a.yaml", tmp_path / "gone.yaml")


def test_a_missing_rule_file_is_a_problem_and_is_watched(tmp_path: Path) -> None:
    loaded = load_file(tmp_path / "none.yaml")
    assert [problem.code for problem in loaded.problems] == [Code.UNREADABLE]
    assert loaded.files == (tmp_path / "none.yaml",)
    assert loaded.ruleset is None


@pytest.mark.parametrize("name", ["a\\0b.yaml", "x" * 5000 + ".yaml", "/"])
def test_an_include_that_no_system_could_open_is_a_problem(tmp_path: Path, name: str) -> None:
    loaded = load_text(tmp_path, f'version: 1\ninclude: ["{name}"]\n')
    assert [(problem.code, problem.line) for problem in loaded.problems] == [(Code.UNREADABLE, 2)]


def test_a_file_that_may_not_be_read_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Made up, because tests may run as a user who may read everything.
    def refuse(path: Path) -> bytes:
        raise PermissionError(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    (problem,) = load_file(tmp_path / "rules.yaml").problems
    assert (problem.code, problem.message) == (Code.UNREADABLE, "this file may not be read")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", Code.EMPTY_FILE),
        ("---\n", Code.EMPTY_FILE),
        ("~\n", Code.NULL),
        ("text\n", Code.WRONG_TYPE),
        ('a: "\\UFFFFFFFF"', Code.SYNTAX),
        ("a: \x07", Code.SYNTAX),
        ("%YAML 3.0\n---\nversion: 1\n", Code.SYNTAX),
        ("version: 1\n---\n", Code.SEVERAL_DOCUMENTS),
    ],
)
def test_a_file_that_is_no_mapping_has_one_problem(tmp_path: Path, text: str, code: Code) -> None:
    assert [problem.code for problem in load_text(tmp_path, text).problems] == [code]


def test_problems_of_all_files_come_at_once_in_order(tmp_path: Path) -> None:
    main = write(tmp_path, main="version: 1\ninclude: [a.yaml, nope]\nrule: []\n", a="version: 1\nrules: {}\n")
    found = [(problem.file.name, problem.line, problem.code.value) for problem in load_file(main).problems]
    assert found == [("a.yaml", 2, "wrong-type"), ("main.yaml", 2, "missing-include"), ("main.yaml", 3, "unknown-key")]


def test_an_id_that_two_files_share_is_reported_in_the_including_one(tmp_path: Path) -> None:
    main = write(tmp_path, main="include: [a.yaml]\n" + ONE.format(id="same"), a=ONE.format(id="same"))
    (problem,) = load_file(main).problems
    assert (problem.code, problem.file, problem.line, problem.col) == (Code.DUPLICATE_ID, main, 4, 9)


def test_a_rule_file_without_rules_is_fine(tmp_path: Path) -> None:
    assert load_text(tmp_path, "version: 1\n").problems == ()


TESTS = "tests:\n  - {{id: {id}, recording: {recording}, rules: [{rule}]}}\n"


def test_the_tests_are_those_of_the_file_itself_and_need_no_recording_to_be_there(tmp_path: Path) -> None:
    own, included = (
        ONE.format(id=name) + TESTS.format(id="same-id", recording="../gone/b.flow", rule=name) for name in ("own", "a")
    )
    loaded = load_file(write(tmp_path, main=own.replace("rules:", "include: [a.yaml]\nrules:", 1), a=included))
    assert loaded.problems == ()
    (test,) = loaded.tests
    assert (test.id, test.line, test.expected.rules) == ("same-id", 7, ("own",))
    assert test.recording == tmp_path / "../gone/b.flow"
    assert loaded.files == (tmp_path / "main.yaml", tmp_path / "a.yaml")


def test_a_test_may_name_rules_of_included_files(tmp_path: Path) -> None:
    text = "version: 1\ninclude: [default]\n" + TESTS.format(id="one", recording="a.flow", rule="default-hide")
    assert load_text(tmp_path, text).problems == ()


def test_a_mistake_in_the_tests_of_an_included_file_is_one_of_the_ruleset(tmp_path: Path) -> None:
    included = ONE.format(id="a") + TESTS.format(id="one", recording="a.flow", rule="b")
    loaded = load_file(write(tmp_path, main="version: 1\ninclude: [a.yaml]\n", a=included))
    assert [problem.code for problem in loaded.problems] == [Code.UNKNOWN_RULE]
    assert (loaded.ruleset, loaded.tests) == (None, ())
