"""Faults: what rules and command lines say of them, which rule decides, and how they are spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ruleset.loading import load_text, request, rules
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First, Stall
from thinkwire.ruleset.faults import FaultError, parse_faults, spell_fault

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


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        ([], None),
        (["none"], NO_FAULT),
        (["cut-after=20"], Fault(cut_after=20)),
        (["cut_after=0", "stall=0:.5"], Fault(cut_after=0, stall=Stall(0, 0.5))),
        (["status-first=429", "drop-done"], Fault(status_first=First(429), drop_done=True)),
        (["status-first=503:3", " split=7 ", "error-after=10"], Fault(First(503, 3), error_after=10, split=7)),
    ],
)
def test_a_command_line_says_the_same(texts: list[str], fault: Fault | None) -> None:
    assert parse_faults(texts) == fault


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["cut-of=20"], "there is no fault 'cut-of': did you mean cut-after?"),
        (
            ["x"],
            "there is no fault 'x': write status-first, stall, error-after, cut-after, drop-done, split",
        ),
        (["cut-after"], "cut-after needs a whole number from 0 on: cut-after=20"),
        (["cut-after=-1"], "cut-after needs a whole number from 0 on: cut-after=20"),
        (["cut-after=1.5"], "cut-after needs a whole number from 0 on: cut-after=20"),
        (["cut-after=\u0663"], "cut-after needs a whole number from 0 on: cut-after=20"),
        (["split=0"], "split needs a whole number from 1 on: split=7"),
        (["stall=5"], "stall needs a number of events and how many seconds it lasts: stall=5:3"),
        (["stall=5:0"], "stall needs a number of events and how many seconds it lasts: stall=5:3"),
        (["stall=5:inf"], "stall needs a number of events and how many seconds it lasts: stall=5:3"),
        (["drop-done=yes"], "drop-done stands alone, without a value"),
        (
            ["status-first=200"],
            "status-first needs the status of an error, from 400 to 599, and may say how often: "
            "status-first=429 or status-first=429:2",
        ),
        (
            ["status-first=429:0"],
            "status-first needs the status of an error, from 400 to 599, and may say how often: "
            "status-first=429 or status-first=429:2",
        ),
        (["split=1", "split=2"], "the fault split is given twice"),
        (["split=1", "none"], "none stands alone: it takes away the faults of the rule file"),
        (["live"], "live is for rule files; what is asked for here is for the replay alone"),
        (
            ["cut-after=1", "error-after=1"],
            "error-after and cut-after cannot be done at once: each of them ends the answer",
        ),
        (["stall=9:1", "cut-after=3"], "a stall after 9 never comes: cut-after ends the answer after 3"),
        ([""], "there is no fault '': write status-first, stall, error-after, cut-after, drop-done, split"),
    ],
)
def test_what_is_no_fault_is_told_what_to_write(texts: list[str], why: str) -> None:
    with pytest.raises(FaultError) as raised:
        parse_faults(texts)
    assert str(raised.value) == why


def test_a_fault_without_anything_is_none() -> None:
    assert spell_fault(NO_FAULT) == "none"


@pytest.mark.parametrize("seconds", [3, 0.25, 1234567.5, 10**8], ids=str)
def test_seconds_are_spelled_as_they_were_written(seconds: float) -> None:
    assert spell_fault(Fault(stall=Stall(5, seconds))) == f"{{stall: {{after: 5, seconds: {seconds}}}}}"
