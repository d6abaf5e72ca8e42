"""The report for CI servers: a suite for each file, a case for each test, and XML whatever an answer holds."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.test_test import BAD, GONE, GOOD, run, write
from tests.flows import exchange, write_flows
from tests.rewrite.answers import chunk, stream


def report(*files: str) -> ElementTree.Element:
    run(*files, "--junit", "report.xml")
    return ElementTree.parse("report.xml").getroot()


@pytest.mark.usefixtures("folder")
def test_the_report_has_a_suite_for_each_file_and_a_case_for_each_test() -> None:
    root = report(write("r.yaml", GONE, GOOD, BAD), write("good.yaml", GOOD))
    assert (root.tag, [suite.tag for suite in root]) == ("testsuites", ["testsuite", "testsuite"])
    first, second = root
    counts = ("tests", "failures", "errors")
    assert [root.get(name) for name in counts] == ["4", "1", "1"]
    assert [first.get(name) for name in counts] == ["3", "1", "1"]
    assert [second.get(name) for name in counts] == ["1", "0", "0"]
    assert [suite.get("name") for suite in root] == ["r.yaml", "good.yaml"]
    cases = first.findall("testcase")
    assert [(case.get("name"), case.get("file"), case.get("line")) for case in cases] == [
        ("gone", "r.yaml", "5"),
        ("hides", "r.yaml", "6"),
        ("shows", "r.yaml", "7"),
    ]
    assert all(float(case.get("time", "")) >= 0 and case.get("classname") == "r.yaml" for case in cases)
    assert [[child.tag for child in case] for case in cases] == [["error"], [], ["failure"]]


@pytest.mark.usefixtures("folder")
def test_the_report_says_what_is_wrong() -> None:
    (suite,) = report(write("r.yaml", BAD, GONE))
    failure, error = suite.find(".//failure"), suite.find(".//error")
    assert failure is not None
    assert error is not None
    assert failure.get("message") == "rules: expected none, got hide"
    assert (failure.text or "").splitlines()[1] == 'reasoning: expected "Hm", got ""'
    assert error.get("message") == "cannot read gone.flow: no such file or directory"


@pytest.mark.usefixtures("folder")
def test_files_that_could_not_be_run_are_in_the_report() -> None:
    wrong, gone = report(write("wrong.yaml", GOOD.replace("expect", "expects")), "none.yaml")
    failure, error = wrong.find("testcase/failure"), gone.find("testcase/error")
    assert failure is not None
    assert error is not None
    assert "[unknown-key]" in (failure.text or "")
    assert error.get("message") == "cannot read none.yaml: no such file or directory"
    assert (gone.get("tests"), gone.get("errors")) == ("1", "1")


@pytest.mark.usefixtures("folder")
def test_a_report_is_xml_whatever_an_answer_holds() -> None:
    odd = '<&"\x00\x1b\ud800\ufffe\U0001f600'
    write_flows(Path("a.flow"), exchange(stream(json.dumps(chunk({"content": odd})), chunk(finish_reason="stop"))))
    (suite,) = report(write("r.yaml", "{id: one, recording: a.flow, expect: {content: a}}"))
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "\U0001f600" in (failure.text or "")


@pytest.mark.usefixtures("folder")
def test_nothing_to_run_is_a_report_too() -> None:
    root = report(write("r.yaml"))
    assert (root.get("tests"), [suite.get("tests") for suite in root]) == ("0", ["0"])
