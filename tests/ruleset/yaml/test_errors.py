"""What the YAML reader complains of, in words that say what to do, at the place where it is to be done."""

from pathlib import Path

import pytest

from thinkwire.ruleset.problem import Code, Problem, Source
from thinkwire.ruleset.yaml.errors import OTHERWISE, WORDINGS
from thinkwire.ruleset.yaml.tree import parse

BROKEN = {
    "mapping values are not allowed": "a: b: c\n",
    "could not find expected ':'": "a: 1\nb\nc: 2\n",
    "but found '?'": "- a\nb: 1\n",
    "expected <block end>": 'a: "b" c\n',
    "expected ',' or ']'": "a: [b\nc: 1\n",
    "expected ',' or '}'": "a: {b: 1\nc: 1\n",
    "unexpected end of stream": 'a: "b\n',
    "unknown escape character": 'a: "\\q"\n',
    "that cannot start any token": "a: @b\n",
    "expected the node content": "a: [b,,c]\n",
    "special characters are not allowed": "a: \x07\n",
}
"""A text for each complaint."""


def problem_of(text: str) -> Problem:
    _, (problem,) = parse(Source(Path("rules.yaml"), text))
    return problem


def test_there_is_a_text_for_every_complaint() -> None:
    assert BROKEN.keys() == {fragment for fragment, _, _ in WORDINGS}


@pytest.mark.parametrize(("fragment", "message", "hint"), WORDINGS)
def test_each_complaint_has_its_words(fragment: str, message: str, hint: str) -> None:
    problem = problem_of(BROKEN[fragment])
    assert (problem.code, problem.message, problem.hint) == (Code.SYNTAX, message, hint)


def test_a_tab_has_a_code_of_its_own() -> None:
    assert problem_of("a:\n\tb: 1\n").code is Code.TAB


@pytest.mark.parametrize("text", ["%YAML 3.0\n---\na: 1\n", "a: &\n"])
def test_any_other_complaint_is_called_invalid(text: str) -> None:
    problem = problem_of(text)
    assert (problem.message, problem.hint) == OTHERWISE


@pytest.mark.parametrize(
    ("text", "line", "col"),
    [('a: 1\nb: "c\n\n\n', 2, 4), ("a: [b,\n   c\n", 1, 4), ("a: 1\nb: c: d\n", 2, 5), ("a: \x07", 1, 4)],
    ids=["the open quote", "the open bracket", "the second colon", "the character"],
)
def test_it_is_shown_where_it_is_to_be_mended(text: str, line: int, col: int) -> None:
    problem = problem_of(text)
    assert (problem.line, problem.col) == (line, col)
