"""Sends requests to recorded answers instead of the provider, and lets nothing else see that it did."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from mitmproxy import connection, ctx, http

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.exchange import Exchange
from thinkwire.proxy.flow_state import FlowState
from thinkwire.proxy.replay.faulty_answer import with_fault
from thinkwire.proxy.replay.matcher import Asked, RecordingIndex, asked_by
from thinkwire.proxy.replay.recordings import ReplayExchange
from thinkwire.proxy.replay.redirected_request import RedirectedRequest
from thinkwire.proxy.replay.server import ReplayServer, ScheduledAnswer
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault
from thinkwire.rewrite.faults.injection import dialect_asked
from thinkwire.ruleset.settings.fault import spell_fault
from thinkwire.wire.json_tree import encode

logger = logging.getLogger(__name__)

_NOTHING_UPSTREAM: Final = "thinkwire replays recordings, nothing is connected upstream"
_OPTIONS: Final[dict[str, Any]] = {"connection_strategy": "lazy", "stream_large_bodies": None}
"""mitmproxy's options during a replay: nothing is connected before the request is complete, which decides where to."""


class Redirect:
    """The recordings that answer in the provider's place, if there are any."""

    def __init__(self) -> None:
        self._recordings = RecordingIndex([])
        self._speed = 1.0
        self._server = ReplayServer()
        self._is_on = False
        self._options_before: dict[str, Any] = {}
        """What a replay has set otherwise, to be set back when it is over."""

    def use(
        self, exchanges: Sequence[ReplayExchange], speed: float, facts_of: Callable[[http.HTTPFlow], RequestFacts]
    ) -> None:
        """Answer with these from now on; with none, the provider answers again."""
        self._is_on = bool(exchanges)
        self._recordings = RecordingIndex([(one, asked_by(one.flow, facts_of(one.flow))) for one in exchanges])
        self._speed = speed
        self._set_options()

    def _set_options(self) -> None:
        if self._is_on and not self._options_before:
            self._options_before = {name: getattr(ctx.options, name) for name in _OPTIONS}
            ctx.options.update(**_OPTIONS)
        elif not self._is_on and self._options_before:
            before, self._options_before = self._options_before, {}
            ctx.options.update(**before)

    def stop(self) -> None:
        self._server.stop()

    def server_connect(self, server: connection.Server) -> None:
        """Let no connection be made but to the recordings."""
        if self._is_on and not self._server.is_at(server.address):
            server.error = _NOTHING_UPSTREAM

    # --- steps of the addon's hooks -----------------------------------------------------------------------------------

    def request(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """Before the rules edit the request: remember what it asks for."""
        if self._is_on and flow.live and state.exchange is not None:
            state.redirected = RedirectedRequest(flow, state.exchange.facts)

    def answer(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """After all others: let a recorded exchange answer, unless one of them has."""
        if state.redirected is None or state.exchange is None or flow.response is not None:
            return
        fault = state.faulty.fault if state.faulty is not None else NO_FAULT
        try:
            self._answer(flow, state.redirected, state.exchange, fault)
        except Exception:
            # Else mitmproxy would log it, and try the provider.
            logger.exception("thinkwire failed on a replay, please report this")
            flow.response = http.Response.make(502, b"thinkwire failed", {"content-type": "text/plain"})

    def restore(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """Before all others see the answer: make the request again what it was."""
        if state.redirected is not None:
            self._server.forget(state.redirected.token)
            state.redirected.restore(flow)
            state.redirected = None

    # ------------------------------------------------------------------------------------------------------------------

    def _answer(self, flow: http.HTTPFlow, redirected: RedirectedRequest, exchange: Exchange, fault: Fault) -> None:
        asked, dialects = redirected.asked, exchange.selection.dialects
        recorded = self._recordings.choose(asked)
        if recorded is None:
            self._refuse(flow, asked, dialects)
        else:
            shown = f", with the fault {spell_fault(fault)}" if fault.touches_body else ""
            logger.info("%s is answered by %s%s", asked.line, recorded, shown)
            self._send(flow, redirected, with_fault(recorded.at_speed(self._speed), fault, asked.facts, dialects))

    def _refuse(self, flow: http.HTTPFlow, asked: Asked, dialects: Sequence[Dialect]) -> None:
        nearest = "; ".join(self._recordings.nearest(asked))
        message = f"thinkwire has no recording for {asked.line}. Nearest: {nearest}"
        logger.warning("%s", message)
        error = dialect_asked(asked.facts, dialects).error(404, message)
        body = encode(error) if flow.request.method != "HEAD" else b""
        flow.response = http.Response.make(404, body, {"content-type": "application/json"})

    def _send(self, flow: http.HTTPFlow, redirected: RedirectedRequest, recorded: ReplayExchange) -> None:
        answer = recorded.answer
        if answer is not None and answer.coding and not _accepts(answer.coding, redirected.accepted_codings):
            answer = answer.decoded()
        since = time.time() - (flow.request.timestamp_end or time.time())  # choosing takes its time, too
        started = asyncio.get_running_loop().time() - max(0.0, since)
        scheduled = ScheduledAnswer(answer, recorded.ended, recorded.breaks_off, started=started)
        redirected.send(flow, self._server.expect(scheduled), self._server.address)


def _accepts(coding: str, accepts: str) -> bool:
    """Does an accept-encoding header allow this content-encoding? A client that sends none cannot be relied upon."""
    allowed = {}
    for one in accepts.lower().split(","):
        name, _, weight = one.partition(";")
        allowed[name.strip()] = weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    names = [name.strip() for name in coding.lower().split(",")]
    return all(allowed.get(name, allowed.get("*", False)) for name in names if name != "identity")
