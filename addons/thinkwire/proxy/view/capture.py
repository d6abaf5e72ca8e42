"""Both sides of one exchange: captured as it passes, and what is kept of it for viewing the flow."""

import time
from array import array
from dataclasses import dataclass, field
from itertools import batched, chain, count
from typing import Final

from mitmproxy import http

from thinkwire.exchange.exchange import Exchange
from thinkwire.playback.chunk_times import CHUNKS, noted_times
from thinkwire.proxy.record.flow_record import FlowRecord
from thinkwire.rewrite.tally import Effect


@dataclass(slots=True)
class BeforeAfter:
    """What is known of one exchange beside its flow."""

    rules: str
    """Those that decided, each with its place; empty if none did."""
    done: str
    """What they did, in the words of the log."""
    effects: frozenset[Effect]
    """What they did to events of the answer, or would have done."""
    left: array[float] = field(default_factory=lambda: array("d"))
    """When each piece left for the client: seconds since the request, bytes, seconds, bytes, ... Empty if that is not
    known. It stays as long as the flow, so it is small.
    """
    provider: http.HTTPFlow | None = None
    """The exchange before the rules; None if the answer left as it came."""
    size: int = 0
    """Bytes that are kept for the provider's side alone."""
    is_forgotten: bool = False
    """Was the provider's side too much to be kept?"""
    number: int = field(default_factory=count().__next__)
    """In the order in which exchanges ended. A flow that is sent once more gets another."""

    @property
    def times(self) -> list[tuple[float, int]]:
        """As the metadata of a flow have them."""
        return [(at, int(size)) for at, size in batched(self.left, 2)]

    def forget(self) -> None:
        self.provider, self.is_forgotten = None, True


class AnswerCapture:
    """One exchange under way. All bytes together are bounded: with more, nothing is kept."""

    def __init__(self, flow: http.HTTPFlow, most_bytes: int) -> None:
        noted = None if flow.live else noted_times(flow.metadata.get(CHUNKS))
        self.record = FlowRecord(flow.request, noted)
        self.record.add_request(flow.request)
        self.is_streamed = False
        self.is_too_long = False
        self._left = array("d")
        self._sent: list[bytes] = []
        self._room = most_bytes
        self._is_over = False

    def add_received(self, chunk: bytes) -> None:
        """A chunk came from the provider."""
        if self._takes(chunk):
            self.record.add_chunk(chunk)

    def add_sent(self, piece: bytes) -> None:
        """A piece left for the client."""
        if self._takes(piece):
            self._sent.append(piece)
            self._left.extend((self.record.since_request(time.monotonic()), len(piece)))

    def _takes(self, piece: bytes) -> bool:
        if self._is_over:
            return False
        self._room -= len(piece)
        if self._room < 0 and not self.is_too_long:
            self.is_too_long = True
            for pieces in (self.record.pieces, self._sent, self._left):
                del pieces[:]
        return not self.is_too_long

    def close(self, flow: http.HTTPFlow, response: http.Response, exchange: Exchange) -> BeforeAfter:
        """The exchange is over. From now on nothing is held here: the flow keeps its tap, and the tap this."""
        if self.is_streamed and response.raw_content is None:
            # Half an answer would pass for a whole one, so it is all or nothing.
            response.raw_content = None if self.is_too_long else b"".join(self._sent)
        before = self._provider(flow)
        is_as_it_came = before is None or _is_same(before, response)
        noted = noted_times(flow.metadata.get(CHUNKS)) if is_as_it_came else []
        left = self._left if self.is_streamed else array("d", chain.from_iterable(noted))
        kept = BeforeAfter(exchange.rules_in_force, exchange.done, exchange.effects, left)
        if before is not None and not is_as_it_came:
            kept.provider, kept.size = before, _size_of(before, flow)
        kept.is_forgotten = self.is_too_long and bool(kept.effects)
        self._is_over = True
        self._sent = []
        del self.record
        return kept

    def _provider(self, flow: http.HTTPFlow) -> http.HTTPFlow | None:
        """The exchange as the provider answered it, as a flow of its own."""
        if self.record.response is None or not self.record.pieces:
            return None
        before = self.record.flow(flow, flow.error)
        if (self.is_streamed or not flow.live) and (chunks := self.record.chunks(before)) is not None:
            before.metadata[CHUNKS] = chunks
        return before


def _is_same(before: http.HTTPFlow, left: http.Response) -> bool:
    return before.response is not None and before.response.raw_content == left.raw_content


_NOTE: Final = 110
"""Bytes that it takes to note when one chunk came."""


def _size_of(before: http.HTTPFlow, left: http.HTTPFlow) -> int:
    """What is kept of a provider's side, and is not a part of the flow anyway."""
    answer = before.response.raw_content if before.response is not None else None
    asked = before.request.raw_content if before.request.raw_content is not left.request.raw_content else None
    return len(answer or b"") + len(asked or b"") + _NOTE * len(before.metadata.get(CHUNKS, ()))
