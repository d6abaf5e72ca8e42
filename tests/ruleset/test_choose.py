"""Choosing: each setting from the first matching rule that sets it; request members path by path."""

from pathlib import Path

import pytest

from tests.ruleset.loading import SHIPPED, load_file, request, rules
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.plan import (
    Extract,
    Inline,
    Keep,
    OnError,
    Opaque,
    Rename,
    RequestPlan,
    ResponsePlan,
    Strip,
    TokenMetadata,
)
from thinkwire.ruleset.choose import Selection

THINK = FAMILIES["think"]
A = [("<a>", "</a>")]
ASKING_TO_HIDE = [
    request({"include_reasoning": False}),
    request({"reasoning": {"exclude": True, "effort": "low"}}),
    request({}, headers=(("x-thinkwire", "strip"),)),
]


def decided(choice: Selection) -> dict[str, str]:
    return {decision.setting: decision.rule.id for decision in choice.decided}


def test_each_setting_comes_from_the_first_matching_rule_that_sets_it(tmp_path: Path) -> None:
    ruleset = rules(
        tmp_path,
        """
  - {id: other, when: {model: other}, response: {reasoning: keep, keepalive: 1, on_error: pass}}
  - {id: slow, response: {keepalive: 2.5}}
  - {id: hide, response: {reasoning: {strip: {token_metadata: all, opaque: keep}}, keepalive: 3}}
  - {id: late, response: {reasoning: keep, on_error: pass}}
""",
    )
    choice = ruleset.choose(request(model="mine"))
    assert choice.plan.response == ResponsePlan(Strip(TokenMetadata.ALL, Opaque.KEEP), OnError.PASS, 2.5)
    assert decided(choice) == {
        "response.keepalive": "slow",
        "response.reasoning": "hide",
        "response.on_error": "late",
    }
    assert [(rule.id, rule.line) for rule in choice.rules] == [("slow", 5), ("hide", 6), ("late", 7)]
    assert str(choice.rules[0]) == f"slow ({tmp_path / 'rules.yaml'}:5)"


def test_an_explicit_keep_counts_as_set(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - {id: a, response: {reasoning: keep}}\n  - {id: b, response: {reasoning: strip}}\n")
    choice = ruleset.choose(request())
    assert choice.plan.response == ResponsePlan(Keep())
    assert decided(choice) == {"response.reasoning": "a"}


def test_extract_is_chosen_by_itself(tmp_path: Path) -> None:
    ruleset = rules(
        tmp_path,
        """
  - {id: hide, when: {model: m}, response: {reasoning: strip}}
  - {id: tagged, when: {model: m}, response: {extract: gemma, reasoning: keep}}
  - {id: late, response: {extract: think, reasoning: {inline: {family: seed-oss}}}}
""",
    )
    choice = ruleset.choose(request(model="m"))
    assert choice.plan.response == ResponsePlan(Strip(), extract=Extract(FAMILIES["gemma"]))
    assert decided(choice) == {"response.reasoning": "hide", "response.extract": "tagged"}
    assert ruleset.choose(request(model="n")).plan.response == ResponsePlan(
        Inline(FAMILIES["seed-oss"]), extract=Extract(THINK)
    )


def test_nothing_matches_nothing_is_decided(tmp_path: Path) -> None:
    choice = rules(tmp_path, "  - {id: a, when: {model: x}, response: {reasoning: strip}}\n").choose(request())
    assert not choice.plan.response.changes
    assert (choice.decided, choice.rules) == ((), ())


def test_request_members_add_up_and_the_first_rule_wins_for_each_path(tmp_path: Path) -> None:
    ruleset = rules(
        tmp_path,
        """
  - {id: a, request: {remove: [user, reasoning.exclude], set: {top_p: 1.0}}}
  - {id: b, request: {remove: [top_p, seed], set: {user: "caf\u00e9", thinking.type: enabled, n: null}}}
""",
    )
    choice = ruleset.choose(request())
    assert choice.plan.request == RequestPlan(
        (("user",), ("reasoning", "exclude"), ("seed",)),
        ((("top_p",), "1.0"), (("thinking", "type"), '"enabled"'), (("n",), "null")),
    )
    assert decided(choice) == {
        "request.remove user": "a",
        "request.remove reasoning.exclude": "a",
        "request.set top_p": "a",
        "request.remove seed": "b",
        "request.set thinking.type": "b",
        "request.set n": "b",
    }


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("remove: [a]", "set: {a.b: 1}", RequestPlan((("a",),))),
        ("set: {a.b: 1}", "remove: [a]", RequestPlan((), ((("a", "b"), "1"),))),
        ("set: {a: {}}", "set: {a.b: 1}", RequestPlan((), ((("a",), "{}"),))),
        ("set: {a.b: 1}", "set: {a.c: 2}", RequestPlan((), ((("a", "b"), "1"), (("a", "c"), "2")))),
        ("set: {ab: 1}", "remove: [a]", RequestPlan((("a",),), ((("ab",), "1"),))),
    ],
)
def test_an_earlier_rule_wins_also_over_the_members_around_and_inside_its_own(
    tmp_path: Path, first: str, second: str, expected: RequestPlan
) -> None:
    ruleset = rules(tmp_path, f"  - {{id: a, request: {{{first}}}}}\n  - {{id: b, request: {{{second}}}}}\n")
    assert ruleset.choose(request()).plan.request == expected


def test_a_member_of_a_removed_member_is_not_removed_twice(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - {id: a, request: {remove: [a.b, c, c]}}\n  - {id: b, request: {remove: [a]}}\n")
    choice = ruleset.choose(request())
    assert choice.plan.request.remove == (("c",), ("a",))
    assert decided(choice) == {"request.remove a.b": "a", "request.remove c": "a", "request.remove a": "b"}


def test_equal_selections_share_one_plan(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - {id: a, when: {model: 'a*'}, response: {reasoning: strip}}\n")
    assert ruleset.choose(request(model="a1")).plan is ruleset.choose(request(model="a2")).plan


@pytest.mark.parametrize("name", ["default", "reasoning-content", "both", "strip", "think-tags"])
@pytest.mark.parametrize("facts", ASKING_TO_HIDE, ids=["parameter", "exclude", "header"])
def test_every_shipped_file_strips_for_those_who_ask(name: str, facts: RequestFacts) -> None:
    ruleset = load_file(SHIPPED / f"{name}.yaml").ruleset
    assert ruleset is not None
    response = ruleset.choose(facts).plan.response
    extract = Extract(THINK) if name == "think-tags" else None
    assert response == ResponsePlan(Strip(), extract=extract)


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("default", ("reasoning",)),
        ("reasoning-content", ("reasoning_content",)),
        ("both", ("reasoning", "reasoning_content")),
        ("think-tags", ("reasoning",)),
    ],
)
@pytest.mark.parametrize("body", [None, {"include_reasoning": True}, {"reasoning": {"exclude": False}}])
def test_shipped_files_rename_for_all_others_and_leave_their_request_alone(
    name: str, names: tuple[str, ...], body: object
) -> None:
    ruleset = load_file(SHIPPED / f"{name}.yaml").ruleset
    assert ruleset is not None
    plan = ruleset.choose(request(body, headers=(("x-thinkwire", "keep"),))).plan
    assert plan.response.reasoning == Rename(names)
    assert not plan.request.changes


@pytest.mark.parametrize("name", ["default", "reasoning-content", "both", "strip", "think-tags"])
def test_include_reasoning_is_removed_only_where_it_is_false(name: str) -> None:
    ruleset = load_file(SHIPPED / f"{name}.yaml").ruleset
    assert ruleset is not None
    removed = [ruleset.choose(request({"include_reasoning": value})).plan.request.remove for value in (False, True)]
    assert removed == [(("include_reasoning",),), ()]
    assert not ruleset.choose(ASKING_TO_HIDE[1]).plan.request.remove
