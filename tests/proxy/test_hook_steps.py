"""Steps of a hook, and what happens if one fails."""

import logging

import pytest
from mitmproxy import http
from mitmproxy.test import tflow

from thinkwire.proxy.flow_state import FlowState
from thinkwire.proxy.hook_steps import HookStep, log_errors, take

logger = logging.getLogger(__name__)


def test_all_steps_are_taken_in_their_order_and_the_failure_of_one_is_raised_then() -> None:
    taken: list[str] = []

    def step(name: str) -> HookStep:
        def taking(_flow: http.HTTPFlow, _state: FlowState) -> None:
            taken.append(name)
            if name == "b":
                raise RuntimeError("boom")

        return taking

    with pytest.raises(RuntimeError, match="boom"):
        take([step("a"), step("b"), step("c")], tflow.tflow(), FlowState())
    assert taken == ["a", "b", "c"]


def test_a_failure_is_logged_with_what_was_tried(caplog: pytest.LogCaptureFixture) -> None:
    @log_errors(logger, "count")
    def fail() -> None:
        raise RuntimeError("boom")

    fail()
    assert "thinkwire failed to count, please report this" in caplog.text
    assert "boom" in caplog.text


def test_what_stops_the_program_is_not_caught() -> None:
    @log_errors(logger, "count")
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
