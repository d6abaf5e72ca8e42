"""`history` of a rule: what each form means, and how it is spelled."""

from pathlib import Path

import pytest

from tests.ruleset.loading import request, rules
from thinkwire.rewrite.plan import History, To
from thinkwire.ruleset.settings.history import spell_history


@pytest.mark.parametrize(
    ("written", "history", "spelled"),
    [
        ("auto", History(To.AUTO), "auto"),
        ("{to: inline}", History(To.INLINE), "inline"),
        ('{to: native, fill: ""}', History(To.NATIVE, ""), '{to: native, fill: ""}'),
        ("{unsigned: drop}", History(To.KEEP, None, True), "{unsigned: drop}"),
        (
            "{to: reasoning, fill: '\"', unsigned: drop}",
            History(To.REASONING, '"', True),
            '{to: reasoning, fill: "\\"", unsigned: drop}',
        ),
    ],
)
def test_a_form_of_history_is_read_and_spelled(tmp_path: Path, written: str, history: History, spelled: str) -> None:
    ruleset = rules(tmp_path, f"  - {{id: one, request: {{history: {written}}}}}\n")
    assert ruleset.choose(request()).plan.request.history == history
    assert spell_history(history) == spelled
