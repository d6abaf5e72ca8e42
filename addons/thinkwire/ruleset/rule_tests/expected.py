"""A test of a rule file as plain data: which recording, what is changed in it, and what must come out.

Made when the file is loaded. It runs nothing and does not ask whether the recording exists: a rule file is valid
without it.
"""

from dataclasses import dataclass
from pathlib import Path

from thinkwire.rewrite.plan import JSONPath
from thinkwire.ruleset.model.rule_test import RuleTestModel
from thinkwire.ruleset.rule_tests.overrides import RequestOverrides

type Value = str | bool | int | float
"""Text is a glob."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What must come out of an exchange; None is not looked at."""

    rules: tuple[str, ...] | None = None
    """The ids of the rules that decide, in any order."""
    reasoning: str | None = None
    """A glob for what a client reads as reasoning in each choice; empty: none."""
    content: str | None = None
    present: tuple[JSONPath, ...] = ()
    """Names or ends of paths that must be somewhere in the answer, with a value."""
    absent: tuple[JSONPath, ...] = ()
    status: int | None = None
    request_present: tuple[JSONPath, ...] = ()
    request_absent: tuple[JSONPath, ...] = ()
    request_body: tuple[tuple[JSONPath, Value], ...] = ()

    @property
    def looks_at_request(self) -> bool:
        return bool(self.request_present or self.request_absent or self.request_body)


@dataclass(frozen=True, slots=True)
class RuleTest:
    """One test."""

    id: str
    file: Path
    line: int
    recording: Path
    flow: int | None
    """The number of the exchange in the recording, from 1; None: the last."""
    overrides: RequestOverrides
    expected: Expected


def compile_test(test: RuleTestModel, file: Path, line: int) -> RuleTest:
    """A test from its checked form."""
    given = test.model_fields_set
    flow = test.flow if "flow" in given else None
    return RuleTest(test.id, file, line, file.parent / test.recording, flow, _overrides(test), _expected(test))


def _overrides(test: RuleTestModel) -> RequestOverrides:
    given, removed = test.overrides, tuple(map(_path, test.without))
    names = given.model_fields_set
    return RequestOverrides(
        host=given.host if "host" in names else None,
        path=given.path if "path" in names else None,
        method=given.method if "method" in names else None,
        headers=tuple(given.header.items()),
        set=tuple((_path(path), value) for path, value in given.body.items()),
        remove=removed,
    )


def _expected(test: RuleTestModel) -> Expected:
    expect, request = test.expect, test.expect.request
    given = expect.model_fields_set
    return Expected(
        rules=tuple(test.rules) if "rules" in test.model_fields_set else None,
        reasoning=expect.reasoning if "reasoning" in given else None,
        content=expect.content if "content" in given else None,
        present=tuple(map(_path, expect.present)),
        absent=tuple(map(_path, expect.absent)),
        status=expect.status if "status" in given else None,
        request_present=tuple(map(_path, request.present)),
        request_absent=tuple(map(_path, request.absent)),
        request_body=tuple((_path(path), value) for path, value in request.body.items()),
    )


def _path(path: str) -> JSONPath:
    return tuple(path.split("."))
