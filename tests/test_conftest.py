"""The suite says at its end what it has not tried."""

import pytest

from tests.corpus import WANTED
from tests.e2e.mitmdump import PROJECT

SUITE = f"""
import pytest

@pytest.mark.skipif(True, reason={WANTED!r})
@pytest.mark.parametrize("name", "abc")
def test_wanting(name): pass

@pytest.mark.skipif(True, reason="another reason")
def test_skipped(): pass

def test_run(): pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    pytester.makeconftest("from tests.conftest import pytest_terminal_summary")
    pytester.makepyfile(SUITE)
    return pytester


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "two workers"])
def test_the_end_says_how_many_tests_lacked_the_folder(suite: pytest.Pytester, workers: list[str]) -> None:
    result = suite.runpytest_subprocess("-q", *workers)
    result.stdout.fnmatch_lines(["3 tests were skipped for want of ../shared"])
    assert result.ret == 0


def test_the_end_is_silent_if_none_lacked_it(suite: pytest.Pytester) -> None:
    result = suite.runpytest_subprocess("-q", "-k", "not wanting")
    result.stdout.no_fnmatch_line("*../shared*")
