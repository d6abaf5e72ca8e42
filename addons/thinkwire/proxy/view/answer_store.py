"""Keeps both sides of exchanges for viewing: what came from the provider, and what left for the client.

mitmproxy keeps nothing of a body that is streamed, and what the rules take away is nowhere else. It is kept in memory
and within bounds. The client's side becomes the content of the flow, as if it had not been streamed; the provider's
side is never part of the flow, so that no saved one holds what was to be hidden.
"""

import logging
from http import HTTPStatus

from mitmproxy import http
from mitmproxy.flow import Flow

from thinkwire.exchange.stream_taps import report_input, report_output
from thinkwire.proxy.flow_state import FlowState, FlowStates
from thinkwire.proxy.hook_steps import log_errors
from thinkwire.proxy.view.capture import AnswerCapture, BeforeAfter

logger = logging.getLogger(__name__)
_log_errors = log_errors(logger, "keep an answer for its view")


class AnswerStore:
    """Follows flows through mitmproxy's hooks; does nothing while it may keep nothing."""

    def __init__(self, states: FlowStates) -> None:
        self._states = states
        self.most_bytes = 0
        """Bounds one answer, and all that is kept of providers' sides."""

    def before_after(self, flow: Flow) -> BeforeAfter | None:
        """What is known of an exchange that is over; None if nothing was kept."""
        return self._states.of(flow).before_after

    # --- steps of the addon's hooks -----------------------------------------------------------------------------------

    @_log_errors
    def request(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """The request is complete, and the rules have not edited it."""
        if self.most_bytes > 0 and state.exchange is not None:
            state.capture = AnswerCapture(flow, self.most_bytes)

    @_log_errors
    def responseheaders(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """Before the rules change the headers."""
        if state.capture is not None and flow.response is not None:
            state.capture.record.response = flow.response.copy()

    @_log_errors
    def tap(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """After the rules and the faults have decided how the answer is read."""
        capture, response = state.capture, flow.response
        if capture is None or response is None:
            return
        if response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            state.capture = None  # mitmproxy keeps the messages of a WebSocket
        elif callable(response.stream):
            capture.is_streamed = True
            response.stream = report_input(report_output(response.stream, capture.add_sent), capture.add_received)

    @_log_errors
    def response(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """Before the rules change a body that came as a whole."""
        if state.capture is not None and not state.capture.is_streamed and flow.response is not None:
            state.capture.add_received(flow.response.raw_content or b"")

    @_log_errors
    def end(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """The exchange is over, complete or not, and the rules have done what they do."""
        capture, state.capture = state.capture, None
        if capture is not None and flow.response is not None and state.exchange is not None:
            state.before_after = capture.close(flow, flow.response, state.exchange)
            self._keep_within_bounds()

    def _keep_within_bounds(self) -> None:
        """Forget the oldest while all together is too much."""
        known = (state.before_after for _, state in self._states)
        kept = sorted(
            (one for one in known if one is not None and one.provider is not None), key=lambda one: one.number
        )
        excess = sum(one.size for one in kept) - self.most_bytes
        for one in kept:
            if excess <= 0:
                break
            excess -= one.size
            one.forget()
