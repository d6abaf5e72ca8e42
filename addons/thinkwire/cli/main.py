"""The command line: finds the command, runs it, and returns its exit code; each command has a module of its own.

Exit codes: 0 clean, 1 problems found, 2 could not run, 3 a bug in thinkwire.
"""

import argparse
import contextlib
import io
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final

from thinkwire.cli import check, explain, lint, replay, schema, show, test
from thinkwire.cli.common import BUG, COULD_NOT_RUN, CouldNotRunError, complain

INTERRUPTED: Final = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; never raises."""
    if sys.stdout is None:  # the caller has closed it, and wants the exit code, or what is written to a file
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            return main(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Reports quote rule files, which may hold characters that the terminal does not have.
        sys.stdout.reconfigure(errors="backslashreplace")
    # What is logged on the way is meant for a running mitmproxy.
    logging.getLogger("thinkwire").addHandler(logging.NullHandler())
    try:
        code = _run(argv)
        sys.stdout.flush()
    except SystemExit as exit_:  # argparse has printed its help or an error
        return exit_.code if isinstance(exit_.code, int) else COULD_NOT_RUN
    except CouldNotRunError as error:
        return complain(error)
    except BrokenPipeError:
        return _lose_stdout()
    except OSError as error:  # errors of named files are caught elsewhere; this is a disk that is full, or gone
        complain(CouldNotRunError(f"cannot write: {(error.strerror or str(error)).lower()}"))
        return _lose_stdout()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return _confess(error)
    return code


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    code: int = arguments.run(arguments)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="thinkwire",
        description="Rule files for the reasoning in LLM traffic, and recordings of it.",
        epilog="exit codes: 0 clean, 1 problems found, 2 could not run, 3 a bug of thinkwire",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (check, explain, lint, replay, show, schema, test):
        command.add_to(commands)
    for command_parser in commands.choices.values():  # examples and lists of a help keep their lines
        command_parser.formatter_class = argparse.RawDescriptionHelpFormatter
    return parser


def _lose_stdout() -> int:
    # Python flushes stdout once more at exit, and would fail then.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return COULD_NOT_RUN


def _confess(error: Exception) -> int:
    if os.environ.get("THINKWIRE_DEBUG"):
        traceback.print_exc()
    print(
        f"thinkwire: this is a bug in thinkwire, not in your files: {type(error).__name__}: {error}\n"
        "Please report it with the command and the files; THINKWIRE_DEBUG=1 shows where it happened.",
        file=sys.stderr,
    )
    return BUG
