"""Updates are found by the labels of a table, whatever API it is of."""

import pytest

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.locate import locate, number_at
from thinkwire.dialects.core.parts import CountOf, Extent, FieldSpec, ItemKey, Kind, Level, Update
from thinkwire.wire.json_tree import Shape, read

ITEM = Shape(
    members={
        "n": FieldSpec(Kind.ITEM, space="items"),
        "of": FieldSpec(Kind.REFERENCE, space="items"),
        "text": fields.TEXT,
        "thinking": fields.REASONING,
        "blocks": Shape(
            elements=Shape(members={"text": fields.REASONING, "signature": fields.OPAQUE}, label=fields.REASONING),
            label=Level(blocks=True),
        ),
        "delta": Shape(members={"text": fields.TEXT}, label=Level(extent=Extent.DELTA)),
        "whole": Shape(members={"text": fields.TEXT}, label=Level(extent=Extent.SNAPSHOT)),
    },
    other=fields.OTHER,
    label=Level(opens=True, space="items"),
)
DOCUMENT = Shape(
    members={
        "id": fields.ENVELOPE,
        "count": FieldSpec(Kind.COUNTER, space="events"),
        "items": Shape(elements=ITEM),
        "again": Shape(members={}, label=Level(resets=("items",))),
    },
    other=fields.OTHER,
)


def updates(text: str, extent: Extent = Extent.DELTA) -> list[Update]:
    return locate(read(text, DOCUMENT), extent)


def test_the_first_update_is_the_documents_own() -> None:
    (own,) = updates('{"id": "x", "new": 1}')
    assert (own.item, own.extent) == (None, Extent.DELTA)
    assert [(part.kind, part.node.raw) for part in own.parts] == [(Kind.OTHER, "1")]


def test_each_item_is_an_update_by_its_number_or_its_position() -> None:
    found = updates('{"items": [{"n": 7, "text": "a"}, {"text": "b"}, {"n": "c"}]}')
    assert [update.item for update in found[1:]] == [ItemKey("items", 7), ItemKey("items", 1), ItemKey("items", '"c"')]


def test_numbers_are_kept_by_what_they_count() -> None:
    own, item = updates('{"count": 4, "items": [{"n": 2, "of": 1}]}')
    assert [(count_of, space, node.raw) for count_of, space, node in own.counters] == [
        (CountOf.DOCUMENTS, "events", "4")
    ]
    assert [(count_of, node.raw) for count_of, _, node in item.counters] == [
        (CountOf.ITEMS, "2"),
        (CountOf.ITEMS, "1"),
    ]
    assert item.about == [ItemKey("items", 1)]


def test_blocks_are_one_part_with_leaves() -> None:
    (_, item) = updates('{"items": [{"blocks": [{"text": "a", "signature": "s"}, "b"]}]}')
    (part,) = item.parts
    assert [(leaf.kind, leaf.node.value) for leaf in part.leaves] == [
        (Kind.REASONING, "a"),
        (Kind.OPAQUE, "s"),
        (Kind.REASONING, "b"),
    ]


def test_a_snapshot_beside_a_delta_is_an_update_of_the_same_item() -> None:
    _, delta, snapshot = updates('{"items": [{"delta": {"text": "b"}, "whole": {"text": "ab"}, "n": 3}]}')
    assert (delta.extent, snapshot.extent) == (Extent.DELTA, Extent.SNAPSHOT)
    assert delta.item == snapshot.item == ItemKey("items", 3)


def test_an_item_with_only_a_snapshot_is_one() -> None:
    assert updates('{"items": [{"whole": {"text": "ab"}}]}')[1].extent is Extent.SNAPSHOT


def test_levels_add_what_they_say_to_their_update() -> None:
    (own,) = updates('{"again": {}}')
    assert own.resets == ("items",)


@pytest.mark.parametrize(
    ("text", "number"), [("7", 7), ("0", 0), ("-1", None), ("1.0", None), ('"7"', None), ("9" * 19, None)]
)
def test_only_natural_numbers_of_a_moderate_length_count(text: str, number: int | None) -> None:
    assert number_at(read(text, None)) == number
