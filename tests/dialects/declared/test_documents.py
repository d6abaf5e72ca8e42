"""Documents of declared APIs: what shows one, and what is written."""

import json
from typing import Any

import pytest

from tests.dialects.declared_api import CHOICES, EVENTS, REQUEST, Paths, declare, tree
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.wire.json_tree import read


@pytest.mark.parametrize(
    ("path", "document", "is_there"),
    [
        ("a", {"a": None}, True),
        ("a", {"b": 1}, False),
        ("a.b", {"a": [{"b": 1}]}, False),
        ("a.b.c.d.e", {"a": {"b": {"c": {"d": {"e": 1}}}}}, True),
        ("a.b.c.d.f", {"a": {"b": {"c": {"d": {"e": 1}}}}}, False),
        ("a[*].b[*].c", {"a": [{}, {"b": [{"c": 0}]}]}, True),
        ("a[*].b", {"a": {"b": 1}}, False),
        ("a.b", {"a": "b"}, False),
        ("[type=x]", {"type": "x"}, True),
        ("[type=x]", {"type": "y"}, False),
        ("[type=x]", {}, False),
        ("a[type=x].t", {"a": [{"type": "y", "t": 1}, {"type": "x", "t": 1}]}, True),
        ("a[on=true]", {"a": {"on": True}}, True),
        ("a[type=x]", {"a": "x"}, False),
        ("[*].a", [{"a": 1}], True),
        ("\u00e4", {"\u00e4": 1}, True),
    ],
)
def test_evidence_is_found_at_any_depth_with_any_table(path: str, document: Any, is_there: bool) -> None:
    dialect = declare(CHOICES, "nowhere", path)
    assert dialect.matches_document(tree(document)) == dialect.matches_document(tree(document, dialect)) == is_there


def test_without_evidence_no_document_is_recognised() -> None:
    assert not declare(CHOICES).matches_document(tree({"choices": [{"delta": {"thoughts": "hm"}}]}))


@pytest.mark.parametrize(
    ("paths", "item", "expected"),
    [
        (
            CHOICES,
            ItemKey("", 2),
            {"id": "\u00e4", "model": "m", "choices": [{"index": 2, "delta": {"thoughts": "hm"}}]},
        ),
        (EVENTS, ItemKey("", 0), {"type": "thought.delta", "text": "hm"}),
        (
            {"reasoning": ["a.content[type=t]"], "owner": ["a.n", "b.n"], "envelope": ["[type=x]", "a.id"]},
            ItemKey("", '"x"'),
            {"a": {"n": "x", "content": {"type": "t", "text": "hm"}}},
        ),
        ({"reasoning": ["parts[*][thought=true].text"]}, ItemKey("", 0), {"parts": [{"thought": True, "text": "hm"}]}),
        ({"reasoning": ["p[n=07].t", "q"]}, ItemKey("", 0), {"p": {"n": "07", "t": "hm"}}),
        ({"reasoning": ["[*].x"]}, ItemKey("", 0), [{"x": "hm"}]),
    ],
)
def test_what_is_written_resembles_a_document_and_is_found_again(paths: Paths, item: ItemKey, expected: Any) -> None:
    dialect = declare(paths)
    like = tree({"model": "m", "id": "\u00e4", "type": "x", "choices": [], "extra": 1}, dialect)
    (text,) = dialect.write(Kind.REASONING, "hm", item, like)
    assert text.isascii()
    assert json.loads(text) == expected
    again = locate(read(text, dialect.table(REQUEST)), Extent.DELTA)
    assert "hm" in str([part.node.value for update in again for part in update.of(Kind.REASONING)])
    if "owner" in paths:
        assert item.number in [update.item.number for update in again if update.item]


def test_a_kind_without_a_field_is_not_written() -> None:
    assert declare({"reasoning": ["x"]}).write(Kind.TEXT, "hi", ItemKey("", 0), tree({})) == []
