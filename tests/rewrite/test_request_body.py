"""Request bodies: what a plan names is removed or set, and no other byte changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.json_documents import DOCUMENTS, KEYS, Members, load
from thinkwire.rewrite.plan import JSONPath, RequestPlan
from thinkwire.rewrite.request_body import rewrite_request
from thinkwire.wire.json_tree import Unreadable


def path_of(dotted: str) -> JSONPath:
    return tuple(dotted.split("."))


def remove(raw: bytes, *paths: str) -> bytes:
    return rewrite_request(raw, RequestPlan(remove=tuple(map(path_of, paths))))


def put(raw: bytes, *settings: tuple[str, str]) -> bytes:
    return rewrite_request(raw, RequestPlan(set=tuple((path_of(path), text) for path, text in settings)))


# Remove.


@pytest.mark.parametrize(
    ("raw", "path", "after"),
    [
        (b'{"a":1}', "a", b"{}"),
        (b'{"a":1,"b":2}', "a", b'{"b":2}'),
        (b'{"b":2,"a":1}', "a", b'{"b":2}'),
        (b'{ "a" : 1 , "b" : 2.0 }', "a", b'{ "b" : 2.0 }'),
        (b'{\n  "b": 1e-7,\n  "a": {\n    "x": 1\n  }\n}\n', "a", b'{\n  "b": 1e-7\n}\n'),
        (b'{"a":{"b":1,"c":2}}', "a.b", b'{"a":{"c":2}}'),
        (b'{"a":{"b":1}}', "a.b", b'{"a":{}}'),
        (b'{"a":{"b":{"c":{"d":1,"e":2}}},"b":3}', "a.b.c.d", b'{"a":{"b":{"c":{"e":2}}},"b":3}'),
        (b'{"a":1,"b":2,"a":3}', "a", b'{"b":2}'),
        (b'{"a":{"b":1},"a":{"b":2,"c":3}}', "a.b", b'{"a":{},"a":{"c":3}}'),
        (b'{"a":5,"a":{"b":2}}', "a.b", b'{"a":5,"a":{}}'),
        (b'{"a":{"b":1,"b":2}}', "a.b", b'{"a":{}}'),
        (b'{"\\u0061":{"b":1,"c":"\\u00e9"}}', "a.b", b'{"\\u0061":{"c":"\\u00e9"}}'),
        ('{"é":1,"中":{"é":2,"x":"é"}}'.encode(), "é", '{"中":{"é":2,"x":"é"}}'.encode()),
        ('{"é":1,"中":{"é":2,"x":"é"}}'.encode(), "中.é", '{"é":1,"中":{"x":"é"}}'.encode()),
        (b'{"\\u00e9":1,"x":2}', "é", b'{"x":2}'),
        (b'{"x":{"\\u4e2d":1}}', "x.中", b'{"x":{}}'),
        (b'\xef\xbb\xbf{"a":1} ', "a", b"\xef\xbb\xbf{} "),
        (b'{"a":1,"b":"\xff\n"}', "a", b'{"b":"\xff\n"}'),
        (b'{"a":1,"":2}', "", b'{"a":1}'),
    ],
)
def test_remove_takes_the_named_member_alone(raw: bytes, path: str, after: bytes) -> None:
    assert remove(raw, path) == after


def test_removals_add_up() -> None:
    raw = b'{"include_reasoning":false,"model":"m","reasoning":{"exclude":true,"effort":"low"}}'
    after = remove(raw, "include_reasoning", "reasoning.exclude", "absent", "reasoning.absent")
    assert after == b'{"model":"m","reasoning":{"effort":"low"}}'


@pytest.mark.parametrize("paths", [("a", "a.b"), ("a.b", "a")])
def test_a_member_and_one_inside_it_can_both_be_removed(paths: tuple[str, str]) -> None:
    assert remove(b'{"a":{"b":1},"c":2}', *paths) == b'{"c":2}'


# Set.


@pytest.mark.parametrize(
    ("raw", "path", "text", "after"),
    [
        (b"{}", "a", "1", b'{"a":1}'),
        (b"{ }", "a", "1", b'{"a":1 }'),
        (b'{"b":2}', "a", "1", b'{"b":2,"a":1}'),
        (b'{ "b" : 2 }\n', "a", '{"x": [1.0]}', b'{ "b" : 2,"a":{"x": [1.0]} }\n'),
        (b'{"a":1,"b":2}', "a", "null", b'{"a":null,"b":2}'),
        (b'{ "a" : {"x":1} , "b":2}', "a", "[]", b'{ "a" : [] , "b":2}'),
        (b'{"a":{"b":1,"c":2}}', "a.b", "3", b'{"a":{"b":3,"c":2}}'),
        (b'{"a":{}}', "a.b", "3", b'{"a":{"b":3}}'),
        (b'{"a":{"x":1}}', "a.b.c", "3", b'{"a":{"x":1,"b":{"c":3}}}'),
        (b"{}", "a.b.c", "3", b'{"a":{"b":{"c":3}}}'),
        (b'{"x":1}', "a.b", "3", b'{"x":1,"a":{"b":3}}'),
        (b'{"a":null}', "a.b", "3", b'{"a":{"b":3}}'),
        (b'{"a":"text"}', "a.b", "3", b'{"a":{"b":3}}'),
        (b'{"a":[1]}', "a.b.c", "3", b'{"a":{"b":{"c":3}}}'),
        (b'{"a":1,"a":2}', "a", "3", b'{"a":1,"a":3}'),
        (b'{"a":{"b":1},"a":{}}', "a.b", "3", b'{"a":{"b":1},"a":{"b":3}}'),
        (b'{"a":{"b":1},"a":null}', "a.b", "3", b'{"a":{"b":1},"a":{"b":3}}'),
        (b'{"\\u0061":1}', "a", "2", b'{"\\u0061":2}'),
        ('{"é":1}'.encode(), "é", '"中"', '{"é":"中"}'.encode()),
        (b'{"\\u00e9":1}', "é", "2", b'{"\\u00e9":2}'),
        (b"{}", "é.中", '"é"', '{"é":{"中":"é"}}'.encode()),
        (b"{}", 'q"\\', "1", b'{"q\\"\\\\":1}'),
        (b'\xef\xbb\xbf{"a":1}', "a", "2", b'\xef\xbb\xbf{"a":2}'),
    ],
)
def test_set_adds_or_replaces_the_named_member_alone(raw: bytes, path: str, text: str, after: bytes) -> None:
    assert put(raw, (path, text)) == after
    assert put(after, (path, text)) == after


def test_settings_add_up_in_order() -> None:
    assert put(b"{}", ("a.b", "1"), ("a.c", "2"), ("d", "3"), ("a.b", "4")) == b'{"a":{"b":4,"c":2},"d":3}'


def test_what_is_removed_can_be_set_anew() -> None:
    plan = RequestPlan(remove=(("a",),), set=((("a", "b"), "1"),))
    assert rewrite_request(b'{"a":{"b":0,"c":2},"x":1}', plan) == b'{"x":1,"a":{"b":1}}'


# Where nothing applies.


@pytest.mark.parametrize("raw", [b"[]", b'[{"a":1}]', b'"a"', b"1", b" null ", b'\xef\xbb\xbf[{"a":{"b":1}}]'])
def test_a_body_that_is_no_object_is_left_alone(raw: bytes) -> None:
    assert remove(raw, "a", "a.b") == raw
    assert put(raw, ("a", "1"), ("a.b", "1")) == raw


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b'{"b":1}', "a"),
        (b'{ "A":1 }', "a"),
        (b'{"b":{"a":1}}', "a"),
        (b'{"a":{"c":1}}', "a.b"),
        (b'{"a":null}', "a.b"),
        (b'{"a":"b"}', "a.b"),
        (b'{"a":[{"b":1}]}', "a.b"),
        (b'{"a.b":1}', "a.b"),
        (b"{ }", "a"),
        (b'{"\\u00c3\\u00a9":1}', "é"),
    ],
)
def test_a_path_that_leads_nowhere_removes_nothing(raw: bytes, path: str) -> None:
    assert remove(raw, path) == raw


@pytest.mark.parametrize("raw", [b"", b"{", b" [1.0] ", b'{"a":1,"a":"\xff"}'])
def test_a_plan_that_asks_for_nothing_changes_nothing(raw: bytes) -> None:
    assert rewrite_request(raw, RequestPlan()) == raw


@pytest.mark.parametrize("raw", [b"", b"{", b'{"a":1', b'{"a":1}x', b"a=1&b=2", b"--boundary\r\n", b"\x1f\x8b\x08"])
def test_a_body_that_is_no_json_is_unreadable(raw: bytes) -> None:
    with pytest.raises(Unreadable):
        remove(raw, "b")
    with pytest.raises(Unreadable):
        put(raw, ("b", "1"))


# Against a naive edit of what Python reads.

PATHS = st.lists(st.sampled_from(KEYS), min_size=1, max_size=3).map(tuple)


def removed(value: Any, path: JSONPath) -> Any:
    if not isinstance(value, Members):
        return value
    kept = Members(pair for pair in value if len(path) > 1 or pair[0] != path[0])
    if len(path) == 1:
        return kept
    return Members((key, removed(item, path[1:]) if key == path[0] else item) for key, item in kept)


def nested(path: JSONPath, new: Any) -> Any:
    return Members([(path[0], nested(path[1:], new))]) if path else new


def with_set(value: Members, path: JSONPath, new: Any) -> Members:
    places = [place for place, (key, _) in enumerate(value) if key == path[0]]
    if not places:
        return Members([*value, (path[0], nested(path[1:], new))])
    key, old = value[places[-1]]
    inner = with_set(old, path[1:], new) if len(path) > 1 and isinstance(old, Members) else nested(path[1:], new)
    return Members([*value[: places[-1]], (key, inner), *value[places[-1] + 1 :]])


@given(DOCUMENTS, PATHS)
def test_remove_means_what_the_naive_edit_means(raw: bytes, path: JSONPath) -> None:
    plan = RequestPlan(remove=(path,))
    before, after = load(raw), rewrite_request(raw, plan)
    assert repr(load(after)) == repr(removed(before, path))
    assert rewrite_request(after, plan) == after
    assert (after == raw) == (repr(before) == repr(removed(before, path)))


@given(DOCUMENTS, PATHS, st.sampled_from([None, 1, "é", [1.5], {}]))
def test_set_means_what_the_naive_edit_means(raw: bytes, path: JSONPath, new: Any) -> None:
    plan = RequestPlan(set=((path, json.dumps(new, ensure_ascii=False)),))
    before, after = load(raw), rewrite_request(raw, plan)
    loaded = Members() if new == {} else new
    assert repr(load(after)) == repr(with_set(before, path, loaded) if isinstance(before, Members) else before)
    assert rewrite_request(after, plan) == after


def test_a_long_conversation_stays_as_it_is() -> None:
    messages = json.dumps([{"role": "user", "content": "x\n" * 1000}] * 100, indent=1).encode()
    raw = b'{"messages":' + messages + b',"include_reasoning": false , "n":1.0}'
    assert remove(raw, "include_reasoning") == b'{"messages":' + messages + b',"n":1.0}'
