"""What all mappings of a rule file have in common: known keys, strict types, and some that must not be empty."""

import pytest
from pydantic import Field, ValidationError

from thinkwire.ruleset.model.base import Filled, Mapping


class Sample(Mapping):
    number: int = 0
    overrides: str = Field(default="", alias="with")


class FilledSample(Filled):
    text: str = ""


def errors(mapping: type[Mapping], value: object) -> list[tuple[str, tuple[int | str, ...]]]:
    with pytest.raises(ValidationError) as caught:
        mapping.model_validate(value)
    return [(error["type"], error["loc"]) for error in caught.value.errors()]


def test_keys_are_named_as_they_are_written_in_a_file() -> None:
    assert Sample.key_names() == ["number", "with"]


def test_an_unknown_key_is_refused() -> None:
    assert errors(Sample, {"numbr": 1}) == [("extra_forbidden", ("numbr",))]
    assert errors(Sample, {"overrides": "x"}) == [("extra_forbidden", ("overrides",))]


@pytest.mark.parametrize("value", ["1", 1.0, True])
def test_a_value_of_another_type_is_not_converted(value: object) -> None:
    ((kind, loc),) = errors(Sample, {"number": value})
    assert (kind, loc) == ("int_type", ("number",))


def test_a_mapping_that_must_say_something_is_refused_if_it_is_empty() -> None:
    assert errors(FilledSample, {}) == [("empty", ())]
    assert FilledSample.model_validate({"text": ""}).text == ""  # an empty value is one
    assert FilledSample.model_json_schema()["minProperties"] == 1
