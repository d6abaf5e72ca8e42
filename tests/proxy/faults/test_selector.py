"""Which fault a request gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.flows import recorded_flow
from tests.rewrite.answers import CHAT_REQUEST
from thinkwire.exchange.exchange import Exchange
from thinkwire.proxy.faults.selector import Faults
from thinkwire.proxy.flow_state import FlowState
from thinkwire.proxy.replay.redirected_request import RedirectedRequest
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.plan import Plan, ResponsePlan
from thinkwire.ruleset.choose import Selection
from thinkwire.ruleset.explain import Decision
from thinkwire.ruleset.rule import Origin

RULE = Origin("flaky", Path("rules.yaml"), 3)
CUT = Fault(cut_after=1)


def state(faults: Faults, fault: Fault, *, replays: bool, observes: bool = False) -> FlowState:
    """What becomes of a request for which a rule asks for this fault."""
    flow = recorded_flow({"model": "m"})
    flow.live, flow.response = True, None
    selection = Selection(Plan(response=ResponsePlan(fault=fault)), (Decision("response.fault", "", RULE),))
    exchange = Exchange(flow, CHAT_REQUEST, selection, Memory(0, 0.0, lambda: 0.0), observes=observes)
    made = FlowState(exchange=exchange, redirected=RedirectedRequest(flow, CHAT_REQUEST) if replays else None)
    faults.request(flow, made)
    return made


def chosen(faults: Faults, fault: Fault, *, replays: bool) -> Fault:
    faulty = state(faults, fault, replays=replays).faulty
    assert faulty is not None
    return faulty.fault


def notes(faults: Faults, fault: Fault) -> list[str]:
    faulty = state(faults, fault, replays=True).faulty
    assert faulty is not None
    return faulty.notes


def test_the_command_line_is_asked_first_in_a_replay() -> None:
    faults = Faults()
    assert chosen(faults, CUT, replays=True) == CUT
    faults.use(NO_FAULT)
    assert chosen(faults, CUT, replays=True) == NO_FAULT
    faults.use(None)
    assert chosen(faults, CUT, replays=True) == CUT


def test_a_real_answer_gets_only_a_fault_that_is_live(caplog: pytest.LogCaptureFixture) -> None:
    faults = Faults()
    live = replace(CUT, live=True)
    assert chosen(faults, live, replays=False) == live
    assert caplog.text == ""
    for _ in range(2):
        assert chosen(faults, CUT, replays=False) == NO_FAULT
    assert caplog.text.count("asks for a fault, but nothing is replayed") == 1


def test_the_first_requests_are_refused_and_no_more() -> None:
    faults, fault = Faults(), Fault(status_first=First(429, times=2))
    assert [notes(faults, fault) for _ in range(3)] == [["fault: answered with 429"]] * 2 + [[]]


def test_a_fault_that_is_named_anew_counts_anew() -> None:
    faults, fault = Faults(), Fault(status_first=First(500))
    for _ in range(2):
        faults.use(fault)
        assert [bool(notes(faults, NO_FAULT)) for _ in range(2)] == [True, False]


def test_an_observer_makes_no_faults() -> None:
    assert state(Faults(), CUT, replays=True, observes=True).faulty is None
