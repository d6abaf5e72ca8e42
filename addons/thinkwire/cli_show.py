"""`thinkwire show`: what was asked and answered in a recording, for people to read, or line by line for programs."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from thinkwire.cli_base import (
    CLEAN,
    PROBLEMS,
    Commands,
    CouldNotRunError,
    counted,
    load_rules,
    open_recording,
)
from thinkwire.cli_colour import Colours, printable
from thinkwire.cli_diff import diff_lines
from thinkwire.dialects.parts import Kind
from thinkwire.proxy.reading import Reading, read_exchange
from thinkwire.proxy.recording import Recording, Session
from thinkwire.proxy.report import rules_of
from thinkwire.rewrite.assemble import Assembled, Choice, Moment, assembled

__all__ = ["add_to", "run"]

EXAMPLE: Final = """example:
  thinkwire show recordings/llamacpp-chat-stream.flow
  thinkwire show session.flow --flow 3 --diff --rules rules/strip.yaml
  thinkwire show session.flow --events | jq -r 'select(.type == "reasoning").token'
"""


def add_to(commands: Commands) -> None:
    show = commands.add_parser(
        "show",
        help="show what was asked and answered in a recording",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument("file", type=Path, metavar="FILE", help="a flow file of mitmproxy's, or a HAR")
    show.add_argument("--flow", type=int, metavar="N", help="only the flow of that number, from 1")
    show.add_argument(
        "--rules", type=Path, metavar="FILE", help="show what a client gets by these rules, not what the provider sent"
    )
    how = show.add_mutually_exclusive_group()
    how.add_argument(
        "--diff", action="store_true", help="show the events that the rules change, before and after; default rules"
    )
    how.add_argument("--events", action="store_true", help="print a line of JSON for each thing that is said")


def run(arguments: argparse.Namespace) -> int:
    recording = open_recording(arguments.file)
    exchanges = _chosen(recording, arguments)
    ruleset = load_rules(arguments.rules) if arguments.rules or arguments.diff else None
    colours = Colours(sys.stdout)
    for recorded in exchanges:
        if arguments.events:
            lines: Iterable[str] = event_lines(read_exchange(recorded, ruleset))
        elif arguments.diff and ruleset is not None:
            lines = [*_head(recorded, colours), *diff_lines(recorded, ruleset, colours), ""]
        else:
            lines = [*show_lines(read_exchange(recorded, ruleset), colours), ""]
        for line in lines:
            print(line)
    if recording.damage:
        print(f"thinkwire: {recording.damage}", file=sys.stderr)
    return PROBLEMS if recording.damage else CLEAN


def _chosen(recording: Recording, arguments: argparse.Namespace) -> list[Session]:
    exchanges = [one for one in recording.exchanges if arguments.flow in (None, one.number)]
    if arguments.flow is not None and not exchanges:
        numbers = ", ".join(str(one.number) for one in recording.exchanges) or "none"
        raise CouldNotRunError(f"{arguments.file} has no exchange {arguments.flow}; there are: {numbers}")
    if not exchanges:
        raise CouldNotRunError(f"{arguments.file} holds no HTTP exchange")
    return exchanges


# --- for people ---------------------------------------------------------------------------------------------------


def show_lines(reading: Reading, colours: Colours) -> Iterator[str]:
    """An exchange in short, and its answer put together."""
    recorded, answer = reading.recorded, assembled(reading.moments)
    yield from _head(recorded, colours)
    yield _row("asked", _asked(reading), colours)
    if reading.choice is not None:
        yield _row("rules", rules_of(reading.choice) or "none decided", colours)
    yield _row("answered", _answered(reading), colours)
    for number, choice in sorted(answer.choices.items(), key=lambda item: (isinstance(item[0], str), item[0])):
        if len(answer.choices) > 1:
            yield colours.bold(f"  choice {number}")
        yield from _choice_lines(choice, colours)
    for error in answer.errors:
        yield _row("error", colours.red(printable(error)), colours)
    if answer.usage:
        yield _row("usage", printable(answer.usage), colours)
    if answer.opaque:
        size = sum(map(len, answer.opaque))
        yield _row("opaque", f"{counted(len(answer.opaque), 'signature')} or encrypted text, {size:,} bytes", colours)
    unreadable = [said for said in reading.said if said.problem]
    if unreadable:
        count = counted(len(unreadable), "event")
        first = unreadable[0]
        yield _row("damage", f"{count} cannot be read; the first is {first.event.number}: {first.problem}", colours)
    if failure := recorded.failure or reading.damage:
        yield _row("broke off", colours.red(printable(failure)), colours)
    yield from _time_lines(reading, answer, colours)


def _head(recorded: Session, colours: Colours) -> Iterator[str]:
    yield colours.bold(f"flow {recorded.number}: {recorded.method} {printable(recorded.url)}")


def _row(name: str, text: str, colours: Colours) -> str:
    """A name, and a text of any number of lines beside it."""
    first, *others = text.split("\n")
    return "\n".join(
        [f"  {colours.bold(name.ljust(10))}{first}", *(f"{'':12}{line}" if line else "" for line in others)]
    )


_LISTS: Final = ("messages", "input", "contents")


def _asked(reading: Reading) -> str:
    facts = reading.facts
    words = [facts.dialect or "no known API"]
    if facts.model:
        words.append(f"model {facts.model}")
    if facts.dialect:
        words.append("stream" if facts.stream else "no stream")
    body = facts.body if isinstance(facts.body, dict) else {}
    messages = next((body[name] for name in _LISTS if isinstance(body.get(name), list)), None)
    if messages is not None:
        words.append(counted(len(messages), "message"))
    return printable(", ".join(words))


def _answered(reading: Reading) -> str:
    recorded = reading.recorded
    if recorded.status is None:
        return "nothing"
    words = [" ".join(filter(None, [str(recorded.status), recorded.content_type]))]
    if recorded.messages:
        words.append(f"a WebSocket with {counted(recorded.messages, 'message')}")
        if reading.choice is not None:
            words.append("on which rules are not run here")
    elif not recorded.is_kept:
        words.append("its body is not in the recording")
    elif reading.form is None:
        words.append("not an answer of a model")
        words += [recorded.error_text.strip()[:500]] if recorded.status >= 400 else []
    else:
        words.append(counted(len(reading.said), "event") if reading.is_stream else "one body")
        if reading.dialect is not None and reading.dialect.name != reading.facts.dialect:
            words.append(f"as {reading.dialect.name}")
    return printable(", ".join(filter(None, words)))


def _choice_lines(choice: Choice, colours: Colours) -> Iterator[str]:
    for piece in choice.pieces:
        text = printable(piece.text.removesuffix("\n"))
        match piece.kind:
            case Kind.REASONING:
                yield _row("reasoning", _each_line(text, colours.dim), colours)
            case Kind.TOOL_CALL:
                yield _row("call", _each_line(f"{printable(piece.name)}({text})", colours.yellow), colours)
            case Kind.REFUSAL:
                yield _row("refusal", _each_line(text, colours.red), colours)
            case _:
                yield _row("content", text, colours)
    if choice.finish:
        yield _row("finish", printable(choice.finish), colours)


def _each_line(text: str, colour: Callable[[str], str]) -> str:
    return "\n".join(colour(line) for line in text.split("\n"))


# --- times --------------------------------------------------------------------------------------------------------

_WIDTH: Final = 60
_LETTERS: Final = {Kind.REASONING: "r", Kind.TEXT: "a", Kind.REFUSAL: "a", Kind.TOOL_CALL: "t"}
_MEANINGS: Final = {"r": "reasoning", "a": "answer", "t": "tool call", "*": "several", ".": "other"}
_ANSWER: Final = (Kind.TEXT, Kind.REFUSAL, Kind.TOOL_CALL)


def _time_lines(reading: Reading, answer: Assembled, colours: Colours) -> Iterator[str]:
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
        yield _row("times", ", ".join(words), colours)
    if len(times) > 1 and total:
        yield _row("timeline", "\n".join(_timeline(reading, total)), colours)


def _timeline(reading: Reading, total: float) -> Iterator[str]:
    """What came when, from the request to the end."""
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


# --- for programs -------------------------------------------------------------------------------------------------

_TYPES: Final = {
    Kind.REASONING: "reasoning",
    Kind.TEXT: "content",
    Kind.REFUSAL: "refusal",
    Kind.TOOL_CALL: "tool",
    Kind.FINISH: "finish",
    Kind.USAGE: "usage",
    Kind.ERROR: "error",
}
_ENDS_THOUGHT: Final = (*_ANSWER, Kind.FINISH)
THINKING: Final = "thinking"


def event_lines(reading: Reading) -> Iterator[str]:
    """A line of JSON for each thing that is said; a reasoning event with an empty status says that a thought ended."""
    number = reading.recorded.number
    thinking: list[int | str] = []
    for moment in reading.moments:
        if moment.kind in _ENDS_THOUGHT and moment.choice in thinking:
            thinking.remove(moment.choice)
            yield _line(number, "reasoning", "", "", moment.choice, moment.time)
        if moment.kind is Kind.REASONING and moment.choice not in thinking:
            thinking.append(moment.choice)
        if moment.kind in _TYPES:
            status = THINKING if moment.kind is Kind.REASONING else None
            yield _line(number, _TYPES[moment.kind], moment.text, status, moment.choice, moment.time, **_more(moment))
    last = reading.said[-1].event.time if reading.said else None
    for choice in thinking:
        yield _line(number, "reasoning", "", "", choice, last)
    failure = reading.recorded.failure or reading.damage
    yield _line(number, "end", "", failure or "complete", None, reading.recorded.total)


def _line(
    flow: int, type_: str, token: str, status: str | None, choice: int | str | None, time: float | None, **more: object
) -> str:
    members = {"flow": flow, "type": type_, "token": token, "status": status, "choice": choice, "time": time}
    return json.dumps(members | more)


def _more(moment: Moment) -> dict[str, object]:
    more: dict[str, object] = {}
    if moment.block is not None:
        more["block"] = moment.block
    if moment.kind is Kind.TOOL_CALL:
        more |= {"name": moment.name, "call": moment.call}
    if moment.kind in (Kind.USAGE, Kind.ERROR):
        more["value"] = moment.value
    return more
