"""The page of `thinkwire show --html`: one file that needs no network and runs no code, deterministic in its bytes.

Text from recordings passes the autoescape of the templates, with control characters escaped as well.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from thinkwire.dialects.core.parts import Kind
from thinkwire.html.timeline import Picture, picture_of, seconds
from thinkwire.html.timeline_layout import LEFT, RIGHT, WIDTH, Chart, bar_width, chart_of
from thinkwire.html.timeline_marks import ContentPair, ItemKind
from thinkwire.playback.diff import Changed, listing_of
from thinkwire.playback.reading import Reading, read_exchange, read_result
from thinkwire.playback.recording import RecordedExchange, Recording
from thinkwire.playback.run import ExchangeResult, run
from thinkwire.playback.summary import SummaryRow, Tone, exchange_rows
from thinkwire.playback.text import counted, printable
from thinkwire.rewrite.reading.event_reader import Event
from thinkwire.rewrite.reading.transcript import Assembler, assembled
from thinkwire.ruleset.choose import Ruleset, Selection

_TEMPLATES: Final = Path(__file__).parent / "templates"

_MOST_CHARACTERS: Final = 200_000
"""At most this much of the texts of one answer is shown, and as much of what is hidden from it."""
_MOST_TEXTS: Final = 400
"""Texts shown of one answer."""
_MOST_CHANGES: Final = 200
"""Changes listed for one exchange."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """An exchange as the page shows it."""

    recorded: RecordedExchange
    model: str
    outcome: str
    """How it ended, in a word or two."""
    facts: list[SummaryRow]
    said: list[SummaryRow]
    said_left_out: int
    sizes: dict[ItemKind, int]
    """Characters that the client gets, by kind."""
    picture: Picture | None = None
    chart: Chart | None = None
    changes: list[Changed] | None = None
    """None if no rules were applied."""
    changes_left_out: int = 0
    done: str = ""
    """What the rules did, in short."""
    legend: list[tuple[ItemKind, str]] = field(default_factory=list)


def page_of(recording: Recording, numbers: list[int], name: str, ruleset: Ruleset | None, rules: str) -> bytes:
    """The page about these exchanges of a file called `name`, by the rules of a file called `rules`, if any."""
    if ruleset is None:
        chosen = [one for one in recording.exchanges if one.number in numbers]
        exchanges = [_as_recorded(read_exchange(one), len(numbers)) for one in chosen]
    else:
        exchanges = [_rewritten(one, len(numbers)) for one in run(recording.exchanges, ruleset, numbers)]
    style = (_TEMPLATES / "page.css").read_text(encoding="utf-8")
    text = (
        _environment()
        .get_template("page.html")
        .render(
            exchanges=exchanges,
            name=name,
            rules=rules,
            damage=recording.damage,
            style=Markup(style),  # our own, and must not be escaped
            style_digest=b64encode(sha256(style.encode()).digest()).decode(),
            version=_version(),
        )
    )
    return text.encode()


def _version() -> str:
    try:
        return version("thinkwire")
    except PackageNotFoundError:  # run without being installed
        return ""


# --- exchanges ----------------------------------------------------------------------------------------------------


def _as_recorded(reading: Reading, share: int) -> _Shown:
    """An exchange as it was recorded. `share` is how many there are on the page."""
    pairs = [ContentPair(said, [said]) for said in reading.said]
    return _drawn(_read(reading), picture_of(reading.recorded, pairs, share))


def _rewritten(result: ExchangeResult, share: int) -> _Shown:
    """An exchange as it would be under the rules."""
    listing, reading = listing_of(result), read_result(result)
    shown = replace(
        _read(reading),
        changes=listing.changes[:_MOST_CHANGES],
        changes_left_out=len(listing.changes[_MOST_CHANGES:]),
        done=listing.summary if result.selection.rules else "no rule decides about this exchange",
    )
    if result.refusal:
        refused = SummaryRow("refused", result.refusal, Tone.BAD)
        shown = replace(shown, facts=[*shown.facts, refused], outcome="refused")
    return _drawn(shown, picture_of(result.recorded, _content_pairs(result, reading), share))


def _content_pairs(result: ExchangeResult, reading: Reading) -> Iterator[ContentPair]:
    """What each event says, and what a client reads for it."""
    provider, got = Assembler(result.facts, result.selection.dialects), iter(reading.said)
    last = Event(0, None, b"")
    for event, sent in result.pairs:
        last = event or replace(last, raw=b"", text="")
        yield ContentPair(provider.read(last), list(islice(got, len(sent))))


_SAID: Final = ("reasoning", "content", "call", "refusal", "finish", "error")
"""Rows of what the answer says; a heading has no text. All others are facts about it."""


def _read(reading: Reading) -> _Shown:
    facts: list[SummaryRow] = []
    said: list[SummaryRow] = []
    for row in exchange_rows(reading):
        if row.name != "timeline":  # the picture shows it
            (said if row.text is None or row.name in _SAID else facts).append(row)
    if reading.selection is not None:
        facts = [replace(row, text=_rules_of(reading.selection)) if row.name == "rules" else row for row in facts]
    answer = assembled(reading.moments)
    sizes = {
        item: sum(len(choice.text(kind)) for choice in answer.choices.values() for kind in kinds)
        for item, kinds in ((ItemKind.REASONING, [Kind.REASONING]), (ItemKind.ANSWER, [Kind.TEXT, Kind.REFUSAL]))
    }
    finishes = dict.fromkeys(choice.finish for choice in answer.choices.values() if choice.finish)
    return _Shown(
        reading.recorded,
        reading.facts.model or "",
        _outcome(reading, list(finishes), has_error=bool(answer.errors)),
        list(_cut(facts)),
        list(_cut(said[:_MOST_TEXTS])),
        len(said[_MOST_TEXTS:]),
        sizes,
    )


_BAD: Final = ("broke off", "error", "no answer", "refused")
"""Outcomes that are highlighted."""


def _outcome(reading: Reading, finishes: list[str], *, has_error: bool) -> str:
    recorded = reading.recorded
    if recorded.status is None:
        return "no answer"
    if recorded.failure or reading.damage:
        return "broke off"
    return "error" if recorded.status >= 400 or has_error else ", ".join(finishes)


def _rules_of(choice: Selection) -> str:
    """The rules that decided, without their folders: a page is passed on."""
    return ", ".join(f"{rule.id} ({rule.file.name}:{rule.line})" for rule in choice.rules) or "none decided"


def _cut(rows: Iterable[SummaryRow]) -> Iterator[SummaryRow]:
    """The rows, cut to a total length; what is left out is counted."""
    room = _MOST_CHARACTERS
    for row in rows:
        size = len(row.text or "")
        if row.text is not None and size > room:
            yield replace(row, text=f"{row.text[:room]}\n... {counted(size - room, 'more character')}")
        else:
            yield row
        room = max(0, room - size)


# --- the picture --------------------------------------------------------------------------------------------------

_LEGEND: Final = {
    ItemKind.REASONING: "reasoning",
    ItemKind.ANSWER: "answer, refusals included",
    ItemKind.CALL: "tool call",
    ItemKind.HIDDEN: "hidden: taken away by the rules, or held back",
    ItemKind.OTHER: "other: finish, usage, end mark, or no text",
    ItemKind.BAD: "error, or not readable",
}


def _drawn(shown: _Shown, picture: Picture | None) -> _Shown:
    if picture is None:
        return shown
    shown = replace(shown, said=_with_hidden(shown.said, picture), picture=picture)
    if not picture.is_worthwhile:
        return shown
    chart = chart_of(picture, broke_off=shown.outcome == "broke off")
    return replace(shown, chart=chart, legend=[(kind, _LEGEND[kind]) for kind in picture.used])


def _with_hidden(said: list[SummaryRow], picture: Picture) -> list[SummaryRow]:
    """What is hidden from the client, before what it gets of the same choice."""
    result = [*said]
    for lane in picture.lanes:
        if not lane.hidden:
            continue
        (hidden,) = _cut([SummaryRow("hidden", lane.hidden, Tone.REASONING)])
        heading = SummaryRow(lane.name)
        if heading in result:
            result.insert(result.index(heading) + 1, hidden)
        elif lane.is_choice:
            result += [heading, hidden]
        else:
            result.insert(0, hidden)
    return result


def _in_words(picture: Picture) -> str:
    """The picture described in words."""
    words = []
    for lane in picture.lanes:
        curves = ", ".join(f"{curve.kind.value} {counted(curve.total, 'character')}" for curve in lane.curves)
        words += [f"{lane.name}: {curves}"] if curves else []
    if picture.is_timed:
        words.append(f"{seconds(picture.end - picture.start)} in all")
    if picture.pauses:
        longest = max(picture.pauses, key=lambda pause: pause.end - pause.start)
        length = seconds(longest.end - longest.start)
        words.append(f"{counted(len(picture.pauses), 'pause')}, the longest {length} at {seconds(longest.start)}")
    return "; ".join(words)


# --- the templates ------------------------------------------------------------------------------------------------


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_writable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seconds"] = seconds
    environment.filters["in_words"] = _in_words
    environment.filters["counted"] = counted
    environment.globals |= {"LEFT": LEFT, "RIGHT": RIGHT, "WIDTH": WIDTH, "BAD": _BAD, "bar_width": bar_width}
    environment.globals |= {"REASONING": ItemKind.REASONING, "ANSWER": ItemKind.ANSWER}
    return environment


def _writable(value: Any) -> Any:
    """Applied to every value in a template, before it is escaped."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return printable(value)
