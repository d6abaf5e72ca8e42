"""`thinkwire replay`: be the provider of a recording, or also its client, and show what it gets."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from thinkwire.cli.common import CLEAN, COULD_NOT_RUN, PROBLEMS, Commands, CouldNotRunError, load_rules
from thinkwire.cli.terminal import Colours, diff_lines, head_line, row_line
from thinkwire.playback.flow_reader import RecordingError
from thinkwire.playback.reading import Reading, read_exchange
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.run import run
from thinkwire.playback.summary import SummaryRow, answer_rows, asked_row
from thinkwire.proxy.replay.recordings import ReplayExchange, parse_speed, read_recordings
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.fault_option import FaultError, parse_faults

PORT: Final = 8080
EXAMPLE: Final = """example:
  thinkwire replay recordings/llamacpp-chat-stream.flow --port 8080 --speed 2
  thinkwire replay recordings/llamacpp-chat-stream.flow --ask --rules rules/strip.yaml
"""


def add_to(commands: Commands) -> None:
    replay = commands.add_parser(
        "replay", help="be the provider of a recording: answer as recorded, at the recorded times", epilog=EXAMPLE
    )
    replay.add_argument("files", nargs="+", metavar="FILE", help="a mitmproxy flow file or a HAR file")
    replay.add_argument("--port", type=int, help=f"port on this machine, 0: any; default: {PORT}, with --ask any")
    replay.add_argument(
        "--speed",
        type=_speed,
        default="1",
        help="1: as recorded, 2: twice as fast, 0: no waiting; default: %(default)s",
    )
    replay.add_argument(
        "--fault",
        metavar="FAULT",
        dest="faults",
        action="append",
        default=[],
        help="what goes wrong, to test clients, whatever the rules say: cut-after=20 (events), stall=5:3 (3 seconds "
        "after 5 events), error-after=10, drop-done, split=7 (bytes), status-first=429, none; repeatable",
    )
    replay.add_argument("--rules", type=Path, metavar="FILE", help="a rule file; default: the shipped default rules")
    replay.add_argument(
        "--ask",
        action="store_true",
        help="send each recorded request once, show what the provider sent and what a client gets, and exit",
    )
    replay.set_defaults(run=_run)


def _speed(text: str) -> str:
    try:
        parse_speed(text)
    except RecordingError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def _run(arguments: argparse.Namespace) -> int:
    try:
        # mitmdump would print errors between lines of its own
        exchanges, warnings = read_recordings(arguments.files)
    except RecordingError as error:
        raise CouldNotRunError(str(error)) from error
    ruleset = load_rules(arguments.rules)
    try:
        parse_faults(arguments.faults)
    except FaultError as error:
        raise CouldNotRunError(f"--fault: {error}") from error
    # These import all of mitmdump, which other commands need not wait for.
    from thinkwire.proxy.replay.client import ReplayClient
    from thinkwire.proxy.replay.command import ReplaySettings, replay

    show = _Show(exchanges, ruleset, Colours(sys.stdout))
    client = ReplayClient(exchanges, show.begin, show.end) if arguments.ask else None
    port = arguments.port if arguments.port is not None else 0 if arguments.ask else PORT
    settings = ReplaySettings(arguments.files, port, arguments.speed, arguments.rules, arguments.faults)
    if not replay(settings, exchanges[0], client):
        return COULD_NOT_RUN
    if not arguments.ask:
        return CLEAN  # mitmdump has logged the warnings
    for warning in warnings:
        print(f"thinkwire: {warning}", file=sys.stderr)
    return PROBLEMS if warnings else CLEAN


class _Show:
    """Prints what the provider sent, what the rules did, and what the client got, exchange by exchange."""

    def __init__(self, exchanges: Sequence[ReplayExchange], ruleset: Ruleset, colours: Colours) -> None:
        self._dialects = ruleset.dialects
        self._results = run([RecordedExchange(one.number, one.flow) for one in exchanges], ruleset)
        self._colours = colours

    def begin(self, recorded: ReplayExchange) -> None:
        session = RecordedExchange(recorded.number, recorded.flow)
        print(head_line(session, self._colours))
        print(row_line(asked_row(self._read(session)), self._colours), flush=True)

    def end(self, recorded: ReplayExchange, now: RecordedExchange) -> None:
        self._print_answer("the provider sent", RecordedExchange(recorded.number, recorded.flow))
        print(row_line(SummaryRow("the rules did, for example"), self._colours))
        for line in diff_lines(next(self._results), self._colours, most=1):
            print(line)
        self._print_answer("the client got", now)
        print()

    def _print_answer(self, heading: str, session: RecordedExchange) -> None:
        print(row_line(SummaryRow(heading), self._colours))
        for row in answer_rows(self._read(session)):
            print(row_line(row, self._colours))

    def _read(self, session: RecordedExchange) -> Reading:
        return read_exchange(session, self._dialects)
