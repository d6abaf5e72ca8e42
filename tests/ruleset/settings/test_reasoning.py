"""`reasoning` of a rule: what each form means, and how it is spelled."""

from pathlib import Path

import pytest

from tests.ruleset.loading import request, rules
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.plan import Inline, Rename, ResponsePlan

THINK = FAMILIES["think"]


@pytest.mark.parametrize("value", ["inline", "{inline: {}}", "{inline: {family: think}}"])
def test_reasoning_is_inlined_between_the_tags_of_think_unless_another_family_is_named(
    tmp_path: Path, value: str
) -> None:
    ruleset = rules(tmp_path, f"  - {{id: a, response: {{reasoning: {value}}}}}\n")
    assert ruleset.choose(request()).plan.response == ResponsePlan(Inline(THINK))


def test_one_name_and_a_list_of_one_name_are_the_same_rename(tmp_path: Path) -> None:
    ruleset = rules(
        tmp_path,
        "  - id: a\n    when: {model: a}\n    response: {reasoning: {rename: thinking}}\n"
        "  - id: b\n    response: {reasoning: {rename: [thinking]}}\n",
    )
    for model in "ab":
        assert ruleset.choose(request(model=model)).plan.response.reasoning == Rename(("thinking",))


def test_actions_are_spelled_as_in_a_rule_file(tmp_path: Path) -> None:
    ruleset = rules(
        tmp_path,
        """
  - {id: a, when: {model: a}, response: {reasoning: {strip: {token_metadata: all}}}}
  - {id: b, when: {model: b}, response: {reasoning: {rename: [reasoning, thinking]}}}
  - {id: c, when: {model: c}, response: {reasoning: {rename: thinking}}}
  - {id: d, when: {model: d}, response: {reasoning: {inline: {family: think}}}}
  - {id: e, when: {model: e}, response: {reasoning: {inline: {family: magistral}}}}
  - {id: f, when: {model: f}, response: {extract: [think]}}
  - {id: g, when: {model: g}, response: {extract: {starts_inside: true, family: kimi-k3}}}
  - {id: h, when: {model: h}, response: {extract: [{family: think}, {tags: [[◁, "</a>"]], where: anywhere}, gemma]}}
""",
    )
    actions = [ruleset.explain(request(model=model)).splitlines()[2].partition("  ")[0] for model in "abcdefgh"]
    assert actions == [
        "response.reasoning = {strip: {token_metadata: all, opaque: drop}}",
        "response.reasoning = {rename: [reasoning, thinking]}",
        "response.reasoning = {rename: thinking}",
        "response.reasoning = inline",
        "response.reasoning = {inline: {family: magistral}}",
        "response.extract = think",
        "response.extract = {family: kimi-k3, starts_inside: true}",
        'response.extract = [{family: think}, {tags: [["◁", "</a>"]], where: anywhere}, gemma]',
    ]
