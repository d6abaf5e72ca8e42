"""`thinkwire show`: what was asked and answered in a recording, for people, or line by line for programs."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from thinkwire.cli.common import (
    CLEAN,
    PROBLEMS,
    Commands,
    CouldNotRunError,
    load_rules,
    open_recording,
)
from thinkwire.cli.terminal import Colours, diff_lines, head_line, row_line
from thinkwire.dialects.core.parts import Kind
from thinkwire.playback.reading import Reading, read_exchange, read_result
from thinkwire.playback.recording import Recording
from thinkwire.playback.run import run
from thinkwire.playback.summary import exchange_rows
from thinkwire.rewrite.reading.transcript import Moment

EXAMPLE: Final = """example:
  thinkwire show recordings/llamacpp-chat-stream.flow
  thinkwire show session.flow --flow 3 --diff --rules rules/strip.yaml
  thinkwire show session.flow --html session.html --rules rules/strip.yaml
  thinkwire show session.flow --events | jq -r 'select(.type == "reasoning").token'
"""


def add_to(commands: Commands) -> None:
    show = commands.add_parser("show", help="show what was asked and answered in a recording", epilog=EXAMPLE)
    show.add_argument("file", type=Path, metavar="FILE", help="a mitmproxy flow file, or a HAR")
    show.add_argument("--flow", type=int, metavar="N", help="only the flow with this number, from 1")
    show.add_argument(
        "--rules", type=Path, metavar="FILE", help="show what a client gets by these rules, not what the provider sent"
    )
    how = show.add_mutually_exclusive_group()
    how.add_argument(
        "--diff",
        action="store_true",
        help="show what the rules change in the request and in the answer's events, before and after; default rules",
    )
    how.add_argument(
        "--events",
        action="store_true",
        help="print a line of JSON for each text, call, finish, usage, error",
    )
    how.add_argument(
        "--html",
        metavar="OUT",
        help="write a page with a picture of the answer over time, which needs no network; - is standard output",
    )
    show.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    recording = open_recording(arguments.file)
    numbers = _chosen(recording, arguments)
    if arguments.html is not None:
        _write_page(recording, numbers, arguments)
    else:
        for lines in _shown(recording, numbers, arguments, Colours(sys.stdout)):
            for line in lines:
                print(line)
    if recording.damage:
        print(f"thinkwire: {recording.damage}", file=sys.stderr)
    return PROBLEMS if recording.damage else CLEAN


def _shown(
    recording: Recording, numbers: list[int], arguments: argparse.Namespace, colours: Colours
) -> Iterator[Iterable[str]]:
    """The lines of each exchange."""
    if arguments.diff:
        for result in run(recording.exchanges, load_rules(arguments.rules), numbers):
            yield [head_line(result.recorded, colours), *diff_lines(result, colours), ""]
        return
    readings: Iterable[Reading]
    if arguments.rules:
        readings = map(read_result, run(recording.exchanges, load_rules(arguments.rules), numbers))
    else:
        readings = (read_exchange(one) for one in recording.exchanges if one.number in numbers)
    for reading in readings:
        yield event_lines(reading) if arguments.events else [*show_lines(reading, colours), ""]


def _chosen(recording: Recording, arguments: argparse.Namespace) -> list[int]:
    """The numbers of the exchanges to show."""
    numbers = [one.number for one in recording.exchanges]
    if not numbers:
        raise CouldNotRunError(f"{arguments.file} holds no HTTP exchange")
    if arguments.flow is None:
        return numbers
    if arguments.flow not in numbers:
        there = ", ".join(map(str, numbers))
        raise CouldNotRunError(f"{arguments.file} has no exchange {arguments.flow}; there are: {there}")
    return [arguments.flow]


def _write_page(recording: Recording, numbers: list[int], arguments: argparse.Namespace) -> None:
    from thinkwire.html.page import page_of  # imports the template engine, which other output does not need

    ruleset = load_rules(arguments.rules) if arguments.rules else None
    name, rules = arguments.file.name, arguments.rules.name if arguments.rules else ""
    # A page is passed on: it does not name the folders of this machine.
    damage = recording.damage.replace(str(arguments.file), name)
    page = page_of(replace(recording, damage=damage), numbers, name, ruleset, rules)
    if arguments.html == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(page)
        return
    out = Path(arguments.html)
    try:
        if out.exists() and out.samefile(arguments.file):
            raise CouldNotRunError(f"{out} is the recording itself; name another file for the page")
        out.write_bytes(page)
    except OSError as error:
        raise CouldNotRunError(f"cannot write {out}: {(error.strerror or 'unknown reason').lower()}") from error


# --- for people ---------------------------------------------------------------------------------------------------


def show_lines(reading: Reading, colours: Colours) -> Iterator[str]:
    """A summary of an exchange, and the text of its answer."""
    yield head_line(reading.recorded, colours)
    yield from (row_line(row, colours) for row in exchange_rows(reading))


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
_ENDS_REASONING: Final = (Kind.TEXT, Kind.REFUSAL, Kind.TOOL_CALL, Kind.FINISH)
THINKING: Final = "thinking"


def event_lines(reading: Reading) -> Iterator[str]:
    """A line of JSON for each moment; a reasoning event with an empty status says that the reasoning has ended."""
    number = reading.recorded.number
    thinking: list[int | str] = []
    for moment in reading.moments:
        if moment.kind in _ENDS_REASONING and moment.choice in thinking:
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
