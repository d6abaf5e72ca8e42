"""Trap 4: flows that are read from a file, or replayed from one, are rewritten to the same bytes as the live ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from mitmproxy import http, io
from mitmproxy.test import tflow

from .bodies import BODY, EVENTS, JSON, QUESTION, SSE, STREAM, STREAM_QUESTION, STRIP, body_answer, dump
from .client import CHAT, ask
from .fixtures import CHOSEN_BY_HEADER
from .mitmdump import Mitmdump, read_offline, reverse_mitmdump
from .upstream import Answer, Upstream


def recorded_flow(question: bytes, headers: list[tuple[str, str]], body: bytes, kind: tuple[str, str]) -> http.HTTPFlow:
    """A flow as mitmproxy would have saved it without the addon."""
    flow = tflow.tflow(resp=True)
    flow.request = http.Request.make("POST", f"http://127.0.0.1:9{CHAT}", question, header_fields(*headers, JSON))
    flow.response = http.Response.make(200, body, header_fields(kind))
    return flow


def header_fields(*pairs: tuple[str, str]) -> http.Headers:
    return http.Headers([(name.encode(), value.encode()) for name, value in pairs])


def write_flows(path: Path, *flows: http.HTTPFlow) -> None:
    with path.open("wb") as file:
        writer = io.FlowWriter(file)  # type: ignore[no-untyped-call]
        for flow in flows:
            writer.add(flow)


def read_flows(path: Path) -> list[http.HTTPFlow]:
    with path.open("rb") as file:
        flows = list(io.FlowReader(file).stream())
    assert all(isinstance(flow, http.HTTPFlow) for flow in flows)
    return [flow for flow in flows if isinstance(flow, http.HTTPFlow)]


CASES = ["rename", "strip", "strip-all", "both", "none"]
Offline = dict[str, tuple[bytes, bytes]]


@pytest.fixture(scope="module")
def offline(confdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Offline:
    """A stream and a body for each case, as `mitmdump -n -r` leaves them."""
    folder = tmp_path_factory.mktemp("offline")
    flows = []
    for case in CASES:
        flows.append(recorded_flow(dump(STREAM_QUESTION), [("x-case", case)], STREAM, SSE))
        flows.append(recorded_flow(dump(QUESTION), [("x-case", case)], BODY, JSON))
    write_flows(folder / "in", *flows)
    arguments = ["-r", str(folder / "in"), "-w", str(folder / "out")]
    read_offline(arguments, {"thinkwire_rules": str(CHOSEN_BY_HEADER)}, confdir)
    bodies = [flow.response.raw_content for flow in read_flows(folder / "out") if flow.response]
    pairs = itertools.batched((body or b"" for body in bodies), 2)
    return {case: (stream, body) for case, (stream, body) in zip(CASES, pairs, strict=True)}


@pytest.mark.parametrize("case", CASES)
def test_flows_read_from_a_file_give_the_live_bytes(
    chosen: Mitmdump, upstream: Upstream, offline: Offline, case: str
) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE]))
    stream = ask(chosen.port, STREAM_QUESTION, headers={"x-case": case}).raw_body
    upstream.answer(body_answer())
    body = ask(chosen.port, QUESTION, headers={"x-case": case}).raw_body
    assert offline[case] == (stream, body)
    assert (stream == STREAM) == (body == BODY) == (case == "none")


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
def test_a_server_replay_gives_the_live_bytes(
    proxy: Mitmdump, upstream: Upstream, replaying: Mitmdump, headers: dict[str, str]
) -> None:
    upstream.answer(Answer(EVENTS, headers=[SSE]))
    live = ask(proxy.port, STREAM_QUESTION, headers=headers)
    upstream.forget()
    replayed = ask(replaying.port, STREAM_QUESTION, headers=headers)
    assert replayed.status == 200
    assert replayed.ending == "clean"
    assert replayed.raw_body == live.raw_body
    assert upstream.requests == []


@pytest.fixture(scope="module")
def replaying(
    session_upstream: Upstream, confdir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mitmdump]:
    """A mitmdump that answers from a file."""
    path = tmp_path_factory.mktemp("replay") / "in"
    write_flows(path, recorded_flow(dump(STREAM_QUESTION), [], STREAM, SSE))
    options = {"server_replay": str(path), "server_replay_reuse": "true", "server_replay_ignore_host": "true"}
    options["server_replay_ignore_port"] = "true"
    with reverse_mitmdump(session_upstream.url, options, confdir) as mitmdump:
        yield mitmdump
