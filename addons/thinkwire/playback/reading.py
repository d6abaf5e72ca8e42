"""What is said in an exchange: by the provider, or to the client once the rules have been applied."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import DIALECTS
from thinkwire.playback.recording import RecordedAnswer, RecordedExchange
from thinkwire.playback.run import ExchangeResult
from thinkwire.rewrite.reading.transcript import Assembler, EventContent, Moment
from thinkwire.rewrite.stream.sniff import BodyFormat
from thinkwire.ruleset.choose import Selection


@dataclass(frozen=True, slots=True)
class Reading:
    """One exchange, and what is said in it."""

    recorded: RecordedExchange
    facts: RequestFacts
    selection: Selection | None = None
    """What the rules decided; None if none were asked."""
    dialect: Dialect | None = None
    """The API of the answer, or else of the request."""
    form: BodyFormat | None = None
    """None if the answer is not a model's, and was not read."""
    said: list[EventContent] = field(default_factory=list)
    damage: str = ""

    @property
    def moments(self) -> Iterator[Moment]:
        return (moment for said in self.said for moment in said.moments)

    @property
    def is_stream(self) -> bool:
        return self.form not in (None, BodyFormat.BODY, BodyFormat.RAW)


def read_exchange(
    recorded: RecordedExchange, dialects: tuple[Dialect, ...] = DIALECTS, *, keeps_updates: bool = False
) -> Reading:
    """Read what the provider sent. Its updates are there only if they are kept."""
    facts = recorded.facts(dialects)
    hint = recorded.content_hint(facts)
    if recorded.server_messages:  # each is a document, as each line is elsewhere
        answer = RecordedAnswer(recorded.server_messages, BodyFormat.LINES)
    else:
        answer = recorded.answer(hint) if hint is not None else RecordedAnswer([])
    return _assembled(Reading(recorded, facts), answer, dialects, keeps_updates)


def read_result(result: ExchangeResult) -> Reading:
    """Read what a client gets by the rules."""
    answer = RecordedAnswer(result.sent if result.form is not None else [], result.form, result.damage)
    reading = Reading(result.answered, result.facts, result.selection)
    return _assembled(reading, answer, result.selection.dialects)


def _assembled(
    reading: Reading, answer: RecordedAnswer, dialects: tuple[Dialect, ...], keeps_updates: bool = False
) -> Reading:
    assembler = Assembler(reading.facts, dialects, keeps_updates=keeps_updates)
    said = [assembler.read(event) for event in answer.events]
    return replace(reading, dialect=assembler.dialect, form=answer.form, said=said, damage=answer.damage)
