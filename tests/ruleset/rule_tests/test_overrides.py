"""Recorded requests, changed for a test."""

import json
from typing import Any

import pytest

from thinkwire.ruleset.condition import ABSENT
from thinkwire.ruleset.rule_tests.overrides import OverridesError, RequestOverrides, member_at

BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user"}, {"role": "assistant", "thinking": "é", "n": None}]}


def path(text: str) -> tuple[str, ...]:
    return tuple(text.split("."))


def edited(to: dict[str, Any] | None = None, *, without: str = "", strict: bool = True) -> Any:
    changes = RequestOverrides(
        set=tuple((path(way), value) for way, value in (to or {}).items()),
        remove=(path(without),) if without else (),
    )
    return json.loads(changes.edit(json.dumps(BODY).encode(), strict=strict))


def test_a_body_that_nothing_changes_stays_byte_for_byte() -> None:
    assert RequestOverrides(host="h").edit(b'{"a":  1.0', strict=True) == b'{"a":  1.0'


def test_members_are_set_replaced_and_made_on_the_way() -> None:
    user, assistant = BODY["messages"]
    assert edited({"model": "other", "stream": True}) == BODY | {"model": "other", "stream": True}
    assert edited({"reasoning.exclude": True})["reasoning"] == {"exclude": True}
    assert edited({"model.deep": "x"})["model"] == {"deep": "x"}
    assert edited({"messages.1.thinking": "mine"})["messages"] == [user, assistant | {"thinking": "mine"}]
    assert edited({"messages.0": {"a": []}})["messages"][0] == {"a": []}
    assert edited({"messages.0.content.text": "x"})["messages"][0]["content"] == {"text": "x"}


def test_members_and_elements_are_taken_out_before_others_are_set() -> None:
    assert edited(without="messages.0")["messages"] == BODY["messages"][1:]
    assert edited(without="messages.1.thinking")["messages"][1] == {"role": "assistant", "n": None}
    assert edited(without="messages.1.n")["messages"][1] == {"role": "assistant", "thinking": "é"}
    assert edited({"messages.0.role": "x"}, without="messages.0")["messages"] == [BODY["messages"][1] | {"role": "x"}]


@pytest.mark.parametrize(
    "way", ["messages.2", "messages.x", "messages.-1", "messages.1.x", "x", "model.0", "messages.²"]
)
def test_what_is_not_there_cannot_be_taken_out(way: str) -> None:
    with pytest.raises(OverridesError, match="no " + way.replace(".", r"\.")):
        edited(without=way)
    assert edited(without=way, strict=False) == BODY


@pytest.mark.parametrize("way", ["messages.2", "messages.x", "messages.2.role"])
def test_a_list_has_a_place_only_for_what_it_has(way: str) -> None:
    with pytest.raises(OverridesError, match="no place for messages"):
        edited({way: 1})
    assert edited({way: 1}, strict=False) == BODY


@pytest.mark.parametrize("body", [b"", b"{", b"a=b", b"\xff", b"[" * 100_000])
def test_only_json_can_be_changed(body: bytes) -> None:
    with pytest.raises(OverridesError, match="not JSON"):
        RequestOverrides(remove=(("a",),)).edit(body, strict=False)


def test_a_body_that_is_no_object_has_no_place() -> None:
    with pytest.raises(OverridesError, match="no place for a"):
        RequestOverrides(set=((("a",), 1),)).edit(b'"text"', strict=True)


def test_half_a_character_survives() -> None:
    changed = RequestOverrides(set=((("b",), 1),)).edit(b'{"a": "\\ud800"}', strict=True)
    assert b'"b": 1' in changed


def test_a_member_is_found_by_names_and_numbers() -> None:
    assert member_at(BODY, path("messages.1.thinking")) == "é"
    assert member_at(BODY, path("messages.1.n")) is None
    assert member_at(BODY, path("messages.9")) is ABSENT
    assert member_at(BODY, path("model.x")) is ABSENT
    assert member_at({"0": "name"}, ("0",)) == "name"
