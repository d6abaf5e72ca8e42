"""What pydantic finds wrong with a file -> problems at their places, in the user's words.

One table, TRANSLATIONS, holds it all: pydantic's types of error, and those of `field_types`, with a function that words
each. An error of any other type is a bug here (a test looks for one).
"""

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args, get_origin

from thinkwire.ruleset.model.base import Mapping
from thinkwire.ruleset.model.rule_file import RuleFile
from thinkwire.ruleset.problem import Code, Problem, Source, Span, suggest
from thinkwire.ruleset.settings.extract import PAIR_OF_TAGS
from thinkwire.ruleset.yaml.location import Location, locate
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode

MISSING_FROM = {
    "version": ("this file", "begin the file with `version: 1`"),
    "rules.id": ("this rule", "give the rule a name: `id: what-it-does`"),
    "rules.when.body.*.exists": ("this mapping", "write `{exists: true}` or `{exists: false}`"),
    "rules.response.fault.stall.seconds": ("`stall`", "say how long it lasts: `{after: 5, seconds: 3}`"),
    "rules.response.fault.status_first.status": ("`status_first`", "say which status: `{status: 429, times: 2}`"),
    "dialects.id": ("this dialect", "give the dialect a name: `id: whose-api-it-is`"),
    "dialects.places": ("this dialect", 'say where the parts are: `places: {reasoning: "choices[*].delta.thoughts"}`'),
    "tests.id": ("this test", "give the test a name: `id: what-it-shows`"),
    "tests.recording": ("this test", "name the file that it runs over: `recording: ../recordings/my.flow`"),
}
"""The required keys by their paths: what lacks them, and what to do."""

type Wording = tuple[Code, Span, str, str]
"""Code, place, message, hint."""


def translate(error: Any, source: Source, root: YamlNode) -> Problem | None:
    """One of pydantic's errors as a problem; None if the value was already reported when the file was parsed."""
    location = locate(source, root, error["loc"])
    kind = error["type"]
    if kind not in ABOUT_KEYS:
        if location.node.kind is NodeKind.BROKEN:
            return None
        if location.node.kind in (NodeKind.NOTHING, NodeKind.NULL) and not location.on_key:
            kind = "null"
    return source.problem(*TRANSLATIONS[kind](location, error))


def _wrong_type(expected: str) -> Callable[[Location, Any], Wording]:
    return lambda location, error: _wrong_kind(location, expected)


def _wrong_kind(location: Location, expected: str) -> Wording:
    message = f"{location.name} must be {expected}, found {location.node.kind.value}"
    return Code.WRONG_TYPE, location.span, message, _type_hint(location, expected)


def _type_hint(location: Location, expected: str) -> str:
    kind, text = location.node.kind, location.text
    if kind in (NodeKind.NUMBER, NodeKind.BOOLEAN) and expected.startswith(("text", "a name")):
        return f'put it in quotes: "{text}"'
    if expected == "a pair of tags":
        return f"write {PAIR_OF_TAGS}, and a list around all pairs"
    if expected == "a list of pairs of tags":
        return 'write `[["<think>", "</think>"]]`'
    if kind not in (NodeKind.MAPPING, NodeKind.LIST) and expected == "a list":
        return f"write it as a list: `[{text}]`"
    if kind is NodeKind.TEXT and expected in ("true or false", "a number", "a whole number", "the number 1"):
        return f"write {expected}, without quotes"
    if expected == "a mapping":
        return "write `key: value`, with one indentation for all keys"
    return f"write {expected}"


def _unknown_key(location: Location, error: Any) -> Wording:
    key = location.keys[-1]
    known = mappings()[location.parent].key_names()
    elsewhere = [path for path, mapping in mappings().items() if key.text in mapping.key_names() and path]
    if elsewhere and not get_close_matches(key.text, known, n=1):
        hint = f"`{key.text}` belongs under `{elsewhere[0].rpartition('.')[2]}`"
    else:
        hint = suggest(key.text, known, "known here")
    return Code.UNKNOWN_KEY, key.span, f"`{key.text}` is not a known key here", hint


@cache
def mappings() -> dict[str, type[Mapping]]:
    """The mappings of a rule file by their paths; `*` is a key of the user's own."""
    return dict(_mappings_below("", RuleFile))


def _mappings_below(path: str, mapping: type[Mapping]) -> Iterator[tuple[str, type[Mapping]]]:
    yield path, mapping
    for name, field in mapping.model_fields.items():
        for inner, key in _mappings_in(field.annotation):
            yield from _mappings_below(".".join(filter(None, (path, field.alias or name, key))), inner)


def _mappings_in(annotation: Any, key: str = "") -> Iterator[tuple[type[Mapping], str]]:
    """The mappings that a value of this type can be or hold, each with the key in between."""
    if isinstance(annotation, type) and issubclass(annotation, Mapping):
        yield annotation, key
    for argument in get_args(annotation):
        yield from _mappings_in(argument, "*" if get_origin(annotation) is dict else key)


def _missing_key(location: Location, error: Any) -> Wording:
    name = error["loc"][-1]
    lacking, hint = MISSING_FROM[f"{location.path}.{name}".removeprefix(".")]
    return Code.MISSING_KEY, location.node.span, f"{lacking} has no `{name}`", hint


def _null(location: Location, error: Any) -> Wording:
    empty = location.node.kind is NodeKind.NOTHING
    message = f"{location.name} has no value" if empty else f"{location.name} cannot be null"
    span = location.node.span if location.in_list or not location.keys or not empty else location.keys[-1].span
    return Code.NULL, span, message, "write a value, or remove the key"


def _empty(location: Location, error: Any) -> Wording:
    what = "mapping" if location.node.kind is NodeKind.MAPPING else "list"
    return Code.EMPTY, location.span, f"{location.name} is an empty {what}", "write something into it, or remove it"


def _bad_value(location: Location, error: Any) -> Wording:
    words = error["ctx"]
    message = f"{location.name} {words['message']}" if words["names_key"] else words["message"]
    return words["code"], location.span, message, words["hint"]


def _version(location: Location, error: Any) -> Wording:
    message = f"this version of thinkwire does not know version {location.text} of the rule file"
    return Code.UNKNOWN_VERSION, location.span, message, "write `version: 1`, or use a later version of thinkwire"


ABOUT_KEYS = frozenset({"extra_forbidden", "missing"})

TRANSLATIONS: dict[str, Callable[[Location, Any], Wording]] = {
    "string_type": _wrong_type("text"),
    "bool_type": _wrong_type("true or false"),
    "list_type": _wrong_type("a list"),
    "dict_type": _wrong_type("a mapping"),
    "model_type": _wrong_type("a mapping"),
    "wrong-kind": lambda location, error: _wrong_kind(location, error["msg"]),
    "extra_forbidden": _unknown_key,
    "missing": _missing_key,
    "too_short": _empty,
    "empty": _empty,
    "null": _null,
    "bad-value": _bad_value,
    "version": _version,
}
