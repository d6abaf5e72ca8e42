"""The keys of a rule: conditions in every form that they may have, and the settings of each side."""

from typing import Any

import pytest
from pydantic import ValidationError

from thinkwire.ruleset.model.base import Mapping
from thinkwire.ruleset.model.rule import Condition, Request, Response, RuleModel
from thinkwire.ruleset.settings.setting import Side
from thinkwire.ruleset.settings.table import SETTINGS


@pytest.mark.parametrize(("model", "side"), [(Request, Side.REQUEST), (Response, Side.RESPONSE)])
def test_the_keys_of_a_side_are_its_settings(model: type[Mapping], side: Side) -> None:
    assert model.key_names() == [one.name for one in SETTINGS if one.side is side]


def test_a_rule_is_an_id_and_whatever_else_it_says() -> None:
    rule = RuleModel.model_validate({"id": "one"})
    assert (rule.when, rule.request.model_fields_set, rule.response.model_fields_set) == ([], set(), set())
    with pytest.raises(ValidationError, match="id"):
        RuleModel.model_validate({"response": {"reasoning": "strip"}})


@pytest.mark.parametrize("when", [{"host": "a"}, [{"host": "a"}, {"path": ["b", "c"]}]])
def test_a_condition_is_a_mapping_or_a_list_of_them(when: Any) -> None:
    assert RuleModel.model_validate({"id": "one", "when": when}).model_fields_set == {"id", "when"}


@pytest.mark.parametrize("when", [{}, [], [{}], "a", {"host": 1}, {"header": {}}, {"body": {"a": []}}, {"stream": "x"}])
def test_what_could_never_hold_or_always_would_is_refused(when: Any) -> None:
    with pytest.raises(ValidationError):
        RuleModel.model_validate({"id": "one", "when": when})


@pytest.mark.parametrize("value", ["a*", True, 1, 1.5, {"exists": False}, ["a", 1, {"exists": True}]])
def test_a_member_of_the_body_is_held_against_a_value_or_any_of_several(value: Any) -> None:
    Condition.model_validate({"body": {"a.b": value}})


@pytest.mark.parametrize("value", [None, {}, {"exists": "yes"}, {"exists": True, "more": 1}, [[]]])
def test_it_is_held_against_nothing_else(value: Any) -> None:
    with pytest.raises(ValidationError):
        Condition.model_validate({"body": {"a.b": value}})
