"""How a problem looks on paper."""

from pathlib import Path

import pytest

from thinkwire.ruleset.problem import Code, Severity, Source, Span, render


def report(text: str, start: int, end: int) -> list[str]:
    return render(Source(Path("a.yaml"), text).problem(Code.NULL, Span(start, end), "message", "hint")).splitlines()


def test_place_line_caret_and_help() -> None:
    assert report("one\ntwo: three\n", 9, 14) == [
        "a.yaml:2:6: error: message [null]",
        "  two: three",
        "       ^^^^^",
        "help: hint",
    ]


def test_caret_stands_under_the_character_after_tabs_and_wide_characters() -> None:
    assert report("a:\t\u65e5\u672c x y", 6, 7)[1:3] == ["  a:\t\u65e5\u672c x y", "    \t     ^"]
    assert report("\u65e5\u672c", 0, 2)[2] == "  ^^^^"


def test_an_underline_ends_with_its_line() -> None:
    assert report("a: [1,\n2]\n", 3, 9)[2] == "     ^^^"


def test_a_place_past_the_end_and_an_empty_text_have_a_caret() -> None:
    assert report("", 5, 9)[1:3] == ["  ".rstrip(), "  ^"]
    assert report("ab\n", 3, 3)[:1] == ["a.yaml:2:1: error: message [null]"]


def test_a_long_line_is_cut_around_the_place() -> None:
    line, carets = report("x" * 5000 + "here" + "y" * 5000, 5000, 5004)[1:3]
    assert len(line) <= 122
    assert line[carets.index("^") : carets.rindex("^") + 1] == "here"


def test_a_file_cannot_drive_the_terminal() -> None:
    source = Source(Path("a.yaml"), "a: \x1b[2J\x07")
    text = render(source.problem(Code.NULL, Span(0, 1), "found `\x1b[2J\n`", "\r"))
    assert text.replace("\n", "").isprintable()
    assert "found `\\x1b[2J\\n`" in text


@pytest.mark.parametrize(("code", "severity"), [(Code.NEVER_DECIDES, "warning"), (Code.NULL, "error")])
def test_severity_follows_the_code(code: Code, severity: str) -> None:
    problem = Source(Path("a.yaml"), "a").problem(code, Span(0, 1), "m", "h")
    assert problem.severity is Severity(severity)
    assert f": {severity}: m [{code.value}]" in render(problem)
