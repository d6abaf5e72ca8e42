"""Keeps both sides of exchanges for somebody who looks: what came from the provider, and what left for the client.

mitmproxy keeps nothing of a body that is streamed, and what the rules take away is nowhere else. It is kept in memory
and within bounds. The client's side becomes the content of the flow, as if it had not been streamed; the provider's
side is never part of the flow, so that no saved one holds what was to be hidden.
"""

import logging
import time
from array import array
from dataclasses import dataclass, field
from itertools import batched, chain, count
from typing import Final
from weakref import WeakKeyDictionary

from mitmproxy import flow, http

from thinkwire.exchange.exchange import Exchange
from thinkwire.exchange.log_errors import log_errors
from thinkwire.exchange.stream_taps import InputTap, OutputTap
from thinkwire.playback.chunk_times import CHUNKS, noted_times
from thinkwire.proxy.record.recorder import FlowRecord
from thinkwire.rewrite.tally import Effect

__all__ = ["AnswerStore", "BeforeAfter"]

logger = logging.getLogger(__name__)
_harmless = log_errors(logger, "keep an answer for its view")

SWITCHING_PROTOCOLS: Final = 101


@dataclass(slots=True)
class BeforeAfter:
    """What is known of one exchange beside its flow."""

    rules: str
    """Those that decided, each with its place; empty where none did."""
    done: str
    """What they did, in the words of the log."""
    effects: frozenset[Effect]
    """What they did to events of the answer, or would have done."""
    left: array[float] = field(default_factory=lambda: array("d"))
    """When each piece left for the client: seconds since the request, bytes, seconds, bytes, ... Empty where that is
    not known. It stays as long as the flow, so it is small.
    """
    provider: http.HTTPFlow | None = None
    """The exchange before the rules; None where the answer left as it came."""
    size: int = 0
    """Bytes that are kept for the provider's side alone."""
    is_forgotten: bool = False
    """Was the provider's side too much to be kept?"""
    number: int = field(default_factory=count().__next__)
    """Of all that was kept: a flow that is sent once more gets other sides."""

    @property
    def times(self) -> list[tuple[float, int]]:
        """As the metadata of a flow say it."""
        return [(at, int(size)) for at, size in batched(self.left, 2)]

    def forget(self) -> None:
        self.provider, self.is_forgotten = None, True


class AnswerStore:
    """Follows flows through mitmproxy's hooks; does nothing while it may keep nothing."""

    def __init__(self) -> None:
        self.most_bytes = 0
        """Bounds one answer, and all that is kept of providers' sides."""
        self._watched: WeakKeyDictionary[flow.Flow, _Watched] = WeakKeyDictionary()
        self._seen: WeakKeyDictionary[flow.Flow, BeforeAfter] = WeakKeyDictionary()

    def sides_of(self, flow: flow.Flow) -> BeforeAfter | None:
        """What is known of an exchange that is over; None where nobody watched it."""
        return self._seen.get(flow)

    @_harmless
    def request(self, flow: http.HTTPFlow) -> None:
        """The request is there as a whole, and the rules have not edited it."""
        if self.most_bytes > 0:
            self._watched[flow] = _Watched(flow, self.most_bytes)

    @_harmless
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Called before the rules change the headers."""
        if (watched := self._watched.get(flow)) is not None and flow.response is not None:
            watched.record.response = flow.response.copy()

    @_harmless
    def listen(self, flow: http.HTTPFlow) -> None:
        """Called once it is decided how the answer is read."""
        watched, response = self._watched.get(flow), flow.response
        if watched is None or response is None:
            return
        if response.status_code == SWITCHING_PROTOCOLS:
            del self._watched[flow]  # the messages of a WebSocket are kept by mitmproxy
        elif callable(response.stream):
            watched.is_streamed = True
            response.stream = InputTap(watched.hear, OutputTap(watched.tell, response.stream))

    @_harmless
    def response(self, flow: http.HTTPFlow) -> None:
        """Called before the rules change a body that came whole."""
        watched = self._watched.get(flow)
        if watched is not None and not watched.is_streamed and flow.response is not None:
            watched.hear(flow.response.raw_content or b"")

    @_harmless
    def end(self, flow: http.HTTPFlow, exchange: Exchange) -> None:
        """The exchange is over, whole or not, and the rules have done what they do."""
        watched, response = self._watched.pop(flow, None), flow.response
        if watched is None or response is None:
            return
        if watched.is_streamed and response.raw_content is None:
            response.raw_content = watched.sent()
        before = watched.provider(flow)
        is_as_it_came = before is None or _is_same(before, response)
        noted = noted_times(flow.metadata.get(CHUNKS)) if is_as_it_came else []
        left = watched.left if watched.is_streamed else array("d", chain.from_iterable(noted))
        sides = BeforeAfter(exchange.rules_in_force, exchange.done, exchange.effects, left)
        if before is not None and not is_as_it_came:
            sides.provider, sides.size = before, _size_of(before, flow)
        sides.is_forgotten = watched.is_too_long and bool(sides.effects)
        watched.close()
        self._seen[flow] = sides
        self._keep_within_bounds()

    def _keep_within_bounds(self) -> None:
        """Forget the oldest where all is too much."""
        kept = [sides for sides in self._seen.values() if sides.provider is not None]
        excess = sum(sides.size for sides in kept) - self.most_bytes
        for sides in kept:
            if excess <= 0:
                break
            excess -= sides.size
            sides.forget()


_NOTE: Final = 110
"""Bytes that it takes to note when one chunk came."""


def _size_of(before: http.HTTPFlow, left: http.HTTPFlow) -> int:
    """What is kept of a provider's side, and not a part of the flow anyway."""
    answer = before.response.raw_content if before.response is not None else None
    asked = before.request.raw_content if before.request.raw_content is not left.request.raw_content else None
    return len(answer or b"") + len(asked or b"") + _NOTE * len(before.metadata.get(CHUNKS, ()))


def _is_same(before: http.HTTPFlow, left: http.Response) -> bool:
    return before.response is not None and before.response.raw_content == left.raw_content


class _Watched:
    """One exchange under way."""

    def __init__(self, flow: http.HTTPFlow, most_bytes: int) -> None:
        noted = None if flow.live else noted_times(flow.metadata.get(CHUNKS))
        self.record = FlowRecord(flow.request, noted)
        self.record.ask(flow.request)
        self.is_streamed = False
        self.is_too_long = False
        self.left = array("d")
        self._sent: list[bytes] = []
        self._room = most_bytes
        self._is_over = False

    def hear(self, chunk: bytes) -> None:
        """Something came from the provider."""
        if self._takes(chunk):
            self.record.hear(chunk)

    def tell(self, piece: bytes) -> None:
        """Something left for the client."""
        if self._takes(piece):
            self._sent.append(piece)
            self.left.extend((self.record.since_asked(time.monotonic()), len(piece)))

    def close(self) -> None:
        """Hold nothing any more: the flow keeps its tap, and the tap this."""
        self._is_over = True
        self._sent = []
        del self.record

    def _takes(self, piece: bytes) -> bool:
        if self._is_over:
            return False
        self._room -= len(piece)
        if self._room < 0 and not self.is_too_long:
            self.is_too_long = True
            for pieces in (self.record.pieces, self._sent, self.left):
                del pieces[:]
        return not self.is_too_long

    def sent(self) -> bytes | None:
        """What left for the client; half an answer would pass for a whole one, so it is all or nothing."""
        return None if self.is_too_long else b"".join(self._sent)

    def provider(self, flow: http.HTTPFlow) -> http.HTTPFlow | None:
        """The exchange as the provider answered it, as a flow of its own."""
        if self.record.response is None or not self.record.pieces:
            return None
        before = self.record.flow(flow, flow.error)
        if (self.is_streamed or not flow.live) and (chunks := self.record.chunks(before)) is not None:
            before.metadata[CHUNKS] = chunks
        return before
