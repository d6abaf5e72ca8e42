"""Loading: includes, order, files to watch, and what YAML means here."""

from pathlib import Path

import pytest

from tests.ruleset.loading import SHIPPED, load_file, load_text, request, rules
from thinkwire.rewrite.plan import Keep, Rename, Strip
from thinkwire.ruleset.problem import Code, Severity

ONE = "version: 1\nrules:\n  - id: {id}\n    response: {{reasoning: strip}}\n"


def write(folder: Path, **texts: str) -> Path:
    """Files by stem; answers the one called main."""
    for stem, text in texts.items():
        (folder / f"{stem}.yaml").write_text(text, encoding="utf-8")
    return folder / "main.yaml"


def ids(path: Path, shipped: Path = SHIPPED) -> list[str]:
    loaded = load_file(path, shipped)
    assert loaded.ruleset is not None, loaded.problems
    return [rule.origin.id for rule in loaded.ruleset.rules]


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


def test_yes_and_on_are_text_also_where_the_file_claims_an_older_yaml(tmp_path: Path) -> None:
    text = (
        "%YAML 1.1\n---\nversion: 1\nrules:\n  - id: a\n    when: {body: {x: on}}\n    response: {reasoning: strip}\n"
    )
    ruleset = load_text(tmp_path, text).ruleset
    assert ruleset is not None
    assert ruleset.choose(request({"x": "on"})).plan.response.reasoning == Strip()
    assert ruleset.choose(request({"x": True})).plan.response.reasoning == Keep()


def test_keys_are_the_text_that_is_written(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - id: a\n    request: {set: {a: {1: x, 0x1F: y, true: z, null: n}}}\n")
    ((_, value),) = ruleset.choose(request()).plan.request.set
    assert value == '{"1": "x", "0x1F": "y", "true": "z", "null": "n"}'


def test_a_byte_order_mark_and_crlf_and_a_document_start_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_bytes(b"\xef\xbb\xbf---\r\n" + ONE.format(id="a").replace("\n", "\r\n").encode())
    assert ids(path) == ["a"]


def test_places_count_characters_and_lines_as_editors_do(tmp_path: Path) -> None:
    text = 'version: 1\r\n# \u2028 \N{NEXT LINE}\r\n"\u65e5\u672c": {"\U0001f600": 1}\r\n'
    (problem,) = load_text(tmp_path, text).problems
    assert (problem.line, problem.col, problem.length) == (3, 1, 4)


def test_a_rule_file_without_rules_is_fine(tmp_path: Path) -> None:
    assert load_text(tmp_path, "version: 1\n").problems == ()


def test_on_error_and_keepalive_have_defaults_that_fit_the_action(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - id: a\n    when: {model: a}\n    response: {reasoning: strip}\n")
    plan = ruleset.choose(request(model="a")).plan.response
    other = ruleset.choose(request(model="b")).plan.response
    assert (plan.drops_unreadable, plan.keepalive) == (True, 10.0)
    assert (other.drops_unreadable, other.keepalive) == (False, 10.0)


def test_one_name_and_a_list_of_one_name_are_the_same_rename(tmp_path: Path) -> None:
    ruleset = rules(
        tmp_path,
        "  - id: a\n    when: {model: a}\n    response: {reasoning: {rename: thinking}}\n"
        "  - id: b\n    response: {reasoning: {rename: [thinking]}}\n",
    )
    for model in "ab":
        assert ruleset.choose(request(model=model)).plan.response.reasoning == Rename(("thinking",))


def test_a_rule_of_an_included_file_that_ours_makes_superfluous_is_no_problem(tmp_path: Path) -> None:
    main = write(tmp_path, main="include: [a.yaml]\n" + ONE.format(id="own"), a=ONE.format(id="a"))
    assert load_file(main).problems == ()


def test_a_rule_with_the_same_conditions_as_earlier_ones_together_never_decides(tmp_path: Path) -> None:
    text = """version: 1
rules:
  - {id: a, when: {model: [x, y]}, response: {reasoning: strip}}
  - {id: b, when: {header: {X-A: "1"}}, response: {reasoning: keep}}
  - {id: c, when: [{header: {x-a: "1"}, stream: true}, {model: [x, y]}], response: {reasoning: keep}}
  - {id: d, when: [{header: {x-a: "1"}}, {model: x}], response: {reasoning: keep}}
  - {id: e, when: {model: [x, y]}, response: {reasoning: keep, keepalive: 1}}
"""
    found = [(problem.code, problem.line, problem.severity) for problem in load_text(tmp_path, text).problems]
    assert found == [(Code.NEVER_DECIDES, 5, Severity.WARNING)]


@pytest.mark.parametrize(
    ("own", "warned"),
    [
        ("  - {id: a, response: {reasoning: keep}}\n", True),
        ("  - {id: a, when: {model: x}, response: {reasoning: {rename: thinking}}}\n", True),
        ("  - {id: a, response: {reasoning: strip}}\n", False),
        ("  - {id: a, response: {reasoning: inline}}\n", True),
        ("  - {id: a, response: {on_error: drop}}\n", False),
        ("  - {id: a, response: {extract: think}}\n", False),
        (
            "  - id: h\n    when: [{header: {x-thinkwire: strip}}, {body: {include_reasoning: false}},"
            " {body: {reasoning.exclude: true}}]\n    response: {reasoning: strip}\n"
            "  - {id: a, response: {reasoning: keep}}\n",
            False,
        ),
    ],
)
def test_a_rule_of_ours_that_undoes_an_included_strip_is_a_warning(tmp_path: Path, own: str, warned: bool) -> None:
    loaded = load_text(tmp_path, "version: 1\ninclude: [default]\nrules:\n" + own)
    assert [problem.code for problem in loaded.problems] == [Code.UNDOES_STRIP] * warned
    assert loaded.ruleset is not None


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
