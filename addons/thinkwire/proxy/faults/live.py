"""The answer of one flow with a fault, made on its way to the client.

`rewrite/faults/injection.py` decides what becomes of a body, `selector.py` which fault there is. The events of recorded
answers are faulty before they are served: see `replay/faulty_answer.py`.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from mitmproxy import flow, http

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.content_type import body_decoder, content_coding, content_hint, may_have_body
from thinkwire.exchange.delayed_writer import stall
from thinkwire.exchange.framing import drop_stale, frame_stream
from thinkwire.exchange.request_headers import ask_for_identity
from thinkwire.exchange.sockets import has_left, reset_on_close, transport_of
from thinkwire.exchange.stream_taps import Tap, pass_on, pieces_of, split
from thinkwire.rewrite.faults.fault import Fault
from thinkwire.rewrite.faults.injection import Break, FaultyBody, Pause, dialect_asked, error_made_up
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.ruleset.settings.fault import spell_fault

_CUT: Final = "thinkwire cut the answer off, as a fault"
_RETRY_AFTER: Final = {"retry-after": "1"}
"""Seconds, which clients that try again wait."""

logger = logging.getLogger(__name__)


class FaultyAnswer:
    """Makes the answer of one flow faulty, in the order of mitmproxy's hooks."""

    def __init__(
        self, flow: http.HTTPFlow, fault: Fault, facts: RequestFacts, dialects: Sequence[Dialect], *, replays: bool
    ) -> None:
        self.fault = fault
        self.notes: list[str] = []
        """What to log about it."""
        self._flow = flow
        self._facts = facts
        self._dialect = dialect_asked(facts, dialects)
        self._replays = replays
        self._touches_events = fault.touches_events and not replays
        """Are events to be touched here? Those of a replay are served with their faults already."""
        self._body: FaultyBody | None = None
        self.is_streamed = False
        """Is the body to be streamed, whatever it is? Else mitmproxy would wait for its end, and a client would see
        nothing of one that breaks off.
        """
        self._is_cut = False

    def refuse(self, status: int) -> None:
        """Answer in the provider's place, which is not asked."""
        self.notes.append(f"fault: answered with {status}")
        body = error_made_up(self._dialect, status) if self._flow.request.method != "HEAD" else b""
        again = _RETRY_AFTER if status == 429 or status >= 500 else {}
        self._flow.response = http.Response.make(status, body, {"content-type": "application/json", **again})

    def request(self) -> None:
        """Ask for an answer whose events can be read."""
        if self._touches_events:
            ask_for_identity(self._flow.request)

    def prepare(self) -> None:
        """The headers of the answer have come: undo its coding before it is decided how to read it."""
        if not self.fault.touches_body or not may_have_body(self._flow.request, self._response):
            return
        self.notes.append(f"fault: {spell_fault(self.fault)}")
        if self._touches_events:
            self._read_events()
        self.is_streamed = self._replays or self._body is not None or self.fault.split is not None

    @property
    def _response(self) -> http.Response:
        assert self._flow.response is not None
        return self._flow.response

    def _read_events(self) -> None:
        response = self._response
        decoder = body_decoder(response)
        if decoder is None:
            self.notes.append(f"its events cannot be told in content-encoding {content_coding(response)}")
            return
        self._body = FaultyBody(
            self.fault, content_hint(response, self._facts) or ContentHint.UNSURE, self._dialect, decoder
        )
        drop_stale(response)

    def tap(self) -> None:
        """It is decided how the answer is read: wrap whatever reads it."""
        if not self.is_streamed:
            return
        tap: Tap = self._response.stream if callable(self._response.stream) else pass_on
        if self._body is not None:
            tap = partial(self._send, self._body, tap)
        if self.fault.split is not None:
            tap = split(tap, self.fault.split)
        self._response.stream = tap
        self._response.headers.pop("content-length", None)  # it is wrong, or there would be no pieces to be seen
        frame_stream(self._flow.request, self._response)

    def _send(self, body: FaultyBody, tap: Tap, chunk: bytes) -> Iterator[bytes]:
        """Feed a tap with a faulty body, read step by step, so that a pause begins at its place."""
        try:
            steps = body.feed(chunk) if chunk else body.finish()
        except Exception:
            logger.exception("thinkwire failed to make a fault, please report this")
            steps = [chunk] if chunk else []
        for step in steps:
            match step:
                case bytes():
                    yield from pieces_of(tap(step))
                case Pause(seconds):
                    stall(self._flow.client_conn, seconds)
                case Break():
                    self._break_off()
        if not chunk and not self._is_cut:
            yield from pieces_of(tap(b""))

    def response(self) -> list[str]:
        """The answer has come to its end; no client may see that after a cut. Returns what to log."""
        if self._is_cut:
            self._flow.error = flow.Error(flow.Error.KILLED_MESSAGE)
            if self._flow.request.http_version == "HTTP/1.0":
                reset_on_close(self._flow.client_conn)
        shortfall = self._body.shortfall if self._body is not None else ""
        return [*self.notes, shortfall] if shortfall else self.notes

    def error(self) -> list[str]:
        """The exchange broke off; if that was a fault, the error must not blame the provider. Returns what to log."""
        if self._is_cut and self._flow.error is not None:
            self._flow.error.msg = _CUT
        return self.notes

    def _break_off(self) -> None:
        """Leave the provider soon: mitmproxy then breaks the answer off in the way of the HTTP version."""
        self._is_cut = True
        # Not at once: what came before the cut is still to be sent.
        asyncio.get_running_loop().call_soon(self._leave_provider)

    def _leave_provider(self) -> None:
        """Not if the connection or the answer has come to its end: mitmproxy is about to close the connection then.

        A second cancellation would get in its way, and the socket would stay open.
        """
        transport = transport_of(self._flow.client_conn, self._flow.server_conn)
        if transport is None or transport.handler is None or has_left(transport):
            return
        if self._response.timestamp_end is None:
            transport.handler.cancel(_CUT)
