"""A test of a rule file as plain data: what is given is expected, and what is not given is not looked at."""

from pathlib import Path
from typing import Any

import pytest

from thinkwire.ruleset.model.rule_test import RuleTestModel
from thinkwire.ruleset.rule_tests.expected import Expected, RuleTest, compile_test
from thinkwire.ruleset.rule_tests.overrides import RequestOverrides

FILE = Path("rules") / "a.yaml"


def compiled(**members: Any) -> RuleTest:
    return compile_test(RuleTestModel.model_validate({"id": "one", "recording": "b.flow", **members}), FILE, 7)


def test_the_recording_is_relative_to_the_file() -> None:
    test = compiled()
    assert (test.id, test.file, test.line, test.recording) == ("one", FILE, 7, Path("rules") / "b.flow")


def test_nothing_given_is_the_last_exchange_as_it_was_and_nothing_expected() -> None:
    test = compiled()
    assert (test.flow, test.overrides, test.expected) == (None, RequestOverrides(), Expected())


def test_an_exchange_is_counted_from_1() -> None:
    assert compiled(flow=1).flow == 1


def test_empty_values_are_expected_ones() -> None:
    assert compiled(rules=[]).expected == Expected(rules=())
    assert compiled(expect={"reasoning": ""}).expected == Expected(reasoning="")
    assert compiled(**{"with": {"host": ""}}).overrides == RequestOverrides(host="")


def test_paths_are_taken_apart() -> None:
    expect = {
        "present": ["delta.reasoning"],
        "absent": ["thinking"],
        "request": {"present": ["a.b"], "absent": ["c"], "body": {"messages.1.content": "x*"}},
    }
    assert compiled(expect=expect).expected == Expected(
        present=(("delta", "reasoning"),),
        absent=(("thinking",),),
        request_present=(("a", "b"),),
        request_absent=(("c",),),
        request_body=((("messages", "1", "content"), "x*"),),
    )


def test_what_differs_from_the_recording_is_set_added_or_removed() -> None:
    given = {"path": "/v1", "header": {"x-case": "a"}, "body": {"messages.0.n": 1}}
    assert compiled(**{"with": given}, without=["messages.1.reasoning"]).overrides == RequestOverrides(
        path="/v1",
        headers=(("x-case", "a"),),
        set=((("messages", "0", "n"), 1),),
        remove=(("messages", "1", "reasoning"),),
    )


@pytest.mark.parametrize(
    ("expect", "looks"),
    [({"status": 200}, False), ({"request": {"absent": ["a"]}}, True), ({"request": {"body": {"a": 1}}}, True)],
)
def test_the_request_is_looked_at_only_if_something_of_it_is_expected(expect: dict[str, Any], looks: bool) -> None:
    assert compiled(expect=expect).expected.looks_at_request == looks
