"""Faults as texts of a command line."""

import pytest

from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First, Stall
from thinkwire.ruleset.fault_option import FaultError, parse_faults


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        ([], None),
        (["none"], NO_FAULT),
        (["cut-after=20"], Fault(cut_after=20)),
        (["cut_after=0", "stall=0:.5"], Fault(cut_after=0, stall=Stall(0, 0.5))),
        (["status-first=429", "drop-done"], Fault(status_first=First(429), drop_done=True)),
        (["status-first=503:3", " split=7 ", "error-after=10"], Fault(First(503, 3), error_after=10, split=7)),
    ],
)
def test_a_command_line_says_the_same(texts: list[str], fault: Fault | None) -> None:
    assert parse_faults(texts) == fault


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["cut-of=20"], "there is no fault 'cut-of': did you mean cut-after?"),
        (
            ["x"],
            "there is no fault 'x': write status-first, stall, error-after, cut-after, drop-done, split",
        ),
        (["cut-after"], "cut-after needs a whole number of at least 0: cut-after=20"),
        (["cut-after=-1"], "cut-after needs a whole number of at least 0: cut-after=20"),
        (["cut-after=1.5"], "cut-after needs a whole number of at least 0: cut-after=20"),
        (["cut-after=\u0663"], "cut-after needs a whole number of at least 0: cut-after=20"),
        (["split=0"], "split needs a whole number of at least 1: split=7"),
        (["stall=5"], "stall needs a number of events and how many seconds it lasts: stall=5:3"),
        (["stall=5:0"], "stall needs a number of events and how many seconds it lasts: stall=5:3"),
        (["stall=5:inf"], "stall needs a number of events and how many seconds it lasts: stall=5:3"),
        (["drop-done=yes"], "drop-done takes no value"),
        (
            ["status-first=200"],
            "status-first needs the status of an error, from 400 to 599, and may say how often: "
            "status-first=429 or status-first=429:2",
        ),
        (
            ["status-first=429:0"],
            "status-first needs the status of an error, from 400 to 599, and may say how often: "
            "status-first=429 or status-first=429:2",
        ),
        (["split=1", "split=2"], "the fault split is given twice"),
        (["split=1", "none"], "none must be the only one: it turns off the faults of the rule file"),
        (["live"], "live is for rule files: faults that are asked for here apply to the replay alone"),
        (
            ["cut-after=1", "error-after=1"],
            "error-after and cut-after cannot be combined: each of them ends the answer",
        ),
        (["stall=9:1", "cut-after=3"], "a stall after 9 never comes: cut-after ends the answer after 3"),
        ([""], "there is no fault '': write status-first, stall, error-after, cut-after, drop-done, split"),
    ],
)
def test_what_is_no_fault_is_told_what_to_write(texts: list[str], why: str) -> None:
    with pytest.raises(FaultError) as raised:
        parse_faults(texts)
    assert str(raised.value) == why
