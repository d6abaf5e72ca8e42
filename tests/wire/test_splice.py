"""Edits of JSON texts: what they mean, and that nothing else moves."""

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.wire.json_documents import DOCUMENTS, EVERYTHING, Members, latin, load, tree_view
from thinkwire.wire.json_tree import Node, Shape, decode, read
from thinkwire.wire.splice import Edit, Edits, quote, splice, to_json

BOM = b"\xef\xbb\xbf"


def tree(raw: bytes) -> Node:
    return read(decode(raw), EVERYTHING)


def nodes_below(node: Node) -> list[Node]:
    return [below for child in node.children for below in (child, *nodes_below(child))]


def view(raw: bytes) -> Any:
    return tree_view(tree(raw))


def edited(raw: bytes, *edit: Callable[[Edits, Node], None]) -> bytes:
    edits, root = Edits(), tree(raw)
    for call in edit:
        call(edits, root)
    return splice(raw, edits.spans())


# A naive model: the same edits made in Python values.

NEW_KEY = "new é\n"
NEW_VALUES: list[Any] = [None, "é", 1.5, [1], Members([("x", "\n")])]
SET_KEY = latin(NEW_KEY)


def json_of(value: Any) -> str:
    return to_json(dict(value) if isinstance(value, Members) else value)


class Draft:
    """Edits drawn for nodes of one tree, at most one of each kind for a node."""

    def __init__(self, raw: bytes) -> None:
        self.root = tree(raw)
        self.removed: set[Node] = set()
        self.replaced: dict[Node, Any] = {}
        self.renamed: set[Node] = set()
        self.followed: dict[Node, Any] = {}
        self.extended: dict[Node, Any] = {}

    def edits(self) -> Edits:
        edits = Edits()
        for node in self.removed:
            edits.remove(node)
        for node, value in self.replaced.items():
            edits.replace(node, json_of(value))
        for node in self.renamed:
            edits.rename(node, SET_KEY)
        for node, value in self.followed.items():
            edits.insert_after(node, SET_KEY, json_of(value))
        for node, value in self.extended.items():
            edits.append(node, SET_KEY, json_of(value))
        return edits

    def expected(self, node: Node) -> Any:
        if node in self.replaced:
            return self.replaced[node]
        first = node.text[node.at]
        if first == "[":
            return [self.expected(child) for child in node.children if child not in self.removed]
        if first != "{":
            return node.value
        members = Members()
        for child in node.children:
            if child not in self.removed:
                members.append((SET_KEY if child in self.renamed else child.key, self.expected(child)))
            if child in self.followed:
                members.append((SET_KEY, self.followed[child]))
        if node in self.extended:
            members.append((SET_KEY, self.extended[node]))
        return members


def is_object(node: Node | None) -> bool:
    return node is not None and node.text[node.at] == "{"


@st.composite
def drafts(draw: st.DrawFn) -> tuple[bytes, Draft]:
    raw = draw(DOCUMENTS)
    draft = Draft(raw)
    values = st.sampled_from(NEW_VALUES)
    for node in nodes_below(draft.root):
        chosen = draw(st.sets(st.sampled_from(["remove", "replace", "rename", "follow"]), max_size=2))
        if "remove" in chosen:
            draft.removed.add(node)
        if "replace" in chosen:
            draft.replaced[node] = draw(values)
        if "rename" in chosen and is_object(node.parent):
            draft.renamed.add(node)
        if "follow" in chosen and is_object(node.parent) and node not in draft.removed:
            draft.followed[node] = draw(values)
    for node in [draft.root, *nodes_below(draft.root)]:
        if is_object(node) and not draft.removed & set(node.children) and draw(st.booleans()):
            draft.extended[node] = draw(values)
    return raw, draft


@given(drafts())
def test_the_text_after_means_what_the_naive_edit_means(case: tuple[bytes, Draft]) -> None:
    raw, draft = case
    after = splice(raw, draft.edits().spans())
    assert repr(view(after)) == repr(draft.expected(draft.root))
    assert len(load(b"[" + after.removeprefix(BOM) + b"]")) == 1


@given(drafts())
def test_edits_are_in_order_and_never_overlap(case: tuple[bytes, Draft]) -> None:
    raw, draft = case
    done = 0
    for start, end, _ in draft.edits().spans():
        assert done <= start <= end <= len(raw)
        done = end


@given(drafts())
def test_members_that_no_edit_names_keep_their_bytes(case: tuple[bytes, Draft]) -> None:
    raw, draft = case
    spans = draft.edits().spans()
    touched = draft.removed | draft.renamed | draft.replaced.keys() | draft.extended.keys()
    after = splice(raw, spans)

    def place_after(position: int) -> int:
        return position + sum(len(new) - (end - start) for start, end, new in spans if end <= position)

    def check(node: Node) -> None:
        for child in node.children:
            if child in draft.removed or child in draft.replaced:
                continue
            if not {child, *nodes_below(child)} & (touched | draft.followed.keys()):
                start = place_after(child.start)
                assert after[start : start + child.end - child.start] == raw[child.start : child.end]
            check(child)

    if draft.root not in draft.replaced:
        check(draft.root)
    # What surrounds the document stays, too.
    assert after.startswith(raw[: draft.root.at])
    assert after.endswith(raw[draft.root.end :])


def test_no_edits_change_nothing() -> None:
    edits = Edits()
    assert not edits
    assert edits.spans() == []
    assert splice(b'{"a": 1}', edits.spans()) == b'{"a": 1}'


# Commas, at each subset of the members removed.

SPACINGS = ["{0}", " {0}", "{0} ", "\n\t{0}\r\n"]


@pytest.mark.parametrize("spacing", SPACINGS)
@pytest.mark.parametrize("count", range(5))
@pytest.mark.parametrize("brackets", ["{}", "[]"])
def test_each_subset_can_be_removed(brackets: str, count: int, spacing: str) -> None:
    values = [f'"k{i}" : {i}' if brackets == "{}" else f'[{i}, "x"]' for i in range(count)]
    raw = (brackets[0] + ",".join(spacing.format(value) for value in values) + " " + brackets[1]).encode()
    for kept in product([True, False], repeat=count):
        edits, root = Edits(), tree(raw)
        for child, stays in zip(root.children, kept, strict=True):
            if not stays:
                edits.remove(child)
        after = splice(raw, edits.spans())
        left = [value for value, stays in zip(values, kept, strict=True) if stays]
        assert load(after) == load((brackets[0] + ",".join(left) + brackets[1]).encode())
        for value in left:
            assert value.encode() in after
        assert bool(edits) == (not all(kept))


@pytest.mark.parametrize(
    ("raw", "remove", "after"),
    [
        (b'{"a":1,"b":2,"c":3}', "a", b'{"b":2,"c":3}'),
        (b'{"a":1,"b":2,"c":3}', "b", b'{"a":1,"c":3}'),
        (b'{"a":1,"b":2,"c":3}', "c", b'{"a":1,"b":2}'),
        (b'{"a":1,"b":2,"c":3}', "ab", b'{"c":3}'),
        (b'{"a":1,"b":2,"c":3}', "ac", b'{"b":2}'),
        (b'{"a":1,"b":2,"c":3}', "bc", b'{"a":1}'),
        (b'{"a":1,"b":2,"c":3}', "abc", b"{}"),
        (b'{ "a" : 1 , "b" : 2 , "c" : 3 }', "a", b'{ "b" : 2 , "c" : 3 }'),
        (b'{ "a" : 1 , "b" : 2 , "c" : 3 }', "b", b'{ "a" : 1 , "c" : 3 }'),
        (b'{ "a" : 1 , "b" : 2 , "c" : 3 }', "c", b'{ "a" : 1 , "b" : 2 }'),
        (b'{ "a" : 1 , "b" : 2 , "c" : 3 }', "abc", b"{  }"),
        (b'{\n  "a": 1,\n  "b": 2\n}', "a", b'{\n  "b": 2\n}'),
        (b'{\n  "a": 1,\n  "b": 2\n}', "b", b'{\n  "a": 1\n}'),
        (b'{"a":1,"b":2,"a":3}', "a", b'{"b":2}'),
    ],
)
def test_a_member_is_removed_with_its_comma_and_spacing(raw: bytes, remove: str, after: bytes) -> None:
    edits = Edits()
    for node in tree(raw).children:
        if node.key in remove:
            edits.remove(node)
    assert splice(raw, edits.spans()) == after


# Single edits, byte for byte.


def at(*path: int) -> Callable[[Node], Node]:
    def find(root: Node) -> Node:
        for index in path:
            root = root.children[index]
        return root

    return find


@pytest.mark.parametrize(
    ("raw", "new", "after"),
    [
        (b'{ "a" : 1 , "b":2}', "[3]", b'{ "a" : [3] , "b":2}'),
        (b'{"r\\u0065" : "x"}', '""', b'{"r\\u0065" : ""}'),
        (b"[ 1.0 , 2 ]", "null", b"[ null , 2 ]"),
        (b'{"a":1}', '"\xc3\xa9"', '{"a":"é"}'.encode()),
    ],
)
def test_replace_changes_only_the_value(raw: bytes, new: str, after: bytes) -> None:
    assert edited(raw, lambda edits, root: edits.replace(at(0)(root), new)) == after


@pytest.mark.parametrize(
    ("raw", "key", "after"),
    [
        (b'{ "a" : 1.0 ,"a":2}', "b", b'{ "b" : 1.0 ,"a":2}'),
        (b'{"\\u0061":1}', "b", b'{"b":1}'),
        (b'{"a":1}', 'q"\\\n', b'{"q\\"\\\\\\n":1}'),
        (b'{"a":1}', latin("é"), '{"é":1}'.encode()),
    ],
)
def test_rename_changes_the_name_alone(raw: bytes, key: str, after: bytes) -> None:
    assert edited(raw, lambda edits, root: edits.rename(at(0)(root), key)) == after


def test_insert_after_adds_a_member_after_its_neighbour() -> None:
    raw = b'{ "a" : 1 , "b" : 2 }'
    insert_a = edited(raw, lambda edits, root: edits.insert_after(at(0)(root), "x", "[]"))
    insert_b = edited(raw, lambda edits, root: edits.insert_after(at(1)(root), "x", "[]"))
    assert insert_a == b'{ "a" : 1,"x":[] , "b" : 2 }'
    assert insert_b == b'{ "a" : 1 , "b" : 2,"x":[] }'


@pytest.mark.parametrize(
    ("raw", "after"),
    [
        (b"{}", b'{"x":1}'),
        (b"{ }", b'{"x":1 }'),
        (b' { "a" : 1 } ', b' { "a" : 1,"x":1 } '),
    ],
)
def test_append_adds_the_last_member(raw: bytes, after: bytes) -> None:
    assert edited(raw, lambda edits, root: edits.append(root, "x", "1")) == after


def test_members_added_at_one_position_keep_their_order() -> None:
    raw = b'{"a":1}'
    after = edited(
        raw,
        lambda edits, root: edits.insert_after(at(0)(root), "z", "1"),
        lambda edits, root: edits.insert_after(at(0)(root), "m", "2"),
        lambda edits, root: edits.append(root, "b", "3"),
    )
    assert after == b'{"a":1,"z":1,"m":2,"b":3}'


# Edits that meet.


def test_a_member_is_added_after_one_that_stays_when_the_rest_is_removed() -> None:
    raw = b'{"a":1,"b":2,"c":3}'
    after = edited(
        raw,
        lambda edits, root: edits.remove(at(1)(root)),
        lambda edits, root: edits.insert_after(at(0)(root), "x", "0"),
        lambda edits, root: edits.remove(at(2)(root)),
    )
    assert after == b'{"a":1,"x":0}'


@pytest.mark.parametrize("removed", [0, 1, 2])
def test_a_removed_node_takes_the_edits_inside_with_it(removed: int) -> None:
    raw = b'{"a":{"x":[1]},"b":{"x":[1]},"c":{"x":[1]}}'
    after = edited(
        raw,
        lambda edits, root: edits.replace(at(removed, 0, 0)(root), "2"),
        lambda edits, root: edits.rename(at(removed, 0)(root), "y"),
        lambda edits, root: edits.append(at(removed)(root), "z", "3"),
        lambda edits, root: edits.remove(at(removed, 0, 0)(root)),
        lambda edits, root: edits.remove(at(removed)(root)),
    )
    assert view(after) == [pair for i, pair in enumerate(view(raw)) if i != removed]


@pytest.mark.parametrize("removed", [0, 1])
@pytest.mark.parametrize("raw", [b'{"a":1,"b":2}', b"[1,2]"])
def test_a_removed_node_takes_its_own_edits_with_it(raw: bytes, removed: int) -> None:
    def replace(edits: Edits, root: Node) -> None:
        edits.replace(at(removed)(root), "3")

    def rename(edits: Edits, root: Node) -> None:
        if is_object(root):
            edits.rename(at(removed)(root), "z")

    def remove(edits: Edits, root: Node) -> None:
        edits.remove(at(removed)(root))

    left = [item for i, item in enumerate(view(raw)) if i != removed]
    assert view(edited(raw, replace, rename, remove)) == left
    assert view(edited(raw, remove, rename, replace)) == left


def test_the_only_element_is_removed_although_it_was_replaced() -> None:
    after = edited(
        b"[1]",
        lambda edits, root: edits.replace(at(0)(root), "2"),
        lambda edits, root: edits.remove(at(0)(root)),
    )
    assert after == b"[]"


def test_a_replaced_node_takes_the_edits_inside_with_it() -> None:
    after = edited(
        b'{"a":[{"b":1}]}',
        lambda edits, root: edits.rename(at(0, 0, 0)(root), "c"),
        lambda edits, root: edits.remove(at(0, 0)(root)),
        lambda edits, root: edits.replace(at(0)(root), "null"),
    )
    assert after == b'{"a":null}'


def test_one_member_can_be_renamed_replaced_and_followed() -> None:
    after = edited(
        b'{ "a" : 1 }',
        lambda edits, root: edits.insert_after(at(0)(root), "c", "3"),
        lambda edits, root: edits.replace(at(0)(root), "2"),
        lambda edits, root: edits.rename(at(0)(root), "b"),
    )
    assert after == b'{ "b" : 2,"c":3 }'


def test_a_node_is_removed_if_one_around_it_is() -> None:
    edits, root = Edits(), tree(b'{"a":{"b":[1]},"c":2}')
    a, c = root.children
    edits.remove(a)
    assert [edits.is_removed(node) for node in (a, a.children[0], a.children[0].children[0])] == [True] * 3
    assert [edits.is_removed(node) for node in (c, root, None)] == [False] * 3
    assert edits


def test_children_of_shapes_with_a_switch_can_be_removed() -> None:
    shape = Shape(switch="t", cases={"x": Shape(members={"a": Shape(elements="e")})})
    raw = b'{"a":[1,2,3],"t":"x"}'
    edits, root = Edits(), read(decode(raw), shape)
    edits.remove(root.children[0].children[1])
    edits.remove(root.children[1])
    assert splice(raw, edits.spans()) == b'{"a":[1,3]}'


# Text of our own.


@given(st.text())
@example("\ud800")
@example("é\n\0\u2028")
def test_values_become_ascii_that_means_the_same(text: str) -> None:
    assert to_json([text]).isascii()
    assert json.loads(to_json([text])) == [text]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_name_is_read_as_that_name(name: str) -> None:
    (node,) = tree(b"{" + quote(latin(name)).encode("latin-1") + b":1}").children
    assert node.key == latin(name)
    assert load(quote(latin(name)).encode("latin-1")) == name


def test_splice_takes_edits_as_they_are() -> None:
    assert splice(b"abcdef", [Edit(0, 1, "X"), Edit(1, 1, "-"), Edit(2, 4, ""), Edit(6, 6, "\xff")]) == b"X-bef\xff"
    assert splice(b"", []) == b""
    assert splice(b"", [Edit(0, 0, "x")]) == b"x"


def test_of_two_values_for_one_node_the_last_one_counts() -> None:
    def twice(edits: Edits, root: Node) -> None:
        edits.replace(root.children[0], "2")
        assert edits.raw(root.children[0]) == "2"
        edits.replace(root.children[0], "3")
        assert edits.raw(root.children[1]) == "9"

    assert edited(b'{"a":1,"b":9}', twice) == b'{"a":3,"b":9}'


@pytest.mark.parametrize(
    ("raw", "after"),
    [
        (b'{"a":1,"z":0}', '{"a":1,"t":"éé","z":0}'),
        (b'{"t":null,"a":1}', '{"t":"éé","a":1}'),
        (b'{"a":1, "t" : ""}', '{"a":1, "t" : "éé"}'),
        (b'{"a":1,"t":"\\u0078"}', '{"a":1,"t":"xéé"}'),
    ],
)
def test_added_texts_are_one_member(raw: bytes, after: str) -> None:
    def add(edits: Edits, root: Node) -> None:
        beside = root.child("a")
        assert beside is not None
        assert not edits.adds_text(root, "t")
        for _ in range(2):
            edits.add_text(beside, "t", "é")
        assert edits
        assert edits.adds_text(root, "t")

    assert edited(raw, add) == after.encode()
