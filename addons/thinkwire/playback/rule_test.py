"""A rule file's test, run over its recording as the addon runs over live traffic: requests, memory, and whole answers.

Whether what comes of it is right is judged in `ruleset/verdict.py`.
"""

import time
from collections.abc import Callable
from pathlib import Path

from mitmproxy import http

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.exchange import Exchange
from thinkwire.exchange.request_headers import take_control_header
from thinkwire.playback.flow_reader import RecordingError
from thinkwire.playback.reading import read_rewritten
from thinkwire.playback.recording import RecordedExchange, Recording
from thinkwire.playback.rehearsal import memory_of_a_session
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.reading.transcript import assembled
from thinkwire.ruleset.choose import Ruleset, Selection
from thinkwire.ruleset.rule_tests.changes import NO_MEMBER, ChangesError, RequestChanges
from thinkwire.ruleset.rule_tests.expected import RuleTest
from thinkwire.ruleset.rule_tests.verdict import Actual, Document, Verdict, differences
from thinkwire.wire.json_tree import Unreadable, decode, read

__all__ = ["run_test"]


class _CannotRunError(Exception):
    """A test cannot be run; the text says why."""


def run_test(test: RuleTest, ruleset: Ruleset, read_file: Callable[[Path], Recording]) -> Verdict:
    """Run a test of these rules. `read_file` reads a recording, and raises RecordingError."""
    begin = time.perf_counter()
    try:
        came = _came(test, ruleset, read_file)
    except _CannotRunError as error:
        return Verdict(test, obstacle=str(error), seconds=time.perf_counter() - begin)
    return Verdict(test, differences(test.expected, came), came.notes, seconds=time.perf_counter() - begin)


def _came(test: RuleTest, ruleset: Ruleset, read_file: Callable[[Path], Recording]) -> Actual:
    sessions = _sessions(test, read_file)
    memory = memory_of_a_session()
    for session in sessions[:-1]:
        if session.flow.response is not None and session.flow.websocket is None:
            _Run(session, test.changes, ruleset, memory, is_tested=False)
    return _Run(sessions[-1], test.changes, ruleset, memory, is_tested=True).came()


def _sessions(test: RuleTest, read_file: Callable[[Path], Recording]) -> list[RecordedExchange]:
    """The exchanges up to the one that the test looks at."""
    recording = _open(test.recording, read_file)
    if recording.damage:
        raise _CannotRunError(recording.damage)
    sessions = [one for one in recording.exchanges if test.flow is None or one.number <= test.flow]
    if not sessions or test.flow not in (None, sessions[-1].number):
        numbers = ", ".join(str(one.number) for one in recording.exchanges) or "none at all"
        raise _CannotRunError(f"{test.recording} has no exchange {test.flow or 1}; there are: {numbers}")
    tested = sessions[-1]
    if tested.flow.websocket is not None:
        raise _CannotRunError(f"flow {tested.number} is a WebSocket, over which rules are not run here")
    if not tested.is_kept:
        what = "has no answer" if tested.status is None else "was recorded without the answer's body"
        raise _CannotRunError(f"flow {tested.number} {what}")
    return sessions


def _open(path: Path, read_file: Callable[[Path], Recording]) -> Recording:
    if "\0" in str(path):
        raise _CannotRunError("no recording can have this name")
    try:
        return read_file(path)
    except RecordingError as error:
        raise _CannotRunError(str(error)) from error


class _Run:
    """One exchange, through the rules and the memory as the addon does it; the recorded flow stays as it is."""

    def __init__(
        self, session: RecordedExchange, changes: RequestChanges, ruleset: Ruleset, memory: Memory, *, is_tested: bool
    ) -> None:
        self._number = session.number
        self._flow = session.flow.copy()
        try:
            _change(self._flow.request, changes, strict=is_tested)
        except ChangesError as error:
            raise _CannotRunError(f"the request of flow {session.number} cannot be changed: {error}") from error
        self._facts: RequestFacts = self._session.facts(ruleset.dialects)
        take_control_header(self._flow.request)
        self._choice: Selection = ruleset.choose(self._facts, self._flow)
        self._exchange = Exchange(self._flow, self._facts, self._choice, memory, observes=False)
        self._provider_status = self._answer.status_code
        self._exchange.request()
        self._exchange.response()

    @property
    def _session(self) -> RecordedExchange:
        return RecordedExchange(self._number, self._flow)

    def came(self) -> Actual:
        reading = read_rewritten(self._session, self._facts, self._choice)
        if reading.damage:
            raise _CannotRunError(f"the answer of flow {self._number} cannot be read: {reading.damage}")
        noun = "event {}" if reading.is_stream else ""
        events = [said.event for said in reading.said if said.event.is_document]
        documents = [_document(event.text, noun.format(event.number)) for event in events]
        if reading.form is None:  # an error, whose body is not read as an answer
            documents = [_body(self._answer)]
        return Actual(
            rules=self._exchange.rules,
            request=None if self._exchange.refusal else _body(self._flow.request),
            status=self._answer.status_code,
            provider_status=self._provider_status,
            answer=assembled(reading.moments),
            documents=documents,
            notes=self._exchange.notes,
        )

    @property
    def _answer(self) -> http.Response:
        response: http.Response | None = self._flow.response
        assert response is not None  # else it could not be tested
        return response


def _change(request: http.Request, changes: RequestChanges, *, strict: bool) -> None:
    if changes.host is not None:
        request.host = changes.host
    if changes.path is not None:
        request.path = changes.path
    if changes.method is not None:
        request.method = changes.method
    for name, value in changes.headers:
        request.headers[name] = value
    if changes.set or changes.remove:
        request.content = changes.edit(request.get_content(strict=False) or b"", strict=strict)


def _body(message: http.Message) -> Document:
    return _document(decode(message.get_content(strict=False) or b""), "")


def _document(text: str, where: str) -> Document:
    try:
        return Document(where, text, read(text, None).value)
    except (Unreadable, ValueError, RecursionError):
        return Document(where, text, NO_MEMBER)
