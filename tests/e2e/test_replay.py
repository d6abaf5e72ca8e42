"""Recordings that answer instead of the provider: the same bytes, in the same chunks, at the same times."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http as flows

from recordings.make import CHUNKS, write_recording
from tests.corpus import LIVE, needs_corpus
from tests.flows import har, recorded_flow, write_flows

from .bodies import EVENTS, JSON, SSE, STREAM, STREAM_QUESTION, STRIP
from .client import CHAT, Reply, ask, conversation
from .client_http2 import ask_http2
from .mitmdump import PROJECT, Mitmdump, reverse_arguments, start_mitmdump
from .test_offline import read_flows
from .test_recordings import ask_as_recorded
from .upstream import LIMIT, Upstream

RECORDINGS = sorted((PROJECT / "recordings").glob("*.flow"))
NOWHERE = "http://127.0.0.1:1"
HOST = "https://api.nowhere.test"
NEVER = 3600.0
LONG = 2.5
"""Seconds of an answer that is worth being timed."""
RENAMED = STREAM.replace(b'"reasoning_content":', b'"reasoning":')
PACKED = gzip.compress(STREAM)

SYNTHETIC = {
    "/chat": recorded_flow(
        STREAM_QUESTION, url=HOST + CHAT, headers=[SSE], chunks=[(0.01 * n, event) for n, event in enumerate(EVENTS)]
    ),
    "/slow": recorded_flow(url=f"{HOST}/slow", headers=[SSE], chunks=[(0.0, EVENTS[0]), (NEVER, EVENTS[1])]),
    "/cut": recorded_flow(url=f"{HOST}/cut", headers=[SSE], chunks=[(0.0, EVENTS[0]), (0.01, EVENTS[1])], error="x"),
    "/cut-length": recorded_flow(
        url=f"{HOST}/cut-length", headers=[SSE, ("content-length", "999")], chunks=[(0.0, EVENTS[0])], error="x"
    ),
    "/refused": recorded_flow(url=f"{HOST}/refused", error="connection refused"),
    "/turn 1": recorded_flow({"n": 1}, url=f"{HOST}/turn", chunks=[(0.0, b"1")]),
    "/turn 2": recorded_flow({"n": 2}, url=f"{HOST}/turn", chunks=[(0.0, b"2")]),
    "/empty": recorded_flow(url=f"{HOST}/empty", status=204, headers=[("x-a", "1")], chunks=[]),
    "/unchanged": recorded_flow(method="GET", url=f"{HOST}/unchanged", status=304, headers=[("ETag", "a")], chunks=[]),
    "/head": recorded_flow(
        method="HEAD", url=f"{HOST}/head", headers=[JSON, ("content-length", "90")], chunks=[], timed=False
    ),
    "/limit": recorded_flow(
        url=f"{HOST}/limit",
        status=429,
        headers=[("X-Limit", "0"), JSON, ("x-limit", "1"), ("ETag", "b"), ("content-length", "14")],
        chunks=[(0.01, b'{"error": "a"}')],
    ),
    "/packed": recorded_flow(
        url=f"{HOST}/packed",
        headers=[SSE, ("content-encoding", "gzip")],
        chunks=[(0.0, PACKED[:40]), (0.01, PACKED[40:])],
    ),
    "/untimed": recorded_flow(
        url=f"{HOST}/untimed", headers=[SSE], chunks=[(0.0, event) for event in EVENTS], timed=False
    ),
    "/large": recorded_flow(url=f"{HOST}/large", headers=[SSE], chunks=[(0.0, b"x" * 16384) for _ in range(20)]),
}


def start_replay(
    files: list[Path], options: dict[str, str], confdir: Path, arguments: list[str] | None = None
) -> Iterator[Mitmdump]:
    named = [word for file in files for word in ("--set", f"thinkwire_replay={file}")]
    started = start_mitmdump([*(arguments or reverse_arguments(NOWHERE)), *named], options, confdir)
    try:
        started.wait_until_listening()
        yield started
    finally:
        started.stop()
    assert "Traceback" not in started.log.text
    assert "please report this" not in started.log.text


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds `synthetic.flow`, `saved.har`, and `none.yaml`, which has no rules."""
    folder = tmp_path_factory.mktemp("replay")
    write_flows(folder / "synthetic.flow", *SYNTHETIC.values())
    (folder / "saved.har").write_text(har(f"{HOST}/har", json.dumps(STREAM_QUESTION), STREAM.decode(), [SSE]))
    (folder / "none.yaml").write_text("version: 1\nrules: []\n")
    return folder


@pytest.fixture(scope="module")
def synthetic(folder: Path) -> list[Path]:
    return [folder / "synthetic.flow"]


@pytest.fixture(scope="module")
def untouched(folder: Path, chosen_from: list[Path], confdir: Path) -> Iterator[Mitmdump]:
    """No rules, and quicker than recorded."""
    files = [*RECORDINGS, folder / "synthetic.flow", folder / "saved.har", *chosen_from]
    yield from start_replay(
        files, {"thinkwire_rules": str(folder / "none.yaml"), "thinkwire_replay_speed": "50"}, confdir
    )


@pytest.fixture(scope="module")
def chosen_from(folder: Path) -> list[Path]:
    """What the recordings of llama.cpp were chosen from, if it is here."""
    names = sorted(path.name.partition(".")[0] for path in LIVE.glob("*.timing.json"))
    return [write_recording(LIVE, name, folder) for name in names]


@pytest.fixture(scope="module")
def renaming(synthetic: list[Path], confdir: Path) -> Iterator[Mitmdump]:
    """The default rules, without waiting."""
    yield from start_replay([*RECORDINGS, *synthetic], {"thinkwire_replay_speed": "0"}, confdir)


def repeat(port: int, flow: flows.HTTPFlow) -> Reply:
    """Ask what was asked."""
    return ask(port, flow.request.content or b"", method=flow.request.method, path=flow.request.path)


def recorded_body(flow: flows.HTTPFlow) -> bytes:
    assert flow.response is not None
    return flow.response.raw_content or b""


def recorded_chunks(flow: flows.HTTPFlow) -> list[bytes]:
    body, chunks = recorded_body(flow), []
    for _, size in flow.metadata[CHUNKS]:
        chunks.append(body[:size])
        body = body[size:]
    return chunks


def borders(chunks: list[bytes]) -> set[int]:
    """Where one chunk ends. At more than the recorded speed mitmproxy reads several at once, and may cut the last."""
    return set(accumulate(map(len, chunks)))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_is_replayed_chunk_for_chunk(untouched: Mitmdump, path: Path) -> None:
    for number, flow in enumerate(read_flows(path), start=1):
        mark = untouched.log.mark()
        reply = repeat(untouched.port, flow)
        assert (reply.status, reply.ending, reply.raw_body) == (200, "clean", recorded_body(flow))
        if reply.header("transfer-encoding") == "chunked":
            assert borders(recorded_chunks(flow)) <= borders(reply.chunks)
        asked = flow.request.path.partition("?")[0]
        untouched.log.wait_for(f"POST {asked} is answered by number {number} of {path}", mark, LIMIT)


def arrivals(port: int, flow: flows.HTTPFlow) -> tuple[int, list[tuple[float, bytes]]]:
    """The status, and each piece that comes with its time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    connection.request(flow.request.method, flow.request.path, flow.request.content, {"content-type": JSON[1]})
    response = connection.getresponse()
    chunks = []
    while chunk := response.read1(65536):
        chunks.append((time.monotonic(), chunk))
    connection.close()
    return response.status, chunks


def gaps_off(chunks: list[tuple[float, bytes]], noted: list[list[float]]) -> list[float]:
    """By how many seconds each gap differs from the recorded one."""
    arrived = [at for at, _ in chunks]
    recorded = [at for at, _ in noted]
    return [abs((arrived[n] - arrived[n - 1]) - (recorded[n] - recorded[n - 1])) for n in range(1, len(recorded))]


@needs_corpus
def test_everything_that_was_recorded_is_replayed_chunk_for_chunk(untouched: Mitmdump, chosen_from: list[Path]) -> None:
    asked = [flow for path in chosen_from for flow in read_flows(path)]
    for flow, (status, chunks) in zip(asked, hear_at_once(untouched.port, asked), strict=True):
        assert flow.response is not None
        assert status == flow.response.status_code
        assert b"".join(chunk for _, chunk in chunks) == recorded_body(flow)
        if flow.metadata[CHUNKS]:
            assert borders(recorded_chunks(flow)) <= borders([chunk for _, chunk in chunks])


def test_chunks_come_at_the_times_at_which_they_were_recorded(folder: Path, confdir: Path) -> None:
    """At speed 1, several at once: 95 of 100 gaps are within 20 ms of the recorded ones."""
    asked = [flow for path in RECORDINGS for flow in read_flows(path) if LONG <= last_chunk(flow) < 2 * LONG]
    assert len(asked) >= 4
    for mitmdump in start_replay(RECORDINGS, {"thinkwire_rules": str(folder / "none.yaml")}, confdir):
        for _ in range(5):  # whatever else this machine does may delay a whole run
            answers = hear_at_once(mitmdump.port, asked)
            assert all(
                [chunk for _, chunk in chunks] == recorded_chunks(flow)
                for flow, (_, chunks) in zip(asked, answers, strict=True)
            )
            off = sorted(
                gap
                for flow, (_, chunks) in zip(asked, answers, strict=True)
                for gap in gaps_off(chunks, flow.metadata[CHUNKS])
            )
            if off[len(off) * 95 // 100] <= 0.020:
                return
    pytest.fail(f"gaps differ by {off[len(off) // 2]:.3f} s at the median, {off[len(off) * 95 // 100]:.3f} s at p95")


def hear_at_once(port: int, asked: list[flows.HTTPFlow]) -> list[tuple[int, list[tuple[float, bytes]]]]:
    with ThreadPoolExecutor(max(1, len(asked))) as pool:
        return list(pool.map(partial(arrivals, port), asked))


def last_chunk(flow: flows.HTTPFlow) -> float:
    return max((at for at, _ in flow.metadata[CHUNKS]), default=0.0)


def test_chunks_of_16_kib_stay_whole(untouched: Mitmdump) -> None:
    assert ask(untouched.port, path="/large").chunks == [b"x" * 16384] * 20


def test_rules_run_over_a_replay(renaming: Mitmdump) -> None:
    question = {**STREAM_QUESTION, "include_reasoning": True}
    reply = ask(renaming.port, question, headers={"host": "api.nowhere.test"})
    assert reply.raw_body == RENAMED
    assert len(reply.chunks) == len(EVENTS)
    mark = renaming.log.mark()
    reply = ask(renaming.port, {**STREAM_QUESTION, "include_reasoning": False})
    assert b"reasoning" not in reply.raw_body
    assert renaming.log.wait_for("default-hide.*", mark, LIMIT)[0].count("request edited") == 1


def test_strip_runs_over_a_recording(renaming: Mitmdump) -> None:
    (flow,) = read_flows(PROJECT / "recordings" / "llamacpp-chat-stream-n2.flow")
    reply = ask(renaming.port, flow.request.content or b"", headers=STRIP)
    assert (reply.status, reply.ending) == (200, "clean")
    assert b"reasoning" not in reply.raw_body


def test_answers_keep_their_headers_and_get_no_others(untouched: Mitmdump) -> None:
    reply = ask(untouched.port, path="/limit")
    assert (reply.status, reply.raw_body) == (429, b'{"error": "a"}')
    assert reply.headers == [
        ("X-Limit", "0"),
        JSON,
        ("x-limit", "1"),
        ("ETag", "b"),
        ("content-length", "14"),
    ]


@pytest.mark.parametrize(
    ("method", "path", "status", "header"),
    [
        ("POST", "/empty", 204, ("x-a", "1")),
        ("GET", "/unchanged", 304, ("ETag", "a")),
        ("HEAD", "/head", 200, ("content-length", "90")),
    ],
)
def test_answers_without_body_have_none(
    untouched: Mitmdump, method: str, path: str, status: int, header: tuple[str, str]
) -> None:
    reply = ask(untouched.port, method=method, path=path)
    assert (reply.status, reply.raw_body, reply.ending) == (status, b"", "clean")
    assert header in reply.headers


def test_a_flow_without_times_is_one_chunk(untouched: Mitmdump) -> None:
    assert ask(untouched.port, path="/untimed").chunks == [STREAM]


def test_a_har_file_is_served(untouched: Mitmdump) -> None:
    reply = ask(untouched.port, STREAM_QUESTION, path="/har")
    assert (reply.status, reply.ending, reply.raw_body) == (200, "clean", STREAM)
    assert SSE in reply.headers


def test_a_coded_answer_is_sent_as_recorded_to_who_accepts_it(untouched: Mitmdump) -> None:
    reply = ask(untouched.port, path="/packed", headers={"accept-encoding": "br, gzip;q=0.5"})
    assert reply.chunks == [PACKED[:40], PACKED[40:]]
    assert reply.header("content-encoding") == "gzip"
    for headers in ({}, {"accept-encoding": "br, gzip;q=0"}):
        reply = ask(untouched.port, path="/packed", headers=headers)
        assert reply.raw_body == STREAM
        assert reply.header("content-encoding") is None


def test_equals_are_used_in_turn(untouched: Mitmdump) -> None:
    bodies = [ask(untouched.port, {"n": n}, path="/turn").raw_body for n in (3, 3, 2, 3, 1)]
    assert bodies == [b"1", b"2", b"2", b"1", b"1"]


@pytest.mark.parametrize(
    ("path", "text_of"),
    [
        ("/v1/chat/completion", lambda body: body["error"]["message"]),
        ("/other/v1/messages", lambda body: body["error"]["message"] if body["type"] == "error" else ""),
    ],
)
def test_a_request_that_nothing_fits_is_told_the_nearest(untouched: Mitmdump, path: str, text_of: Any) -> None:
    mark = untouched.log.mark()
    reply = ask(untouched.port, STREAM_QUESTION, path=path)
    assert reply.status == 404
    message = text_of(reply.json())
    assert message.startswith(f"thinkwire has no recording for POST {path}. Nearest: number ")
    assert re.search(r" is POST \S+ \(another path\)", message)
    assert untouched.log.wait_for(r"thinkwire has no recording for.*", mark, LIMIT)[0] == message


def test_what_does_not_fit_a_head_request_has_no_body(untouched: Mitmdump) -> None:
    reply = ask(untouched.port, method="HEAD", path="/v9")
    assert (reply.status, reply.raw_body) == (404, b"")


@pytest.mark.parametrize(
    "headers",
    [
        {"x-odd": "a\xe4\xff b", "expect": "100-continue"},
        {"transfer-encoding": "chunked"},
        {"content-encoding": "gzip"},
        {"x-large": "x" * 60_000},
        {"x-thinkwire-replay": "guessed"},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_any_request_that_mitmproxy_takes_is_answered(untouched: Mitmdump, headers: dict[str, str]) -> None:
    mark = untouched.log.mark()
    body = json.dumps(STREAM_QUESTION).encode()
    if "content-encoding" in headers:
        body = gzip.compress(body)
    if "transfer-encoding" in headers:
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    with conversation(untouched.port, body, headers=headers) as talk:
        talk.read_until(b"0\r\n\r\n")
    untouched.log.wait_for(rf"POST {CHAT} is answered by number 1 of \S*synthetic.flow", mark, LIMIT)


def test_one_answer_does_not_wait_for_another_and_a_client_may_leave(untouched: Mitmdump) -> None:
    with conversation(untouched.port, path="/slow") as slow, conversation(untouched.port, path="/slow") as other:
        slow.read_until(EVENTS[0])
        other.read_until(EVENTS[0])
        assert ask(untouched.port, STREAM_QUESTION).raw_body == STREAM
        mark = untouched.log.mark()
    # The replay's end of each connection is closed with the client's.
    untouched.log.wait_for(r"(?s)server disconnect.*server disconnect", mark, LIMIT)
    assert ask(untouched.port, STREAM_QUESTION).raw_body == STREAM


@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/1.0"])
@pytest.mark.parametrize(("path", "body"), [("/cut", EVENTS[0] + EVENTS[1]), ("/cut-length", EVENTS[0])])
def test_what_broke_off_breaks_off_again(untouched: Mitmdump, path: str, body: bytes, version: str) -> None:
    reply = ask(untouched.port, path=path, version=version)
    assert (reply.status, reply.raw_body, reply.ending) == (200, body, "broken")


def test_what_never_began_is_a_bad_gateway(untouched: Mitmdump) -> None:
    assert ask(untouched.port, path="/refused").status == 502


@pytest.mark.parametrize("fixture", ["untouched", "renaming"])
def test_an_http_1_0_client_gets_no_chunks(request: pytest.FixtureRequest, fixture: str) -> None:
    mitmdump: Mitmdump = request.getfixturevalue(fixture)
    for path, body in (("/untimed", STREAM), ("/turn", b"1")):
        reply = ask(mitmdump.port, {"n": 1}, path=path, version="HTTP/1.0")
        assert (reply.status, reply.ending) == (200, "clean")
        assert reply.raw_body.replace(b'"reasoning":', b'"reasoning_content":') == body
        assert reply.header("transfer-encoding") is None


def test_http_2_clients_are_answered(renaming: Mitmdump) -> None:
    reply = ask_http2(renaming.port, STREAM_QUESTION)
    assert (reply.status, reply.ending) == (200, "clean")
    assert reply.raw_body == RENAMED
    assert ask_http2(renaming.port, {}, path="/cut").ending == "broken"


def ask_through(port: int, host: str) -> tuple[int, bytes]:
    return ask_as_recorded(port, recorded_flow(STREAM_QUESTION, url=f"https://{host}{CHAT}"))


def test_a_regular_proxy_replays_for_any_host_and_rules_see_which(
    folder: Path, synthetic: list[Path], confdir: Path
) -> None:
    rules = folder / "host.yaml"
    rules.write_text(
        "version: 1\nrules:\n"
        "  - id: here\n    when: {host: api.elsewhere.test, path: /v1/chat/completions}\n"
        "    response: {reasoning: {rename: reasoning}}\n"
    )
    saved = folder / "saved.flow"
    arguments = ["--mode", "regular", "--listen-host", "127.0.0.1", "--listen-port", "0", "-w", str(saved)]
    options = {"thinkwire_rules": str(rules), "thinkwire_replay_speed": "0"}
    for mitmdump in start_replay(synthetic, options, confdir, arguments):
        assert ask_through(mitmdump.port, "api.nowhere.test") == (200, STREAM)
        assert ask_through(mitmdump.port, "api.elsewhere.test") == (200, RENAMED)
    first, second = read_flows(saved)
    assert (first.request.pretty_url, second.request.pretty_url) == (
        f"https://api.nowhere.test{CHAT}",
        f"https://api.elsewhere.test{CHAT}",
    )
    assert not [name for name in first.request.headers if name.startswith("x-thinkwire")]
    assert first.request.headers["content-type"] == "application/json"


def test_nothing_is_asked_of_the_provider(
    upstream: Upstream, synthetic: list[Path], confdir: Path, folder: Path
) -> None:
    # Large requests are buffered, too: only their bodies say what is asked.
    options = {"thinkwire_replay_speed": "0", "connection_strategy": "eager", "stream_large_bodies": "1k"}
    for mitmdump in start_replay(synthetic, options, confdir, reverse_arguments(upstream.url)):
        question = {**STREAM_QUESTION, "user": "x" * 5000}
        assert b"reasoning" not in ask(mitmdump.port, question, headers=STRIP).raw_body
        assert ask(mitmdump.port, question, path="/v9").status == 404
    assert upstream.requests == []


def test_recordings_that_cannot_be_replayed_end_mitmdump(confdir: Path) -> None:
    arguments = [
        *reverse_arguments(NOWHERE),
        "--set",
        "thinkwire_replay=none.flow",
        "--set",
        "thinkwire_replay=README.md",
    ]
    started = start_mitmdump(arguments, {}, confdir)
    assert started.wait_for_end() == 1
    assert (
        "cannot read none.flow: no such file or directory\nREADME.md is neither a mitmproxy flow file nor a HAR file\n"
    ) in started.log.text
    assert "Traceback" not in started.log.text
