"""Sends requests to recorded answers instead of the provider, and hides from everybody else that it did.

A request is changed only for the moment in which it leaves: what rules, logs and saved flows show of it is what the
client sent and the rules made of it.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

from mitmproxy import connection, http
from mitmproxy.flow import Flow

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.proxy.replay.faulty_answer import with_fault
from thinkwire.proxy.replay.matcher import Asked, RecordingIndex, asked_by
from thinkwire.proxy.replay.recordings import ReplayExchange
from thinkwire.proxy.replay.server import TOKEN_HEADER, ReplayServer, ScheduledAnswer
from thinkwire.rewrite.faults.fault import Fault
from thinkwire.rewrite.faults.injection import dialect_asked
from thinkwire.ruleset.faults import spell_fault
from thinkwire.wire.json_tree import encode

__all__ = ["Redirect"]

logger = logging.getLogger(__name__)

_NOTHING_UPSTREAM: Final = "thinkwire replays recordings, nothing is connected upstream"


@dataclass(frozen=True)
class _Original:
    """What a request said before it was sent to the replay server."""

    host: str
    port: int
    scheme: bytes
    authority: bytes
    path: bytes
    http_version: bytes
    headers: http.Headers
    token: str


class Redirect:
    """The recordings that answer in the provider's place, if there are any."""

    def __init__(self) -> None:
        self._repertoire = RecordingIndex([])
        self._speed = 1.0
        self._server = ReplayServer()
        self._originals: WeakKeyDictionary[Flow, _Original] = WeakKeyDictionary()
        self.is_on = False

    def use(
        self, exchanges: Sequence[ReplayExchange], speed: float, facts_of: Callable[[http.HTTPFlow], RequestFacts]
    ) -> None:
        """Answer with these from now on; with none, the provider answers again."""
        self.is_on = bool(exchanges)
        self._repertoire = RecordingIndex([(one, asked_by(one.flow, facts_of(one.flow))) for one in exchanges])
        self._speed = speed

    def stop(self) -> None:
        self._server.stop()

    def answer(
        self, flow: http.HTTPFlow, asked: Asked, accepts: str, dialects: Sequence[Dialect], fault: Fault
    ) -> None:
        """Let a recorded exchange answer; `asked` and `accepts` are from before any rule changed the request."""
        try:
            recorded = self._repertoire.choose(asked)
            if recorded is None:
                self._refuse(flow, asked, dialects)
            else:
                faulty = f", with the fault {spell_fault(fault)}" if fault.touches_body else ""
                logger.info("%s is answered by %s%s", asked.line, recorded, faulty)
                self._send(flow, with_fault(recorded.at_speed(self._speed), fault, asked.facts, dialects), accepts)
        except Exception:
            # Else mitmproxy would log it, and try the provider.
            logger.exception("thinkwire failed on a replay, please report this")
            flow.response = http.Response.make(502, b"thinkwire failed", {"content-type": "text/plain"})

    def _refuse(self, flow: http.HTTPFlow, asked: Asked, dialects: Sequence[Dialect]) -> None:
        nearest = "; ".join(self._repertoire.nearest(asked))
        message = f"thinkwire has no recording for {asked.line}. Nearest: {nearest}"
        logger.warning("%s", message)
        body = (
            encode(dialect_asked(asked.facts, dialects).error(404, message)) if flow.request.method != "HEAD" else b""
        )
        flow.response = http.Response.make(404, body, {"content-type": "application/json"})

    def _send(self, flow: http.HTTPFlow, recorded: ReplayExchange, accepts: str) -> None:
        answer = recorded.answer
        if answer is not None and answer.coding and not _accepts(answer.coding, accepts):
            answer = answer.decoded()
        since = time.time() - (flow.request.timestamp_end or time.time())  # choosing takes its time, too
        started = asyncio.get_running_loop().time() - max(0.0, since)
        token = self._server.expect(ScheduledAnswer(answer, recorded.ended, recorded.breaks_off, started=started))
        data = flow.request.data
        self._originals[flow] = _Original(
            data.host, data.port, data.scheme, data.authority, data.path, data.http_version, data.headers, token
        )
        host, port = self._server.address
        # Set in `data`, for the properties would change the host header, too.
        data.host, data.port = host, port
        data.scheme, data.authority, data.path, data.http_version = b"http", b"", b"/", b"HTTP/1.1"
        length = str(len(flow.request.raw_content or b""))
        data.headers = http.Headers(host=f"{host}:{port}", content_length=length)
        data.headers[TOKEN_HEADER] = token
        flow.server_conn = connection.Server(address=(host, port))  # without the proxy that upstream mode goes through

    def restore(self, flow: http.HTTPFlow) -> None:
        """The request has left, or never will; from now on it is what it was."""
        original = self._originals.pop(flow, None)
        if original is None:
            return
        self._server.forget(original.token)
        data = flow.request.data
        data.host, data.port, data.scheme = original.host, original.port, original.scheme
        data.authority, data.path = original.authority, original.path
        data.http_version, data.headers = original.http_version, original.headers
        if original.http_version != b"HTTP/1.1" and flow.response is not None:
            flow.response.headers.pop("transfer-encoding", None)

    def guard(self, server: connection.Server) -> None:
        """Let no connection be made but to the recordings."""
        if self.is_on and not self._server.is_at(server.address):
            server.error = _NOTHING_UPSTREAM


def _accepts(coding: str, accepts: str) -> bool:
    """Does an accept-encoding header allow this content-encoding? A client that sends none cannot be relied upon."""
    allowed = {}
    for one in accepts.lower().split(","):
        name, _, weight = one.partition(";")
        allowed[name.strip()] = weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    names = [name.strip() for name in coding.lower().split(",")]
    return all(allowed.get(name, allowed.get("*", False)) for name in names if name != "identity")
