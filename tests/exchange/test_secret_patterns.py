"""How the tables of names and lookalikes are read; what is removed by them is tested with the redactor."""

import pytest

from thinkwire.exchange.secret_patterns import LOOKALIKES, NAMES, NAMES_IN_ERRORS, NAMES_OUTSIDE_OF_JSON, fitting


@pytest.mark.parametrize("table", [NAMES, NAMES_OUTSIDE_OF_JSON, NAMES_IN_ERRORS])
def test_names_are_in_lower_case_and_each_once(table: tuple[str, ...]) -> None:
    assert [*dict.fromkeys(name.lower() for name in table)] == [*table]


@pytest.mark.parametrize("name", [b"my-key", b"MY_KEY", b"mykey", b"my%2Dkey"])
def test_a_hyphen_matches_hyphen_underscore_or_nothing_in_any_case(name: bytes) -> None:
    assert fitting(["my-key"])(name)


@pytest.mark.parametrize(("name", "expected"), [(b"x-my-key", True), (b"my-key", True), (b"my-keys", False)])
def test_a_star_matches_anything_and_nothing(name: bytes, expected: bool) -> None:
    assert fitting(["*-my-key"])(name) == expected


def test_an_empty_name_matches_nothing() -> None:
    assert not fitting(["", " "])(b"x")


@pytest.mark.parametrize("text", [b"sk-abcdefgh", b"Bearer gsk_abcdefghij", b"AKIAABCDEFGHIJKLMNOP"])
def test_keys_are_known_by_how_they_look(text: bytes) -> None:
    assert LOOKALIKES.search(text)


@pytest.mark.parametrize("text", [b"task-force", b"the user-friendly one", b"risk-averse"])
def test_words_are_not_taken_for_keys(text: bytes) -> None:
    assert not LOOKALIKES.search(text)
