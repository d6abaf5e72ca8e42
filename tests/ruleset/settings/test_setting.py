"""Values of settings: their names, and which of two can hold."""

import pytest

from thinkwire.ruleset.settings.setting import SettingValue
from thinkwire.ruleset.settings.table import HISTORY, REASONING, REMOVE, SET


def removed(path: str) -> SettingValue:
    (value,) = REMOVE.read([path])
    return value


def written(path: str) -> SettingValue:
    (value,) = SET.read({path: 1})
    return value


(KEEP,) = REASONING.read("keep")
(STRIP,) = REASONING.read("strip")
(AUTO,) = HISTORY.read("auto")


def test_a_setting_that_is_chosen_path_by_path_has_a_value_for_each() -> None:
    values = list(SET.read({"a.b": "é", "c": None}))
    assert [(value.name, value.path, value.text) for value in values] == [
        ("request.set a.b", ("a", "b"), '"é"'),
        ("request.set c", ("c",), "null"),
    ]
    assert [value.name for value in REMOVE.read(["a", "b.c", "a"])] == ["request.remove a", "request.remove b.c"]


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        (KEEP, STRIP, True),
        (KEEP, AUTO, False),
        (KEEP, removed("reasoning"), False),
        (removed("a"), removed("a"), True),
        (removed("a"), removed("a.b"), False),
        (removed("a"), written("a.b"), True),
        (written("a.b"), written("a"), True),
        (written("a.b"), written("a.c"), False),
        (written("ab"), removed("a"), False),
    ],
)
def test_two_values_clash_if_only_one_can_hold_or_the_result_depends_on_their_order(
    one: SettingValue, other: SettingValue, clash: bool
) -> None:
    assert one.clashes(other) == other.clashes(one) == clash
