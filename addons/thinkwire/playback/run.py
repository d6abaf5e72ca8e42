"""Recorded exchanges through the rules: by the code of live traffic, on copies, called as mitmproxy calls it.

One memory lasts over the session, so that the reasoning of one answer is there for the requests after it. If a
recording has no credentials left in it, all requests from one address count as one caller's. Faults are not made.
"""

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from mitmproxy import http
from mitmproxy.websocket import WebSocketData

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.exchange import Exchange
from thinkwire.exchange.exchange_log import what_was_done
from thinkwire.exchange.request_headers import take_control_header
from thinkwire.exchange.stream_taps import pieces_of
from thinkwire.exchange.websocket import WebSocketExchange
from thinkwire.playback.chunk_times import CHUNKS
from thinkwire.playback.event_pairs import EventPair, PairRecorder
from thinkwire.playback.recording import RecordedExchange, is_server_text
from thinkwire.playback.text import counted
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.reading.event_reader import Event
from thinkwire.rewrite.stream.sniff import BodyFormat, ContentHint
from thinkwire.ruleset.choose import Ruleset, Selection

_MEMORY_BYTES: Final = 64 * 1024 * 1024
"""What is remembered of a recording at most; the addon's default."""


@dataclass(slots=True)
class ExchangeResult:
    """What the rules make of one recorded exchange."""

    recorded: RecordedExchange
    flow: http.HTTPFlow
    """A copy: the request as it goes up, and the answer as the client gets it."""
    facts: RequestFacts
    """Of the request as it was recorded."""
    selection: Selection
    refusal: str = ""
    """Why thinkwire refused the request; empty if it did not."""
    notes: tuple[str, ...] = ()
    """What the log says beside the counts."""
    done: str = ""
    """What the rules did, in the words of the log."""
    pairs: list[EventPair] = field(default_factory=list)
    """On a WebSocket, the events are the server's messages."""
    form: BodyFormat | None = None
    """What the client's answer is made of; None if it is not a model's."""
    damage: str = ""
    """Why the provider's answer cannot be decoded to its end."""

    @property
    def status(self) -> int | None:
        """None if there is no answer."""
        return self.flow.response.status_code if self.flow.response is not None else None

    @property
    def is_ours(self) -> bool:
        """Does thinkwire answer in the provider's place?"""
        return bool(self.refusal) or self.status != self.recorded.status

    @property
    def answered(self) -> RecordedExchange:
        """The exchange with the status and the times of what the client gets; an answer of ours has no times."""
        return RecordedExchange(self.recorded.number, self.flow) if self.is_ours else self.recorded

    @property
    def sent(self) -> list[Event]:
        """The events of the answer that the client gets."""
        return [event for pair in self.pairs for event in pair.sent]


def run(
    exchanges: Iterable[RecordedExchange], ruleset: Ruleset, numbers: Collection[int] | None = None
) -> Iterator[ExchangeResult]:
    """Take the exchanges through the rules in their order; what was recorded stays as it is.

    Only those with the `numbers` are answered, all by default; others are run if they may be remembered for them.
    """
    memory = Memory(_MEMORY_BYTES, math.inf, lambda: 0.0)  # no time passes in it
    last = math.inf if numbers is None else max(numbers, default=0)
    for recorded in exchanges:
        if recorded.number > last:
            return
        is_wanted = numbers is None or recorded.number in numbers
        flow, facts = recorded.flow.copy(), recorded.facts(ruleset.dialects)
        take_control_header(flow.request)
        result = ExchangeResult(recorded, flow, facts, ruleset.choose(facts, flow))
        if flow.websocket is not None:
            _run_websocket(result, flow.websocket, ruleset, memory)
        elif is_wanted or result.selection.plan.request.restore:
            _run_http(result, memory)
        if is_wanted:
            yield result


# --- HTTP ---------------------------------------------------------------------------------------------------------


def _run_http(result: ExchangeResult, memory: Memory) -> None:
    recorder = PairRecorder()
    exchange = Exchange(
        result.flow, result.facts, result.selection, memory, observes=False, make_content=recorder.content
    )
    exchange.request()
    result.refusal = exchange.refusal
    if exchange.refusal:
        exchange.response()
    elif result.flow.response is not None and result.recorded.is_kept:
        _hand_over(result.flow.response, result.recorded, exchange, recorder)
        _pair(result, recorder)
    result.notes, result.done = exchange.notes, exchange.done
    if result.is_ours:
        _forget_times(result.flow)


def _hand_over(response: http.Response, recorded: RecordedExchange, exchange: Exchange, recorder: PairRecorder) -> None:
    """Let the exchange have the answer: its headers, then its body, in its chunks or as a whole."""
    body, response.raw_content = response.raw_content, None
    exchange.responseheaders(streams_bodies=False)
    if body and callable(response.stream):
        sent: list[bytes] = []
        for chunk in recorded.chunks:
            recorder.now = chunk.time
            sent += pieces_of(response.stream(chunk.raw))
        sent += pieces_of(response.stream(b""))
        exchange.response()
        response.raw_content = b"".join(sent)
    else:
        response.raw_content = body
        exchange.response()


def _pair(result: ExchangeResult, recorder: PairRecorder) -> None:
    """Note what was sent for the events of the answer."""
    recorded = result.recorded
    hint = recorded.content_hint(result.facts)
    if hint is None:
        return
    if recorder.form is not None:
        result.pairs, result.form, result.damage = recorder.pairs, recorder.form, recorded.damage(hint)
        return
    answer = recorded.answer(hint)
    if result.is_ours:
        result.pairs = [EventPair(event, []) for event in answer.events]
        return
    result.form, result.damage = answer.form, answer.damage
    if hint is ContentHint.JSON:
        after = RecordedExchange(recorded.number, result.flow).answer(hint).events
        result.pairs = [
            EventPair(event, [replace(one, time=event.time)]) for event, one in zip(answer.events, after, strict=False)
        ]
    else:  # no rule is about it
        result.pairs = [EventPair(event, [event]) for event in answer.events]


def _forget_times(flow: http.HTTPFlow) -> None:
    """Of an answer of ours nothing is known but what it says."""
    flow.error = None
    flow.metadata.pop(CHUNKS, None)
    if flow.response is not None:
        flow.response.timestamp_end = None


# --- WebSockets ---------------------------------------------------------------------------------------------------


def _run_websocket(result: ExchangeResult, websocket: WebSocketData, ruleset: Ruleset, memory: Memory) -> None:
    recorded, flow = result.recorded, result.flow

    def choose(message: bytes | None) -> tuple[RequestFacts, Selection]:
        facts = recorded.facts(ruleset.dialects, message)
        return facts, ruleset.choose(facts, flow)

    messages, websocket.messages = websocket.messages, []
    exchange = WebSocketExchange(flow, choose, memory, observes=False)
    events, numbers = iter(recorded.server_messages), count(1)
    for message in messages:
        event = next(events) if is_server_text(message) else None
        websocket.messages.append(message)
        exchange.message()
        if event is not None:
            sent = [] if message.dropped else [recorded.event_of(next(numbers), message)]
            result.pairs.append(EventPair(event, sent))
    exchange.end()
    result.form = BodyFormat.LINES if result.pairs else None  # each message is a document, as each line is elsewhere
    result.done = what_was_done(None, "message", list(_message_counts(result.pairs)), False)


def _message_counts(pairs: list[EventPair]) -> Iterator[str]:
    """What the rules did to the messages; the log counts by requests."""
    changed = sum(event is not None and [event.raw] != [one.raw for one in sent] for event, sent in pairs)
    dropped = sum(not sent for _, sent in pairs)
    for number, what in ((changed - dropped, "changed"), (dropped, "dropped")):
        if number:
            yield f"{counted(number, 'message')} {what}"
