"""Where pydantic's errors are: keys, positions, and the tags of unions that are skipped."""

from pathlib import Path

import pytest

from thinkwire.ruleset.problem import Source
from thinkwire.ruleset.yaml.location import locate
from thinkwire.ruleset.yaml.tree import parse

TEXT = "rules:\n  - when: {body: {a.b: [x]}}\n    id: one\n"


@pytest.mark.parametrize(
    ("loc", "path", "name", "text"),
    [
        ((), "", "a rule file", "..."),
        (("rules", 0, "id"), "rules.id", "`id`", "one"),
        (("rules", 0), "rules", "an entry of `rules`", "..."),
        (("rules", 0, "when", "\0mapping", "body", "a.b", "\0list", 0), "rules.when.body.*", "an entry of `a.b`", "x"),
        (("rules", 0, "missing"), "rules", "an entry of `rules`", "..."),
    ],
)
def test_a_loc_leads_to_the_innermost_value_that_exists(
    loc: tuple[str | int, ...], path: str, name: str, text: str
) -> None:
    source = Source(Path("rules.yaml"), TEXT)
    root, problems = parse(source)
    assert root is not None
    assert not problems
    location = locate(source, root, loc)
    assert (location.path, location.name, location.text) == (path, name, text)
    assert not location.on_key


def test_an_error_about_a_key_is_on_the_key() -> None:
    source = Source(Path("rules.yaml"), TEXT)
    root, _ = parse(source)
    assert root is not None
    span = locate(source, root, ("rules", 0, "when", "body", "a.b", "[key]")).span
    assert TEXT[span.start : span.end] == "a.b"
