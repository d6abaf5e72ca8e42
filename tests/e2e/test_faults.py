"""Faults that clients are tested with: in a replay, on its command line, and in real answers if a rule says so."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows import recorded_flow, write_flows

from .bodies import (
    BODY,
    DONE,
    EVENTS,
    JSON,
    QUESTION,
    ROLE,
    SSE,
    STREAM,
    STREAM_QUESTION,
    STRIP,
    body_answer,
    dump,
    stream_answer,
)
from .client import CHAT, Reply, ask, conversation
from .client_http2 import ask_http2
from .fixtures import StartMitmdump
from .mitmdump import Mitmdump, reverse_arguments, start_mitmdump
from .test_offline import read_flows
from .test_replay import NOWHERE, start_replay
from .test_replay_command import start
from .upstream import LIMIT, Answer, Gate, Upstream

STALL = 0.4
FAULTS = {
    "cut": "{cut_after: 3}",
    "cut-first": "{cut_after: 0}",
    "error": "{error_after: 3}",
    "error-first": "{error_after: 0}",
    "done": "{drop_done: true}",
    "stall": f"{{stall: {{after: 2, seconds: {STALL}}}}}",
    "stall-for-ever": "{stall: {after: 2, seconds: 1000000000}}",
    "stall-cut": f"{{stall: {{after: 2, seconds: {STALL}}}, cut_after: 3}}",
    "split": "{split: 7}",
    "split-cut": "{split: 100, cut_after: 3}",
    "far": "{cut_after: 100}",
    "refused": "{status_first: {status: 503, times: 2}, drop_done: true}",
    "refused-once": "{status_first: 429}",
    "refused-websocket": "{status_first: 429}",
}
URL = f"https://api.nowhere.test{CHAT}"
PACKED = gzip.compress(STREAM)
RECORDED = [
    recorded_flow(STREAM_QUESTION, url=URL, headers=[SSE], chunks=[(60.0 * n, one) for n, one in enumerate(EVENTS)]),
    recorded_flow(QUESTION, url=URL, headers=[JSON, ("content-length", str(len(BODY)))], chunks=[(1.0, BODY)]),
    recorded_flow(
        {**STREAM_QUESTION, "model": "packed"},
        url=URL,
        headers=[SSE, ("content-encoding", "gzip")],
        chunks=[(0.0, PACKED[:50]), (1.0, PACKED[50:])],
    ),
]


def rules(*, live: bool) -> str:
    """A rule for each fault, by the header `x-fault`, and one whose fault is for replays only."""
    lines = ["version: 1", "rules:"]
    for name, fault in {**FAULTS, "replay-only": FAULTS["cut"]}.items():
        if live and name != "replay-only":
            fault = f"{fault[:-1]}, live: true}}"
        lines += [f"  - id: {name}", f"    when: {{header: {{x-fault: {name}}}}}", f"    response: {{fault: {fault}}}"]
    lines += ["  - id: hide", "    when: {header: {x-thinkwire: strip}}", "    response: {reasoning: strip}"]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    write_flows(folder / "recorded.flow", *RECORDED)
    (folder / "replay.yaml").write_text(rules(live=False))
    (folder / "live.yaml").write_text(rules(live=True))
    return folder


@pytest.fixture(scope="module")
def replay(folder: Path, confdir: Path) -> Iterator[Mitmdump]:
    options = {"thinkwire_rules": str(folder / "replay.yaml"), "thinkwire_replay_speed": "0"}
    yield from start_replay([folder / "recorded.flow"], options, confdir)


@pytest.fixture(scope="module")
def commanded(folder: Path) -> Iterator[Mitmdump]:
    """`thinkwire replay` with faults of its own, over rules with others."""
    faults = ["cut-after=4", "stall=1:0.2", "split=9", "status-first=429"]
    arguments = [word for fault in faults for word in ("--fault", fault)]
    recording, rules = str(folder / "recorded.flow"), str(folder / "replay.yaml")
    started = start(recording, "--port", "0", "--speed", "0", "--rules", rules, *arguments, home=folder)
    try:
        started.wait_until_listening()
        yield started
    finally:
        started.stop()


@pytest.fixture
def live(upstream: Upstream, mitmdump_with: StartMitmdump, folder: Path) -> Iterator[Mitmdump]:
    started = mitmdump_with({"thinkwire_rules": str(folder / "live.yaml"), "thinkwire_record": str(folder / "my.flow")})
    yield started
    assert "Traceback" not in started.log.text
    assert "please report this" not in started.log.text


def faulty(port: int, fault: str, document: object = STREAM_QUESTION, **more: str) -> Reply:
    return ask(port, dump(document), headers={"x-fault": fault, **more})


def error_of(event: bytes) -> str:
    assert event.startswith(b"data: ")
    assert event.endswith(b"\n\n")
    return str(json.loads(event[6:])["error"]["type"])


# --- in any answer ------------------------------------------------------------------------------------------------


@pytest.fixture(params=["replay", "live"])
def either(request: pytest.FixtureRequest) -> Mitmdump:
    """A provider of a stream, recorded or real, whose faults are the same."""
    if request.param == "live":
        upstream: Upstream = request.getfixturevalue("upstream")
        upstream.answer(stream_answer())
    started: Mitmdump = request.getfixturevalue(request.param)
    return started


def test_without_a_fault_nothing_changes(either: Mitmdump) -> None:
    reply = ask(either.port, STREAM_QUESTION)
    assert (reply.ending, reply.raw_body) == ("clean", STREAM)


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/1.0"])
@pytest.mark.parametrize(("fault", "sent"), [("cut", EVENTS[:3]), ("cut-first", []), ("stall-cut", EVENTS[:3])])
def test_an_answer_is_cut(either: Mitmdump, fault: str, sent: list[bytes], version: str) -> None:
    reply = ask(either.port, STREAM_QUESTION, headers={"x-fault": fault}, version=version)
    assert (reply.status, reply.ending, reply.raw_body) == (200, "broken", b"".join(sent))


def test_an_answer_over_http_2_is_cut(either: Mitmdump) -> None:
    reply = ask_http2(either.port, STREAM_QUESTION, headers={"x-fault": "cut"})
    assert (reply.status, reply.ending, reply.raw_body) == (200, "broken", b"".join(EVENTS[:3]))


@pytest.mark.parametrize(("fault", "sent"), [("error", EVENTS[:3]), ("error-first", [])])
def test_an_answer_ends_in_an_error(either: Mitmdump, fault: str, sent: list[bytes]) -> None:
    reply = faulty(either.port, fault)
    before = b"".join(sent)
    assert (reply.status, reply.ending, reply.raw_body[: len(before)]) == (200, "clean", before)
    assert error_of(reply.raw_body[len(before) :]) == "server_error"


def test_an_answer_lacks_its_end_mark(either: Mitmdump) -> None:
    reply = faulty(either.port, "done")
    assert (reply.ending, reply.raw_body) == ("clean", STREAM.removesuffix(DONE))


@pytest.mark.parametrize("http2", [False, True])
def test_an_answer_stalls_and_goes_on(either: Mitmdump, http2: bool) -> None:
    began = time.monotonic()
    reply = (ask_http2 if http2 else ask)(either.port, STREAM_QUESTION, headers={"x-fault": "stall"})
    assert time.monotonic() - began >= STALL
    assert (reply.ending, reply.raw_body) == ("clean", STREAM)


def test_an_answer_stalls_at_its_place(either: Mitmdump) -> None:
    with conversation(either.port, STREAM_QUESTION, headers={"x-fault": "stall-for-ever"}) as talk:
        talk.read_until(EVENTS[1])
        assert ask(either.port, STREAM_QUESTION).raw_body == STREAM  # meanwhile the rest would have come
        assert talk.read_so_far().raw_body == b"".join(EVENTS[:2])


def test_an_answer_comes_in_pieces(either: Mitmdump) -> None:
    reply = faulty(either.port, "split")
    assert (reply.ending, reply.raw_body) == ("clean", STREAM)
    assert {len(chunk) for chunk in reply.chunks} == {*(len(event) % 7 for event in EVENTS if len(event) % 7), 7}


def test_the_rules_run_over_a_faulty_answer(either: Mitmdump) -> None:
    reply = faulty(either.port, "split-cut", **STRIP)
    assert (reply.ending, reply.raw_body) == ("broken", ROLE)
    assert max(map(len, reply.chunks)) == 100


def test_what_does_not_come_about_is_said(either: Mitmdump) -> None:
    mark = either.log.mark()
    assert faulty(either.port, "far").raw_body == STREAM
    either.log.wait_for("the answer has only 8 events, so that not every fault came about", mark, LIMIT)


def test_first_requests_are_refused(either: Mitmdump) -> None:
    first, second, third = (faulty(either.port, "refused") for _ in range(3))
    for reply in (first, second):
        assert (reply.status, reply.header("retry-after"), reply.ending) == (503, "1", "clean")
        assert reply.json()["error"]["message"]
    assert (third.status, third.raw_body) == (200, STREAM.removesuffix(DONE))


# --- in a replay --------------------------------------------------------------------------------------------------


def test_a_recorded_body_breaks_off_in_its_middle(replay: Mitmdump) -> None:
    reply = faulty(replay.port, "cut", QUESTION)
    assert (reply.status, reply.ending, reply.raw_body) == (200, "broken", BODY[: len(BODY) // 2])


def test_a_recorded_body_comes_in_pieces(replay: Mitmdump) -> None:
    reply = faulty(replay.port, "split", QUESTION)
    assert (reply.ending, reply.raw_body, max(map(len, reply.chunks))) == ("clean", BODY, 7)


def test_a_coded_recording_is_cut_by_its_events(replay: Mitmdump) -> None:
    reply = faulty(replay.port, "cut", {**STREAM_QUESTION, "model": "packed"}, **{"accept-encoding": "gzip"})
    assert (reply.header("content-encoding"), reply.ending, reply.raw_body) == (None, "broken", b"".join(EVENTS[:3]))


def test_the_log_names_the_fault(replay: Mitmdump) -> None:
    mark = replay.log.mark()
    faulty(replay.port, "cut")
    replay.log.wait_for(r"is answered by number 1 of \S+, with the fault \{cut_after: 3\}", mark, LIMIT)


def test_the_command_line_has_its_way(commanded: Mitmdump) -> None:
    assert faulty(commanded.port, "done").status == 429
    began = time.monotonic()
    reply = faulty(commanded.port, "done")
    assert time.monotonic() - began >= 0.2
    assert (reply.status, reply.ending, reply.raw_body) == (200, "broken", b"".join(EVENTS[:4]))
    assert max(map(len, reply.chunks)) == 9


def test_a_fault_without_a_replay_ends_mitmdump(confdir: Path) -> None:
    started = start_mitmdump(reverse_arguments(NOWHERE), {"thinkwire_fault": "cut-after=3"}, confdir)
    assert started.wait_for_end() == 1
    assert "thinkwire_fault: it is for replays, and thinkwire_replay is not set; " in started.log.text
    assert "Traceback" not in started.log.text


# --- in real answers ----------------------------------------------------------------------------------------------


def test_a_fault_that_is_for_replays_does_nothing_and_is_told_once(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    told = "asks for a fault, but nothing is replayed"
    for _ in range(2):
        mark = live.log.mark()
        reply = faulty(live.port, "replay-only")
        assert (reply.ending, reply.raw_body) == ("clean", STREAM)
        live.log.wait_for(r"replay-only \(\S+live.yaml:\d+\): nothing to change", mark, LIMIT)
    assert live.log.text.count(told) == 1
    assert live.log.wait_for(rf".*{told}.*", 0, LIMIT)[0].count("live.yaml:") == 1


def test_the_provider_of_a_refused_request_is_not_asked(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    assert faulty(live.port, "refused-once", QUESTION).status == 429
    assert upstream.requests == []
    assert faulty(live.port, "refused-once", QUESTION).raw_body == BODY


def test_a_websocket_is_not_touched(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([b"no"], status=426, framing="length"))
    headers = {"x-fault": "refused-websocket", "upgrade": "websocket", "connection": "upgrade"}
    with conversation(live.port, method="GET", headers=headers) as talk:
        talk.read_until(b"HTTP/1.1 426")


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/1.0"])
def test_a_body_breaks_off_in_its_middle_however_it_is_framed(
    live: Mitmdump, upstream: Upstream, framing: str, version: str
) -> None:
    upstream.answer(Answer([BODY], headers=[JSON], framing=framing))  # type: ignore[arg-type]
    reply = ask(live.port, QUESTION, headers={"x-fault": "cut"}, version=version)
    assert (reply.status, reply.ending, reply.raw_body) == (200, "broken", BODY[: len(BODY) // 2])


def test_an_answer_that_is_there_as_a_whole_has_its_faults_at_their_places(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([STREAM], headers=[SSE]))
    with conversation(live.port, STREAM_QUESTION, headers={"x-fault": "stall-for-ever"}) as talk:
        talk.read_until(EVENTS[1])
        assert ask(live.port, STREAM_QUESTION).raw_body == STREAM
        assert talk.read_so_far().raw_body == b"".join(EVENTS[:2])
    reply = faulty(live.port, "cut")
    assert (reply.ending, reply.raw_body) == ("broken", b"".join(EVENTS[:3]))


def test_a_cut_does_not_wait_for_the_provider(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer(*EVENTS[:3], Gate(), *EVENTS[3:]))
    reply = faulty(live.port, "cut")
    assert (reply.ending, reply.raw_body) == ("broken", b"".join(EVENTS[:3]))


def test_other_answers_go_on_while_one_stalls(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    with conversation(live.port, STREAM_QUESTION, headers={"x-fault": "stall"}) as talk:
        talk.read_until(EVENTS[1])
        assert ask(live.port, STREAM_QUESTION).raw_body == STREAM
        assert talk.read_reply().raw_body == STREAM


@pytest.mark.parametrize("connection", ["close", "keep-alive"])
def test_a_client_that_leaves_ends_its_stall(live: Mitmdump, upstream: Upstream, connection: str) -> None:
    upstream.answer(stream_answer())
    headers = {"x-fault": "stall-for-ever", "connection": connection}
    with conversation(live.port, STREAM_QUESTION, headers=headers) as talk:
        talk.read_until(EVENTS[1])
        talk.leave()
        talk.read_reply()
    assert faulty(live.port, "stall").raw_body == STREAM


def test_a_coded_answer_that_was_not_asked_for_has_its_faults(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([PACKED[:60], PACKED[60:]], headers=[SSE, ("content-encoding", "gzip")]))
    reply = faulty(live.port, "cut")
    assert upstream.request.header("accept-encoding") == "identity"
    assert (reply.header("content-encoding"), reply.ending, reply.raw_body) == (None, "broken", b"".join(EVENTS[:3]))


def test_an_answer_in_an_unheard_of_coding_passes_and_that_is_said(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([STREAM], headers=[SSE, ("content-encoding", "odd")]))
    mark = live.log.mark()
    assert faulty(live.port, "cut").raw_body == STREAM
    live.log.wait_for("its events cannot be told in content-encoding odd", mark, LIMIT)


def test_an_error_of_the_provider_passes(live: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([b'{"error":{}}'], status=500, headers=[JSON], framing="length"))
    reply = faulty(live.port, "cut")
    assert (reply.status, reply.ending, reply.raw_body) == (500, "clean", b'{"error":{}}')


def test_what_is_recorded_is_what_the_provider_sent(live: Mitmdump, upstream: Upstream, folder: Path) -> None:
    upstream.answer(Answer([STREAM], headers=[SSE]))
    before = len(read_flows(folder / "my.flow"))
    for fault in ("done", "error", "split", "stall", "cut"):
        faulty(live.port, fault)
    upstream.answer(stream_answer(*EVENTS[:4], Gate()))
    faulty(live.port, "cut")
    *whole, cut = read_flows(folder / "my.flow")[before:]
    assert len(whole) == 5
    for flow in whole:
        assert flow.response is not None
        assert (flow.response.raw_content, flow.error) == (STREAM, None)
    assert cut.error is not None
    assert cut.error.msg == "thinkwire cut the answer off, as a fault"


def test_who_observes_makes_no_faults(upstream: Upstream, mitmdump_with: StartMitmdump, folder: Path) -> None:
    options = {"thinkwire_rules": str(folder / "live.yaml"), "thinkwire_observe": "true"}
    observing = mitmdump_with(options)
    upstream.answer(stream_answer())
    for fault in ("cut", "refused", "split"):
        reply = faulty(observing.port, fault)
        assert (reply.status, reply.ending, reply.chunks) == (200, "clean", EVENTS)
