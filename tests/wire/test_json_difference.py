"""Where two JSON texts differ."""

import pytest

from thinkwire.wire.json_difference import Difference, differences
from thinkwire.wire.json_tree import Unreadable, decode


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('{"a": 1}', '{"a": 1}', []),
        ('{"a": 1, "b": [2]}', '{"b":[2],"a":1}', []),
        ('{"a": 1}', '{"a": 1.0}', [("a", "1", "1.0")]),
        ('{"a": 1}', "{}", [("a", "1", None)]),
        ("{}", '{"a": {"b": null}}', [("a", None, '{"b": null}')]),
        ('{"a": {"b": 1, "c": 2}}', '{"a": {"b": 3, "c": 2}}', [("a.b", "1", "3")]),
        ('{"a": "x"}', '{"b": "x"}', [("a", '"x"', None), ("b", None, '"x"')]),
        ('{"a": {}}', '{"a": []}', [("a", "{}", "[]")]),
        ("[1, 2, 3]", "[1, 3]", [("1", "2", None)]),
        ("[1, 3]", "[0, 1, 2, 3]", [("0", None, "0"), ("2", None, "2")]),
        ('[{"a": 1}, {"b": 1}]', '[{"a": 2}, {"b": 1}]', [("0.a", "1", "2")]),
        ('[{"a": 1}]', '[{"a": 2}, 5]', [("0.a", "1", "2"), ("1", None, "5")]),
        ('{"a.b": 1, "": 2}', '{"a.b": 2}', [("'a.b'", "1", "2"), ("''", "2", None)]),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 3}', [("a", "2", "3")]),
        ("1", "2", [("", "1", "2")]),
    ],
)
def test_only_what_differs_is_named(
    before: str, after: str, expected: list[tuple[str, str | None, str | None]]
) -> None:
    assert differences(before, after) == [Difference(*one) for one in expected]


def test_names_are_read_as_utf_8() -> None:
    (found,) = differences(decode('{"ä": 1}'.encode()), decode('{"ä": 2}'.encode()))
    assert found.path == "ä"


def test_texts_that_are_not_json_cannot_be_compared() -> None:
    with pytest.raises(Unreadable):
        differences("{}", "{")


def test_texts_that_are_nested_too_deeply_cannot_be_compared() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    with pytest.raises(Unreadable):
        differences(deep, f"[{deep}]")


def test_if_the_comparison_is_too_deep_the_whole_text_differs() -> None:
    one, other = ("[" * 400 + number + "]" * 400 for number in "12")
    assert differences(one, other) == [Difference("", one, other)]
