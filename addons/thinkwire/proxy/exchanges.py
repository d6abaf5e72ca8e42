"""Starts an `Exchange` or `WebSocketExchange` for each flow by the rules in force, and calls it from the hooks."""

import time
from typing import Final

from mitmproxy import ctx, http

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import dialect_of_request, request_facts
from thinkwire.exchange.content_type import is_json
from thinkwire.exchange.exchange import Exchange
from thinkwire.exchange.request_headers import take_control_header
from thinkwire.exchange.websocket import WebSocketExchange
from thinkwire.proxy.flow_state import FlowState
from thinkwire.proxy.rule_reload import RulesInForce
from thinkwire.rewrite.history.memory import Memory
from thinkwire.ruleset.choose import Selection

RULES_HEADER: Final = "x-thinkwire-rules"
"""Names the rules that decided, in answers, if an option asks for it."""


class Exchanges:
    """What the rules do to flows, as steps of the addon's hooks."""

    def __init__(self, rules: RulesInForce) -> None:
        self._rules = rules
        self.memory = Memory(0, 0.0, time.monotonic)
        """The reasoning of earlier turns; options bound it."""

    def facts(self, flow: http.HTTPFlow, state: FlowState, message: bytes | None = None) -> RequestFacts:
        """What the rules see of a request; on a WebSocket its body is the client's message."""
        request = flow.request
        headers = [*request.headers.items(multi=True), *state.control_headers]
        body = request.get_content(strict=False) if message is None else message
        return request_facts(request.pretty_host, _path(request), request.method, headers, body, self._rules.dialects)

    def may_pass_unread(self, request: http.Request) -> bool:
        """Might `stream_large_bodies` take a request past us that may be one to a model?"""
        if self._rules.ruleset is None or not ctx.options.stream_large_bodies:
            return False
        if not request.stream and "content-length" in request.headers:
            return False
        return is_json(request) or dialect_of_request(_path(request), None, self._rules.dialects) is not None

    # --- steps of the addon's hooks -----------------------------------------------------------------------------------

    def requestheaders(self, flow: http.HTTPFlow, state: FlowState) -> None:
        if taken := take_control_header(flow.request):
            state.control_headers = taken

    def begin(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """The request is complete: choose the rules, and edit nothing yet."""
        if self._rules.ruleset is not None:
            facts = self.facts(flow, state)
            selection = self._rules.ruleset.choose(facts, flow)
            observes = ctx.options.thinkwire_observe
            state.exchange = Exchange(flow, facts, selection, self.memory, observes=observes)

    def request(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        if state.exchange is not None:
            state.exchange.request()

    def responseheaders(self, flow: http.HTTPFlow, state: FlowState) -> None:
        if state.exchange is not None and flow.live:
            is_faulty = state.faulty is not None and state.faulty.is_streamed
            state.exchange.responseheaders(streams_bodies=is_faulty or bool(ctx.options.stream_large_bodies))
            _name_rules(flow, state.exchange)

    def response(self, flow: http.HTTPFlow, state: FlowState) -> None:
        if state.exchange is not None and flow.websocket is None:
            state.exchange.response()
            if not flow.live:
                _name_rules(flow, state.exchange)

    def error(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        if state.exchange is not None:
            state.exchange.error()

    def release(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        """After all others: the exchange is over. Both of these hold the flow, which would never be freed."""
        state.exchange = state.faulty = None

    def websocket_start(self, flow: http.HTTPFlow, state: FlowState) -> None:
        def choose(message: bytes | None) -> tuple[RequestFacts, Selection]:
            assert self._rules.ruleset is not None  # a reload never takes the rules away
            facts = self.facts(flow, state, message)
            if facts.dialect is not None and state.record is not None:
                state.record.is_of_an_api = True
            return facts, self._rules.ruleset.choose(facts, flow)

        if self._rules.ruleset is not None:
            observes = ctx.options.thinkwire_observe
            state.websocket = WebSocketExchange(flow, choose, self.memory, observes=observes)

    def websocket_message(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        if state.websocket is not None:
            state.websocket.message()

    def websocket_end(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        websocket, state.websocket = state.websocket, None
        if websocket is not None:
            websocket.end()


def _path(request: http.Request) -> str:
    return request.path.partition("?")[0]


def _name_rules(flow: http.HTTPFlow, exchange: Exchange) -> None:
    if ctx.options.thinkwire_name_rules and exchange.rules and flow.response is not None:
        flow.response.headers[RULES_HEADER] = ", ".join(exchange.rules)
