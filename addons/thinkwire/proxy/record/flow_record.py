"""One exchange as it came, before the rules: the request, the answer, its chunks and when each of them arrived."""

import time
from typing import Any, Final

from mitmproxy import connection, http
from mitmproxy.flow import Error
from mitmproxy.websocket import WebSocketData, WebSocketMessage

_NOWHERE: Final = ("127.0.0.1", 0)
"""In place of addresses: a flow must have some, and they are private."""


class FlowRecord:
    """Copies of what came in one exchange so far."""

    def __init__(self, request: http.Request, noted: list[tuple[float, int]] | None) -> None:
        """`noted`: when the chunks of a flow from a file came, if that is known; None for a live flow."""
        self._noted = noted
        self.is_of_an_api = False
        self.has_request = False
        self.has_answer = False
        """Some providers refuse a large request before all of it has been sent."""
        self.request = request.copy()
        self.response: http.Response | None = None
        self.pieces: list[tuple[float, bytes]] = []
        self.messages: list[WebSocketMessage] = []
        self._asked_at = time.monotonic()

    def add_request(self, request: http.Request) -> None:
        """The request is complete. Its headers stay as they were copied: we may have prepared them since."""
        self.has_request = True
        self._asked_at = time.monotonic()
        self.request.raw_content = request.raw_content
        self.request.trailers = request.trailers.copy() if request.trailers is not None else None
        self.request.timestamp_end = request.timestamp_end or time.time()

    def add_chunk(self, chunk: bytes) -> None:
        self.pieces.append((time.monotonic(), chunk))

    def flow(self, live: http.HTTPFlow, error: Error | None) -> http.HTTPFlow:
        """The exchange as a flow of its own."""
        client = connection.Client(peername=_NOWHERE, sockname=_NOWHERE, **_shown(live.client_conn))
        server = connection.Server(
            address=live.server_conn.address,
            timestamp_tcp_setup=live.server_conn.timestamp_tcp_setup,
            **_shown(live.server_conn),
        )
        flow = http.HTTPFlow(client, server)
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
        """When each chunk came, and its size; a single one if a compressed body had to be made anew. None: unknown."""
        size = len(recorded.response.raw_content or b"") if recorded.response is not None else 0
        if self._noted is not None:
            is_same = size == sum(length for _, length in self._noted)
            return [[at, length] for at, length in self._noted] if self._noted and is_same else None
        if size != sum(len(chunk) for _, chunk in self.pieces):
            return [[self.since_request(self.pieces[-1][0]), size]]
        return [[self.since_request(moment), len(chunk)] for moment, chunk in self.pieces]

    def since_request(self, moment: float) -> float:
        """Seconds between the end of the request and a moment of the monotonic clock."""
        return max(0.0, round(moment - self._asked_at, 6))


def _shown(live: connection.Connection) -> dict[str, Any]:
    """What mitmproxy shows of a connection; no address, no certificate."""
    names = ("timestamp_start", "tls", "alpn", "timestamp_tls_setup")
    return {name: getattr(live, name) for name in names}
