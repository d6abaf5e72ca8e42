"""The tree of spans: what it labels is what `json.loads` reads, and what is not JSON is Unreadable."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.wire.json_documents import DOCUMENTS, EVERYTHING, Members, latin, load, plain, tree_view
from thinkwire.wire.json_tree import Node, Shape, Unreadable, decode, encode, read

TYPED = Shape(
    members={"fallback": "seen"},
    switch="type",
    cases={"text": Shape(members={"text": "content"}, other="rest"), "é": Shape(members={"x": "accent"})},
)
SHAPES = [EVERYTHING, None, "label", Shape(), Shape(members={"a": EVERYTHING}), Shape(elements=EVERYTHING)]
SWITCHES = [Shape(switch=key, cases={"x": EVERYTHING}, members={"b": EVERYTHING}) for key in ("a", "reasoning")]


def tree(raw: bytes, shape: Any = EVERYTHING) -> Node:
    return read(decode(raw), shape)


def nodes_of(node: Node) -> list[Node]:
    return [node, *(below for child in node.children for below in nodes_of(child))]


def in_tree_form(value: Any) -> Any:
    """A loaded document with its names as nodes keep them."""
    if isinstance(value, Members):
        return Members((latin(key), in_tree_form(item)) for key, item in value)
    if isinstance(value, list):
        return [in_tree_form(item) for item in value]
    return value


def same(one: Any, other: Any) -> bool:
    """Equal in type, too, and NaN equal to itself."""
    return repr(one) == repr(other)


# Random documents.


@given(DOCUMENTS)
def test_the_tree_holds_what_json_loads_reads(raw: bytes) -> None:
    assert same(tree_view(tree(raw)), in_tree_form(load(raw)))


@given(DOCUMENTS)
def test_the_value_of_each_node_is_what_json_loads_reads(raw: bytes) -> None:
    def compare(node: Node, loaded: Any) -> None:
        assert same(node.value, plain(loaded))
        values = [item for _, item in loaded] if isinstance(loaded, Members) else loaded
        assert len(node.children) == (len(values) if isinstance(loaded, list) else 0)
        for child, value in zip(node.children, values if isinstance(loaded, list) else [], strict=True):
            compare(child, value)

    compare(tree(raw), load(raw))


@given(DOCUMENTS)
def test_the_span_of_each_node_is_its_member_alone(raw: bytes) -> None:
    text = decode(raw)
    for node in nodes_of(tree(raw)):
        assert node.raw == text[node.at : node.end]
        assert same(load(encode(node.raw)), load(encode(node.raw.strip(" \t\r\n"))))
        assert not node.raw[:1].isspace()
        assert not node.raw[-1:].isspace()
        if node.parent is None or node.text[node.parent.at] == "[":
            assert (node.key, node.start, node.key_end) == ("", node.at, node.at)
            continue
        (pair,) = load(b"{" + raw[node.start : node.end] + b"}")
        assert latin(pair[0]) == node.key
        assert same(plain(pair[1]), node.value)
        assert latin(load(raw[node.start : node.key_end])) == node.key


@given(DOCUMENTS)
def test_each_shape_finds_the_same_end(raw: bytes) -> None:
    end = tree(raw).end
    assert {tree(raw, shape).end for shape in (*SHAPES, *SWITCHES)} == {end}


@given(DOCUMENTS)
def test_is_empty_and_is_string_are_what_the_value_is(raw: bytes) -> None:
    for shape in (EVERYTHING, None):
        for node in nodes_of(tree(raw, shape)):
            value = node.value
            # A long number is read as text, although it is not one.
            assert node.is_string == (isinstance(value, str) and node.raw[:1] == '"')
            assert node.is_empty == (value in (None, "", [], {}) and not isinstance(value, bool | int | float))


# What is accepted.


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A document with a slice cut out, doubled, or overwritten."""
    raw = draw(DOCUMENTS)
    start = draw(st.integers(0, len(raw)))
    end = draw(st.integers(start, min(len(raw), start + 5)))
    new = draw(
        st.one_of(
            st.just(b""),
            st.just(raw[start:end] * 2),
            st.sampled_from(
                [b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u12", b"\\x", b"0", b"-", b".", b"e"]
            ),
            st.sampled_from([b"null", b"tru", b"nan", b"-NaN", b"+1", b"//", b"'", b"\xa0", b"\xb2", b"\x0c", b"1_0"]),
            st.binary(max_size=2),
        )
    )
    return raw[:start] + new + raw[end:]


def is_json(raw: bytes) -> bool:
    try:
        load(raw)
    except ValueError:
        return False
    return True


def is_readable(raw: bytes, shape: Any) -> bool:
    try:
        tree(raw, shape)
    except Unreadable:
        return False
    return True


@given(st.one_of(mutated(), st.binary(max_size=20)))
@example(b'{"a":01}')
@example(b'{"a":-01.5}')
@example(b'{"a":"\\x"}')
@example(b'{"a":"\\u12"}')
@example(b'{"a":"\\ud8zz"}')
@example(b'{"\\x":1}')
@example(b'"\\x"')
@example(b"00")
@example(b"[" + b"9" * 5000 + b", x")
@example(b'{"a":[' + b"9" * 5000 + b",}")
@example(b'{"a":[' + b"9" * 5000)
def test_a_text_is_accepted_if_json_loads_accepts_it(raw: bytes) -> None:
    accepted = is_json(raw)
    assert {is_readable(raw, shape) for shape in (*SHAPES, *SWITCHES)} == {accepted}


WHOLE_DOCUMENTS = [
    b'{"id":"x","choices":[{"index":0,"delta":{"reasoning":"a\\n\\u00e9\\"","content":null},"p":[]}],"n":-1.5e+7}',
    b' { "a" : [ 1 , { } , [ ] , "x" ] , "a" : { "b" : { "c" : false } } } ',
    b'[{"type":"text","text":"x"},[NaN,-Infinity,"\\ud83d\\ude00"],{"r\\u0065asoning":"\xc3\xa9"}]',
    b'"a string \\\\ alone"',
    b"[" + b"9" * 5000 + b',{"a":' + b"8" * 5000 + b"}]",
]


@pytest.mark.parametrize(
    "raw",
    [
        *(b'{"a":}', b'{"a":,1}', b'{"a": }1}', b'{"a":1,}', b'{,"a":1}', b'{"a":1,,"b":2}', b'{"a"}', b'{"a" 1}'),
        *(
            b'{"\\u0061":}',
            b'{"\\u0061":,1}',
            b'{"a":1"b":2}',
            b'{"a":1 2}',
            b"{a:1}",
            b"{1:2}",
            b'{"a":1]',
            b'{"a":[}]',
        ),
        *(b"[,1]", b"[1,]", b"[1,,2]", b"[1 2]", b"[1}", b"[:]", b"[1:2]", b"]", b"}", b",", b":"),
        *(
            b"tru",
            b"nul",
            b"nan",
            b"-",
            b"-NaN",
            b"+1",
            b".5",
            b"1.",
            b"1.e5",
            b"1e",
            b"1e+",
            b"0x1",
            b"1_0",
            b"01",
            b"-01",
        ),
        *(b'"', b'"\\"', b'"\\', b'"\\u123"', b'"\\u123g"', b'"\\U0041"', b"'x'", b"// x", b"\x0c1", b"\xa01", b"\0"),
    ],
)
def test_what_is_almost_json_is_unreadable(raw: bytes) -> None:
    for wrapped in (raw, b'{"a":' + raw + b"}", b"[" + raw + b"]", b'{"b":0,"a":[{"a":' + raw + b"}]}"):
        assert not is_json(wrapped)
        for shape in (*SHAPES, *SWITCHES, TYPED):
            with pytest.raises(Unreadable):
                tree(wrapped, shape)


@pytest.mark.parametrize("raw", WHOLE_DOCUMENTS, ids=range(len(WHOLE_DOCUMENTS)))
def test_each_beginning_of_a_document_is_unreadable(raw: bytes) -> None:
    assert is_json(raw)
    ends = [*range(min(len(raw), 300)), *range(max(len(raw) - 100, 0), len(raw))]
    for end in ends:
        if not is_json(raw[:end]):
            for shape in (*SHAPES, *SWITCHES, TYPED):
                with pytest.raises(Unreadable):
                    tree(raw[:end], shape)


@pytest.mark.parametrize("raw", WHOLE_DOCUMENTS, ids=range(len(WHOLE_DOCUMENTS)))
@pytest.mark.parametrize(
    "garbage", [b"x", b",", b"}", b"]", b'"', b"{}", b" 1", b"\xef\xbb\xbf", b"\x0c", b"\xa0", b"\0"]
)
def test_what_follows_a_document_is_unreadable(raw: bytes, garbage: bytes) -> None:
    with pytest.raises(Unreadable, match="something follows"):
        tree(raw + garbage)


@pytest.mark.parametrize("raw", [b"", b" ", b"\n\t\r ", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"])
def test_an_empty_text_is_unreadable(raw: bytes) -> None:
    with pytest.raises(Unreadable, match="no JSON text"):
        tree(raw)


@pytest.mark.parametrize(
    "raw", [b"\xef\xbb\xbf\xef\xbb\xbf{}", b" \xef\xbb\xbf{}", b"\xef\xbb{}", b"\xfe\xff\x00{\x00}"]
)
def test_other_byte_order_marks_are_unreadable(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        tree(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"type":' * 100_000,
    ],
    ids=["lists", "closed lists", "objects", "closed objects", "switches"],
)
@pytest.mark.parametrize("shape", [EVERYTHING, None, TYPED], ids=["everything", "nothing", "switch"])
def test_deep_nesting_is_unreadable(raw: bytes, shape: Any) -> None:
    with pytest.raises(Unreadable, match="nested too deep"):
        tree(raw, shape)


@pytest.mark.parametrize("depth", [50, 200])
def test_nesting_as_deep_as_anyone_needs_is_read(depth: int) -> None:
    raw = b'[{"a":' * (depth // 2) + b"1" + b"}]" * (depth // 2)
    assert len(nodes_of(tree(raw))) == depth + 1


def test_a_switch_on_text_that_is_not_a_json_string_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        tree(b'{"type":"\\x"}', TYPED)


def test_the_message_gives_the_position() -> None:
    with pytest.raises(Unreadable, match="at 6"):
        tree(b'{"a":1 "b":2}')


# What the shape asks for.


def test_labels_come_from_the_table() -> None:
    shape = Shape(members={"a": Shape(members={"b": "found"}, label="level")}, other="rest")
    root = tree(b'{"a": {"b": 1.0, "c": 2}, "d": [3]}', shape)
    a, d = root.children
    b, c = a.children
    assert root.label is shape
    assert a.label.label == "level"
    assert [b.label, c.label, d.label] == ["found", None, "rest"]
    assert [b.raw, c.raw, d.raw] == ["1.0", "2", "[3]"]
    assert [b.parent, d.parent, root.parent] == [a, root, None]


def test_elements_all_have_the_label_of_the_list() -> None:
    root = tree(b'{"a":[1, "x",{"b":2},[]]}', Shape(members={"a": Shape(elements="element")}))
    assert [(node.raw, node.label) for node in root.children[0].children] == [
        (raw, "element") for raw in ("1", '"x"', '{"b":2}', "[]")
    ]


@pytest.mark.parametrize("value", [b"1", b'"x"', b"null", b"[1]"])
def test_a_value_of_another_type_than_its_object_shape_stays_a_leaf(value: bytes) -> None:
    (node,) = tree(b'{"a":' + value + b"}", Shape(members={"a": Shape(members={})})).children
    assert node.children == []
    assert node.raw == value.decode()


@pytest.mark.parametrize("value", [b"1", b'"x"', b"null", b'{"b":1}'])
def test_a_value_of_another_type_than_its_list_shape_stays_a_leaf(value: bytes) -> None:
    (node,) = tree(b'{"a":' + value + b"}", Shape(members={"a": Shape(elements="x")})).children
    assert node.children == []
    assert node.raw == value.decode()


def test_one_shape_can_describe_objects_and_lists() -> None:
    shape = Shape(members={"a": "member"}, elements="element")
    assert [node.label for node in tree(b'{"a":1}', shape).children] == ["member"]
    assert [node.label for node in tree(b"[1,2]", shape).children] == ["element", "element"]


def test_duplicate_members_are_all_there_and_child_is_the_last() -> None:
    root = tree(b'{"a":1,"b":2,"a":3}', Shape(members={"a": "found"}))
    assert [(node.key, node.raw, node.label) for node in root.children] == [
        ("a", "1", "found"),
        ("b", "2", None),
        ("a", "3", "found"),
    ]
    last = root.child("a")
    assert last is not None
    assert last.raw == "3"
    assert root.child("c") is None


@pytest.mark.parametrize("name", [rb"reasoning", rb"r\u0065asoning", rb"\u0072easoning", rb"reasonin\u0067"])
def test_a_name_is_known_in_each_spelling(name: bytes) -> None:
    raw = b'{ "' + name + b'" : "x" , "b":1}'
    (node, _) = tree(raw, Shape(members={"reasoning": "found"})).children
    assert (node.key, node.label, node.value) == ("reasoning", "found", "x")
    assert raw[node.start : node.key_end] == b'"' + name + b'"'
    assert raw[node.start : node.end] == b'"' + name + b'" : "x"'


@pytest.mark.parametrize("name", ['"é"'.encode(), rb'"\u00e9"', rb'"\u00E9"'])
def test_a_name_beyond_ascii_is_known_in_each_spelling(name: bytes) -> None:
    (node,) = tree(b"{" + name + b":1}", Shape(members={latin("é"): "found"})).children
    assert (node.key, node.label) == (latin("é"), "found")


def test_an_escaped_name_is_not_taken_for_the_bytes_of_another() -> None:
    (node,) = tree(rb'{"\u00c3\u00a9":1}', Shape(members={latin("é"): "found"})).children
    assert node.label is None


def test_names_may_hold_quotes_backslashes_and_control_characters() -> None:
    root = tree(rb'{"a\"b":1,"c\\":2,"d' + b"\n\0" + rb'":3}')
    assert [node.key for node in root.children] == ['a"b', "c\\", "d\n\0"]


# Shapes with a switch.


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"text","text":"x","other":1}',
        b'{"text":"x","other":1,"type":"text"}',
        b'{"text":"x","other":1,"typ\\u0065":"t\\u0065xt"}',
        b'{"type":"none","text":"x","other":1,"type":"text"}',
        b'{"text" : "x" , "other" : 1 , "type" : "text" }',
    ],
)
def test_the_deciding_member_may_be_anywhere(raw: bytes) -> None:
    root = tree(raw, TYPED)
    assert root.label is TYPED.cases["text"]
    assert {node.key: node.label for node in root.children} == {"type": "rest", "text": "content", "other": "rest"}


@pytest.mark.parametrize("kind", [b'"unknown"', b"null", b"1", b'["text"]', b'{"text":1}', b'""'])
def test_without_a_fitting_case_the_shape_itself_holds(kind: bytes) -> None:
    root = tree(b'{"type":' + kind + b',"text":"x","fallback":1}', TYPED)
    assert root.label is TYPED
    assert [node.label for node in root.children] == [None, None, "seen"]


def test_without_the_deciding_member_the_shape_itself_holds() -> None:
    root = tree(b'{"text":"x","fallback":1}', TYPED)
    assert root.label is TYPED
    assert [node.label for node in root.children] == [None, "seen"]


@pytest.mark.parametrize("kind", ['"é"'.encode(), rb'"\u00e9"'])
def test_a_case_is_chosen_by_what_the_text_means(kind: bytes) -> None:
    root = tree(b'{"x":1,"type":' + kind + b"}", TYPED)
    assert root.children[0].label == "accent"


def test_a_case_also_applies_to_members_before_the_deciding_one() -> None:
    shape = Shape(switch="t", cases={"x": Shape(members={"a": Shape(members={"b": "deep"})})})
    root = tree(b'{"a":{"b":[1]},"t":"x"}', shape)
    assert root.children[0].children[0].label == "deep"
    assert root.children[0].children[0].raw == "[1]"


def test_switches_work_in_lists_and_in_each_other() -> None:
    inner = Shape(switch="t", cases={"y": Shape(members={"v": "value"})})
    shape = Shape(elements=Shape(switch="t", cases={"x": Shape(members={"in": inner})}))
    root = tree(b'[{"in":{"v":1,"t":"y"},"t":"x"},{"t":"z","in":{"v":1,"t":"y"}},{}]', shape)
    first, second, third = root.children
    assert first.children[0].children[0].label == "value"
    assert [node.children for node in second.children] == [[], []]
    assert third.children == []


# Values and texts.


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'"\xc3\xa9"', "é"),
        (rb'"\u00e9"', "é"),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"\ud800"', "\ud800"),
        (b'"\xff"', "\udcff"),
        (b'"a\nb\0"', "a\nb\0"),
        (b"1.0", 1.0),
        (b"9" * 40, int("9" * 40)),
        (b"9" * 5000, "9" * 5000),
        (b"[" + b"9" * 5000 + b"]", ["9" * 5000]),
        (b'{"a":1,"a":2}', {"a": 2}),
    ],
    ids=range(11),
)
def test_values_at_the_borders(raw: bytes, value: Any) -> None:
    assert same(tree(raw, None).value, value)
    assert same(tree(b'{"k": ' + raw + b" }", Shape(members={"k": "x"})).children[0].value, value)


@given(st.binary(max_size=50))
def test_text_and_bytes_are_one_to_one(raw: bytes) -> None:
    assert encode(decode(raw)) == raw
    assert len(decode(raw)) == len(raw)


def test_a_long_string_full_of_escapes_is_read() -> None:
    raw = json.dumps({"a": '"\n\\' * 300_000}).encode()
    (node,) = tree(raw, Shape(members={"a": "found"})).children
    assert len(node.value) == 900_000


def test_the_text_of_a_member_is_empty_if_it_is_not_a_string() -> None:
    root = read('{"a":"\\u0041","b":1}', Shape(members={}))
    assert [root.string(key) for key in ("a", "b", "c")] == ["A", "", ""]
