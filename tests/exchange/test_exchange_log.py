"""What the log says about an exchange; `e2e/test_log.py` reads it from a real mitmdump."""

import logging
from pathlib import Path

import pytest

from thinkwire.exchange.exchange_log import before_after, log_exchange, log_line, what_was_done
from thinkwire.rewrite.plan import Plan
from thinkwire.rewrite.tally import Effect, Tally
from thinkwire.ruleset.choose import Selection
from thinkwire.ruleset.explain import Decision
from thinkwire.ruleset.rule import Origin

DECIDED = Selection(
    Plan(), (Decision("response.reasoning", "strip", Origin("hide", Path("/elsewhere/rules.yaml"), 7)),)
)


def tally(count: int) -> Tally:
    made = Tally()
    made.effects[Effect.RENAMED] = count
    return made


def test_a_line_names_the_rules_and_counts() -> None:
    assert log_line(DECIDED, tally(2), "event", ["request edited"], False) == (
        "hide (/elsewhere/rules.yaml:7): request edited, 2 events renamed"
    )


def test_what_is_only_observed_is_said_to_be_so() -> None:
    assert what_was_done(tally(1), "body", [], True) == "would change: 1 body renamed"
    assert what_was_done(None, "event", [], False) == "nothing to change"


def test_nothing_is_logged_if_no_rule_decided(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    log_exchange(Selection(Plan(), ()), tally(1), "event", [], False, live=True)
    assert caplog.text == ""


def test_what_cannot_be_read_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    bad = tally(1)
    bad.saw_unreadable("no JSON")
    log_exchange(DECIDED, bad, "event", [], False, live=True)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_the_first_change_is_cut_to_where_it_is() -> None:
    changed = Tally()
    changed.note_change(b"x" * 200 + b"old\n", b"x" * 200 + b"new\n")
    before, after = before_after(changed).splitlines()
    assert before == f"  - ...{'x' * 72}old"
    assert after == f"  + ...{'x' * 72}new"
