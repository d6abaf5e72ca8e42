"""Runs a test of a rule file over its recording.

Whether the result is as expected is decided in `ruleset/rule_tests/verdict.py`.
"""

import time
from collections.abc import Callable
from pathlib import Path

from mitmproxy import http

from thinkwire.playback.flow_reader import RecordingError
from thinkwire.playback.reading import read_result
from thinkwire.playback.recording import RecordedExchange, Recording
from thinkwire.playback.run import ExchangeResult, run
from thinkwire.rewrite.reading.transcript import assembled
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.rule_tests.expected import RuleTest
from thinkwire.ruleset.rule_tests.overrides import OverridesError, RequestOverrides
from thinkwire.ruleset.rule_tests.verdict import Actual, GotDocument, Verdict, mismatches
from thinkwire.wire.json_tree import Unreadable, decode, read


def run_test(test: RuleTest, ruleset: Ruleset, read_file: Callable[[Path], Recording]) -> Verdict:
    """Run a test of these rules. `read_file` reads a recording, and raises RecordingError."""
    begin = time.perf_counter()
    try:
        actual = _actual(test, ruleset, read_file)
    except RecordingError as error:
        return Verdict(test, obstacle=str(error), seconds=time.perf_counter() - begin)
    return Verdict(test, mismatches(test.expected, actual), actual.notes, seconds=time.perf_counter() - begin)


def _actual(test: RuleTest, ruleset: Ruleset, read_file: Callable[[Path], Recording]) -> Actual:
    exchanges = _exchanges(test, read_file)
    number = exchanges[-1].number
    changed = [_changed(one, test.overrides, strict=one.number == number) for one in exchanges]
    (result,) = run(changed, ruleset, [number])
    return _actual_of(result)


def _exchanges(test: RuleTest, read_file: Callable[[Path], Recording]) -> list[RecordedExchange]:
    """The exchanges up to the one that the test looks at."""
    if "\0" in str(test.recording):
        raise RecordingError("no recording can have this name")
    recording = read_file(test.recording)
    if recording.damage:
        raise RecordingError(recording.damage)
    exchanges = [one for one in recording.exchanges if test.flow is None or one.number <= test.flow]
    if not exchanges or test.flow not in (None, exchanges[-1].number):
        numbers = ", ".join(str(one.number) for one in recording.exchanges) or "none at all"
        raise RecordingError(f"{test.recording} has no exchange {test.flow or 1}; there are: {numbers}")
    tested = exchanges[-1]
    if tested.flow.websocket is not None:
        raise RecordingError(f"flow {tested.number} is a WebSocket, which rule tests do not support")
    if not tested.is_kept:
        what = "has no answer" if tested.status is None else "was recorded without the answer's body"
        raise RecordingError(f"flow {tested.number} {what}")
    return exchanges


def _changed(recorded: RecordedExchange, overrides: RequestOverrides, *, strict: bool) -> RecordedExchange:
    """The same exchange with another request; what was recorded stays as it is."""
    flow = recorded.flow.copy()
    try:
        _change(flow.request, overrides, strict=strict)
    except OverridesError as error:
        raise RecordingError(f"the request of flow {recorded.number} cannot be changed: {error}") from error
    return RecordedExchange(recorded.number, flow)


def _actual_of(result: ExchangeResult) -> Actual:
    reading, response = read_result(result), result.flow.response
    assert response is not None  # else it could not be tested
    assert result.recorded.status is not None
    if reading.form is None and reading.damage:
        raise RecordingError(f"the answer of flow {result.recorded.number} cannot be read: {reading.damage}")
    noun = "event {}" if reading.is_stream else ""
    events = [said.event for said in reading.said if said.event.is_document]
    documents = [_document(event.text, noun.format(event.number)) for event in events]
    if reading.form is None:  # an error, whose body is not read as an answer
        documents = [_body(response)]
    return Actual(
        rules=tuple(dict.fromkeys(rule.id for rule in result.selection.rules)),
        request=None if result.refusal else _body(result.flow.request),
        status=response.status_code,
        provider_status=result.recorded.status,
        answer=assembled(reading.moments),
        documents=documents,
        notes=result.notes,
    )


def _change(request: http.Request, overrides: RequestOverrides, *, strict: bool) -> None:
    if overrides.host is not None:
        request.host = overrides.host
    if overrides.path is not None:
        request.path = overrides.path
    if overrides.method is not None:
        request.method = overrides.method
    for name, value in overrides.headers:
        request.headers[name] = value
    if overrides.set or overrides.remove:
        request.content = overrides.edit(request.get_content(strict=False) or b"", strict=strict)


def _body(message: http.Message) -> GotDocument:
    return _document(decode(message.get_content(strict=False) or b""), "")


def _document(text: str, where: str) -> GotDocument:
    try:
        return GotDocument(where, text, read(text, None).value)
    except (Unreadable, ValueError, RecursionError):
        return GotDocument(where, text)
