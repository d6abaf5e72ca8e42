"""The state of a flow lives as long as the flow."""

import gc

from mitmproxy.test import tflow

from thinkwire.proxy.flow_state import FlowStates


def test_a_flow_has_one_state() -> None:
    states, one, other = FlowStates(), tflow.tflow(), tflow.tflow()
    state = states.of(one)
    assert states.of(one) is state
    assert states.of(other) is not state
    assert [flow for flow, _ in states] == [one, other]


def test_the_state_goes_with_the_flow() -> None:
    states, one = FlowStates(), tflow.tflow()
    states.of(one)
    del one
    gc.collect()
    assert [*states] == []


def test_flows_may_come_while_the_states_are_read() -> None:
    states, one, other = FlowStates(), tflow.tflow(), tflow.tflow()
    states.of(one)
    for _ in states:
        states.of(other)
    assert len([*states]) == 2
