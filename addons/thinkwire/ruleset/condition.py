"""`when`: what a request must be, compiled once when the file is loaded.

Says whether a request matches and, if it does not, what was seen. Does not know which rule asks.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.ruleset.glob import compile_glob
from thinkwire.ruleset.model.rule import Condition, Exists

SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "set-cookie"}
)
LONGEST_SHOWN = 60
"""Characters of a seen value that `explain` prints."""


class Absent:
    """The type of ABSENT."""


ABSENT: Final = Absent()
"""The value of a member that is not there; JSON's null is a value like any other."""

type Read = Callable[[RequestFacts, object], object]
type Accepts = Callable[[object], bool]


@dataclass(frozen=True, slots=True)
class Check:
    """One key of `when`."""

    name: str
    """`host`, `header x-thinkwire`, `body reasoning.exclude`, ..."""
    wanted: tuple[str, ...]
    """The accepted values, as JSON texts; any of them will do."""
    read: Read
    accepts: Accepts
    secret: bool = False

    def holds(self, facts: RequestFacts, flow: object) -> bool:
        return self.accepts(self.read(facts, flow))

    def describe_failure(self, facts: RequestFacts, flow: object) -> str:
        """`host is "a.example", wanted "b.example"`; secrets are not shown."""
        wanted = " or ".join(self.wanted)
        if self.name == "filter":
            return f"filter {wanted} does not match" + ("" if flow is not None else " (there is no flow to look at)")
        seen = self.read(facts, flow)
        shown = "set (not shown)" if self.secret and seen is not ABSENT else _show(seen)
        return f"{self.name} is {shown}, wanted {wanted}"


type Alternative = tuple[Check, ...]
"""All of them must hold."""


def compile_condition(condition: Condition) -> Alternative:
    """The checks of one mapping, cheapest first, so that the body is looked at last."""
    return tuple(_checks(condition))


def covers(general: Alternative, special: Alternative) -> bool:
    """Does `general` certainly match whatever `special` matches? (Every check of the first is one of the second.)"""
    return {(check.name, check.wanted) for check in general} <= {(check.name, check.wanted) for check in special}


def _checks(condition: Condition) -> Iterator[Check]:
    given = condition.model_fields_set
    if "stream" in given:
        streams = _listed(condition.stream)
        yield Check("stream", _texts(streams), lambda facts, _: facts.stream, streams.__contains__)
    for name in ("method", "host", "path", "model", "dialect"):
        if name in given:
            yield _text_check(name, getattr(condition, name))
    for name, globs in condition.header.items():
        yield _header_check(name.lower(), _listed(globs))
    for path, values in condition.body.items():
        wanted = _listed(values)
        accepts = _any([value_test(value) for value in wanted])
        yield Check(f"body {path}", _texts(wanted), partial(_read_member, tuple(path.split("."))), accepts)
    if "filter" in given:
        filters = _listed(condition.filter)
        matches = _any([filter.holds for filter in filters])
        texts = _texts([filter.text for filter in filters])
        yield Check("filter", texts, lambda _, flow: flow, lambda flow: flow is not None and matches(flow))


def _text_check(name: str, globs: str | list[str]) -> Check:
    wanted = _listed(globs)
    tests = [_text_test(glob, ignore_case=name == "host") for glob in wanted]

    def read(facts: RequestFacts, _: object) -> object:
        value = getattr(facts, name)
        return ABSENT if value is None else value

    return Check(name, _texts(wanted), read, _any(tests))


def _header_check(name: str, globs: list[str]) -> Check:
    accepts = _any([_text_test(glob, ignore_case=False) for glob in globs])

    def read(facts: RequestFacts, _: object) -> object:
        return tuple(value for header, value in facts.headers if header == name) or ABSENT

    def any_value(values: object) -> bool:
        return isinstance(values, tuple) and any(map(accepts, values))

    return Check(f"header {name}", _texts(globs), read, any_value, secret=name in SECRET_HEADERS)


def _text_test(glob: str, *, ignore_case: bool) -> Accepts:
    fits = compile_glob(glob, ignore_case=ignore_case)
    return lambda value: isinstance(value, str) and fits(value)


def value_test(wanted: object) -> Accepts:
    """The test for one value of `body`; a JSON type never matches another, though Python's True equals 1."""
    if isinstance(wanted, Exists):
        return lambda value: (value is not ABSENT) == wanted.exists
    if isinstance(wanted, str):
        return _text_test(wanted, ignore_case=False)
    if isinstance(wanted, bool):
        return lambda value: value is wanted
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value == wanted


def _any(tests: list[Accepts]) -> Accepts:
    if len(tests) == 1:
        return tests[0]
    return lambda value: any(test(value) for test in tests)


def _read_member(path: tuple[str, ...], facts: RequestFacts, _: object) -> object:
    value = facts.body
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return ABSENT
        value = value[name]
    return value


def _listed[T](value: T | list[T]) -> list[T]:
    return value if isinstance(value, list) else [value]


def _texts(wanted: Sequence[object]) -> tuple[str, ...]:
    return tuple(_show(value) for value in wanted)


def _show(value: object) -> str:
    if isinstance(value, Exists):
        return "present" if value.exists else "absent"
    if value is ABSENT:
        return "absent"
    if isinstance(value, tuple):  # a header can come several times
        return " and ".join(map(_show, value))
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."
