"""`thinkwire check`: every problem in rule files."""

import argparse
from pathlib import Path

from thinkwire.cli.common import (
    CLEAN,
    PROBLEMS,
    Commands,
    CouldNotRunError,
    complain,
    print_problems,
    read_rules,
    rules_summary,
)


def add_to(commands: Commands) -> None:
    check = commands.add_parser("check", help="find every problem in rule files")
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    check.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    return max([_check(path) for path in arguments.files])


def _check(path: Path) -> int:
    try:
        loaded = read_rules(path)
    except CouldNotRunError as error:
        return complain(error)  # the other files may still be read
    print_problems(loaded)
    print(f"{path}: {rules_summary(loaded)}")
    return CLEAN if loaded.ruleset else PROBLEMS
