"""Fixtures that the end-to-end tests, the tests with real clients and the cases share."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from .mitmdump import Mitmdump, reverse_mitmdump
from .upstream import Upstream, running_upstream

StartMitmdump = Callable[[Mapping[str, str]], Mitmdump]

CHOSEN_BY_HEADER = Path(__file__).with_name("rules.yaml")


@pytest.fixture(scope="session")
def session_upstream() -> Iterator[Upstream]:
    with running_upstream() as upstream:
        yield upstream


@pytest.fixture
def upstream(session_upstream: Upstream) -> Upstream:
    """The scripted provider, with nothing scripted."""
    session_upstream.forget()
    return session_upstream


@pytest.fixture(scope="session")
def confdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all, because making its keys takes longer than most tests."""
    return tmp_path_factory.mktemp("confdir")


@pytest.fixture(scope="session")
def mitmdump_with(session_upstream: Upstream, confdir: Path) -> Iterator[StartMitmdump]:
    """A mitmdump with these options in front of the upstream: started once, shared by all tests that ask for it."""
    running: dict[tuple[tuple[str, str], ...], Mitmdump] = {}
    with contextlib.ExitStack() as stack:

        def start(options: Mapping[str, str]) -> Mitmdump:
            key = tuple(sorted(options.items()))
            if key not in running:
                running[key] = stack.enter_context(reverse_mitmdump(session_upstream.url, options, confdir))
            return running[key]

        yield start


@pytest.fixture
def proxy(upstream: Upstream, mitmdump_with: StartMitmdump) -> Mitmdump:
    """A mitmdump with the shipped default rules."""
    return mitmdump_with({})


@pytest.fixture
def chosen(upstream: Upstream, mitmdump_with: StartMitmdump) -> Mitmdump:
    """A mitmdump whose rules match only where the header `x-case` names one; see rules.yaml."""
    return mitmdump_with({"thinkwire_rules": str(CHOSEN_BY_HEADER)})
