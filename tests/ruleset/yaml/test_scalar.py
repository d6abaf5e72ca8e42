"""Plain scalars: the core schema of YAML 1.2."""

import pytest

from thinkwire.ruleset.yaml.scalar import LONGEST_NUMBER, read_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("Null", None),
        ("true", True),
        ("FALSE", False),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("007", 7),
        ("0o17", 15),
        ("0xfF", 255),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1.5e3", -1500.0),
        ("9" * LONGEST_NUMBER, int("9" * LONGEST_NUMBER)),
    ],
)
def test_null_booleans_and_numbers(text: str, value: object) -> None:
    read = read_plain(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "No",
        "on",
        "OFF",
        "y",
        "nUll",
        "tRue",
        "1_000",
        "1:30",
        "2001-01-01",
        "0b1",
        "0o8",
        "-0x1",
        "e3",
        "1e",
        ".",
        "-",
    ],
)
def test_everything_else_is_text(text: str) -> None:
    assert read_plain(text) == text


@pytest.mark.parametrize(
    "text", [".inf", "-.INF", ".nan", "1e999", "-1e999", "9" * (LONGEST_NUMBER + 1), "0x" + "f" * LONGEST_NUMBER]
)
def test_numbers_that_json_or_a_float_cannot_hold_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="^" + text.replace(".", "[.]") + "$"):
        read_plain(text)
