"""`thinkwire lint`: what in a recording would trip up clients, and where."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from thinkwire.cli.common import CLEAN, PROBLEMS, Commands, CouldNotRunError, complain, open_recording
from thinkwire.playback.reading import Reading, read_exchange
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.text import counted, printable
from thinkwire.rewrite.reading.lint import RULES, Finding, Subject, findings

LONGEST_GAP: Final = 10.0


def add_to(commands: Commands) -> None:
    lint = commands.add_parser("lint", help="find what would trip up clients in recorded answers", epilog=_rules())
    lint.add_argument("files", nargs="+", type=Path, metavar="FILE", help="mitmproxy flow files, or HARs")
    lint.add_argument(
        "--gap",
        type=_seconds,
        default=LONGEST_GAP,
        metavar="N",
        help="seconds of silence that count as a problem; default: %(default)g",
    )
    lint.add_argument("--json", action="store_true", help="print a line of JSON for each finding")
    lint.set_defaults(run=_run)


def _rules() -> str:
    """What is looked for, as the help says it."""
    lines = (f"  {name:23} {(rule.__doc__ or '').rstrip('.')}" for name, rule in RULES.items())
    return "\n".join(["what is looked for (notes are allowed, but worth knowing):", *lines])


def _seconds(text: str) -> float:
    seconds = float(text)
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"write a number of seconds above 0, not {text!r}")
    return seconds


def _run(arguments: argparse.Namespace) -> int:
    return max([_lint(path, arguments.gap, as_json=arguments.json) for path in arguments.files])


def _lint(path: Path, gap: float, *, as_json: bool) -> int:
    try:
        recording = open_recording(path)
    except CouldNotRunError as error:
        return complain(error)  # the other files may still be read
    found = [
        (recorded.number, one)
        for recorded in recording.exchanges
        for one in _findings(read_exchange(recorded, keeps_updates=True), gap)
    ]
    if recording.damage:
        found.append((0, Finding(None, recording.damage, rule="damaged-file")))
    problems = sum(not one.is_note for _, one in found)
    for number, one in found:
        print(_as_json(path, number, one) if as_json else _as_line(path, number, one))
    if not as_json:
        counts = [
            counted(count, word) for count, word in ((problems, "problem"), (len(found) - problems, "note")) if count
        ]
        print(f"{path}: {', '.join([counted(len(recording.exchanges), 'exchange'), *(counts or ['no problems'])])}")
    return PROBLEMS if problems else CLEAN


def _findings(reading: Reading, gap: float) -> list[Finding]:
    recorded = reading.recorded
    if reading.dialect is None:
        return []  # no model was asked
    if recorded.status is not None and recorded.status >= 400:
        text = f"the provider refused with {recorded.status}: {recorded.error_text.strip()[:200]}"
        return [Finding(None, text, is_note=True, rule="refused")]
    failure = recorded.failure or reading.damage
    if reading.form is None:
        return list(_without_answer(recorded, failure))
    times = [] if recorded.messages else recorded.times  # on a WebSocket the silence may be the client's
    return findings(Subject(reading.said, reading.dialect, reading.form, reading.facts, times, failure, gap))


def _without_answer(recorded: RecordedExchange, failure: str) -> Iterator[Finding]:
    """Findings if there is nothing to read that a model has said."""
    if failure:
        yield Finding(None, f"the answer broke off: {failure}", rule="broken-off")
    elif not recorded.is_kept:
        yield Finding(None, "the answer's body is not in the recording", is_note=True, rule="not-kept")
    elif not recorded.chunks:
        yield Finding(None, "the answer is empty", rule="empty")
    else:
        yield Finding(None, f"the answer is {recorded.content_type or 'of no type'}", is_note=True, rule="not-read")


def _level(one: Finding) -> str:
    return "note" if one.is_note else "problem"


def _as_line(path: Path, number: int, one: Finding) -> str:
    place = ", ".join([*([f"flow {number}"] if number else []), *([f"event {one.event}"] if one.event else [])])
    where = f"{path}: {place}" if place else f"{path}"
    return printable(f"{where}: {_level(one)}: {one.text} [{one.rule}]").replace("\n", "\\n")


def _as_json(path: Path, number: int, one: Finding) -> str:
    return json.dumps(
        {
            "file": str(path),
            "flow": number or None,
            "event": one.event,
            "level": _level(one),
            "rule": one.rule,
            "text": one.text,
        }
    )
