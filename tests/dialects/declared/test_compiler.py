"""Declared APIs: what their tables find, how they read requests, and which declarations contradict themselves."""

import json
from typing import Any

import pytest

from tests.dialects.declared_api import CHOICES, EVENTS, REQUEST, Paths, declare, declared_fields, tree
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.declared.compiler import Clash, Declaration, Why, clashes, compile_dialect


def updates(paths: Paths, document: Any) -> list[Update]:
    return locate(tree(document, declare(paths)), Extent.DELTA)


def found(paths: Paths, document: Any) -> list[tuple[str, Any]]:
    """What a document holds: kind and value of each part."""
    return [(part.kind.value, part.node.value) for update in updates(paths, document) for part in update.parts]


# --- the table --------------------------------------------------------------------------------------------------


def test_each_path_finds_its_member_and_everything_else_is_unknown() -> None:
    document = {"id": "x", "choices": [{"index": 1, "delta": {"thoughts": "hm", "say": "hi", "new": 1}}], "more": 2}
    assert found(CHOICES, document) == [("other", 2), ("reasoning", "hm"), ("text", "hi"), ("other", 1)]


def test_the_number_of_an_item_makes_the_object_around_it_an_update() -> None:
    document = {"choices": [{"index": 3, "delta": {"say": "hi"}}, {"index": 5, "delta": {}}]}
    assert [update.item for update in updates(CHOICES, document)] == [None, ItemKey("", 3), ItemKey("", 5)]


def test_without_a_number_the_document_is_about_the_only_item() -> None:
    assert [update.item for update in updates(EVENTS, {"type": "say.delta", "text": "hi"})] == [ItemKey("", 0)]


def test_the_number_of_an_item_may_be_at_the_root_or_in_one_kind_of_event() -> None:
    for owner in ("index", "[type=say.delta].index"):
        paths = {**EVENTS, "owner": [owner]}
        assert [update.item for update in updates(paths, {"type": "say.delta", "index": 4})] == [ItemKey("", 4)]


def test_an_object_is_chosen_by_the_value_of_a_member() -> None:
    assert found(EVENTS, {"text": "hm", "type": "thought.delta", "usage": 1}) == [("reasoning", "hm"), ("usage", 1)]
    assert found(EVENTS, {"type": "say.delta", "text": "hi"}) == [("text", "hi")]
    assert found(EVENTS, {"type": "new", "text": "?"}) == [("other", "?")]


def test_an_event_that_is_reasoning_as_a_whole_is_so_with_all_its_members() -> None:
    (update,) = updates({**EVENTS, "owner": ["n"]}, {"type": "thought.start", "n": 1, "title": "hm", "usage": 2})
    assert update.is_reasoning
    assert [(part.kind, part.node.key) for part in update.parts] == [
        (Kind.REASONING, "title"),
        (Kind.REASONING, "usage"),
    ]


@pytest.mark.parametrize("path", ["content[type=thinking]", "content[*][type=thinking]"])
def test_chosen_elements_of_a_list_are_taken_as_a_whole(path: str) -> None:
    block = {"type": "thinking", "thinking": "hm", "n": [1]}
    assert found({"reasoning": [path]}, {"content": [block, {"type": "image", "x": 1}]}) == [
        ("reasoning", block),
        ("other", 1),
    ]


def test_a_chosen_member_may_be_a_list_in_one_document_and_an_object_in_another() -> None:
    paths = {"reasoning": ["delta[type=thinking].text"]}
    piece = {"type": "thinking", "text": "hm"}
    assert found(paths, {"delta": piece}) == found(paths, {"delta": [piece]}) == [("reasoning", "hm")]


def test_true_and_numbers_choose_as_they_are_written() -> None:
    paths = {"reasoning": ["parts[thought=true].text", "others[n=7].text"]}
    document = {"parts": [{"thought": True, "text": "hm"}, {"text": "hi"}], "others": [{"n": 7, "text": "eh"}]}
    assert found(paths, document) == [("reasoning", "hm"), ("other", "hi"), ("reasoning", "eh")]


def test_what_applies_to_all_objects_applies_to_chosen_ones_unless_overridden() -> None:
    paths = {
        "text": ["text", "a.b"],
        "role": ["who.role"],
        "reasoning": ["[type=t].text", "[type=t].a.c", "[type=w].a"],
        "refusal": ["list[*].no", "[type=t].list[*].nay", "[type=u].news[*]"],
    }
    document = {
        "type": "t",
        "text": "hm",
        "who": {"role": "r"},
        "a": {"b": "x", "c": "y"},
        "list": [{"no": 1, "nay": 2}],
    }
    assert found(paths, document) == [
        ("reasoning", "hm"),
        ("role", "r"),
        ("text", "x"),
        ("reasoning", "y"),
        ("refusal", 1),
        ("refusal", 2),
    ]
    assert found(paths, {"type": "w", "a": {"b": "x"}}) == [("reasoning", {"b": "x"})]
    assert found(paths, {"type": "u", "news": ["n"]}) == [("refusal", "n")]


def test_choices_in_a_chosen_object_and_in_all_of_them_add_up() -> None:
    paths = {"reasoning": ["part[k=a].x", "[type=t].part[k=b].x", "[type=t].part[k=a].y"]}
    assert found(paths, {"type": "t", "part": {"k": "a", "x": "1", "y": "2"}}) == [
        ("reasoning", "1"),
        ("reasoning", "2"),
    ]
    assert found(paths, {"type": "t", "part": {"k": "b", "x": "1"}}) == [("reasoning", "1")]


def test_content_may_be_a_text_or_a_list_with_reasoning_in_it() -> None:
    paths = {"text": ["content"], "reasoning": ["content[type=thinking]"]}
    thinking = {"type": "thinking", "thinking": "hm"}
    assert found(paths, {"content": "hi"}) == [("text", "hi")]
    listed = [thinking, {"type": "text", "text": "hi"}, "there"]
    assert found(paths, {"content": listed}) == [("reasoning", thinking), ("text", "hi"), ("text", "there")]


def test_reasoning_as_a_whole_may_name_its_signature() -> None:
    paths = {"reasoning": ["thoughts", "content[type=t]"], "opaque": ["thoughts[*].seal", "content[type=t].seal"]}
    block = {"type": "t", "text": "hm", "seal": "s"}
    for document in ({"thoughts": [block]}, {"content": [block]}, {"content": block}):
        (update,) = updates(paths, document)
        (part,) = update.parts
        assert [leaf.kind for leaf in part.leaves if leaf.node.key == "seal"] == [Kind.OPAQUE]
        assert Kind.REASONING in [leaf.kind for leaf in part.leaves if leaf.node.key == "text"]
    assert found(paths, {"thoughts": "hm"}) == [("reasoning", "hm")]
    (update,) = updates(paths, {"thoughts": ["hm"]})
    assert update.parts[0].is_meaningful


def test_reasoning_tokens_and_copies_may_be_inside_tokens_calls_and_errors() -> None:
    paths = {
        "tokens": ["probs"],
        "reasoning_tokens": ["probs.thought"],
        "tool_call": ["calls"],
        "error": ["error"],
        "transcript": ["error.wrote"],
        "opaque": ["calls[*].seal"],
    }
    document = {"probs": {"thought": [1]}, "calls": [{"f": 1, "seal": "s"}], "error": {"wrote": "w"}}
    assert [kind for kind, _ in found(paths, document)] == [
        "tokens",
        "reasoning tokens",
        "tool call",
        "opaque",
        "error",
        "transcript",
    ]


def test_a_value_of_another_type_than_the_path_expects_is_unknown_but_meaningful() -> None:
    assert found(CHOICES, {"choices": [{"index": 0, "delta": "hi"}]}) == [("other", "hi")]
    assert found(CHOICES, {"choices": "none"}) == [("other", "none")]


def test_names_that_are_not_ascii_are_found() -> None:
    assert found({"reasoning": ["d\u00e9j\u00e0[art=\u00fc].x"]}, {"d\u00e9j\u00e0": {"art": "\u00fc", "x": "hm"}}) == [
        ("reasoning", "hm")
    ]


def test_an_event_of_another_kind_as_a_whole_is_of_that_kind() -> None:
    paths = {"reasoning": ["x"], "tool_call": ["[type=call]"], "envelope": ["[type=ping]"]}
    assert found(paths, {"type": "call", "f": 1}) == [("tool call", 1)]
    assert found(paths, {"type": "ping", "f": 1}) == []


def test_a_body_may_be_a_list() -> None:
    assert found({"reasoning": ["[*].x"]}, [{"x": "hm"}]) == [("reasoning", "hm")]


def test_a_chosen_element_with_a_number_is_reasoning_of_that_item() -> None:
    paths = {"reasoning": ["output[*][type=think]"], "owner": ["output[*].n"], "opaque": ["output[*][type=think].seal"]}
    document = {"output": [{"type": "think", "n": 0, "text": "hm", "seal": "s"}, {"type": "say", "n": 1}]}
    _, thought, other = updates(paths, document)
    assert (thought.item, thought.is_reasoning, thought.has_state) == (ItemKey("", 0), True, True)
    assert (other.item, other.is_reasoning) == (ItemKey("", 1), False)


def test_reasoning_takes_its_item_along_and_items_are_counted() -> None:
    paths = {"thought": ["block[type=thinking]"], "owner": ["index"], "text": ["delta.text"]}
    (update,) = updates(paths, {"index": 2, "block": {"type": "thinking", "text": "hm"}})
    assert (update.item, update.is_reasoning, update.has_state) == (ItemKey("item", 2), True, False)
    (update,) = updates(paths, {"index": 2, "block": {"type": "text", "text": "hi"}})
    assert not update.is_reasoning


# --- requests and errors ----------------------------------------------------------------------------------------


def test_a_request_has_model_and_stream_at_the_declared_paths() -> None:
    paths = declared_fields(CHOICES)
    custom = compile_dialect(Declaration("x", "/talk".__eq__, (), paths, ("request", "name"), ("request", "live")))
    usual = declare(CHOICES)
    empty = RequestFacts("h", "/talk", "POST", (), None)
    assert (custom.model(REQUEST), custom.wants_stream(REQUEST)) == ("m", True)
    assert (usual.model(REQUEST), usual.wants_stream(REQUEST)) == ("n", False)
    assert (usual.model(empty), usual.wants_stream(empty)) == (None, False)
    assert usual.matches_path("/talk")
    assert not usual.matches_path("/other")
    assert not usual.matches_body({"messages": []})


def test_an_error_has_the_common_shape() -> None:
    assert json.loads(declare(CHOICES).error(502, "no"))["error"]["message"] == "no"


# --- contradictions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "clash"),
    [
        ({"reasoning": ["a"], "text": ["a"]}, Clash(1, Why.TWICE, 0)),
        ({"reasoning": ["a", "b", "a"]}, Clash(2, Why.TWICE, 0)),
        ({"reasoning": ["a[k=v]"], "text": ["a[*][k=v]"]}, Clash(1, Why.TWICE, 0)),
        ({"envelope": ["a"], "reasoning": ["a.b"]}, Clash(1, Why.INSIDE, 0)),
        ({"reasoning": ["a", "a.b.c"]}, Clash(1, Why.INSIDE, 0)),
        ({"reasoning": ["a.b[*].c"], "usage": ["a"]}, Clash(1, Why.AROUND, 0)),
        ({"reasoning": ["[k=v].a"], "text": ["[k=v]"]}, None),
        ({"text": ["[k=v].a"], "reasoning": ["[k=v]"]}, Clash(1, Why.AROUND, 0)),
        ({"reasoning": ["a[k=v]", "a[l=w]"]}, Clash(1, Why.TWO_MEMBERS, 0)),
        ({"reasoning": ["a[k=v].x", "[t=x].a[l=w].x"]}, Clash(1, Why.TWO_MEMBERS, 0)),
        ({"reasoning": ["a", "[t=x].a.b"]}, Clash(1, Why.INSIDE, 0)),
        ({"text": ["a"], "reasoning": ["[t=x].a.b"]}, None),
        ({"reasoning": ["a[*].x"], "text": ["a.x"]}, None),
        ({"reasoning": ["a[k=v]"], "owner": ["b[*]"]}, Clash(1, Why.NO_MEMBER)),
        ({"thought": ["a[k=v]"]}, Clash(0, Why.NO_ITEM)),
        ({"thought": ["a.b"], "owner": ["c.n"]}, Clash(0, Why.NO_ITEM)),
        ({"thought": ["a[*].b"], "owner": ["n"]}, Clash(0, Why.IN_A_LIST)),
        ({"thought": ["a[*].b"], "owner": ["a[*].n"]}, None),
        ({"reasoning": ["x"], "owner": ["n"], "usage": ["n.m"]}, Clash(2, Why.INSIDE, 1)),
    ],
)
def test_fields_that_contradict_each_other_are_found(paths: Paths, clash: Clash | None) -> None:
    assert clashes(declared_fields(paths)) == ([clash] if clash else [])


def test_all_contradictions_are_reported_at_once() -> None:
    assert [clash.second for clash in clashes(declared_fields({"reasoning": ["a", "a", "b", "b.c"]}))] == [1, 3]
