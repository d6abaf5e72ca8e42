"""The tests in the shipped rule files: all pass, each rule has one, and no setting can be taken away unnoticed."""

import io
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.ruleset.loading import SHIPPED, load_file
from thinkwire.playback.recording import read_recording
from thinkwire.playback.rule_test import run_test
from thinkwire.ruleset.rule_tests.expected import RuleTest

FILES = sorted(SHIPPED.glob("*.yaml"))
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
read_once = lru_cache(maxsize=None)(read_recording)

Mutant = tuple[str, dict[str, Any]]


def written(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    return document


@each_file
def test_all_pass(path: Path) -> None:
    loaded = load_file(path)
    assert loaded.ruleset is not None
    verdicts = [run_test(test, loaded.ruleset, read_once) for test in loaded.tests]
    assert [verdict for verdict in verdicts if not verdict.has_passed] == []
    assert verdicts


@each_file
def test_each_rule_is_seen_to_decide(path: Path) -> None:
    document = written(path)
    named = {rule for test in document["tests"] for rule in test.get("rules", ())}
    assert {rule["id"] for rule in document["rules"]} <= named


def mutants(document: dict[str, Any]) -> Iterator[Mutant]:
    """The file with one thing less, each time another."""
    for number, rule in enumerate(document["rules"]):
        for way in _members(rule):
            less = deepcopy(document)
            parent: Any = less["rules"][number]
            for step in way[:-1]:
                parent = parent[step]
            del parent[way[-1]]
            yield f"{rule['id']} without {'.'.join(map(str, way))}", less


def _members(rule: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for part in ("when", "request", "response"):
        pending: list[tuple[tuple[Any, ...], Any]] = [((part,), rule.get(part))]
        while pending:
            way, value = pending.pop()
            inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            pending += [((*way, name), child) for name, child in inner]
            if len(way) > 1:
                yield way


SAYS_NOTHING_NEW = ["anthropic-compatible without request.history"]
"""In Messages, `native` is what `keep` does; it stands there for those who read the file."""


def is_noticed(file: Path, less: dict[str, Any], tests: Iterable[RuleTest]) -> bool:
    """Does a test fail, or the file itself?"""
    text = io.StringIO()
    YAML(typ="safe", pure=True).dump(less | {"tests": []}, text)
    file.write_text(text.getvalue(), encoding="utf-8")
    ruleset = load_file(file).ruleset
    return ruleset is None or not all(run_test(test, ruleset, read_once).has_passed for test in tests)


@each_file
def test_nothing_can_be_taken_out_of_a_rule_unnoticed(path: Path, tmp_path: Path) -> None:
    tests = load_file(path).tests
    file = tmp_path / "less.yaml"
    unnoticed = [name for name, less in mutants(written(path)) if not is_noticed(file, less, tests)]
    assert [name for name in unnoticed if name not in SAYS_NOTHING_NEW] == []
