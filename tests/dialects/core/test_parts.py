"""Parts: which of them mean anything, and what they say about themselves."""

import pytest

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.parts import FieldSpec, Kind, Level, Part, level_of
from thinkwire.wire.json_tree import Shape, read

EVERYTHING = Shape(members={})
EVERYTHING.other = EVERYTHING.elements = EVERYTHING
FLAG = FieldSpec(Kind.REASONING, is_flag=True)


@pytest.mark.parametrize(
    ("spec", "raw", "is_meaningful"),
    [
        (fields.TEXT, '"a"', True),
        (fields.TEXT, '""', False),
        (fields.TEXT, "null", False),
        (fields.TEXT, "[]", False),
        (fields.FINISH, '"stop"', True),
        (fields.FINISH, "true", True),
        (fields.FINISH, "false", False),
        (fields.FINISH, '"null"', False),
        (fields.TEXT, '"null"', True),
        (FLAG, "false", False),
        (FLAG, "true", True),
        (fields.TOKENS, '{"content": [], "refusal": null}', False),
        (fields.TOKENS, '{"content": [1]}', True),
        (fields.TOOL_CALL, '[{"index": 0}]', True),
    ],
)
def test_a_part_is_meaningful_unless_its_value_is_empty(spec: FieldSpec, raw: str, is_meaningful: bool) -> None:
    assert Part(spec.kind, read(raw, EVERYTHING), spec).is_meaningful == is_meaningful


@pytest.mark.parametrize("shown", ["", "a"])
def test_of_a_text_with_tags_only_the_visible_rest_is_meaningful(shown: str) -> None:
    assert Part(Kind.TEXT, read('"<think>b"', None), fields.TEXT, shown=shown).is_meaningful == bool(shown)


@pytest.mark.parametrize(("raw", "count"), [('[{"text": ""}, "a"]', 2), ('{"text": "a"}', 1)])
def test_blocks_are_meaningful_if_one_of_their_leaves_is(raw: str, count: int) -> None:
    root = read(raw, EVERYTHING)
    part = Part(Kind.REASONING, root, None, [Part(Kind.REASONING, read('""', None), fields.REASONING)])
    assert len(part.blocks) == count
    assert not part.is_meaningful
    part.leaves.append(Part(Kind.REASONING, read('"a"', None), fields.REASONING))
    assert part.is_meaningful


def test_what_has_a_spec_has_no_blocks() -> None:
    assert Part(Kind.TEXT, read('["a"]', EVERYTHING), fields.TEXT).blocks == []


def test_only_texts_with_a_rank_have_a_name_that_rename_knows() -> None:
    node = read('"a"', None)
    named = Part(Kind.REASONING, node, FieldSpec(Kind.REASONING, rank=2))
    assert (named.is_named, named.rank) == (True, 2)
    for spec in (fields.REASONING, None):
        other = Part(Kind.REASONING, node, spec)
        assert (other.is_named, other.rank, other.is_flag) == (False, 0, False)


def test_the_level_of_a_node_is_that_of_its_shape() -> None:
    level = Level(opens=True)
    assert level_of(read("{}", Shape(members={}, label=level))) is level
    assert level_of(read("{}", Shape(members={}, label=fields.TEXT))) is None
    assert level_of(read("{}", fields.TEXT)) is None
