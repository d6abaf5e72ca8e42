"""What the table of settings promises: nothing that a setting needs can be forgotten without a test that says so."""

import ast
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tests.ruleset.loading import load_file, request, rules
from thinkwire.rewrite.plan import RequestPlan, ResponsePlan
from thinkwire.ruleset.model.rule_file import json_schema
from thinkwire.ruleset.settings.setting import Setting, Side
from thinkwire.ruleset.settings.table import SETTINGS

PLANS: dict[Side, Any] = {Side.REQUEST: RequestPlan, Side.RESPONSE: ResponsePlan}
PACKAGE = Path(__file__).parents[3] / "addons" / "thinkwire"
EVERYTHING = Path(__file__).parents[1] / "good" / "everything.yaml"
ACTING = ("rewrite", "exchange", "proxy")
"""The layers that do what a plan says."""

OF_A_PLAN = re.compile(r"plan(\.request|\.response)?$")

each_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.full_name)


@pytest.mark.parametrize("side", Side)
def test_each_field_of_the_plan_is_a_setting_and_the_reverse(side: Side) -> None:
    names = Counter(one.name for one in SETTINGS if one.side is side)
    assert names == Counter(field.name for field in fields(PLANS[side]))


@each_setting
def test_each_setting_has_the_default_of_the_plan(setting: Setting[Any]) -> None:
    default = getattr(PLANS[setting.side](), setting.name)
    assert setting.default == (default or None if setting.name in ("remove", "set") else default)
    assert isinstance(setting.spell(setting.default), str)


@each_setting
def test_each_setting_is_tried_and_arrives_in_the_plan_as_explain_spells_it(
    setting: Setting[Any], tmp_path: Path
) -> None:
    loaded = load_file(EVERYTHING)
    assert loaded.ruleset is not None
    values = [one for rule in loaded.ruleset.rules for one in rule.values if one.setting is setting]
    assert values, f"put {setting.full_name} into good/everything.yaml"
    for value in values:
        written = f"[{'.'.join(value.path)}]" if setting.name == "remove" else value.text
        written = f"{{{'.'.join(value.path)}: {written}}}" if setting.name == "set" else written
        text = f"  - {{id: one, {setting.side}: {{{setting.name}: {written}}}}}\n"
        ruleset = rules(tmp_path, text)
        plan = getattr(ruleset.choose(request()).plan, setting.side)
        (again,) = ruleset.rules[0].values
        assert (again.value, again.text) == (value.value, value.text)
        held = getattr(plan, setting.name)
        assert held == {"remove": (value.path,), "set": ((value.path, value.value),)}.get(setting.name, value.value)
        assert value.name in ruleset.explain(request())


@each_setting
def test_each_setting_is_a_described_key_of_the_schema(setting: Setting[Any]) -> None:
    model = json_schema()["$defs"][setting.side.capitalize()]
    assert model["properties"][setting.name]["description"] == setting.description


@each_setting
def test_each_setting_is_read_by_what_acts_on_it(setting: Setting[Any]) -> None:
    read = {
        node.attr
        for layer in ACTING
        for file in (PACKAGE / layer).rglob("*.py")
        if file.name != "plan.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and OF_A_PLAN.search(ast.unparse(node.value))
    }
    own = "drops_unreadable" if setting.name == "on_error" else setting.name  # which knows the default under strip
    assert own in read, f"nothing does what {setting.full_name} says"


def test_on_error_and_keepalive_have_defaults_that_fit_the_action(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - id: a\n    when: {model: a}\n    response: {reasoning: strip}\n")
    plan = ruleset.choose(request(model="a")).plan.response
    other = ruleset.choose(request(model="b")).plan.response
    assert (plan.drops_unreadable, plan.keepalive) == (True, 10.0)
    assert (other.drops_unreadable, other.keepalive) == (False, 10.0)
