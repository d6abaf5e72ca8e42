"""`docs/apis.md` has a section for each dialect, and every citation of it and link on it names one that exists."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from thinkwire.dialects.registry import DIALECTS

PROJECT = Path(__file__).resolve().parents[1]
NAME = "docs/apis.md"
PAGE = (PROJECT / NAME).read_text(encoding="utf-8")
CODE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEADINGS = re.findall(r"^#+ (.*)$", CODE.sub("", PAGE), re.MULTILINE)
CITATION = re.compile(re.escape(NAME) + r',((?:[\s#]*(?:,|and)?[\s#]*"[^"\n]+")+)')
"""One or more headings in quotes, which may continue on the next line of a comment."""


def anchor(heading: str) -> str:
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def cited(text: str) -> list[str]:
    """The headings that a source file cites."""
    return [heading for match in CITATION.finditer(text) for heading in re.findall(r'"([^"\n]+)"', match[1])]


def test_no_two_headings_have_the_same_anchor() -> None:
    assert [name for name, count in Counter(map(anchor, HEADINGS)).items() if count > 1] == []


def test_each_dialect_has_a_section_of_its_name() -> None:
    assert {dialect.name for dialect in DIALECTS} <= set(map(anchor, HEADINGS))


@pytest.mark.parametrize(
    ("comment", "headings"),
    [
        (f'(see {NAME}, "Gemini").', ["Gemini"]),
        (f'{NAME}, "Gemini" and "Cohere"', ["Gemini", "Cohere"]),
        (f'{NAME},\n    # "Gemini", "LM Studio"\n    # and "Cohere".', ["Gemini", "LM Studio", "Cohere"]),
        (f'{NAME} says so, "indeed"', []),
    ],
)
def test_citations_are_found_in_comments(comment: str, headings: list[str]) -> None:
    assert cited(comment) == headings


def test_each_citation_in_the_code_names_a_heading() -> None:
    files = [path for folder in ("addons", "tests") for path in sorted((PROJECT / folder).rglob("*.py"))]
    assert len(files) > 100
    wrong = {
        f"{path.relative_to(PROJECT)}: {heading}"
        for path in files
        for heading in cited(path.read_text(encoding="utf-8"))
        if heading not in HEADINGS
    }
    assert wrong == set()


def test_each_link_on_the_page_leads_to_a_section() -> None:
    links = re.findall(r"\]\(#([^)]+)\)", PAGE)
    assert links
    assert set(links) <= set(map(anchor, HEADINGS))


def test_the_samples_are_json() -> None:
    samples = [text for language, text in CODE.findall(PAGE) if language == "json"]
    assert samples
    for sample in samples:
        rest = sample.strip()
        while rest:
            _, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:].lstrip()
