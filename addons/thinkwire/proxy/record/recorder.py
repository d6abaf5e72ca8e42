"""Records exchanges with LLM APIs: both ends as they were before the rules, and when each chunk came, in a flow file.

What is recorded are copies. An exchange is written as soon as it is complete, from within the hook that reports it, so
it is on the disk when the client sees the end. Nothing that fails here may harm the traffic.
"""

import logging
from collections.abc import Iterable
from pathlib import Path

from mitmproxy import http
from mitmproxy.flow import Error

from thinkwire.exchange.content_type import is_websocket
from thinkwire.exchange.redactor import Redactor
from thinkwire.exchange.stream_taps import tap_input
from thinkwire.playback.chunk_times import CHUNKS, noted_times
from thinkwire.proxy.flow_state import FlowState, FlowStates
from thinkwire.proxy.hook_steps import log_errors
from thinkwire.proxy.record.flow_record import FlowRecord
from thinkwire.proxy.record.flow_writer import FlowFile

logger = logging.getLogger(__name__)
_log_errors = log_errors(logger, "record an exchange")


class Recorder:
    """Follows flows through mitmproxy's hooks; does nothing until it is given a file."""

    def __init__(self) -> None:
        self._file: FlowFile | None = None
        self._path = Path()
        self._redactor = Redactor()
        self._has_failed = False

    def open(self, path: Path | None) -> None:
        """Record to this file from now on, or to none. Raises OSError and NotAFlowFile, and keeps the old file then."""
        file = FlowFile(path) if path is not None else None
        if self._file is not None:
            self._file.close()
        self._file, self._path, self._has_failed = file, path or Path(), False

    def redact(self, further: Iterable[str]) -> None:
        """Remove the values of these names, too."""
        self._redactor = Redactor(further)

    @_log_errors
    def close(self, states: FlowStates) -> None:
        """Write what is still under way, as far as it has come."""
        for flow, state in states:
            if isinstance(flow, http.HTTPFlow) and state.record is not None:
                self._write(flow, state, flow.error or Error("mitmproxy was stopped"))
        self.open(None)

    # --- steps of the addon's hooks: before the rules change anything, unless the docstring says otherwise ------------

    @_log_errors
    def requestheaders(self, flow: http.HTTPFlow, state: FlowState) -> None:
        if self._file is not None:
            noted = None if flow.live else noted_times(flow.metadata.get(CHUNKS))
            state.record = FlowRecord(flow.request, noted)

    @_log_errors
    def request(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """The request is complete; is it for an API that we know?"""
        if state.record is None:
            return
        state.record.is_of_an_api = state.exchange is not None and state.exchange.facts.dialect is not None
        if not state.record.is_of_an_api and not is_websocket(flow.request):
            state.record = None
            return
        state.record.add_request(flow.request)
        if state.record.has_answer:
            self._write(flow, state, flow.error)

    @_log_errors
    def skip_provider(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """After the rules and the faults: if one of them answers, the provider never hears of the request."""
        if state.exchange is not None and state.exchange.refusal:
            self._write(flow, state, Error(f"thinkwire refused the request: {state.exchange.refusal}"))
        elif state.faulty is not None and flow.response is not None:
            state.record = None

    @_log_errors
    def responseheaders(self, flow: http.HTTPFlow, state: FlowState) -> None:
        if state.record is not None and flow.response is not None:
            state.record.response = flow.response.copy()

    @_log_errors
    def tap(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """After all others have decided how the answer is read: if chunk by chunk, get the chunks."""
        if state.record is not None and flow.response is not None and flow.live:
            tap_input(flow.response, state.record.add_chunk)

    @_log_errors
    def response(self, flow: http.HTTPFlow, state: FlowState) -> None:
        record = state.record
        if record is None or flow.response is None:
            return
        if not record.pieces and flow.response.raw_content:
            record.add_chunk(flow.response.raw_content)
        record.has_answer = flow.websocket is None
        if record.has_answer and record.has_request:
            self._write(flow, state, flow.error)

    @_log_errors
    def websocket_message(self, flow: http.HTTPFlow, state: FlowState) -> None:
        if state.record is not None and flow.websocket is not None:
            state.record.messages.append(flow.websocket.messages[-1].copy())

    @_log_errors
    def end(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """The exchange is over: a WebSocket was closed, or the connection broke off on either side."""
        self._write(flow, state, flow.error)

    def _write(self, flow: http.HTTPFlow, state: FlowState, error: Error | None) -> None:
        record, state.record = state.record, None
        if record is None or self._file is None or not record.is_of_an_api:
            return
        recorded = record.flow(flow, error)
        self._redactor.redact(recorded)
        if (chunks := record.chunks(recorded)) is not None:
            recorded.metadata[CHUNKS] = chunks
        try:
            self._file.append(recorded)
        except OSError as failure:
            if not self._has_failed:
                logger.error("%s: cannot be written, exchanges are lost: %s", self._path, failure.strerror or failure)
            self._has_failed = True
        else:
            self._has_failed = False
