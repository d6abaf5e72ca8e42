"""`extract` of a rule -> what the plan says, and how one writes it.

Knows how families of tags are chosen in a rule file; what their markers mean is `dialects/tag_families.py`.
"""

import json
from dataclasses import dataclass

from thinkwire.dialects.core.tag_families import FAMILIES, Family, Where, merged, pairs
from thinkwire.rewrite.plan import Extract
from thinkwire.ruleset.model.rule import ExtractOptions

OWN = "tags"
"""The name of a family that a rule makes of its own tags."""

type Item = str | ExtractOptions


@dataclass(frozen=True, slots=True)
class Tagged:
    """An `extract`, ready to be chosen."""

    plan: Extract | None
    """None where a rule says that tagged text stays text."""
    text: str
    """As one writes it in a rule file."""


def compile_extract(value: Item | list[Item]) -> Tagged:
    """All families of a value at once; the text begins inside a block if any of them says so."""
    items = value if isinstance(value, list) else [value]
    if not items:
        return Tagged(None, "[]")
    families = list(map(_family, items))
    family = merged(families) if len(families) > 1 else families[0]
    texts = list(map(_spell, items))
    starts_inside = any(item.starts_inside for item in items if isinstance(item, ExtractOptions))
    return Tagged(Extract(family, starts_inside), texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")


def _family(item: Item) -> Family:
    if isinstance(item, str):
        return FAMILIES[item]
    if not item.tags:
        return FAMILIES[item.family]
    return pairs(OWN, [(opens, closes) for opens, closes in item.tags], Where(item.where))


def _spell(item: Item) -> str:
    if isinstance(item, str):
        return item
    members = [f"tags: {json.dumps(item.tags, ensure_ascii=False)}" if item.tags else f"family: {item.family}"]
    if "where" in item.model_fields_set:
        members.append(f"where: {item.where}")
    if "starts_inside" in item.model_fields_set:
        members.append(f"starts_inside: {json.dumps(item.starts_inside)}")
    return f"{{{', '.join(members)}}}"
