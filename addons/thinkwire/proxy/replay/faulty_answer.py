"""A recorded answer with a fault, made before it is served: the same chunks and times, but for what goes wrong."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.content_type import content_hint, may_have_body
from thinkwire.playback.chunk_times import TimedChunk
from thinkwire.proxy.replay.recordings import ReplayExchange
from thinkwire.rewrite.faults.fault import Fault
from thinkwire.rewrite.faults.injection import Break, FaultyBody, Pause, Step, dialect_asked
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.codings import decoder_for

logger = logging.getLogger(__name__)


def with_fault(
    recorded: ReplayExchange, fault: Fault, facts: RequestFacts, dialects: Sequence[Dialect]
) -> ReplayExchange:
    """The exchange as it goes with this fault. Pieces are split later, when they are sent to the client."""
    request, response, answer = recorded.flow.request, recorded.flow.response, recorded.answer
    if answer is None or response is None or not (fault.touches_events and may_have_body(request, response)):
        return recorded
    answer = answer.decoded()
    decoder = decoder_for(answer.coding)
    if decoder is None or not decoder.is_identity:
        logger.warning("%s has no fault: its content-encoding %s cannot be read", recorded, answer.coding)
        return recorded
    body = FaultyBody(fault, content_hint(response, facts) or ContentHint.UNSURE, dialect_asked(facts, dialects))
    chunks, ended, breaks_off = _perform(answer.chunks, recorded.ended, body)
    if body.shortfall:
        logger.warning("%s: %s", recorded, body.shortfall)
    return replace(
        recorded,
        answer=replace(answer, length=None, chunks=tuple(chunks)),
        ended=ended,
        breaks_off=breaks_off or (recorded.breaks_off and not body.is_over),
    )


def _perform(chunks: Sequence[TimedChunk], ended: float, body: FaultyBody) -> tuple[list[TimedChunk], float, bool]:
    """The chunks, the end, and whether the connection breaks there."""
    sent: list[TimedChunk] = []
    late = 0.0
    for at, step in _steps(chunks, ended, body):
        match step:
            case bytes():
                sent.append((at + late, step))
            case Pause(seconds):
                late += seconds
            case Break():
                return sent, at + late, True
        if body.is_over and isinstance(step, bytes):
            ended = at
    return sent, ended + late, False


def _steps(chunks: Sequence[TimedChunk], ended: float, body: FaultyBody) -> Iterator[tuple[float, Step]]:
    for at, chunk in chunks:
        yield from ((at, step) for step in body.feed(chunk))
    yield from ((ended, step) for step in body.finish())
