"""What a test's exchange became, compared with what was expected.

It gets everything as plain data and runs nothing. How verdicts are printed is not its business.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from thinkwire.dialects.core.parts import Kind
from thinkwire.rewrite.plan import JSONPath
from thinkwire.rewrite.reading.transcript import Assembled, Choice
from thinkwire.ruleset.condition import ABSENT, value_test
from thinkwire.ruleset.glob import compile_glob
from thinkwire.ruleset.rule_tests.expected import Expected, RuleTest, Value
from thinkwire.ruleset.rule_tests.overrides import member_at


@dataclass(frozen=True, slots=True)
class GotDocument:
    """One document of an answer, or a request's body."""

    where: str
    """`event 3`, or empty if there is only one."""
    text: str
    value: Any = ABSENT
    """ABSENT if it cannot be read."""


@dataclass(frozen=True, slots=True)
class Actual:
    """What became of a request and its answer."""

    rules: tuple[str, ...]
    """The ids of those that decided."""
    request: GotDocument | None
    """What goes up to the provider; None if nothing does."""
    status: int
    provider_status: int
    """What the provider answered; if `status` differs, the request was refused or the answer withheld here."""
    answer: Assembled
    """What a client reads, assembled."""
    documents: list[GotDocument] = field(default_factory=list)
    """What a client gets."""
    notes: tuple[str, ...] = ()
    """What the log says about it; worth showing beside a mismatch."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One thing that is not as expected."""

    what: str
    """The key under which it is expected."""
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one test."""

    test: RuleTest
    mismatches: list[Mismatch] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    """What the log says about the exchange."""
    obstacle: str = ""
    """Why the test could not be run; empty if it was."""
    seconds: float = 0.0

    @property
    def has_passed(self) -> bool:
        return not self.mismatches and not self.obstacle


def mismatches(expected: Expected, actual: Actual) -> list[Mismatch]:
    """Everything that is not as expected; empty if the test has passed."""
    return list(_mismatches(expected, actual))


def _mismatches(expected: Expected, actual: Actual) -> Iterator[Mismatch]:
    if expected.rules is not None and set(expected.rules) != set(actual.rules):
        yield Mismatch("rules", _listed(expected.rules), _listed(actual.rules))
    status = actual.provider_status if expected.status is None else expected.status
    if actual.status != status:  # even if not asked for: in an answer that is withheld, everything is absent
        yield Mismatch("status", str(status), str(actual.status))
    yield from _texts("reasoning", expected.reasoning, Kind.REASONING, actual)
    yield from _texts("content", expected.content, Kind.TEXT, actual)
    yield from _present("present", expected.present, actual.documents, "the answer")
    yield from _absent("absent", expected.absent, actual.documents)
    if actual.request is not None:
        yield from _present("request.present", expected.request_present, [actual.request], "the request")
        yield from _absent("request.absent", expected.request_absent, [actual.request])
        for path, value in expected.request_body:
            yield from _member(path, value, actual.request)
    elif expected.looks_at_request:
        yield Mismatch("request", "a request to the provider", "none: it was refused here")


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(ids) or "none"


def _texts(what: str, glob: str | None, kind: Kind, actual: Actual) -> Iterator[Mismatch]:
    if glob is None:
        return
    fits = compile_glob(glob)
    choices = actual.answer.choices or {0: Choice()}
    for number, choice in choices.items():
        if not fits(text := choice.text(kind)):
            name = what if len(choices) == 1 else f"{what} of choice {number}"
            yield Mismatch(name, _quoted(glob), _quoted(text))


# --- members ------------------------------------------------------------------------------------------------------


def _present(what: str, paths: Iterable[JSONPath], documents: list[GotDocument], searched: str) -> Iterator[Mismatch]:
    for path in paths:
        values = [value for document in documents for _, value in _found(document, path)]
        if all(value is None or value in ("", [], {}) for value in values):
            got = f"there, but only as {_quoted(values[0])}" if values else f"nowhere in {searched}"
            yield Mismatch(what, f"{'.'.join(path)} with a value", got)


def _absent(what: str, paths: Iterable[JSONPath], documents: list[GotDocument]) -> Iterator[Mismatch]:
    for path in paths:
        if (where := next(_occurrences(documents, path), None)) is not None:
            yield Mismatch(what, f"no {'.'.join(path)}", where)


def _occurrences(documents: list[GotDocument], path: JSONPath) -> Iterator[str]:
    """Where a member is; a document that cannot be read has it if it has its name."""
    for document in documents:
        place = f" in {document.where}" if document.where else ""
        if document.value is ABSENT and f'"{path[-1]}"' in document.text:
            yield f"its name{place}, which cannot be read"
        for way, value in _found(document, path):
            yield f"{'.'.join(map(str, way))}{place}: {_quoted(value)}"


type _Way = tuple[str | int, ...]
"""Names of members and numbers of elements, from the outside in."""


def _found(document: GotDocument, path: JSONPath) -> Iterator[tuple[_Way, Any]]:
    """The values whose way ends in this path, each with its whole way."""
    for way, value in _walk(document.value):
        if _ends_in(way, path):
            yield way, value


def _ends_in(way: _Way, path: JSONPath) -> bool:
    """Does the way end in the path? The number of an element need not be named there."""
    left = list(path)
    for at, step in enumerate(reversed(way)):
        if str(step) == left[-1]:
            left.pop()
            if not left:
                return True
        elif isinstance(step, str) or at == 0:
            return False
    return False


def _walk(value: Any) -> Iterator[tuple[_Way, Any]]:
    """All members and elements, each with the way to it."""
    pending: list[tuple[_Way, Any]] = [((), value)]
    while pending:  # a document may be nested deeper than Python can recurse
        way, one = pending.pop()
        steps = one.items() if isinstance(one, dict) else enumerate(one) if isinstance(one, list) else ()
        inner: list[tuple[_Way, Any]] = [((*way, step), child) for step, child in steps]
        yield from inner
        pending += reversed(inner)


def _member(path: JSONPath, expected: Value, request: GotDocument) -> Iterator[Mismatch]:
    value = member_at(request.value, path)
    if not value_test(expected)(value):
        got = "nothing there" if value is ABSENT else _quoted(value)
        yield Mismatch(f"request.body {'.'.join(path)}", _quoted(expected), got)


_LONGEST: Final = 400
"""Characters of a value that are shown."""


def _quoted(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "a value that is nested very deep"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
