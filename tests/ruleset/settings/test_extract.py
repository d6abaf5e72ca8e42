"""`extract` of a rule: families, tags of its own, and lists of both."""

from pathlib import Path

import pytest

from tests.ruleset.loading import request, rules
from thinkwire.dialects.core.tag_families import FAMILIES, Where, merged, pairs
from thinkwire.rewrite.plan import Extract, ResponsePlan

THINK = FAMILIES["think"]
A = [("<a>", "</a>")]


@pytest.mark.parametrize(
    ("value", "extract"),
    [
        ("[]", None),
        ("think", Extract(THINK)),
        ("[think]", Extract(THINK)),
        ("{family: think}", Extract(THINK)),
        ("{family: think, starts_inside: false}", Extract(THINK)),
        ("{family: think, starts_inside: true}", Extract(THINK, True)),
        ("{tags: [[<a>, </a>]]}", Extract(pairs("tags", A))),
        ("{tags: [[<a>, </a>]], where: anywhere}", Extract(pairs("tags", A, Where.ANYWHERE))),
        ("[think, harmony]", Extract(merged([THINK, FAMILIES["harmony"]]))),
        (
            "[harmony, {tags: [[<a>, </a>]], where: leading, starts_inside: true}]",
            Extract(merged([FAMILIES["harmony"], pairs("tags", A)]), True),
        ),
    ],
)
def test_extract_is_a_family_or_tags_or_several(tmp_path: Path, value: str, extract: Extract | None) -> None:
    ruleset = rules(
        tmp_path,
        f"  - {{id: a, response: {{extract: {value}}}}}\n  - {{id: later, response: {{extract: gemma}}}}\n",
    )
    assert ruleset.choose(request()).plan.response == ResponsePlan(extract=extract)
