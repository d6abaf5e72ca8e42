"""What is said in an exchange: by the provider, and to the client."""

import json
from pathlib import Path

from tests.flows import QUESTION, exchange, spoken
from tests.playback.test_run import ANSWER, ASKED_AGAIN, played, read_rules, shipped_rules
from tests.rewrite.answers import body
from thinkwire.dialects.core.parts import Kind
from thinkwire.playback.reading import Reading, read_exchange, read_result
from thinkwire.playback.recording import RecordedExchange


def said(reading: Reading) -> list[tuple[Kind, str]]:
    return [(moment.kind, moment.text) for moment in reading.moments]


def test_the_provider_is_read_as_recorded_and_the_client_as_the_rules_have_it() -> None:
    flow = exchange(ANSWER)
    recorded = read_exchange(RecordedExchange(1, flow))
    assert said(recorded) == [(Kind.REASONING, "Hm"), (Kind.TEXT, "Hi"), (Kind.FINISH, "stop")]
    (result,) = played(shipped_rules("strip"), flow)
    assert said(read_result(result)) == [(Kind.TEXT, "Hi"), (Kind.FINISH, "stop")]


def test_updates_are_there_if_they_are_kept() -> None:
    recorded = RecordedExchange(1, exchange(ANSWER))
    assert not any(one.updates for one in read_exchange(recorded).said)
    assert read_exchange(recorded, keeps_updates=True).said[0].updates


def test_a_body_is_not_a_stream() -> None:
    raw = json.dumps(body({"content": "Hi"})).encode()
    flow = exchange(raw, kind="application/json", question=QUESTION | {"stream": False})
    assert not read_exchange(RecordedExchange(1, flow)).is_stream
    assert read_exchange(RecordedExchange(1, exchange(ANSWER))).is_stream


def test_the_messages_of_a_websocket_are_documents() -> None:
    delta = {"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"}
    reading = read_exchange(RecordedExchange(1, spoken((True, {"type": "response.create"}), (False, delta))))
    assert said(reading) == [(Kind.TEXT, "Hi")]


def test_an_answer_of_ours_is_not_read_and_has_no_times(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("version: 1\nrules:\n  - {id: a, request: {history: inline}}\n")
    (result,) = played(read_rules(path), exchange(ANSWER, times=[1.0], question=ASKED_AGAIN, error="peer closed"))
    reading = read_result(result)
    assert (reading.recorded.status, reading.form, reading.said) == (400, None, [])
    assert (reading.recorded.times, reading.recorded.total, reading.recorded.failure) == ([], None, "")
