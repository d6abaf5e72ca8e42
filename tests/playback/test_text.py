"""Texts of others, made safe to be shown."""

import pytest

from thinkwire.playback.text import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[2J\x9b", "\\x1b[2J\\x9b"),
        ("\u061c\u202e\u2069", "\\u061c\\u202e\\u2069"),
        ("half \ud83d of it \ude00", "half \\ud83d of it \\ude00"),
        ("\ud83d" + "\ude00", "\N{GRINNING FACE}"),
        ("\ufffe\uffff", "\\ufffe\\uffff"),
    ],
)
def test_what_cannot_be_shown_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown
    shown.encode()
