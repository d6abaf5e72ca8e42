"""A recorded session, taken through the rules once more: what they would do to each request, in the order of the file.

What was thought in one answer is remembered for the requests behind it, as the addon does it. Where a recording has no
credentials left in it, all who asked from one address count as one caller.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.request_rewriting import CallerMemory, EditedRequest, edit_request
from thinkwire.playback.recording import RecordedExchange
from thinkwire.rewrite.history.memory import Memory
from thinkwire.ruleset.choose import Ruleset, Selection

__all__ = ["Rehearsed", "memory_of_a_session", "rehearse"]

_MOST_BYTES: Final = 64 * 1024 * 1024
"""What is remembered of a file at most; as much as the addon does if nobody tells it."""


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """One exchange, as far as its request has come."""

    recorded: RecordedExchange
    facts: RequestFacts
    choice: Selection
    request: EditedRequest
    """Unchanged on a WebSocket, whose messages have requests in them."""


def memory_of_a_session() -> Memory:
    """One that no time passes in."""
    return Memory(_MOST_BYTES, math.inf, lambda: 0.0)


def rehearse(sessions: Iterable[RecordedExchange], ruleset: Ruleset) -> Iterator[Rehearsed]:
    """Take the exchanges through the rules, one after the other, with one memory."""
    memory = memory_of_a_session()
    hear: Callable[[], object] | None = None
    for recorded in sessions:
        if hear is not None:
            hear()
        facts = recorded.facts(ruleset.dialects)
        choice = ruleset.choose(facts, recorded.flow)
        recollection = CallerMemory(recorded.flow, facts, choice, memory)
        is_edited = choice.plan.request.changes and not recorded.messages
        request = edit_request(recorded.flow.request, recollection) if is_edited else EditedRequest()
        yield Rehearsed(recorded, facts, choice, request)
        label, hear = recorded.label(facts), None
        if choice.plan.request.restore and not request.refusal and label is not None:
            # Nobody asks for what the last one thought.
            hear = partial(recorded.rewritten, label, facts, choice, recollection.answer())
