"""What the commands share: exit codes, the complaint of one that cannot run, and reading files that the user named."""

import argparse
import sys
from pathlib import Path

from thinkwire.playback.flow_reader import RecordingError
from thinkwire.playback.recording import Recording, read_recording
from thinkwire.proxy.flow_filter import compile_filter
from thinkwire.ruleset import load as shipped
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.load import Loaded, load
from thinkwire.ruleset.problem import render

__all__ = [
    "BUG",
    "CLEAN",
    "COULD_NOT_RUN",
    "PROBLEMS",
    "Commands",
    "CouldNotRunError",
    "complain",
    "load_rules",
    "open_recording",
    "print_problems",
    "read_rules",
]

CLEAN, PROBLEMS, COULD_NOT_RUN, BUG = 0, 1, 2, 3

type Commands = "argparse._SubParsersAction[argparse.ArgumentParser]"


class CouldNotRunError(Exception):
    """The command cannot be carried out as given; the text says why."""


def complain(error: CouldNotRunError) -> int:
    print(f"thinkwire: {error}", file=sys.stderr)
    return COULD_NOT_RUN


def read_rules(path: Path) -> Loaded:
    """A rule file, with all that is wrong with it."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise CouldNotRunError(f"cannot read {path}: {(error.strerror or 'unknown reason').lower()}") from error
    return load(path, shipped=shipped.folder(), compile_filter=compile_filter)


def print_problems(loaded: Loaded) -> None:
    for problem in loaded.problems:
        print(render(problem), end="\n\n")


def load_rules(path: Path | None) -> Ruleset:
    """The rules of a file, or those that run where none is named; for commands that need good ones."""
    loaded = read_rules(path or shipped.folder() / "default.yaml")
    if loaded.ruleset is None:
        raise CouldNotRunError("\n\n".join(["the rule file has errors", *map(render, loaded.problems)]))
    return loaded.ruleset


def open_recording(path: Path) -> Recording:
    try:
        return read_recording(path)
    except RecordingError as error:
        raise CouldNotRunError(str(error)) from error
