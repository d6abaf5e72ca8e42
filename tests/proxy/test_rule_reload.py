"""Rule files that change while they are in force."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mitmproxy.test import taddons

from thinkwire.dialects.registry import DIALECTS
from thinkwire.proxy.options import OPTIONS
from thinkwire.proxy.rule_reload import RulesInForce, Watch

GOOD = "version: 1\nrules: [{id: one, response: {reasoning: strip}}]\n"
BAD = "version: 1\nrules: [{id: one, response: {reasoning: stirp}}]\n"


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "rules.yaml"
    file.write_text(GOOD)
    with taddons.context() as context:  # type: ignore[no-untyped-call]
        for option in OPTIONS:
            context.options.add_option(option.name, option.type, option.default, option.help)
        context.options.thinkwire_rules = str(file)
        yield file


def test_a_bad_file_leaves_the_old_rules_in_force(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    rules = RulesInForce()
    assert rules.read() == ""
    before = rules.ruleset
    file.write_text(BAD)
    rules.reload()
    assert before is rules.ruleset is not None
    assert "The rule file has errors, the old rules stay in force:" in caplog.text
    assert "rules.yaml:2" in caplog.text


def test_a_good_file_takes_the_place_of_the_old_one(file: Path) -> None:
    rules = RulesInForce()
    rules.read()
    file.write_text(GOOD.replace("id: one", "id: other"))
    rules.reload()
    assert rules.ruleset is not None
    assert [rule.origin.id for rule in rules.ruleset.rules] == ["other"]


def test_without_rules_the_built_in_dialects_are_known() -> None:
    assert RulesInForce().dialects == DIALECTS


def test_a_watch_notices_files_that_change_appear_and_vanish(tmp_path: Path) -> None:
    here, missing = tmp_path / "here", tmp_path / "missing"
    here.write_text("a")
    watch = Watch([here, missing])
    assert not watch.has_changed()
    for change in (lambda: here.write_text("longer"), lambda: missing.write_text("b"), here.unlink):
        change()
        assert watch.has_changed()
        assert not watch.has_changed()
