"""What the provider said in each event of a recorded answer, and what of it a client gets by some rules.

It reads documents before and after; what is seen in the difference is decided by those who show it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.playback.reading import Change, Reading, Rerun
from thinkwire.rewrite.reading.event_reader import Event
from thinkwire.rewrite.reading.transcript import Assembler, EventContent

__all__ = ["EventPair", "passages", "untouched"]


@dataclass(frozen=True, slots=True)
class EventPair:
    """One event on its way."""

    said: EventContent
    """What the provider said. Nothing for what is sent when the answer has ended."""
    got: list[EventContent] = field(default_factory=list)
    """What is sent in its place: the same where no rule changed it, nothing where it was not sent."""


def untouched(reading: Reading) -> list[EventPair]:
    """The events as they came."""
    return [EventPair(said, [said]) for said in reading.said]


def passages(run: Rerun, facts: RequestFacts) -> Iterator[EventPair]:
    """Each event, before and after the rules."""
    provider, client = (Assembler(facts, run.choice.dialects) for _ in range(2))
    changes = {change.event.number: change for change in run.changes if change.event is not None}
    events = run.answer.events if run.answer is not None else []
    for event in events:
        sent = _sent(event, changes.get(event.number))
        yield EventPair(provider.read(event), [client.read(one) for one in sent])
    for change in run.changes:
        if change.event is None:
            last = Event(len(events), events[-1].time if events else None, b"")
            yield EventPair(EventContent(last), [client.read(one) for one in _sent(last, change)])


def _sent(event: Event, change: Change | None) -> list[Event]:
    """The events that leave in the place of one."""
    if change is None:
        return [event]
    stays = [event] if change.event is not None and not change.before else []
    return [*(replace(event, text=text, damage="") for text in change.after), *stays]
