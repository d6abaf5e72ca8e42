"""What a plan says of itself: whether anything may change, and what becomes of what cannot be read."""

import pytest

from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.faults.fault import Fault
from thinkwire.rewrite.plan import (
    Extract,
    History,
    Inline,
    Keep,
    OnError,
    Plan,
    Reasoning,
    Rename,
    RequestPlan,
    ResponsePlan,
    Strip,
    To,
)

THINK = FAMILIES["think"]


@pytest.mark.parametrize("reasoning", [Keep(), Strip(), Rename(("reasoning",)), Inline(THINK)])
@pytest.mark.parametrize("on_error", [None, *OnError])
def test_only_strip_drops_what_cannot_be_read_unless_the_rule_says_otherwise(
    reasoning: Reasoning, on_error: OnError | None
) -> None:
    drops = isinstance(reasoning, Strip) if on_error is None else on_error is OnError.DROP
    assert ResponsePlan(reasoning, on_error).drops_unreadable == drops


@pytest.mark.parametrize(
    ("plan", "changes"),
    [
        (ResponsePlan(), False),
        (ResponsePlan(on_error=OnError.DROP, keepalive=1.0), False),
        (ResponsePlan(fault=Fault(cut_after=1)), False),
        (ResponsePlan(Strip()), True),
        (ResponsePlan(extract=Extract(THINK)), True),
    ],
)
def test_an_answer_changes_only_by_its_action_or_by_extract(plan: ResponsePlan, changes: bool) -> None:
    assert plan.changes == changes


@pytest.mark.parametrize(
    ("history", "changes"),
    [(History(), False), (History(fill="x"), False), (History(To.DROP), True), (History(drops_unsigned=True), True)],
)
def test_history_changes_only_if_reasoning_is_to_be_elsewhere(history: History, changes: bool) -> None:
    assert history.changes == changes


def test_an_answer_is_read_to_change_it_or_to_remember_it() -> None:
    assert not Plan().reads_answer
    assert Plan(RequestPlan(restore=True)).reads_answer
    assert Plan(response=ResponsePlan(Strip())).reads_answer


def test_an_extract_is_the_same_however_the_rule_file_spells_it() -> None:
    assert Extract(THINK, text="think") == Extract(THINK, text="{pairs: ...}")
