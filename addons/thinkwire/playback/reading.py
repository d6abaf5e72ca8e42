"""A recorded exchange, read: what the provider said, or what a client gets by some rules."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import DIALECTS
from thinkwire.playback.conversed import converse
from thinkwire.playback.recording import RecordedAnswer, RecordedExchange, says_something
from thinkwire.playback.text import counted
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.reading.event_reader import Event, FrameReader
from thinkwire.rewrite.reading.transcript import Assembler, EventContent, Moment
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import BodyFormat, ContentHint
from thinkwire.rewrite.tally import Tally
from thinkwire.ruleset.choose import Ruleset, Selection
from thinkwire.wire.json_tree import decode

__all__ = ["Change", "Reading", "Rerun", "read_exchange", "read_rewritten", "rerun"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One exchange and what was said in it."""

    recorded: RecordedExchange
    facts: RequestFacts
    choice: Selection | None = None
    """What the rules decided, where any were asked for."""
    dialect: Dialect | None = None
    """The API of the answer, or else of the request."""
    form: BodyFormat | None = None
    """None where the answer is none of a model, and was not read."""
    said: list[EventContent] = field(default_factory=list)
    damage: str = ""

    @property
    def moments(self) -> Iterator[Moment]:
        return (moment for said in self.said for moment in said.moments)

    @property
    def is_stream(self) -> bool:
        return self.form not in (None, BodyFormat.BODY, BodyFormat.RAW)


def read_exchange(
    recorded: RecordedExchange,
    ruleset: Ruleset | None = None,
    dialects: tuple[Dialect, ...] = DIALECTS,
    *,
    keeps_updates: bool = False,
) -> Reading:
    """Read what the provider sent; with rules, what a client gets by them, and the APIs are those that they know.

    What is said has its updates only where they are kept.
    """
    dialects = ruleset.dialects if ruleset is not None else dialects
    facts = recorded.facts(dialects)
    choice = ruleset.choose(facts, recorded.flow) if ruleset is not None else None
    label = recorded.label(facts)
    if recorded.heard:
        heard = recorded.heard if ruleset is None else _heard_by_client(recorded, ruleset)
        return _assembled(Reading(recorded, facts, choice), _talk(heard), dialects, keeps_updates)
    if label is None:
        expected = next((one for one in dialects if one.name == facts.dialect), None)
        return Reading(recorded, facts, choice, expected)
    answer = recorded.answer(label) if choice is None else recorded.rewritten(label, facts, choice)
    return _assembled(Reading(recorded, facts, choice), answer, dialects, keeps_updates)


def _heard_by_client(recorded: RecordedExchange, ruleset: Ruleset) -> list[Event]:
    sent = (message for _, message in converse(recorded, ruleset) if says_something(message))
    return [recorded.event_of(number, message) for number, message in enumerate(sent, 1)]


def _talk(heard: list[Event]) -> RecordedAnswer:
    """The messages of a WebSocket: each is a document, as each line is elsewhere."""
    return RecordedAnswer(heard, BodyFormat.LINES)


def read_rewritten(recorded: RecordedExchange, facts: RequestFacts, choice: Selection) -> Reading:
    """Read an answer that the rules have rewritten already; the facts are those of the request as it came."""
    label = recorded.label(facts)
    reading = Reading(recorded, facts, choice)
    return reading if label is None else _assembled(reading, recorded.answer(label), choice.dialects)


def _assembled(
    reading: Reading, answer: RecordedAnswer, dialects: tuple[Dialect, ...], keeps_updates: bool = False
) -> Reading:
    assembler = Assembler(reading.facts, dialects, keeps_updates=keeps_updates)
    said = [assembler.read(event) for event in answer.events]
    return replace(reading, dialect=assembler.dialect, form=answer.form, said=said, damage=answer.damage)


# --- before and after ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """An event that the rules have changed."""

    event: Event | None
    """None for what is sent when the answer has ended."""
    before: str
    """Document text; nothing where the event itself stays, and others are sent beside it."""
    after: list[str]
    """Texts of the documents that are sent; none where it is not."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """What rules do to the answer of one exchange."""

    choice: Selection
    noun: str
    """What an answer is made of: "event", "message" or "body"."""
    tally: Tally | None = None
    changes: list[Change] = field(default_factory=list)
    damage: str = ""
    answer: RecordedAnswer | None = None
    """What the provider sent; None where it was not read."""

    @property
    def summary(self) -> list[str]:
        """What there is to say of it beside the tally."""
        if self.noun != "message":
            return [self.damage] if self.damage else []
        dropped = sum(not change.after for change in self.changes)
        counts = (("changed", len(self.changes) - dropped), ("dropped", dropped))
        return [f"{counted(count, self.noun)} {what}" for what, count in counts if count]


def rerun(recorded: RecordedExchange, ruleset: Ruleset) -> Rerun:
    """Rewrite an answer, event by event."""
    facts = recorded.facts(ruleset.dialects)
    choice = ruleset.choose(facts, recorded.flow)
    if recorded.messages:
        return Rerun(
            choice, "message", changes=list(_changed_messages(recorded, ruleset)), answer=_talk(recorded.heard)
        )
    label = recorded.label(facts)
    if label is None:
        return Rerun(choice, "event")
    answer = recorded.answer(label)
    if answer.form is None:
        return Rerun(choice, "event", damage=answer.damage)
    noun = "body" if answer.form is BodyFormat.BODY else "event"
    rewriter = AnswerRewriter(choice.plan.response, facts, choice.dialects)
    return Rerun(choice, noun, rewriter.tally, list(_changes(answer, answer.form, rewriter)), answer.damage, answer)


_LABELS = {
    BodyFormat.EVENTS: ContentHint.EVENTS,
    BodyFormat.LINES: ContentHint.LINES,
    BodyFormat.LIST: ContentHint.LIST,
    BodyFormat.MESSAGES: ContentHint.AWS,
    BodyFormat.BODY: ContentHint.JSON,
    BodyFormat.RAW: ContentHint.UNSURE,
}
_NEVER = float("inf")


def _changes(answer: RecordedAnswer, form: BodyFormat, rewriter: AnswerRewriter) -> Iterator[Change]:
    machine = StreamRewriter(rewriter, _LABELS[form], None, _NEVER, 0.0)
    for event in answer.events:
        sent = machine.feed(event.raw, event.time or 0.0)
        if form in (BodyFormat.BODY, BodyFormat.RAW):
            sent += machine.finish()
        if (change := _change(event, b"".join(sent), form)) is not None:
            yield change
    last = [] if form in (BodyFormat.BODY, BodyFormat.RAW) else _texts_in(b"".join(machine.finish()), form)
    if last:
        yield Change(None, "", last)


def _changed_messages(recorded: RecordedExchange, ruleset: Ruleset) -> Iterator[Change]:
    pairs = (pair for pair in converse(recorded, ruleset) if says_something(pair[0]))
    for event, (_, after) in zip(recorded.heard, pairs, strict=True):
        if after.dropped or after.content != event.raw:
            yield Change(event, event.text, [] if after.dropped else [decode(after.content)])


def _change(event: Event, sent: bytes, form: BodyFormat) -> Change | None:
    if sent == event.raw:
        return None
    before, after = event.text, _texts_in(sent, form)
    if before in after:
        after.remove(before)
        return Change(event, "", after) if after else None
    return Change(event, before, after)


def _texts_in(raw: bytes, form: BodyFormat) -> list[str]:
    reader = FrameReader.of(form)
    return [event.text for event in [*reader.feed(raw), *reader.finish()]]
