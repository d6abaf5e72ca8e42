"""`thinkwire test`: the tests of rule files, run over their recordings."""

import argparse
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from thinkwire.cli.common import (
    CLEAN,
    COULD_NOT_RUN,
    PROBLEMS,
    Commands,
    CouldNotRunError,
    complain,
    print_problems,
    read_rules,
)
from thinkwire.cli.junit import Suite, write_junit
from thinkwire.cli.terminal import Colours
from thinkwire.playback.recording import Recording, read_recording
from thinkwire.playback.rule_test import run_test
from thinkwire.playback.text import counted, printable
from thinkwire.ruleset.glob import compile_glob
from thinkwire.ruleset.problem import render
from thinkwire.ruleset.rule_tests.verdict import Verdict

EXAMPLE: Final = """example:
  thinkwire test rules/*.yaml --junit report.xml
  thinkwire test my-rules.yaml --only 'hide-*'
"""


def add_to(commands: Commands) -> None:
    test = commands.add_parser("test", help="run the tests of rule files over their recordings", epilog=EXAMPLE)
    test.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a rule file")
    test.add_argument("--only", metavar="GLOB", help="only the tests whose ids match")
    test.add_argument("--junit", type=Path, metavar="FILE", help="also write the verdicts as JUnit XML, for CI")
    test.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    logging.getLogger("thinkwire").addHandler(logging.NullHandler())  # what is logged of an exchange is in its verdict
    is_wanted = compile_glob(arguments.only) if arguments.only is not None else None
    colours = Colours(sys.stdout)
    read_once = lru_cache(maxsize=64)(read_recording)  # most tests of a file share a recording, as do many files
    suites = [_run_file(path, is_wanted, read_once, colours) for path in arguments.files]
    verdicts = [verdict for suite in suites for verdict in suite.verdicts]
    if is_wanted is not None and not verdicts and all(suite.code == CLEAN for suite in suites):
        raise CouldNotRunError(f"no test is called `{arguments.only}`")
    if len(suites) > 1:
        lost = sum(bool(suite.trouble) for suite in suites)
        more = f", {colours.red(f'{counted(lost, "file")} could not be run')}" if lost else ""
        print(f"{counted(len(suites), 'file')}, {_summary(verdicts, colours)}{more}")
    if arguments.junit is not None:
        try:
            write_junit(arguments.junit, suites)
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise CouldNotRunError(f"cannot write {arguments.junit}: {reason}") from error
    return max(suite.code for suite in suites)


def _run_file(
    path: Path, is_wanted: Callable[[str], bool] | None, read_file: Callable[[Path], Recording], colours: Colours
) -> Suite:
    try:
        loaded = read_rules(path)
    except CouldNotRunError as error:
        complain(error)  # the other files may still be read
        return Suite(path, COULD_NOT_RUN, trouble=str(error))
    if loaded.ruleset is None:
        print_problems(loaded)
        print(f"{path}: {colours.red('the rule file has errors, so its tests were not run')}")
        return Suite(path, PROBLEMS, trouble="\n\n".join(map(render, loaded.problems)))
    tests = [test for test in loaded.tests if is_wanted is None or is_wanted(test.id)]
    verdicts = []
    for test in tests:
        verdicts.append(verdict := run_test(test, loaded.ruleset, read_file))
        for line in _lines(verdict, colours):
            print(line)
    if tests or not loaded.tests:
        print(f"{path}: {_summary(verdicts, colours)}")
    return Suite(path, max(map(_code, verdicts), default=CLEAN), verdicts)


def _code(verdict: Verdict) -> int:
    if verdict.obstacle:
        return COULD_NOT_RUN
    return CLEAN if verdict.has_passed else PROBLEMS


def _lines(verdict: Verdict, colours: Colours) -> Iterator[str]:
    test = verdict.test
    where = f"{test.id} ({test.file}:{test.line})"
    if verdict.obstacle:
        yield f"{colours.red('could not run')}  {where}"
        yield f"        {printable(verdict.obstacle)}"
    elif verdict.has_passed:
        yield f"{colours.green('ok')}      {test.id}"
    else:
        yield f"{colours.red('FAILED')}  {where}"
        for mismatch in verdict.mismatches:
            yield f"        {colours.bold(printable(mismatch.what))}"
            yield f"          expected  {printable(mismatch.expected)}"
            yield f"          got       {printable(mismatch.got)}"
        if verdict.notes:
            yield f"        {colours.dim(printable('; '.join(verdict.notes)))}"


def _summary(verdicts: Iterable[Verdict], colours: Colours) -> str:
    codes = [_code(verdict) for verdict in verdicts]
    if not codes:
        return "no tests"
    bad = [
        colours.red(f"{count} {word}")
        for count, word in ((codes.count(PROBLEMS), "failed"), (codes.count(COULD_NOT_RUN), "could not run"))
        if count
    ]
    return ", ".join([counted(len(codes), "test"), *(bad or ["all passed"])])
