"""The types of a rule file's values: what each takes, what it refuses and by which error, and what its schema says."""

from collections.abc import Callable
from typing import Annotated, Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from pydantic import TypeAdapter, ValidationError

from thinkwire.ruleset import field_types as types

TAKEN: list[tuple[Any, list[Any]]] = [
    (types.Version, [1, 1.0]),
    (types.Id, ["a", "strip-all-2"]),
    (types.Path, ["a", "a.b-c.0"]),
    (types.Name, ["delta.reasoning"]),
    (types.Names, [["a", "b.c"]]),
    (types.HeaderName, ["x-case", "X_Y"]),
    (types.PlacePath, ["choices[*].delta.thoughts", "[type=a].b"]),
    (types.Number, [0, -1, 1.5]),
    (types.Seconds, [0.1, 10]),
    (types.Count, [0, types.MOST]),
    (types.Size, [1, types.MOST]),
    (types.Status, [100, 599]),
    (types.ErrorStatus, [400, 599]),
    (types.FamilyName, ["think"]),
    (types.Globs, ["a*", ["a", "b"]]),
    (types.Booleans, [True, [True, False]]),
    (types.RuleIds, [[], ["a", "b"]]),
    (types.JSON, [None, 1, "x", [1, {"list": {}}], {"dict": []}]),
]
REFUSED: list[tuple[Any, Any, str]] = [
    (types.Version, True, "wrong-kind"),
    (types.Version, 2, "version"),
    (types.Id, "Strip", "bad-id"),
    (types.Id, "a--b", "bad-id"),
    (types.Path, "a..b", "bad-path"),
    (types.Name, "choices.*.delta", "bad-path"),
    (types.Names, [], "too_short"),
    (types.Names, ["a", "a"], "duplicate-name"),
    (types.HeaderName, "x case", "bad-header-name"),
    (types.PlacePath, "a[", "bad-place"),
    (types.Number, True, "wrong-kind"),
    (types.Number, "1", "wrong-kind"),
    (types.Seconds, 0, "bad-number"),
    (types.Count, -1, "bad-number"),
    (types.Count, 1.0, "wrong-kind"),
    (types.Size, 0, "bad-number"),
    (types.Size, types.MOST + 1, "bad-number"),
    (types.Status, 99, "bad-number"),
    (types.ErrorStatus, 200, "bad-number"),
    (types.FamilyName, "thonk", "unknown-value"),
    (types.Globs, 1, "wrong-kind"),
    (types.Globs, [], "too_short"),
    (types.Booleans, "true", "wrong-kind"),
    (types.RuleIds, ["a", "a"], "duplicate-name"),
]


def label(value: Any) -> str:
    return repr(value)[:30]


@pytest.mark.parametrize(
    ("kind", "value"), [pytest.param(kind, one, id=label(one)) for kind, values in TAKEN for one in values]
)
def test_what_a_type_takes_its_schema_takes_too(kind: Any, value: Any) -> None:
    adapter = TypeAdapter(kind)
    assert adapter.validate_python(value, strict=True) == value
    jsonschema.validate(value, adapter.json_schema())


@pytest.mark.parametrize(
    ("kind", "value", "error"), [pytest.param(*one, id=f"{label(one[1])}-{one[2]}") for one in REFUSED]
)
def test_what_a_type_refuses_has_an_error_of_ours(kind: Any, value: Any, error: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value, strict=True)
    assert [one.get("ctx", {}).get("code", one["type"]) for one in caught.value.errors()] == [error]


def test_the_place_in_a_union_is_marked_by_tags_that_no_key_can_be() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(types.PlacePaths).validate_python(["a["], strict=True)
    assert [one["loc"] for one in caught.value.errors()] == [("\0list", 0)]


def test_a_filter_is_compiled_and_keeps_its_text() -> None:
    def compile_filter(text: str) -> Callable[[object], bool]:
        return lambda subject: subject == text

    found = TypeAdapter(types.FilterText).validate_python("~m POST", context=compile_filter)
    assert (found.text, found.holds("~m POST"), found.holds("x")) == ("~m POST", True, False)


def test_a_filter_that_cannot_be_compiled_is_refused_with_the_reason() -> None:
    def refuse(_text: str) -> Callable[[object], bool]:
        raise ValueError("no such operator")

    with pytest.raises(ValidationError) as caught:
        TypeAdapter(types.Filters).validate_python("~zz", context=refuse)
    (error,) = caught.value.errors()
    assert (error["ctx"]["code"], error["ctx"]["message"]) == ("bad-filter", "no such operator")


def test_a_list_that_is_none_is_explained_as_a_whole() -> None:
    with pytest.raises(ValidationError, match="a list of pairs"):
        TypeAdapter(Annotated[list[str], types.a_list("a list of pairs")]).validate_python("x")
