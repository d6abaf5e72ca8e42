"""Trap 6: a bad rule file at the start serves nothing; later it changes nothing; a good one takes effect."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .bodies import EVENTS, STREAM, STREAM_QUESTION, THINK_1, stream_answer
from .client import ask, conversation
from .mitmdump import Mitmdump, reverse_arguments, reverse_mitmdump, start_mitmdump
from .upstream import Gate, Upstream

RENAME = """\
version: 1
rules:
  - id: old-rule
    response:
      reasoning: {rename: reasoning}
"""
OTHER_NAME = """\
version: 1
rules:
  - id: new-rule
    response:
      reasoning: {rename: [reasoning, reasoning_content]}
"""
BAD = """\
version: 1
rules:
  - id: bad-rule
    respons:
      reasoning: stripp
"""
RELOAD_LIMIT = 15.0
TAKEN = r"rules were read again"
STAYS = r"old rules stay in force"
REFUSED = rf"(?s){STAYS}.*my-rules\.yaml:4:5"


def replace_file(path: Path, text: str) -> None:
    """In one step, as editors do it."""
    new = path.with_suffix(".new")
    new.write_text(text)
    os.replace(new, path)


@pytest.fixture(scope="module")
def watched(
    session_upstream: Upstream, confdir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Mitmdump, Path]]:
    """A mitmdump and the rule file that it watches."""
    path = tmp_path_factory.mktemp("rules") / "my-rules.yaml"
    path.write_text(RENAME)
    with reverse_mitmdump(session_upstream.url, {"thinkwire_rules": str(path)}, confdir) as mitmdump:
        yield mitmdump, path


@pytest.fixture
def rules(watched: tuple[Mitmdump, Path]) -> Path:
    """The watched file, with the old rule in force."""
    mitmdump, path = watched
    if path.read_text() != RENAME:
        mark = mitmdump.log.mark()
        replace_file(path, RENAME)
        mitmdump.log.wait_for(TAKEN, mark, RELOAD_LIMIT)
    return path


@pytest.fixture
def reloading(upstream: Upstream, watched: tuple[Mitmdump, Path], rules: Path) -> Mitmdump:
    return watched[0]


def test_a_bad_file_at_the_start_is_reported_and_nothing_is_served(
    upstream: Upstream, confdir: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bad-rules.yaml"
    path.write_text(BAD)
    upstream.answer(stream_answer())
    started = start_mitmdump(reverse_arguments(upstream.url), {"thinkwire_rules": str(path)}, confdir)
    status = started.wait_for_end()
    text = started.log.text
    assert status == 1
    assert f"{path}:4:5" in text
    assert "respons:" in text
    assert "Traceback" not in text
    assert upstream.requests == []


def test_a_file_that_is_not_there_at_the_start_is_reported(upstream: Upstream, confdir: Path, tmp_path: Path) -> None:
    path = tmp_path / "none.yaml"
    started = start_mitmdump(reverse_arguments(upstream.url), {"thinkwire_rules": str(path)}, confdir)
    assert started.wait_for_end() == 1
    assert str(path) in started.log.text
    assert "Traceback" not in started.log.text


def test_a_bad_edit_leaves_the_old_rules_in_force_and_the_log_says_so(
    reloading: Mitmdump, upstream: Upstream, rules: Path
) -> None:
    upstream.answer(stream_answer())
    before = ask(reloading.port, STREAM_QUESTION).body
    mark = reloading.log.mark()
    replace_file(rules, BAD)
    reloading.log.wait_for(REFUSED, mark, RELOAD_LIMIT)
    assert ask(reloading.port, STREAM_QUESTION).body == before != STREAM
    assert "Traceback" not in reloading.log.text


def test_a_good_edit_takes_effect_for_new_requests_and_not_for_a_stream_under_way(
    reloading: Mitmdump, upstream: Upstream, rules: Path
) -> None:
    gate = Gate()
    upstream.answer(stream_answer(EVENTS[0], THINK_1, gate, *EVENTS[2:]))
    with conversation(reloading.port, STREAM_QUESTION) as under_way:
        under_way.read_until(b'"reasoning":"Count the letters, "')
        mark = reloading.log.mark()
        replace_file(rules, OTHER_NAME)
        reloading.log.wait_for(TAKEN, mark, RELOAD_LIMIT)
        gate.open()
        assert b'"reasoning_content"' not in under_way.read_reply().body

    upstream.answer(stream_answer())
    body = ask(reloading.port, STREAM_QUESTION).body
    assert body.count(b'"reasoning":') == body.count(b'"reasoning_content":') == 2


def test_a_file_that_disappears_leaves_the_old_rules_in_force(
    reloading: Mitmdump, upstream: Upstream, rules: Path
) -> None:
    upstream.answer(stream_answer())
    before = ask(reloading.port, STREAM_QUESTION).body
    mark = reloading.log.mark()
    rules.unlink()
    reloading.log.wait_for(STAYS, mark, RELOAD_LIMIT)
    assert ask(reloading.port, STREAM_QUESTION).body == before != STREAM
    mark = reloading.log.mark()
    rules.write_text(OTHER_NAME)
    reloading.log.wait_for(TAKEN, mark, RELOAD_LIMIT)
    assert b'"reasoning_content":' in ask(reloading.port, STREAM_QUESTION).body


def test_an_edit_of_an_included_file_takes_effect(upstream: Upstream, confdir: Path, tmp_path: Path) -> None:
    rules, top = tmp_path / "my-rules.yaml", tmp_path / "top.yaml"
    rules.write_text(RENAME)
    top.write_text("version: 1\ninclude: [my-rules.yaml]\nrules: []\n")
    upstream.answer(stream_answer())
    with reverse_mitmdump(upstream.url, {"thinkwire_rules": str(top)}, confdir) as mitmdump:
        assert b'"reasoning_content":' not in ask(mitmdump.port, STREAM_QUESTION).body
        mark = mitmdump.log.mark()
        replace_file(rules, OTHER_NAME)
        mitmdump.log.wait_for(TAKEN, mark, RELOAD_LIMIT)
        assert b'"reasoning_content":' in ask(mitmdump.port, STREAM_QUESTION).body


def test_a_mended_file_is_taken_after_a_bad_one(reloading: Mitmdump, upstream: Upstream, rules: Path) -> None:
    upstream.answer(stream_answer())
    mark = reloading.log.mark()
    replace_file(rules, BAD)
    reloading.log.wait_for(REFUSED, mark, RELOAD_LIMIT)
    mark = reloading.log.mark()
    replace_file(rules, OTHER_NAME)
    reloading.log.wait_for(TAKEN, mark, RELOAD_LIMIT)
    assert b'"reasoning_content":' in ask(reloading.port, STREAM_QUESTION).body
