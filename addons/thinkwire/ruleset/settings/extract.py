"""`response.extract`: which text of an answer is read as reasoning.

Knows how families of tags are chosen in a rule file; what their markers mean is `dialects/core/tag_families.py`.
"""

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema

from thinkwire.dialects.core.tag_families import FAMILIES, Family, Where, merged, pairs
from thinkwire.rewrite.plan import Extract
from thinkwire.ruleset.field_types import ByType, FamilyName, Some, a_list, bad_value, member_of
from thinkwire.ruleset.model.base import Mapping
from thinkwire.ruleset.problem import Code, Problem, Source
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode

OWN = "tags"
"""The name of a family that a rule makes of its own tags."""
LONGEST_TAG = 100
"""Characters: as many may be held back, and anything longer is surely not a tag."""
PAIR_OF_TAGS = '`["<think>", "</think>"]`'
TAG_SCHEMA = {"type": "string", "pattern": "\\S", "maxLength": LONGEST_TAG}


def _check_tag(text: str) -> str:
    if not text.strip():
        hint = "write the tag as the model writes it, such as `<think>`"
        raise bad_value(Code.BAD_TAGS, "a tag must have something in it", hint)
    if len(text) > LONGEST_TAG:
        hint = "write the tag alone, without the text around it"
        raise bad_value(Code.BAD_TAGS, f"a tag has at most {LONGEST_TAG} characters", hint)
    return text


def _check_pair(texts: list[str]) -> list[str]:
    hint = f"write a pair such as {PAIR_OF_TAGS}"
    if len(texts) != 2:
        raise bad_value(Code.BAD_TAGS, "this is not a pair of an open and a close tag", hint)
    if texts[0] == texts[1]:
        raise bad_value(Code.BAD_TAGS, "the open and the close tag are the same", hint)
    if texts[0] != texts[0].lstrip():  # white space in front of a block is text, so such a tag would never be found
        hint = "write the tag alone; white space before a block is allowed and stays text"
        raise bad_value(Code.BAD_TAGS, "an open tag cannot begin with white space", hint)
    return texts


TagText = Annotated[str, AfterValidator(_check_tag), WithJsonSchema(TAG_SCHEMA)]
TagPair = Annotated[
    list[TagText],
    a_list("a pair of tags"),
    AfterValidator(_check_pair),
    WithJsonSchema({"type": "array", "items": TAG_SCHEMA, "minItems": 2, "maxItems": 2}),
]
TagPairs = Annotated[Some[TagPair], a_list("a list of pairs of tags")]


class ExtractOptions(Mapping):
    """How reasoning is marked in the visible text: by a family of tags, or by tags of one's own."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["family"], "not": {"required": ["where"]}}, {"required": ["tags"]}],
        }
    )

    family: FamilyName = Field(default="think", description="A family of tags by its name.")
    tags: TagPairs = Field(
        default=[], description="Pairs of an open and a close tag; any of the close tags ends a block."
    )
    where: Annotated[str, *member_of(Where)] = Field(
        default="leading",
        description="Where `tags` count. `leading` (default): one block, with only white space before it; `anywhere`: "
        "every block.",
    )
    starts_inside: bool = Field(
        default=False, description="true: the prompt has opened the block, so the answer begins inside it."
    )


ExtractItem = Annotated[FamilyName | ExtractOptions, ByType("a tag family or a mapping such as {family: think}")]
ExtractValue = Annotated[
    ExtractItem | list[ExtractItem], ByType("a tag family, a mapping such as {family: think}, or a list of these")
]

type Item = str | ExtractOptions


def compile_extract(value: Item | list[Item]) -> Extract | None:
    """All families of a value at once; the text begins inside a block if any of them says so. None: text stays text."""
    items = value if isinstance(value, list) else [value]
    if not items:
        return None
    families = list(map(_family, items))
    family = merged(families) if len(families) > 1 else families[0]
    starts_inside = any(item.starts_inside for item in items if isinstance(item, ExtractOptions))
    texts = list(map(_spell, items))
    return Extract(family, starts_inside, texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")


def spell_extract(extract: Extract | None) -> str:
    return "[]" if extract is None else extract.text


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


def extract_conflicts(source: Source, value: YamlNode) -> Iterator[Problem]:
    for item in (value, *value.items):
        if item.kind is NodeKind.MAPPING:
            yield from _item_conflicts(source, item)


def _item_conflicts(source: Source, item: YamlNode) -> Iterator[Problem]:
    """There must be either `family` or `tags`, and `where` is for tags only: a family knows where its markers count."""
    keys = {key.text: key.span for key, _ in item.entries}
    said = [name for name in keys if name in ("family", "tags")]
    if len(said) == 2:
        hint = "keep one, or write a list of two: `[{...}, {...}]`"
        yield source.problem(Code.TWO_ACTIONS, keys[said[1]], "`family` and `tags` cannot be combined", hint)
    elif said == ["family"] and "where" in keys:
        message = "`where` does not apply to a family: its markers count wherever models write them"
        hint = 'write the tags out: `{tags: [["<think>", "</think>"]], where: anywhere}`'
        yield source.problem(Code.WHERE_OF_FAMILY, keys["where"], message, hint)
    elif not said and keys.keys() <= ExtractOptions.model_fields.keys():  # another key may be a slip of the pen
        message, hint = "`extract` has neither `family` nor `tags`", "add `family: think`, or another family's name"
        yield source.problem(Code.MISSING_KEY, item.span, message, hint)
