"""`fault` of a rule: what it means, how it is spelled, and which rule decides."""

from pathlib import Path

import pytest

from tests.ruleset.loading import load_text, request, rules
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First, Stall
from thinkwire.ruleset.settings.fault import spell_fault

ALL = Fault(First(429, 2), Stall(5, 2.5), None, 20, True, 7, True)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("none", NO_FAULT),
        ("{status_first: 503}", Fault(status_first=First(503))),
        ("{status_first: {status: 429, times: 2}}", Fault(status_first=First(429, 2))),
        ("{stall: {after: 0, seconds: 3}}", Fault(stall=Stall(0, 3.0))),
        ("{error_after: 0}", Fault(error_after=0)),
        ("{split: 7, drop_done: true}", Fault(split=7, drop_done=True)),
        (
            "{status_first: {status: 429, times: 2}, stall: {after: 5, seconds: 2.5}, cut_after: 20, split: 7, "
            "drop_done: true, live: true}",
            ALL,
        ),
    ],
)
def test_a_fault_is_read_from_a_rule_and_spelled_as_one_writes_it(tmp_path: Path, said: str, fault: Fault) -> None:
    text = f"  - id: one\n    response: {{fault: {said}}}\n"
    choice = rules(tmp_path, text).choose(request())
    assert choice.plan.response.fault == fault
    (decision,) = choice.decided
    again = rules(tmp_path, f"  - id: one\n    response: {{fault: {decision.value}}}\n").choose(request())
    assert again.plan.response.fault == fault
    assert decision.setting == "response.fault"


def test_the_first_rule_that_says_something_of_faults_decides(tmp_path: Path) -> None:
    ruleset = rules(
        tmp_path,
        "  - {id: never, when: {model: a}, response: {fault: none}}\n"
        "  - {id: cut, response: {fault: {cut_after: 20}}}\n",
    )
    assert ruleset.choose(request(model="a")).plan.response.fault == NO_FAULT
    assert ruleset.choose(request(model="b")).plan.response.fault == Fault(cut_after=20)
    assert "response.fault = {cut_after: 20}  cut (" in ruleset.explain(request(model="b"))
    assert (
        rules(tmp_path, "  - {id: x, response: {reasoning: keep}}\n").choose(request()).plan.response.fault == NO_FAULT
    )


def test_a_fault_alone_changes_nothing_of_the_reasoning(tmp_path: Path) -> None:
    plan = rules(tmp_path, "  - {id: cut, response: {fault: {cut_after: 20}}}\n").choose(request()).plan
    assert not plan.response.changes


def test_a_rule_whose_fault_was_set_before_never_decides(tmp_path: Path) -> None:
    loaded = load_text(
        tmp_path,
        "version: 1\nrules:\n  - {id: one, response: {fault: {split: 1}}}\n  - {id: two, response: {fault: none}}\n",
    )
    assert [problem.code.value for problem in loaded.problems] == ["never-decides"]


def test_a_fault_without_anything_is_none() -> None:
    assert spell_fault(NO_FAULT) == "none"


@pytest.mark.parametrize("seconds", [3, 0.25, 1234567.5, 10**8], ids=str)
def test_seconds_are_spelled_as_they_were_written(seconds: float) -> None:
    assert spell_fault(Fault(stall=Stall(5, seconds))) == f"{{stall: {{after: 5, seconds: {seconds}}}}}"
