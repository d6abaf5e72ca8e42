"""How flows come under the rules in force."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.test import taddons

from tests.flows import recorded_flow
from thinkwire.proxy.exchanges import RULES_HEADER, Exchanges
from thinkwire.proxy.flow_state import FlowState
from thinkwire.proxy.options import OPTIONS
from thinkwire.proxy.rule_reload import RulesInForce

RULES = """
version: 1
rules:
  - {id: ask, when: {header: {x-thinkwire: strip}}, response: {reasoning: strip}}
"""


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Any]:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES)
    with taddons.context(Proxyserver()) as context:  # type: ignore[no-untyped-call]
        for option in OPTIONS:
            context.options.add_option(option.name, option.type, option.default, option.help)
        context.options.thinkwire_rules = str(file)
        yield context


@pytest.fixture
def exchanges(context: Any) -> Exchanges:
    rules = RulesInForce()
    assert rules.read() == ""
    return Exchanges(rules)


def test_the_control_header_is_taken_out_and_still_decides(exchanges: Exchanges) -> None:
    flow, state = recorded_flow({"model": "m"}), FlowState()
    flow.request.headers["x-thinkwire"] = "strip"
    exchanges.requestheaders(flow, state)
    assert "x-thinkwire" not in flow.request.headers
    exchanges.begin(flow, state)
    assert state.exchange is not None
    assert state.exchange.rules == ("ask",)


@pytest.mark.parametrize("asks", [True, False])
def test_rules_that_decided_are_named_if_an_option_asks_for_it(exchanges: Exchanges, context: Any, asks: bool) -> None:
    context.options.thinkwire_name_rules = asks
    flow, state = recorded_flow({"model": "m"}), FlowState(control_headers=(("x-thinkwire", "strip"),))
    exchanges.begin(flow, state)
    exchanges.response(flow, state)
    assert flow.response is not None
    assert flow.response.headers.get(RULES_HEADER) == ("ask" if asks else None)


@pytest.mark.parametrize(
    ("path", "length", "kind", "expected"),
    [
        ("/v1/chat/completions", None, "", True),
        ("/other", None, "application/json", True),
        ("/other", None, "image/png", False),
        ("/v1/chat/completions", "3", "", False),
    ],
)
def test_a_request_that_might_be_streamed_past_the_rules(
    exchanges: Exchanges, context: Any, path: str, length: str | None, kind: str, expected: bool
) -> None:
    request = recorded_flow(url=f"http://h{path}").request
    request.headers["content-type"] = kind
    request.headers.pop("content-length", None)
    if length is not None:
        request.headers["content-length"] = length
    assert not exchanges.may_pass_unread(request)
    context.options.stream_large_bodies = "1m"
    assert exchanges.may_pass_unread(request) == expected


def test_without_rules_nothing_begins(context: Any) -> None:
    state = FlowState()
    Exchanges(RulesInForce()).begin(recorded_flow({"model": "m"}), state)
    assert state.exchange is None
