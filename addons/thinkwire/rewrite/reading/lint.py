"""What in a recorded answer would trip a client: one small function for each finding, named after it.

It knows no API; what an API allows or requires is in its dialect.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import UNFINISHED, CountOf, Extent, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts, usage_in_stream
from thinkwire.dialects.core.tag_families import FAMILIES, Family, TagState
from thinkwire.dialects.core.token_metadata import read_tokens
from thinkwire.rewrite.extract.tag_reader import TagReader
from thinkwire.rewrite.reading.transcript import EventContent, Moment
from thinkwire.rewrite.reasoning_text import carriers_of
from thinkwire.rewrite.stream.sniff import BodyFormat


@dataclass(frozen=True, slots=True)
class Subject:
    """The answer that is examined."""

    said: list[EventContent]
    dialect: Dialect
    form: BodyFormat
    request: RequestFacts
    times: Sequence[float] = ()
    """When each chunk came; empty if that is not known."""
    failure: str = ""
    """Why the exchange broke off, if it did."""
    longest_gap: float = 10.0
    """Seconds of silence that are not yet a finding."""

    @property
    def moments(self) -> Iterator[Moment]:
        return (moment for said in self.said for moment in said.moments)

    @property
    def is_stream(self) -> bool:
        return self.form not in (BodyFormat.BODY, BodyFormat.RAW)

    @property
    def has_failed(self) -> bool:
        """Did it break off, or end in an error? Then nothing else is expected at its end."""
        return bool(self.failure) or _is_torn(self) or any(moment.kind is Kind.ERROR for moment in self.moments)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that would trip clients, or might surprise them."""

    event: int | None
    """None if it is about the answer as a whole."""
    text: str
    """A sentence without its full stop."""
    is_note: bool = False
    """Is it allowed, and only worth knowing?"""
    rule: str = ""


def findings(subject: Subject) -> list[Finding]:
    """All findings, in the order of the events; those about the whole answer come last."""
    found = [Finding(one.event, one.text, one.is_note, name) for name, rule in RULES.items() for one in rule(subject)]
    return sorted(found, key=lambda one: one.event if one.event is not None else len(subject.said) + 1)


def broken_off(subject: Subject) -> Iterator[Finding]:
    """The answer ends too early."""
    if subject.failure:
        yield Finding(None, f"the answer broke off: {subject.failure}")
    if not subject.said or not subject.said[-1].event.is_cut:
        return
    last = subject.said[-1]
    if _is_torn(subject):
        yield Finding(last.event.number, "the answer broke off in the middle of this event")
    elif subject.form is BodyFormat.EVENTS:
        text = "no empty line ends the last event; readers that keep to the standard drop it"
        yield Finding(last.event.number, text, is_note=True)


def _is_torn(subject: Subject) -> bool:
    return bool(subject.said) and subject.said[-1].event.is_cut and bool(subject.said[-1].problem)


def error_inside(subject: Subject) -> Iterator[Finding]:
    """There is an error in the middle of an answer."""
    for moment in subject.moments:
        if moment.kind is Kind.ERROR:
            yield Finding(moment.event, f"there is an error in the answer: {_cut(moment.text)}")


def not_json(subject: Subject) -> Iterator[Finding]:
    """An event is not JSON."""
    for said in subject.said:
        if said.problem and not (said.event.is_cut and said is subject.said[-1]):
            yield Finding(said.event.number, f"the event cannot be read: {said.problem}")
        elif not said.problem and not said.event.is_document and not said.event.is_end_mark:
            yield Finding(said.event.number, f"the event is not JSON: {_quoted(said.event.text)}")


_SPOKEN: Final = (Kind.REASONING, Kind.TEXT, Kind.REFUSAL, Kind.TOOL_CALL)


def no_finish_reason(subject: Subject) -> Iterator[Finding]:
    """The answer has no finish reason."""
    if subject.has_failed:
        return
    spoken = dict.fromkeys(moment.choice for moment in subject.moments if moment.kind in _SPOKEN)
    finishes = (moment for moment in subject.moments if moment.kind is Kind.FINISH)
    finished = {moment.choice for moment in finishes if moment.text not in UNFINISHED}
    for choice in spoken:
        if choice not in finished:
            whose = f"choice {choice} has" if len(spoken) > 1 else "there is"
            yield Finding(
                None, f"{whose} no finish reason; clients may wait for one, or think that the answer was cut off"
            )


def no_end_mark(subject: Subject) -> Iterator[Finding]:
    """A stream lacks the end mark that its API has."""
    mark = subject.dialect.end_mark
    if subject.form is not BodyFormat.EVENTS or not mark or subject.has_failed:
        return
    if all(said.event.text.strip() != mark for said in subject.said):
        yield Finding(None, f"the stream has no {mark}, which clients of this API wait for")


def names_differ(subject: Subject) -> Iterator[Finding]:
    """Two names of the reasoning hold different texts."""
    for said in subject.said:
        for update in said.updates:
            named = [part.node for part in carriers_of(update) if part.is_named and part.node.is_string]
            texts = {node.key: node.value for node in named if node.key}
            if len(set(texts.values())) > 1:
                names = " and ".join(f"{name} ({_quoted(text)})" for name, text in texts.items())
                yield Finding(said.event.number, f"reasoning has several texts: {names}; clients read one of them")


def reasoning_after_answer(subject: Subject) -> Iterator[Finding]:
    """Reasoning comes after the answer has begun."""
    if not subject.is_stream:
        return  # the order of members means nothing
    answered: set[int | str] = set()
    reported: set[int | str] = set()
    for moment in subject.moments:
        if moment.kind in (Kind.TEXT, Kind.REFUSAL) and moment.text.strip():
            answered.add(moment.choice)
        elif moment.kind is Kind.REASONING and moment.text.strip() and moment.choice in answered - reported:
            reported.add(moment.choice)
            allowed = subject.dialect.has_blocks
            more = "which this API allows" if allowed else "which clients show out of place, or not at all"
            yield Finding(moment.event, f"reasoning comes after the answer has begun, {more}", is_note=allowed)


_OPEN: Final = (TagState.REASONING, TagState.CHANNEL_REASONING)


def unclosed_tag(subject: Subject) -> Iterator[Finding]:
    """A tag in the text opens a block of reasoning, and none closes it."""
    texts: dict[object, list[Moment]] = {}
    for moment in subject.moments:
        if moment.kind is Kind.TEXT:
            texts.setdefault((moment.choice, moment.block), []).append(moment)
    for moments in texts.values():
        text = "".join(moment.text for moment in moments)
        for opening in dict.fromkeys(filter(None, (_unclosed(family, text) for family in FAMILIES.values()))):
            event = _event_at(moments, text.rfind(opening))
            yield Finding(event, f"{_quoted(opening)} opens reasoning in the text, and nothing closes it")


def _unclosed(family: Family, text: str) -> str:
    """The tag of a family that opens the block in which the text ends; empty if it does not end in one."""
    reader = TagReader(family, starts_inside=False)
    reader.feed(text)
    if reader.reading.state not in _OPEN:
        return ""
    openings = ["".join(part or "" for part in marker.parts) for marker in family.opening]
    return max([family.opens, *openings], key=lambda opening: (text.rfind(opening), len(opening)))


def _event_at(moments: list[Moment], position: int) -> int:
    """The event that holds a position of a text."""
    at = 0
    for moment in moments:
        at += len(moment.text)
        if at > position:
            return moment.event
    return moments[-1].event


def tokens_differ(subject: Subject) -> Iterator[Finding]:
    """Token metadata does not spell the text beside it."""
    extent = Extent.DELTA if subject.is_stream else Extent.SNAPSHOT
    for said in subject.said:
        for update in said.updates:
            shown = _shown(said, update, subject)
            for part in update.of(Kind.TOKENS) if shown and update.extent is extent else ():
                spelled = read_tokens(part.node.value).spells if part.is_meaningful else None
                if spelled is not None and not _spells(spelled, shown, subject.is_stream):
                    token_text = _quoted(spelled.decode("utf-8", "replace"))
                    yield Finding(
                        said.event.number,
                        f"{part.node.key} spells {token_text}, but the text beside it is {_quoted(''.join(shown))}",
                    )


def _shown(said: EventContent, update: Update, subject: Subject) -> list[str]:
    """The reasoning and the visible text of an update, if there is any."""
    if update.item is None or any(part.is_meaningful for part in update.of(Kind.TOOL_CALL)):
        return []
    name = update.item.number
    number = name.strip('"') if isinstance(name, str) else name
    kinds = (Kind.REASONING, Kind.TEXT, Kind.REFUSAL)
    own = [one for one in said.moments if number in (one.choice, one.block) and one.kind in kinds]
    return [moment.text for moment in own if moment.text]


def _spells(spelled: bytes, shown: list[str], exactly: bool) -> bool:
    """Are the tokens these texts, or one of them? Servers trim white space; a body's also have tags around them."""
    tokens = spelled.decode("utf-8", "replace").strip()
    texts = [text.strip() for text in shown]
    if exactly:
        return tokens in (*texts, "".join(shown).strip()) or "\ufffd" in "".join(shown)
    return any(text in tokens for text in texts)


def index_gap(subject: Subject) -> Iterator[Finding]:
    """Numbers of blocks, items or events do not follow each other."""
    last: dict[str, int] = {}
    for said in subject.said if subject.is_stream else ():
        for update in said.updates:
            for space in update.resets:
                last.pop(space, None)
        for update in said.updates:
            for count_of, space, node in update.counters:
                number, before = int(node.raw), last.get(space)
                is_gap = number > (0 if before is None else before) + 1
                is_gap = is_gap or (before is None and number == 1 and count_of is CountOf.ITEMS)
                goes_back = count_of is CountOf.DOCUMENTS and before is not None and number <= before
                if is_gap or goes_back:
                    expected = 0 if before is None else before + 1
                    text = f"{node.key} is {number}, but {expected} should come next; clients that count by it stumble"
                    yield Finding(said.event.number, text)
                last[space] = number if count_of is CountOf.DOCUMENTS or before is None else max(before, number)


def unsigned_thinking(subject: Subject) -> Iterator[Finding]:
    """Thinking has no signature, although the API checks it."""
    if not subject.dialect.needs_signatures or subject.has_failed:
        return
    blocks: list[int] = []
    current: dict[object, int] = {}
    signed: set[int] = set()
    for said in subject.said:
        if any(update.begins for update in said.updates):
            for update in said.updates:
                current.pop(update.item.number if update.item is not None else None, None)
        for moment in said.moments:
            if moment.kind is Kind.REASONING and moment.block not in current:
                current[moment.block] = moment.event if subject.is_stream else len(blocks)
                blocks.append(current[moment.block])
            elif moment.kind is Kind.OPAQUE and moment.block in current:
                signed.add(current[moment.block])
    for block in blocks:
        if block not in signed:
            event = block if subject.is_stream else 1
            yield Finding(event, "this thinking has no signature; a provider that checks it refuses the next request")


def no_usage(subject: Subject) -> Iterator[Finding]:
    """The answer has no usage."""
    if subject.has_failed or any(moment.kind is Kind.USAGE for moment in subject.moments):
        return
    if usage_in_stream(subject.request):
        yield Finding(None, "the request asked for usage, and the answer has none")
    else:
        yield Finding(None, "the answer has no usage", is_note=True)


def silence(subject: Subject) -> Iterator[Finding]:
    """Nothing came for too long."""
    for before, after in zip([0.0, *subject.times], subject.times, strict=False):
        if after - before > subject.longest_gap:
            later = (said.event for said in subject.said if said.event.time is not None and said.event.time >= after)
            event = next(later, None)
            text = f"nothing came for {after - before:.1f} s; clients and gateways may have given up"
            yield Finding(event.number if event is not None else None, text)


RULES: Final[dict[str, Callable[[Subject], Iterator[Finding]]]] = {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        broken_off,
        error_inside,
        not_json,
        no_finish_reason,
        no_end_mark,
        names_differ,
        reasoning_after_answer,
        unclosed_tag,
        tokens_differ,
        index_gap,
        unsigned_thinking,
        no_usage,
        silence,
    )
}


def _quoted(text: str) -> str:
    return json.dumps(_cut(text), ensure_ascii=False)


def _cut(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."
