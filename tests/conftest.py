"""What holds for every folder of tests: the end-to-end fixtures, how properties are tried, what is said at the end."""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.corpus import WANTED

pytest_plugins = ["tests.e2e.fixtures", "pytester"]

# The same examples in each run, whatever the machine's speed; `deep` makes many more, and others each time.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("deep", settings.get_profile("same"), derandomize=False, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Coverage is to be the same with and without the folder."""
    for item in items:
        if any(mark.kwargs.get("reason") == WANTED for mark in item.iter_markers("skipif")):
            item.add_marker(pytest.mark.no_cover)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Whoever lacks the folder is to know what the green suite has not tried."""
    skipped = terminalreporter.stats.get("skipped", [])
    wanting = sum(WANTED in str(report.longrepr) for report in skipped)
    if wanting:
        terminalreporter.write_line(f"{wanting} tests were skipped for want of ../shared")
