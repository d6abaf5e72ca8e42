"""One exchange in rows, for people to read: what was asked, what was said, and when.

A row is a name and a text as received; what shows it makes it printable, and colours it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from thinkwire.dialects.core.parts import Kind
from thinkwire.dialects.core.request_facts import messages_in
from thinkwire.exchange.exchange_log import rules_of
from thinkwire.playback.reading import Reading
from thinkwire.playback.text import counted
from thinkwire.rewrite.reading.transcript import Assembled, Choice, assembled


class Tone(Enum):
    """What kind of text it is."""

    PLAIN = "plain"
    REASONING = "reasoning"
    CALL = "call"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A name, and a text of any number of lines beside it; a heading has no text."""

    name: str
    text: str | None = None
    tone: Tone = Tone.PLAIN


def exchange_rows(reading: Reading) -> Iterator[SummaryRow]:
    """A summary of an exchange, and the text of its answer."""
    yield asked_row(reading)
    if reading.selection is not None:
        yield SummaryRow("rules", rules_of(reading.selection) or "none decided")
    yield from answer_rows(reading)


def answer_rows(reading: Reading, timed: Reading | None = None) -> Iterator[SummaryRow]:
    """The answer alone, from its status to its times; the times are those of `timed`, if given, which says the same."""
    yield SummaryRow("answered", _answered(reading))
    yield from said_rows(reading)
    timed = timed or reading
    yield from _time_rows(timed, assembled(timed.moments))


def asked_row(reading: Reading) -> SummaryRow:
    facts = reading.facts
    words = [facts.dialect or "no known API"]
    if facts.model:
        words.append(f"model {facts.model}")
    if facts.dialect:
        words.append("stream" if facts.stream else "no stream")
    messages = messages_in(facts.body)
    if messages is not None:
        words.append(counted(len(messages), "message"))
    return SummaryRow("asked", ", ".join(words))


def _answered(reading: Reading) -> str:
    recorded = reading.recorded
    if recorded.status is None:
        return "nothing"
    words = [" ".join(filter(None, [str(recorded.status), recorded.content_type]))]
    if recorded.messages:
        words.append(f"a WebSocket with {counted(recorded.messages, 'message')}")
    elif not recorded.is_kept:
        words.append("its body is not in the recording")
    elif reading.form is None:
        words.append("not an answer of a model")
        words += [recorded.error_text.strip()[:500]] if recorded.status >= 400 else []
    else:
        words.append(counted(len(reading.said), "event") if reading.is_stream else "one body")
        if reading.dialect is not None and reading.dialect.name != reading.facts.dialect:
            words.append(f"as {reading.dialect.name}")
    return ", ".join(filter(None, words))


# --- what was said ------------------------------------------------------------------------------------------------

_NAMES: Final = {Kind.REASONING: "reasoning", Kind.TOOL_CALL: "call", Kind.REFUSAL: "refusal", Kind.TEXT: "content"}
_TONES: Final = {Kind.REASONING: Tone.REASONING, Kind.TOOL_CALL: Tone.CALL, Kind.REFUSAL: Tone.BAD}


def said_rows(reading: Reading) -> Iterator[SummaryRow]:
    """What the answer says, and what is wrong with it."""
    answer = assembled(reading.moments)
    for number, choice in sorted(answer.choices.items(), key=lambda item: (isinstance(item[0], str), item[0])):
        if len(answer.choices) > 1:
            yield SummaryRow(f"choice {number}")
        yield from _choice_rows(choice)
    for error in answer.errors:
        yield SummaryRow("error", error, Tone.BAD)
    if answer.usage:
        yield SummaryRow("usage", answer.usage)
    if answer.opaque:
        size = sum(map(len, answer.opaque))
        yield SummaryRow("opaque", f"{counted(len(answer.opaque), 'signature')} or encrypted text, {size:,} bytes")
    unreadable = [said for said in reading.said if said.problem]
    if unreadable:
        count = counted(len(unreadable), "event")
        first = unreadable[0]
        yield SummaryRow("damage", f"{count} cannot be read; the first is {first.event.number}: {first.problem}")
    if failure := reading.recorded.failure or reading.damage:
        yield SummaryRow("broke off", failure, Tone.BAD)


def _choice_rows(choice: Choice) -> Iterator[SummaryRow]:
    for piece in choice.pieces:
        text = piece.text.removesuffix("\n")
        shown = f"{piece.name}({text})" if piece.kind is Kind.TOOL_CALL else text
        yield SummaryRow(_NAMES.get(piece.kind, "content"), shown, _TONES.get(piece.kind, Tone.PLAIN))
    if choice.finish:
        yield SummaryRow("finish", choice.finish)


# --- times --------------------------------------------------------------------------------------------------------

_WIDTH: Final = 60
_LETTERS: Final = {Kind.REASONING: "r", Kind.TEXT: "a", Kind.REFUSAL: "a", Kind.TOOL_CALL: "t"}
_MEANINGS: Final = {"r": "reasoning", "a": "answer", "t": "tool call", "*": "several", ".": "other"}
_ANSWER: Final = (Kind.TEXT, Kind.REFUSAL, Kind.TOOL_CALL)


def _time_rows(reading: Reading, answer: Assembled) -> Iterator[SummaryRow]:
    """When it was said, as far as known."""
    total = reading.recorded.total
    times = reading.recorded.times
    words = []
    if times and Kind.REASONING in answer.first:
        words.append(f"first reasoning {answer.first[Kind.REASONING]:.2f} s")
    firsts = [answer.first[kind] for kind in _ANSWER if kind in answer.first]
    if times and firsts:
        words.append(f"first answer {min(firsts):.2f} s")
    if total is not None:
        words.append(f"total {total:.2f} s")
    if words:
        yield SummaryRow("times", ", ".join(words))
    if len(times) > 1 and total:
        yield SummaryRow("timeline", "\n".join(_timeline(reading, total)))


def _timeline(reading: Reading, total: float) -> Iterator[str]:
    """What arrived when, from the request to the end."""
    columns: list[set[str]] = [set() for _ in range(_WIDTH)]
    times = reading.recorded.times
    for time in times:
        columns[_column(time, total)].add(".")
    for moment in reading.moments:
        if moment.time is not None and moment.kind in _LETTERS:
            columns[_column(moment.time, total)].add(_LETTERS[moment.kind])
    signs = ["*" if len(column - {"."}) > 1 else max(column, default=" ") for column in columns]
    used = ", ".join(f"{sign} {meaning}" for sign, meaning in _MEANINGS.items() if sign in signs)
    gap = max(later - earlier for earlier, later in zip([0.0, *times], times, strict=False))
    yield f"|{''.join(signs)}|"
    noun = "message" if reading.recorded.messages else "chunk"
    yield f"{counted(len(times), noun)}, longest wait {gap:.2f} s; {used}"


def _column(time: float, total: float) -> int:
    return max(0, min(_WIDTH - 1, int(time / total * _WIDTH)))
