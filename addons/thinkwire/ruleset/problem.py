"""What is wrong with a rule file, where, and what to do about it.

Knows how a problem is printed; does not know how one is found.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cached_property
from pathlib import Path

WIDEST_EXCERPT = 120
"""Characters of a source line that a report shows."""
LONGEST_MESSAGE = 500


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


class Code(StrEnum):
    """Every way in which a rule file can be wrong; each has a file of that name in `tests/ruleset/bad/`."""

    ALIAS = "alias"
    ANCHOR = "anchor"
    BAD_FILTER = "bad-filter"
    BAD_HEADER_NAME = "bad-header-name"
    BAD_ID = "bad-id"
    BAD_KEY = "bad-key"
    BAD_NUMBER = "bad-number"
    BAD_PATH = "bad-path"
    BAD_PLACE = "bad-place"
    BAD_TAGS = "bad-tags"
    BAD_TEXT = "bad-text"
    CONTRADICTORY_PLACES = "contradictory-places"
    DUPLICATE_DIALECT = "duplicate-dialect"
    DUPLICATE_ID = "duplicate-id"
    DUPLICATE_KEY = "duplicate-key"
    DUPLICATE_NAME = "duplicate-name"
    DUPLICATE_PLACE = "duplicate-place"
    EMPTY = "empty"
    EMPTY_FILE = "empty-file"
    INCLUDE_CYCLE = "include-cycle"
    MERGE_KEY = "merge-key"
    MISSING_INCLUDE = "missing-include"
    MISSING_KEY = "missing-key"
    NEVER_RECOGNISED = "never-recognised"
    NOT_UTF8 = "not-utf8"
    NO_EXPECTATION = "no-expectation"
    NO_REASONING = "no-reasoning"
    NULL = "null"
    SEVERAL_DOCUMENTS = "several-documents"
    SYNTAX = "syntax"
    TAB = "tab"
    TAG = "tag"
    TOO_DEEP = "too-deep"
    TWO_ACTIONS = "two-actions"
    UNKNOWN_DIALECT = "unknown-dialect"
    UNKNOWN_KEY = "unknown-key"
    UNKNOWN_RULE = "unknown-rule"
    UNKNOWN_VALUE = "unknown-value"
    UNKNOWN_VERSION = "unknown-version"
    UNREADABLE = "unreadable"
    WHERE_OF_FAMILY = "where-of-family"
    WRONG_TYPE = "wrong-type"
    NEVER_DECIDES = "never-decides"
    UNDOES_STRIP = "undoes-strip"


WARNINGS = frozenset({Code.NEVER_DECIDES, Code.UNDOES_STRIP})


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters in a file's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Problem:
    severity: Severity
    code: Code
    file: Path
    line: int
    """1-based, as is `col`; columns count characters."""
    col: int
    source: str
    """The line as it is in the file, without its line end."""
    length: int
    """Characters to underline, at least one."""
    message: str
    hint: str


@dataclass(frozen=True)
class Source:
    """One file's text, and where its lines begin."""

    path: Path
    text: str

    @cached_property
    def _starts(self) -> list[int]:
        # Not str.splitlines: editors do not count U+2028, form feeds and their like as line ends.
        starts, text = [0], self.text
        for index, char in enumerate(text):
            if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
                starts.append(index + 1)
        return starts

    def line_number(self, index: int) -> int:
        """The 1-based line of a character."""
        return bisect_right(self._starts, index)

    def problem(self, code: Code, span: Span, message: str, hint: str) -> Problem:
        """A problem at this span; its underline ends where its first line ends."""
        start = min(span.start, len(self.text))
        line = self.line_number(start)
        line_start = self._starts[line - 1]
        line_end = self._starts[line] if line < len(self._starts) else len(self.text)
        source = self.text[line_start:line_end].rstrip("\r\n")
        col = start - line_start
        marked = source[col : max(col, span.end - line_start)].rstrip()
        return Problem(
            severity=Severity.WARNING if code in WARNINGS else Severity.ERROR,
            code=code,
            file=self.path,
            line=line,
            col=col + 1,
            source=source,
            length=max(1, len(marked)),
            message=one_line(message),
            hint=one_line(hint),
        )


def suggest(word: str, choices: Iterable[str], otherwise: str) -> str:
    """`did you mean ...?`, or else everything there is to choose from."""
    known = list(choices)
    close = get_close_matches(word, known, n=1)
    return f"did you mean `{close[0]}`?" if close else f"{otherwise}: {', '.join(known)}"


def render(problem: Problem) -> str:
    """The problem as printed: place and message, the line, a caret line, and what to do; no final newline."""
    head = f"{problem.file}:{problem.line}:{problem.col}: {problem.severity}: {problem.message} [{problem.code}]"
    return "\n".join([head, *_excerpt(problem), f"help: {problem.hint}"])


def _excerpt(problem: Problem) -> tuple[str, str]:
    """The source line and its underline, cut to what a terminal shows."""
    left = max(0, problem.col - WIDEST_EXCERPT // 2) if len(problem.source) > WIDEST_EXCERPT else 0
    shown = "".join(_printable(char) for char in problem.source[left : left + WIDEST_EXCERPT])
    before = shown[: problem.col - 1 - left]
    marked = shown[len(before) : len(before) + problem.length]
    indent = "".join("\t" if char == "\t" else " " * _width(char) for char in before)
    return f"  {shown}".rstrip(), f"  {indent}{'^' * max(1, sum(map(_width, marked)))}"


def one_line(text: str) -> str:
    """The text with its unprintable characters written as escapes, and cut: it may quote anything from the file."""
    text = text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + "..."
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _printable(char: str) -> str:
    # A rule file from elsewhere must not be able to drive the terminal.
    return char if char == "\t" or char.isprintable() else "\N{REPLACEMENT CHARACTER}"


def _width(char: str) -> int:
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
