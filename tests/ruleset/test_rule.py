"""One rule: when it matches, why it does not, and what it sets."""

from pathlib import Path

from tests.ruleset.loading import request, rules
from thinkwire.rewrite.plan import Strip
from thinkwire.ruleset.rule import Rule
from thinkwire.ruleset.settings.table import HISTORY, REASONING

RULE = """
  - id: hide
    when: [{model: a, stream: true}, {model: b}]
    request: {remove: [user], restore: true}
    response: {reasoning: strip}
"""


def rule(folder: Path) -> Rule:
    (one,) = rules(folder, RULE).rules
    return one


def test_a_rule_matches_if_any_of_its_alternatives_holds(tmp_path: Path) -> None:
    one = rule(tmp_path)
    found = [one.matches(request(model=model, stream=stream), None) for model in "ab" for stream in (True, False)]
    assert found == [True, False, True, True]


def test_of_each_alternative_that_fails_the_first_failed_check_is_named(tmp_path: Path) -> None:
    failures = rule(tmp_path).failures(request(model="c", stream=True), None)
    assert [(check.name, check.wanted) for check in failures] == [("model", ('"a"',)), ("model", ('"b"',))]


def test_a_rule_lists_what_it_sets_with_members_of_the_body_last(tmp_path: Path) -> None:
    one = rule(tmp_path)
    assert [value.name for value in one.values] == ["request.restore", "response.reasoning", "request.remove user"]
    assert (one.value_of(REASONING), one.value_of(HISTORY)) == (Strip(), None)
    assert str(one.origin) == f"hide ({tmp_path / 'rules.yaml'}:4)"
