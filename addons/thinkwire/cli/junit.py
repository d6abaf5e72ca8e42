"""The verdicts on the tests of rule files as JUnit XML, for CI servers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from thinkwire.cli.common import COULD_NOT_RUN
from thinkwire.ruleset.rule_tests.verdict import Verdict

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, even escaped."""


@dataclass(frozen=True, slots=True)
class Suite:
    """One rule file and its tests."""

    file: Path
    code: int
    """Its exit code."""
    verdicts: list[Verdict] = field(default_factory=list)
    trouble: str = ""
    """Why none of its tests were run; empty if they were."""


def write_junit(path: Path, suites: Sequence[Suite]) -> None:
    """Write a report. Raises OSError."""
    elements = [_suite(suite) for suite in suites]
    root = _element("testsuites", name="thinkwire test", **_counts(elements))
    root.extend(elements)
    tree = ElementTree.ElementTree(root)
    ElementTree.indent(tree)
    with path.open("wb") as file:
        tree.write(file, encoding="utf-8", xml_declaration=True)
        file.write(b"\n")


def _suite(suite: Suite) -> ElementTree.Element:
    cases = [_verdict(verdict) for verdict in suite.verdicts]
    if suite.trouble:
        kind = "error" if suite.code == COULD_NOT_RUN else "failure"
        cases.append(_case(suite.file, "the rule file", 1, 0.0, kind, suite.trouble))
    element = _element("testsuite", name=suite.file, file=suite.file, skipped=0)
    element.extend(cases)
    element.attrib.update(_counts([element]))
    return element


def _verdict(verdict: Verdict) -> ElementTree.Element:
    test, said = verdict.test, [f"{one.what}: expected {one.expected}, got {one.got}" for one in verdict.mismatches]
    kind = "error" if verdict.obstacle else "failure" if said else ""
    text = verdict.obstacle or "\n".join([*said, *verdict.notes])
    return _case(test.file, test.id, test.line, verdict.seconds, kind, text)


def _case(file: Path, name: str, line: int, seconds: float, kind: str, text: str) -> ElementTree.Element:
    case = _element("testcase", classname=file, name=name, file=file, line=line, time=_time(seconds))
    if kind:
        trouble = _element(kind, message=text.partition("\n")[0], type="could not run" if kind == "error" else "failed")
        trouble.text = _fit(text)
        case.append(trouble)
    return case


def _counts(elements: Iterable[ElementTree.Element]) -> dict[str, str]:
    cases = [case for element in elements for case in element.iter("testcase")]
    return {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": str(sum(case.find("error") is not None for case in cases)),
        "time": _time(sum(float(case.get("time", 0)) for case in cases)),
    }


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"


def _element(tag: str, **attributes: object) -> ElementTree.Element:
    return ElementTree.Element(tag, {name: _fit(str(value)) for name, value in attributes.items()})


def _fit(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
