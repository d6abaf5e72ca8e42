"""What identifies a turn, so that what was remembered of it finds it again."""

import json
from typing import Any

import pytest

from thinkwire.dialects.history.base import (
    BY_ID,
    DISCARD,
    Pieces,
    call_key,
    content_text,
    item_key,
    text_keys,
    turn_position,
)
from thinkwire.wire.json_tree import Shape, decode, read


@pytest.mark.parametrize("arguments", ['{"a":1,"b":[2]}', '{ "b": [2.0], "a": 1.0 }', {"b": [2], "a": 1}])
def test_a_call_is_the_same_however_its_arguments_are_spelled(arguments: object) -> None:
    assert call_key("f", arguments) == call_key("f", {"a": 1, "b": [2]})
    assert call_key("f", arguments, "c1") == call_key("f", {"a": 1, "b": [2]}, "c1")


@pytest.mark.parametrize(
    ("name", "arguments", "identity"),
    [("g", {}, "c1"), ("f", {"a": 1}, "c1"), ("f", {}, "c2"), ("f", {}, None), ("f", "{", "c1"), ("f", None, "c1")],
)
def test_another_name_other_arguments_or_another_id_make_another_call(
    name: str, arguments: object, identity: str | None
) -> None:
    assert call_key(name, arguments, identity) != call_key("f", {}, "c1")


@pytest.mark.parametrize("identity", [None, "", 7])
def test_what_is_no_id_does_not_identify(identity: object) -> None:
    assert call_key("f", {}, identity) == call_key("f", {})
    assert not call_key("f", {}, identity).startswith(BY_ID)


def test_true_is_not_one() -> None:
    assert call_key("f", {"a": True}) != call_key("f", {"a": 1})


def test_keys_of_different_kinds_never_meet() -> None:
    assert len({*text_keys("f {}"), item_key("f {}"), call_key("f", {})}) == 3
    assert item_key("x").startswith(BY_ID)


def test_white_space_around_a_text_may_be_trimmed() -> None:
    assert text_keys("\n Hi ") == text_keys("Hi")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Hi", "Hi"),
        (None, ""),
        ({"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}, "Hi"),
        ([{"type": "text", "text": "H"}, {"text": "i"}], "Hi"),
        ([{"type": "tool_result", "tool_use_id": "t1", "content": "x"}], "\0t1"),
        ({"type": "function_call_output", "call_id": "k1", "output": "x"}, "\0k1"),
        ([{"functionResponse": {"name": "f"}}], ""),
        ([{"type": "image_url", "image_url": {"url": "x"}}], "\0image_url"),
        ([1, None, {}], ""),
    ],
)
def test_the_users_words_are_those_that_no_client_changes(content: Any, text: str) -> None:
    assert content_text(content) == text


def test_turns_after_one_question_have_positions_of_their_own() -> None:
    assert turn_position("q", 0) == "q"
    assert len({turn_position("q", 0), turn_position("q", 1), turn_position("q", 2)}) == 3


@pytest.mark.parametrize("text", ["", "Hi", '"\\\n', "é 😀"])
def test_pieces_are_joined_as_one_text(text: str) -> None:
    root = read(decode(json.dumps({"a": text, "b": text}, ensure_ascii=False).encode()), Shape(members={}))
    pieces = Pieces()
    for node in root.children:
        pieces.take(node)
    pieces.add(text)
    assert pieces.text == text * 3


def test_halves_of_a_character_are_joined() -> None:
    pieces = Pieces([rb"\ud83d", rb"\ude00"])
    assert pieces.text == "😀"


def test_what_is_discarded_is_kept_nowhere() -> None:
    DISCARD.append(b"x")
    assert len(DISCARD) == 0
