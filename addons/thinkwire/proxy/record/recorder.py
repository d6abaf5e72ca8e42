"""Records exchanges with LLM APIs: both ends as they were before the rules, and when each chunk came, in a flow file.

What is recorded are copies. An exchange is written as soon as it is complete, from within the hook that says so: when
its client sees the end, it is on the disk. Nothing that fails here may harm the traffic.
"""

import logging
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

from mitmproxy import connection, http
from mitmproxy.flow import Error
from mitmproxy.websocket import WebSocketData, WebSocketMessage

from thinkwire.exchange.content_type import is_websocket
from thinkwire.exchange.log_errors import log_errors
from thinkwire.exchange.redactor import Redactor
from thinkwire.exchange.stream_taps import hear_all
from thinkwire.playback.chunk_times import CHUNKS, noted_times
from thinkwire.proxy.record.flow_writer import FlowFile

__all__ = ["FlowRecord", "Recorder"]

logger = logging.getLogger(__name__)
_harmless = log_errors(logger, "record an exchange")

_NOWHERE: Final = ("127.0.0.1", 0)
"""Stands for addresses, of which a flow must have some and which are nobody's business."""


class Recorder:
    """Follows flows through mitmproxy's hooks; does nothing until it is told a file."""

    def __init__(self) -> None:
        self._file: FlowFile | None = None
        self._path = Path()
        self._redactor = Redactor()
        self._records: WeakKeyDictionary[http.HTTPFlow, FlowRecord] = WeakKeyDictionary()
        self._has_failed = False

    def open(self, path: Path | None) -> None:
        """Record to this file from now on, or to none. Raises OSError and NotAFlowFile; then it is still the old."""
        file = FlowFile(path) if path is not None else None
        if self._file is not None:
            self._file.close()
        self._file, self._path, self._has_failed = file, path or Path(), False

    def redact(self, further: Iterable[str]) -> None:
        """Remove the values of these names, too."""
        self._redactor = Redactor(further)

    @_harmless
    def close(self) -> None:
        """Write what is still under way, as far as it has come."""
        for flow, record in list(self._records.items()):
            if record.is_of_an_api:
                self._write(flow, flow.error or Error("mitmproxy was stopped"))
        self.open(None)

    # --- hooks, each called before the rules change anything -----------------------------------------------------

    @_harmless
    def requestheaders(self, flow: http.HTTPFlow) -> None:
        if self._file is not None:
            noted = None if flow.live else noted_times(flow.metadata.get(CHUNKS))
            self._records[flow] = FlowRecord(flow.request, noted)

    @_harmless
    def request(self, flow: http.HTTPFlow, *, is_of_an_api: bool) -> None:
        """The request is there as a whole; does it speak to an API that we know?"""
        record = self._records.get(flow)
        if record is None:
            return
        if not is_of_an_api and not is_websocket(flow.request):
            del self._records[flow]
            return
        record.is_of_an_api = is_of_an_api
        record.ask(flow.request)
        if record.is_answered:
            self._write(flow, flow.error)

    @_harmless
    def refuse(self, flow: http.HTTPFlow, why: str) -> None:
        """We answered in the provider's place, which never heard of the request."""
        if flow in self._records:
            self._write(flow, Error(f"thinkwire refused the request: {why}"))

    @_harmless
    def forget(self, flow: http.HTTPFlow) -> None:
        """There is nothing to record: an answer was made up, and the provider never heard of the request."""
        self._records.pop(flow, None)

    @_harmless
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        if (record := self._records.get(flow)) is not None and flow.response is not None:
            record.response = flow.response.copy()

    @_harmless
    def listen(self, flow: http.HTTPFlow) -> None:
        """Called once it is decided how the answer is read: where piece by piece, hear the pieces."""
        if (record := self._records.get(flow)) is not None and flow.response is not None and flow.live:
            hear_all(flow.response, record.hear)

    @_harmless
    def response(self, flow: http.HTTPFlow) -> None:
        record = self._records.get(flow)
        if record is None or flow.response is None:
            return
        if not record.pieces and flow.response.raw_content:
            record.hear(flow.response.raw_content)
        record.is_answered = flow.websocket is None
        if record.is_answered and record.is_asked:
            self._write(flow, flow.error)

    @_harmless
    def recognise(self, flow: http.HTTPFlow) -> None:
        """A message on a WebSocket speaks to an API that we know."""
        if (record := self._records.get(flow)) is not None:
            record.is_of_an_api = True

    @_harmless
    def message(self, flow: http.HTTPFlow) -> None:
        if (record := self._records.get(flow)) is not None and flow.websocket is not None:
            record.messages.append(flow.websocket.messages[-1].copy())

    @_harmless
    def end(self, flow: http.HTTPFlow) -> None:
        """The exchange is over: a WebSocket was closed, or the connection broke off on either side."""
        if flow in self._records:
            self._write(flow, flow.error)

    def _write(self, flow: http.HTTPFlow, error: Error | None) -> None:
        record = self._records.pop(flow)
        if self._file is None or not record.is_of_an_api:
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


class FlowRecord:
    """One exchange as far as it has been heard."""

    def __init__(self, request: http.Request, noted: list[tuple[float, int]] | None) -> None:
        """`noted` is when the chunks of a flow from a file came, if that is known; None for a live one."""
        self._noted = noted
        self.is_of_an_api = False
        self.is_asked = False
        self.is_answered = False
        """Some providers refuse a large request before it has come to its end."""
        self.request = request.copy()
        self.response: http.Response | None = None
        self.pieces: list[tuple[float, bytes]] = []
        self.messages: list[WebSocketMessage] = []
        self._asked_at = time.monotonic()

    def ask(self, request: http.Request) -> None:
        """The request's body has come; its headers stay as they were, for we may have prepared them meanwhile."""
        self.is_asked = True
        self._asked_at = time.monotonic()
        self.request.raw_content = request.raw_content
        self.request.trailers = request.trailers.copy() if request.trailers is not None else None
        self.request.timestamp_end = request.timestamp_end or time.time()

    def hear(self, chunk: bytes) -> None:
        self.pieces.append((time.monotonic(), chunk))

    def flow(self, live: http.HTTPFlow, error: Error | None) -> http.HTTPFlow:
        """The exchange as a flow of its own."""
        flow = http.HTTPFlow(_client(live.client_conn), _server(live.server_conn))
        flow.id = live.id
        flow.timestamp_created = live.timestamp_created
        flow.is_replay = live.is_replay
        flow.error = error
        flow.request = self.request
        flow.response = self.response
        if self.response is not None:
            self.response.raw_content = b"".join(chunk for _, chunk in self.pieces)
        if self.response is not None and live.response is not None:
            self.response.timestamp_end = live.response.timestamp_end or time.time()
            self.response.trailers = live.response.trailers.copy() if live.response.trailers is not None else None
        if live.websocket is not None:
            flow.websocket = WebSocketData.from_state(live.websocket.get_state())
            flow.websocket.messages = self.messages
        return flow

    def chunks(self, recorded: http.HTTPFlow) -> list[list[float]] | None:
        """When each chunk came, and its size; one chunk where a compressed body had to be made anew. None: unknown."""
        size = len(recorded.response.raw_content or b"") if recorded.response is not None else 0
        if self._noted is not None:
            is_same = size == sum(length for _, length in self._noted)
            return [[at, length] for at, length in self._noted] if self._noted and is_same else None
        if size != sum(len(chunk) for _, chunk in self.pieces):
            return [[self.since_asked(self.pieces[-1][0]), size]]
        return [[self.since_asked(moment), len(chunk)] for moment, chunk in self.pieces]

    def since_asked(self, moment: float) -> float:
        return max(0.0, round(moment - self._asked_at, 6))


def _client(live: connection.Client) -> connection.Client:
    """What mitmproxy shows of a connection; no address, no certificate."""
    return connection.Client(
        peername=_NOWHERE,
        sockname=_NOWHERE,
        timestamp_start=live.timestamp_start,
        tls=live.tls,
        alpn=live.alpn,
        timestamp_tls_setup=live.timestamp_tls_setup,
    )


def _server(live: connection.Server) -> connection.Server:
    return connection.Server(
        address=live.address,
        timestamp_start=live.timestamp_start,
        timestamp_tcp_setup=live.timestamp_tcp_setup,
        tls=live.tls,
        alpn=live.alpn,
        timestamp_tls_setup=live.timestamp_tls_setup,
    )
