"""The keys of a declared API: what it must have, what it may leave out, and that every place is compiled."""

from typing import Any

import pytest
from pydantic import ValidationError

from thinkwire.dialects.core.parts import Kind
from thinkwire.ruleset.model.dialect import DialectModel, Places

LEAST: dict[str, Any] = {"id": "talkative", "places": {"reasoning": "thoughts"}}


def test_an_id_and_places_are_enough() -> None:
    model = DialectModel.model_validate(LEAST)
    assert (model.path, model.knows, model.model, model.stream) == ([], [], "model", "stream")
    assert model.places.reasoning == "thoughts"


@pytest.mark.parametrize("name", LEAST)
def test_neither_can_be_left_out(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        DialectModel.model_validate({key: value for key, value in LEAST.items() if key != name})


def test_every_place_is_a_kind_of_part_but_the_mark_of_reasoning() -> None:
    kinds = {kind.value.replace(" ", "_") for kind in Kind}
    assert Places.model_fields.keys() - kinds == {"thought"}


def test_a_place_is_a_path_or_a_list_of_paths() -> None:
    both = Places.model_validate({"reasoning": ["a.b", "c[*]"], "text": "d"})
    assert (both.reasoning, both.text, both.role) == (["a.b", "c[*]"], "d", [])
    with pytest.raises(ValidationError):
        Places.model_validate({"reasoning": "a["})
