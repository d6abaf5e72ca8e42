"""Recording: both ends as they were, when each chunk came, no secrets; what goes wrong never harms the traffic."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from mitmproxy import http

from recordings.make import CHUNKS
from tests.flows import recorded_flow, write_flows
from tests.wire.aws_messages import event as aws_event

from .bodies import (
    BODY,
    DONE,
    EVENTS,
    JSON,
    QUESTION,
    ROLE,
    SAY_1,
    SSE,
    STREAM,
    STREAM_QUESTION,
    STRIP,
    THINK_1,
    body_answer,
    chunk,
    dump,
    stream_answer,
)
from .client import CHAT, ask, conversation
from .client_http2 import ask_http2
from .fixtures import CHOSEN_BY_HEADER, StartMitmdump
from .mitmdump import PROJECT, Mitmdump, read_offline, reverse_arguments, reverse_mitmdump, start_mitmdump
from .test_offline import read_flows
from .upstream import LIMIT, Answer, Framing, Gate, Upstream
from .websocket import Provider, create, read_answer, running_provider, talk

RULES = f"""\
version: 1
include: [{CHOSEN_BY_HEADER}]
rules:
  - id: translate
    when: {{header: {{x-case: translate}}}}
    request: {{history: reasoning_content}}
  - id: edit
    when: {{header: {{x-case: edit}}}}
    request: {{remove: [user], set: {{thinking: true}}}}
  - id: extract
    when: {{header: {{x-case: extract}}}}
    response: {{extract: think, reasoning: strip}}
"""
CASES = ["no rule", "strip", "strip-all", "rename", "both", "extract"]
AWS = ("content-type", "application/vnd.amazon.eventstream")


@dataclass(frozen=True)
class Recording:
    """A mitmdump that records, and its file."""

    mitmdump: Mitmdump
    path: Path

    @property
    def port(self) -> int:
        return self.mitmdump.port

    def last(self) -> http.HTTPFlow:
        """An exchange is in the file before its client sees the end."""
        return read_flows(self.path)[-1]

    def count(self) -> int:
        return len(read_flows(self.path)) if self.path.exists() else 0


OPTIONS = {"plain": {}, "large": {"stream_large_bodies": "1"}, "observing": {"thinkwire_observe": "true"}}


@pytest.fixture(scope="module")
def recordings(
    session_upstream: Upstream, confdir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Recording]]:
    """One for each of the options above."""
    folder = tmp_path_factory.mktemp("recordings")
    rules = folder / "rules.yaml"
    rules.write_text(RULES)
    with contextlib.ExitStack() as stack:

        def start(name: str) -> Recording:
            options = {**OPTIONS[name], "thinkwire_rules": str(rules), "thinkwire_record": str(folder / name)}
            mitmdump = stack.enter_context(reverse_mitmdump(session_upstream.url, options, confdir))
            return Recording(mitmdump, folder / name)

        yield {name: start(name) for name in OPTIONS}


@pytest.fixture
def recording(upstream: Upstream, recordings: dict[str, Recording]) -> Recording:
    return recordings["plain"]


@pytest.fixture
def large(upstream: Upstream, recordings: dict[str, Recording]) -> Recording:
    """Everything of more than one byte is large."""
    return recordings["large"]


@pytest.fixture(params=["plain", "large", "observing"])
def any_recording(request: pytest.FixtureRequest, upstream: Upstream, recordings: dict[str, Recording]) -> Recording:
    return recordings[request.param]


def answer_of(flow: http.HTTPFlow) -> bytes:
    assert flow.response is not None
    assert flow.response.raw_content is not None
    return flow.response.raw_content


def assert_times_are_good(flow: http.HTTPFlow, count: int | None = None) -> None:
    chunks = flow.metadata[CHUNKS]
    assert [moment for moment, _ in chunks] == sorted(moment for moment, _ in chunks)
    assert all(moment >= 0 and size > 0 for moment, size in chunks)
    assert sum(size for _, size in chunks) == len(answer_of(flow))
    assert count is None or len(chunks) == count


# --- both ends, untouched -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_a_stream_is_recorded_as_it_came(any_recording: Recording, upstream: Upstream, case: str, coding: str) -> None:
    raw = gzip.compress(STREAM, mtime=0) if coding == "gzip" else STREAM
    pieces = [raw[start : start + 50] for start in range(0, len(raw), 50)]
    upstream.answer(Answer(pieces, headers=[SSE, ("content-encoding", coding), ("etag", '"1"')]))
    ask(any_recording.port, STREAM_QUESTION, headers={"x-case": case, "accept-encoding": "gzip", **STRIP})
    flow = any_recording.last()
    assert flow.request.raw_content == dump(STREAM_QUESTION)
    assert flow.request.headers["x-case"] == case
    assert flow.request.headers["x-thinkwire"] == "strip"
    assert flow.request.headers["accept-encoding"] == "gzip"
    assert flow.response is not None
    assert flow.response.headers["content-encoding"] == coding
    assert flow.response.headers["etag"] == '"1"'
    assert answer_of(flow) == raw
    assert flow.error is None
    assert_times_are_good(flow)


@pytest.mark.parametrize("case", CASES)
def test_a_body_is_recorded_as_it_came(any_recording: Recording, upstream: Upstream, case: str) -> None:
    upstream.answer(Answer([BODY[:90], BODY[90:]], headers=[JSON]))
    ask(any_recording.port, QUESTION, headers={"x-case": case})
    flow = any_recording.last()
    assert (flow.request.path, flow.request.raw_content, answer_of(flow)) == (CHAT, dump(QUESTION), BODY)
    assert flow.response is not None
    assert flow.response.headers.fields == ((b"content-type", b"application/json"), (b"transfer-encoding", b"chunked"))
    assert_times_are_good(flow)


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
def test_a_body_that_is_not_read_is_recorded(
    any_recording: Recording, upstream: Upstream, status: int, framing: Framing
) -> None:
    text = b"<html>" + b"x" * 100_000
    upstream.answer(
        Answer([text[:7], text[7:]], status=status, headers=[("content-type", "text/html")], framing=framing)
    )
    reply = ask(any_recording.port, QUESTION)
    assert (reply.status, reply.body) == (status, text)
    assert answer_of(any_recording.last()) == text
    assert_times_are_good(any_recording.last())


def test_a_buffered_body_is_one_chunk_and_an_empty_one_is_none(recording: Recording, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    ask(recording.port, QUESTION)
    assert_times_are_good(recording.last(), 1)
    upstream.answer(body_answer(b""))
    ask(recording.port, QUESTION)
    assert_times_are_good(recording.last(), 0)


def test_the_times_tell_one_chunk_from_the_next(recording: Recording, upstream: Upstream) -> None:
    gate = Gate()
    upstream.answer(stream_answer(ROLE, gate, SAY_1, DONE))
    with conversation(recording.port, STREAM_QUESTION) as under_way:
        under_way.read_until(ROLE)
        gate.open()
        under_way.read_reply()
    first, *others = recording.last().metadata[CHUNKS]
    assert first[1] == len(ROLE)
    assert others[0][0] > first[0]


def test_a_request_that_the_rules_edit_is_recorded_as_the_client_sent_it(
    any_recording: Recording, upstream: Upstream
) -> None:
    asked = {**STREAM_QUESTION, "user": "x" * 100}
    upstream.answer(stream_answer())
    ask(any_recording.port, asked, headers={"x-case": "edit"})
    flow = any_recording.last()
    assert flow.request.raw_content == dump(asked)
    assert flow.request.headers["content-length"] == str(len(dump(asked)))


def test_a_large_request_in_chunks_is_recorded(large: Recording, upstream: Upstream) -> None:
    question = dump({**STREAM_QUESTION, "user": "x" * 200_000})
    pieces = [question[start : start + 50_000] for start in range(0, len(question), 50_000)]
    raw = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    upstream.answer(stream_answer())
    ask(large.port, raw, headers={"transfer-encoding": "chunked", "x-case": "edit"})
    assert large.last().request.raw_content == question
    assert answer_of(large.last()) == STREAM


def test_a_refused_request_is_recorded_without_an_answer(recording: Recording, upstream: Upstream) -> None:
    blocks = [{"type": "redacted_thinking", "data": "b3BhcXVl"}, {"type": "text", "text": "a"}]
    asked = {"model": "m", "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": blocks}]}
    assert ask(recording.port, asked, headers={"x-case": "translate"}).status == 400
    assert upstream.requests == []
    flow = recording.last()
    assert (flow.request.raw_content, flow.response) == (dump(asked), None)
    assert flow.error is not None
    assert "redacted_thinking" in flow.error.msg


def test_an_event_stream_of_aws_is_recorded(recording: Recording, upstream: Upstream) -> None:
    body = b"".join(aws_event("contentBlockDelta", document) for document in BEDROCK)
    upstream.answer(Answer([body[:33], body[33:]], headers=[AWS]))
    reply = ask(recording.port, {"messages": []}, path="/model/m/converse-stream", headers={"x-case": "strip"})
    assert b"Secret" not in reply.body
    assert answer_of(recording.last()) == body
    assert_times_are_good(recording.last())


BEDROCK = (
    b'{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Secret"}}}',
    b'{"contentBlockIndex":1,"delta":{"text":"Hi"}}',
)


def test_http_2_is_recorded(recording: Recording, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    ask_http2(recording.port, STREAM_QUESTION, headers={"x-case": "strip"})
    flow = recording.last()
    assert flow.request.http_version == "HTTP/2.0"
    assert flow.request.json() == STREAM_QUESTION
    assert answer_of(flow) == STREAM
    assert_times_are_good(flow)


def test_what_is_no_llm_api_is_not_recorded(any_recording: Recording, upstream: Upstream) -> None:
    upstream.answer(body_answer(b'{"a":1}'))
    before = any_recording.count()
    for method, path, body in (("GET", "/v1/models", b""), ("POST", "/other", b'{"a":1}'), ("GET", "/logo.png", b"")):
        ask(any_recording.port, body, method=method, path=path)
    assert any_recording.count() == before


# --- ordinary mitmproxy, and the same bytes -----------------------------------------------------------------------


def test_a_recording_read_again_gives_the_live_bytes(upstream: Upstream, confdir: Path, tmp_path: Path) -> None:
    path = tmp_path / "my.flow"
    live = []
    with reverse_mitmdump(upstream.url, {"thinkwire_record": str(path)}, confdir) as mitmdump:
        for headers in ({}, STRIP):
            upstream.answer(stream_answer())
            live.append(ask(mitmdump.port, STREAM_QUESTION, headers=headers).body)
            upstream.answer(body_answer())
            live.append(ask(mitmdump.port, QUESTION, headers=headers).body)
        live.append(ask_http2(mitmdump.port, QUESTION).body)
        ask(mitmdump.port, {**QUESTION, "include_reasoning": False})
    read_offline(["-r", str(path), "-w", str(tmp_path / "out")], {}, confdir)
    assert [answer_of(flow) for flow in read_flows(tmp_path / "out")][: len(live)] == live
    assert [answer_of(flow) for flow in read_flows(path)[:3]] == [STREAM, BODY, STREAM]

    asked = len(upstream.requests)
    options = {"server_replay": str(path), "server_replay_reuse": "true"}
    with reverse_mitmdump(upstream.url, options, confdir) as replaying:
        assert ask(replaying.port, STREAM_QUESTION).body == live[0]
        assert ask(replaying.port, QUESTION).body == live[1]
        assert ask(replaying.port, QUESTION, headers=STRIP).body == live[3]
    assert len(upstream.requests) == asked


def test_a_file_that_exists_is_added_to(upstream: Upstream, confdir: Path, tmp_path: Path) -> None:
    path = tmp_path / "my.flow"
    kept = (PROJECT / "recordings" / "llamacpp-chat-body.flow").read_bytes()
    path.write_bytes(kept + b"12345:torn")
    upstream.answer(stream_answer())
    with reverse_mitmdump(upstream.url, {"thinkwire_record": str(path)}, confdir) as mitmdump:
        assert "its last flow was never written to its end" in mitmdump.log.text
        ask(mitmdump.port, STREAM_QUESTION)
    assert path.read_bytes().startswith(kept)
    _, added = read_flows(path)
    assert answer_of(added) == STREAM


# --- WebSockets ---------------------------------------------------------------------------------------------------

MESSAGES = [
    json.dumps({"type": "response.created", "response": {"id": "r1", "output": []}}),
    json.dumps({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "Secret"}),
    json.dumps({"type": "response.output_text.delta", "output_index": 1, "delta": "Loud"}),
    json.dumps({"type": "response.completed", "response": {"id": "r1", "output": [{"type": "reasoning", "id": "x"}]}}),
]


@pytest.fixture(scope="module")
def socket_recording(confdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Recording, Provider]]:
    path = tmp_path_factory.mktemp("socket") / "my.flow"
    with (
        running_provider() as provider,
        reverse_mitmdump(provider.url, {"thinkwire_record": str(path)}, confdir) as mitmdump,
    ):
        yield Recording(mitmdump, path), provider


def test_the_messages_of_a_web_socket_are_recorded_as_they_came(
    socket_recording: tuple[Recording, Provider], confdir: Path, tmp_path: Path
) -> None:
    recording, provider = socket_recording
    provider.forget()
    provider.respond_with(lambda message: MESSAGES)
    asked = create(include_reasoning=False)
    mark = recording.mitmdump.log.mark()
    with talk(recording.port, headers={"authorization": "Bearer of-a-web-socket"}) as connection:
        connection.send(asked)
        live = read_answer(connection)
    assert provider.messages != [asked]
    assert live != MESSAGES
    recording.mitmdump.log.wait_for("client disconnect", mark, LIMIT)
    flow = recording.last()
    assert flow.websocket is not None
    assert [message.text for message in flow.websocket.messages] == [asked, *MESSAGES]
    assert not any(message.dropped for message in flow.websocket.messages)
    assert flow.websocket.closed_by_client
    assert b"of-a-web-socket" not in recording.path.read_bytes()

    read_offline(["-r", str(recording.path), "-w", str(tmp_path / "out")], {}, confdir)
    again = read_flows(tmp_path / "out")[-1].websocket
    assert again is not None
    assert [message.text for message in again.messages if not message.from_client and not message.dropped] == live


def test_a_web_socket_that_breaks_off_is_recorded(socket_recording: tuple[Recording, Provider]) -> None:
    recording, provider = socket_recording
    provider.forget()
    provider.respond_with(lambda message: MESSAGES)
    provider.closes = True
    mark = recording.mitmdump.log.mark()
    with talk(recording.port) as connection:
        connection.send(create())
        read_answer(connection)
    recording.mitmdump.log.wait_for("client disconnect", mark, LIMIT)
    flow = recording.last()
    assert flow.websocket is not None
    assert flow.websocket.close_code == 1011


# --- secrets ------------------------------------------------------------------------------------------------------

SECRETS = {
    "authorization": "Bearer sk-secret-0123456789abcdefghij",
    "x-api-key": "secret-of-anthropic",
    "api-key": "secret-of-azure",
    "x-goog-api-key": "secret-of-google",
    "proxy-authorization": "Basic c2VjcmV0OnNlY3JldA==",
    "cookie": "session=secret-of-a-browser",
    "x-amz-security-token": "secret-of-aws",
    "openai-organization": "org-secret",
    "x-our-ticket": "secret-of-the-house",
}
CAME = [
    ("set-cookie", "__cf_bm=secret-of-a-gateway; path=/"),
    ("openai-organization", "secret-of-an-account"),
    ("anthropic-organization-id", "00000000-secret"),
]
CHUNKED = [(0.01 * n, event) for n, event in enumerate(EVENTS)]
QUERY = "?key=AIzaSecret&api_key=query-secret&access_token=another-secret&alt=sse"


@pytest.mark.parametrize("ending", ["stream", "body", "error", "broken", "left"])
def test_no_secret_is_in_the_file(upstream: Upstream, mitmdump_with: StartMitmdump, confdir: Path, ending: str) -> None:
    path = confdir / "secrets.flow"
    options = {"thinkwire_record": str(path), "thinkwire_record_redact": "x-our-ticket"}
    mitmdump = mitmdump_with(options)
    error = dump({"error": {"message": f"Incorrect API key provided: {SECRETS['authorization'][7:]}. AIzaSecret"}})
    gate = Gate()
    answer = {
        "stream": Answer(EVENTS, headers=[SSE, *CAME]),
        "body": Answer([BODY], headers=[JSON, *CAME], framing="length"),
        "error": Answer([error], status=401, headers=[JSON, *CAME], framing="length"),
        "broken": Answer(EVENTS[:3], headers=[SSE, *CAME], ending="cut"),
        "left": Answer([ROLE, THINK_1, gate], headers=[SSE, *CAME]),
    }[ending]
    upstream.answer(answer)
    mark = mitmdump.log.mark()
    with conversation(mitmdump.port, STREAM_QUESTION, path=CHAT + QUERY, headers=SECRETS) as under_way:
        under_way.read_until(THINK_1[-20:] if ending == "left" else b"HTTP/1.1")
        if ending != "left":
            under_way.read_reply()
    mitmdump.log.wait_for("broke off" if ending in ("left", "broken") else "rename", mark, LIMIT)
    gate.open()
    raw = path.read_bytes()
    assert raw
    for secret in [*SECRETS.values(), *(value for _, value in CAME), "AIza", "query-secret", "another-secret", "sk-s"]:
        assert secret.encode() not in raw
    for part in (b"secret-of", b"org-secret", b"c2VjcmV0OnNlY3JldA"):
        assert part not in raw
    flow = read_flows(path)[-1]
    assert [name.decode() for name, _ in flow.request.headers.fields if name.decode() in SECRETS] == list(SECRETS)
    assert flow.request.headers["authorization"] == "Bearer [removed]"
    assert flow.request.path == f"{CHAT}?key=[removed]&api_key=[removed]&access_token=[removed]&alt=sse"
    assert flow.client_conn.peername == ("127.0.0.1", 0)
    assert flow.server_conn.address == ("127.0.0.1", upstream.port)


def test_an_existing_file_becomes_a_recording_without_secrets(tmp_path: Path, confdir: Path) -> None:
    """`-n -r FILE --set thinkwire_record=FILE`: both ends untouched, and nothing left that was a secret."""
    whole = recorded_flow(STREAM_QUESTION, url=f"https://api.test{CHAT}{QUERY}", headers=[SSE, *CAME], chunks=CHUNKED)
    cut = recorded_flow(STREAM_QUESTION, headers=[SSE], chunks=CHUNKED[:2], timed=False, error="peer closed")
    whole.request.headers.update(SECRETS)
    source, path = (
        write_flows(tmp_path / "in.flow", whole, cut, recorded_flow(url="https://shop.test/")),
        tmp_path / "my",
    )
    options = {"thinkwire_record": str(path), "thinkwire_rules": str(PROJECT / "rules" / "strip.yaml")}
    read_offline(["-r", str(source)], {**options, "thinkwire_record_redact": "x-our-ticket"}, confdir)
    first, second = read_flows(path)
    assert (answer_of(first), answer_of(second)) == (STREAM, EVENTS[0] + EVENTS[1])
    assert first.metadata[CHUNKS] == [[at, len(chunk)] for at, chunk in CHUNKED]
    assert CHUNKS not in second.metadata
    assert second.error is not None
    assert first.request.headers["authorization"] == "Bearer [removed]"
    assert b"ecret" not in path.read_bytes()


def test_a_file_cannot_be_recorded_to_while_it_is_read(tmp_path: Path, confdir: Path) -> None:
    path = write_flows(tmp_path / "my.flow", recorded_flow(STREAM_QUESTION))
    before = path.read_bytes()
    started = start_mitmdump(["-n", "-r", str(path)], {"thinkwire_record": str(path)}, confdir)
    assert started.wait_for_end() == 1
    assert f"thinkwire_record: {path} cannot be written: it is being read, name another file" in started.log.text
    assert path.read_bytes() == before


def test_the_certificates_of_a_connection_are_not_in_the_file(recording: Recording, upstream: Upstream) -> None:
    upstream.answer(stream_answer())
    ask_http2(recording.port, STREAM_QUESTION)
    assert b"CERTIFICATE" not in recording.path.read_bytes()
    assert recording.last().client_conn.tls_established


# --- what breaks off ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["no rule", "strip"])
def test_a_stream_that_breaks_off_is_recorded_as_far_as_it_came(
    recording: Recording, upstream: Upstream, case: str
) -> None:
    upstream.answer(Answer(EVENTS[:4], headers=[SSE], ending="cut"))
    assert ask(recording.port, STREAM_QUESTION, headers={"x-case": case}).ending == "broken"
    flow = recording.last()
    assert flow.error is not None
    assert answer_of(flow) == b"".join(EVENTS[:4])
    assert_times_are_good(flow)


def test_a_provider_that_hangs_up_is_recorded(recording: Recording, upstream: Upstream) -> None:
    upstream.answer(Answer([BODY[:50]], headers=[JSON], framing="length", length=len(BODY), ending="cut"))
    assert ask(recording.port, QUESTION).status == 502
    flow = recording.last()
    assert flow.error is not None
    assert flow.metadata[CHUNKS] == []
    assert flow.request.raw_content == dump(QUESTION)


def test_a_client_that_leaves_is_recorded(recording: Recording, upstream: Upstream) -> None:
    upstream.answer(Answer([ROLE, THINK_1], headers=[SSE], ending="left"))
    mark = recording.mitmdump.log.mark()
    with conversation(recording.port, STREAM_QUESTION, headers={"x-case": "rename"}) as under_way:
        under_way.read_until(b"Count the letters, ")
    recording.mitmdump.log.wait_for("broke off", mark, LIMIT)
    flow = recording.last()
    assert flow.error is not None
    assert "disconnected" in flow.error.msg
    assert answer_of(flow) == ROLE + THINK_1
    assert_times_are_good(flow)


def test_what_is_complete_outlives_a_kill(upstream: Upstream, confdir: Path, tmp_path: Path) -> None:
    path = tmp_path / "my.flow"
    started = start_mitmdump(reverse_arguments(upstream.url), {"thinkwire_record": str(path)}, confdir)
    try:
        started.wait_until_listening()
        upstream.answer(stream_answer())
        ask(started.port, STREAM_QUESTION)
        gate = Gate()
        upstream.answer(stream_answer(ROLE, gate))
        with conversation(started.port, STREAM_QUESTION) as under_way:
            under_way.read_until(ROLE)
            os.kill(started.pid, signal.SIGKILL)
            assert started.wait_for_end() == -signal.SIGKILL
        gate.open()
    finally:
        started.stop()
    (flow,) = read_flows(path)
    assert answer_of(flow) == STREAM


def test_what_is_under_way_is_recorded_when_mitmproxy_is_stopped(
    upstream: Upstream, confdir: Path, tmp_path: Path
) -> None:
    path = tmp_path / "my.flow"
    gate = Gate()
    upstream.answer(stream_answer(ROLE, gate))
    with (
        reverse_mitmdump(upstream.url, {"thinkwire_record": str(path)}, confdir) as mitmdump,
        conversation(mitmdump.port, STREAM_QUESTION) as under_way,
    ):
        under_way.read_until(ROLE)
        mitmdump.stop()
    gate.open()
    (flow,) = read_flows(path)
    assert flow.error is not None
    assert answer_of(flow) == ROLE


# --- a file that cannot be written --------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["", "none/my.flow", "rules.yaml"])
def test_a_file_that_cannot_be_written_ends_the_start(
    upstream: Upstream, confdir: Path, tmp_path: Path, target: str
) -> None:
    (tmp_path / "rules.yaml").write_text("version: 1\nrules: []\n")
    path = tmp_path / target
    started = start_mitmdump(reverse_arguments(upstream.url), {"thinkwire_record": str(path)}, confdir)
    assert started.wait_for_end() == 1
    assert f"thinkwire_record: {path} cannot be written" in started.log.text
    assert "Traceback" not in started.log.text
    assert (tmp_path / "rules.yaml").read_text() == "version: 1\nrules: []\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_full_disk_is_logged_once_and_harms_nothing(upstream: Upstream, confdir: Path) -> None:
    upstream.answer(Answer([chunk({"content": "x"}), *EVENTS], headers=[SSE]))
    with reverse_mitmdump(upstream.url, {"thinkwire_record": "/dev/full"}, confdir) as mitmdump:
        for _ in range(3):
            reply = ask(mitmdump.port, STREAM_QUESTION)
            assert (reply.status, reply.ending) == (200, "clean")
            assert reply.body.endswith(DONE)
        assert mitmdump.log.text.count("/dev/full: cannot be written") == 1
        assert "Traceback" not in mitmdump.log.text
