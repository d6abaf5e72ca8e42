"""Warnings: rules that can never decide anything, and rules that undo an included strip."""

from pathlib import Path

import pytest

from tests.ruleset.loading import ONE, load_file, load_text, write
from thinkwire.ruleset.problem import Code, Severity


def test_a_rule_of_an_included_file_that_an_own_rule_makes_superfluous_is_not_a_problem(tmp_path: Path) -> None:
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
def test_an_own_rule_that_undoes_an_included_strip_is_a_warning(tmp_path: Path, own: str, warned: bool) -> None:
    loaded = load_text(tmp_path, "version: 1\ninclude: [default]\nrules:\n" + own)
    assert [problem.code for problem in loaded.problems] == [Code.UNDOES_STRIP] * warned
    assert loaded.ruleset is not None
