"""What the commands share: exit codes, the error of one that cannot run, and reading the files that the user names."""

import argparse
import sys
from pathlib import Path

from thinkwire.playback.flow_reader import RecordingError
from thinkwire.playback.recording import Recording, read_recording
from thinkwire.playback.text import counted
from thinkwire.proxy.flow_filter import compile_filter
from thinkwire.ruleset import load as shipped
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.load import Loaded, load
from thinkwire.ruleset.problem import Severity, render

CLEAN, PROBLEMS, COULD_NOT_RUN, BUG = 0, 1, 2, 3

type Commands = "argparse._SubParsersAction[argparse.ArgumentParser]"


class CouldNotRunError(Exception):
    """The command cannot be carried out as given; the text says why."""


def complain(error: CouldNotRunError) -> int:
    print(f"thinkwire: {error}", file=sys.stderr)
    return COULD_NOT_RUN


def read_rules(path: Path) -> Loaded:
    """A rule file, with all of its problems."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise CouldNotRunError(f"cannot read {path}: {(error.strerror or 'unknown reason').lower()}") from error
    return load(path, shipped=shipped.folder(), compile_filter=compile_filter)


def print_problems(loaded: Loaded) -> None:
    for problem in loaded.problems:
        print(render(problem), end="\n\n")


def rules_summary(loaded: Loaded) -> str:
    """`3 rules, 1 warning`."""
    severities = [problem.severity for problem in loaded.problems]
    counts = [
        (severities.count(Severity.ERROR), "error"),
        (severities.count(Severity.WARNING), "warning"),
    ]
    rules = [counted(len(loaded.ruleset.rules), "rule")] if loaded.ruleset else []
    if loaded.ruleset and loaded.ruleset.declared:
        rules.append(counted(len(loaded.ruleset.declared), "dialect"))
    problems = [counted(number, word) for number, word in counts if number]
    return ", ".join([*rules, *(problems or ["no problems"])])


def load_rules(path: Path | None) -> Ruleset:
    """The rules of a file, or the default ones if none is named; for commands that need rules without errors."""
    loaded = read_rules(path or shipped.folder() / "default.yaml")
    if loaded.ruleset is None:
        raise CouldNotRunError("\n\n".join(["the rule file has errors", *map(render, loaded.problems)]))
    return loaded.ruleset


def open_recording(path: Path) -> Recording:
    try:
        return read_recording(path)
    except RecordingError as error:
        raise CouldNotRunError(str(error)) from error
