"""The keys of a test of rules."""

from typing import Any

import pytest
from pydantic import ValidationError

from thinkwire.ruleset.model.rule_test import Expectation, RuleTestModel

LEAST = {"id": "one", "recording": "a.flow"}


def test_what_is_not_given_can_be_seen() -> None:
    """An empty list of rules is expected; a list that is not there is not looked at."""
    assert "rules" not in RuleTestModel.model_validate(LEAST).model_fields_set
    assert "rules" in RuleTestModel.model_validate(LEAST | {"rules": []}).model_fields_set


def test_with_is_the_key_of_what_differs() -> None:
    model = RuleTestModel.model_validate(LEAST | {"with": {"host": "h", "body": {"messages.0.content": [1]}}})
    assert (model.overrides.host, model.overrides.body) == ("h", {"messages.0.content": [1]})
    with pytest.raises(ValidationError):
        RuleTestModel.model_validate(LEAST | {"overrides": {"host": "h"}})


@pytest.mark.parametrize(
    "more",
    [
        {"flow": 0},
        {"with": {}},
        {"with": {"header": {}}},
        {"without": []},
        {"without": ["a", "a"]},
        {"rules": ["a", "a"]},
        {"rules": ["Not an id"]},
        {"expect": {}},
        {"expect": {"status": 99}},
        {"expect": {"request": {}}},
        {"expect": {"request": {"body": {"a": {"b": 1}}}}},
        {"expect": {"present": ["choices.*.delta"]}},
    ],
)
def test_what_would_say_nothing_or_could_not_hold_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RuleTestModel.model_validate(LEAST | more)


def test_no_reasoning_is_an_expectation() -> None:
    assert Expectation.model_validate({"reasoning": ""}).model_fields_set == {"reasoning"}
