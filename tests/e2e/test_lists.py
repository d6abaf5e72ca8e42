"""Answers that are a list of JSON sent piece by piece, as Gemini streams where no events are asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http
from mitmproxy.test import tflow

from .bodies import JSON, STRIP, dump
from .client import ask, conversation
from .fixtures import CHOSEN_BY_HEADER
from .mitmdump import Mitmdump, read_offline
from .test_offline import header_fields, read_flows, write_flows
from .upstream import Answer, Gate, Upstream

PATH = "/v1beta/models/m-think:streamGenerateContent"
WHOLE_PATH = "/v1beta/models/m-think:generateContent"
QUESTION = {"contents": [{"role": "user", "parts": [{"text": "How many r are in berry?"}]}]}
WISHES = pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])


def element(*parts: dict[str, Any], **candidate: Any) -> bytes:
    return dump({"candidates": [{"content": {"parts": list(parts), "role": "model"}, "index": 0} | candidate]})


THINK_1, THINK_2, SAY_1, SAY_2 = (
    element({"text": "Count the letters, ", "thought": True}),
    element({"text": "one by one.", "thought": True}),
    element({"text": "Three"}),
    element({"text": "."}, finishReason="STOP"),
)
ANSWER = b"[" + SAY_1 + b",\r\n" + SAY_2 + b"\r\n]"
THOUGHT_AND_ANSWER = b"[" + b",\r\n".join([THINK_1, THINK_2, SAY_1, SAY_2]) + b"\r\n]"


@WISHES
def test_an_element_is_not_held_back_while_the_next_one_is(
    proxy: Mitmdump, upstream: Upstream, headers: dict[str, str]
) -> None:
    gate = Gate()
    upstream.answer(Answer([b"[" + SAY_1, gate, b",\r\n" + SAY_2, b"\r\n]"], headers=[JSON]))
    with conversation(proxy.port, QUESTION, path=PATH, headers=headers) as talk:
        talk.read_until(SAY_1)
        gate.open()
        reply = talk.read_reply()
    assert (reply.raw_body, reply.ending) == (ANSWER, "clean")
    assert reply.header("content-type") == "application/json"


def test_an_element_after_a_hidden_thought_is_not_held_back(proxy: Mitmdump, upstream: Upstream) -> None:
    gate = Gate()
    begin = b"[" + THINK_1 + b",\r\n" + THINK_2
    upstream.answer(
        Answer([begin[:30], begin[30:] + b",\r\n" + SAY_1, gate, b",\r\n" + SAY_2, b"\r\n]"], headers=[JSON])
    )
    with conversation(proxy.port, QUESTION, path=PATH, headers=STRIP) as talk:
        talk.read_until(SAY_1)
        gate.open()
        reply = talk.read_reply()
    assert reply.ending == "clean"
    assert reply.json() == json.loads(ANSWER)


def test_a_list_that_no_rule_matches_is_passed_on_piece_by_piece(chosen: Mitmdump, upstream: Upstream) -> None:
    gate = Gate()
    upstream.answer(Answer([b"[" + THINK_1, gate, b",\r\n" + SAY_2, b"\r\n]"], headers=[JSON]))
    with conversation(chosen.port, QUESTION, path=PATH) as talk:
        talk.read_until(THINK_1)
        gate.open()
        assert talk.read_reply().raw_body == b"[" + THINK_1 + b",\r\n" + SAY_2 + b"\r\n]"


def test_a_list_that_breaks_off_is_broken_to_the_client(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([b"[" + THINK_1, b",\r\n" + SAY_1], headers=[JSON], ending="cut"))
    reply = ask(proxy.port, QUESTION, path=PATH, headers=STRIP)
    assert (reply.raw_body.replace(b"\r\n", b""), reply.ending) == (b"[" + SAY_1, "broken")


@WISHES
@pytest.mark.parametrize("status", [200, 400])
def test_an_error_in_place_of_the_list_passes(
    proxy: Mitmdump, upstream: Upstream, headers: dict[str, str], status: int
) -> None:
    error = b'{"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}'
    for body in (error, b"[" + error + b"]"):
        upstream.answer(Answer([body], status=status, headers=[JSON], framing="length"))
        reply = ask(proxy.port, QUESTION, path=PATH, headers=headers)
        assert (reply.status, reply.raw_body, reply.ending) == (status, body, "clean")


def test_a_body_that_is_asked_for_whole_is_one(proxy: Mitmdump, upstream: Upstream) -> None:
    body = element({"text": "Secret", "thought": True}, {"text": "Three."}, finishReason="STOP")
    upstream.answer(Answer([body], headers=[JSON], framing="length"))
    reply = ask(proxy.port, QUESTION, path=WHOLE_PATH, headers=STRIP)
    assert reply.raw_body == element({"text": "Three."}, finishReason="STOP")


@pytest.mark.parametrize("case", ["strip", "none"])
def test_a_list_read_from_a_file_gives_the_live_bytes(
    chosen: Mitmdump, upstream: Upstream, confdir: Path, tmp_path: Path, case: str
) -> None:
    upstream.answer(Answer([THOUGHT_AND_ANSWER], headers=[JSON]))
    live = ask(chosen.port, QUESTION, path=PATH, headers={"x-case": case}).raw_body
    assert (live == THOUGHT_AND_ANSWER) == (case == "none")
    assert (json.loads(live) == json.loads(ANSWER)) == (case == "strip")
    request = http.Request.make(
        "POST", f"http://127.0.0.1:9{PATH}", dump(QUESTION), header_fields(("x-case", case), JSON)
    )
    flow = tflow.tflow(resp=True)
    flow.request, flow.response = request, http.Response.make(200, THOUGHT_AND_ANSWER, header_fields(JSON))
    write_flows(tmp_path / "in", flow)
    arguments = ["-r", str(tmp_path / "in"), "-w", str(tmp_path / "out")]
    read_offline(arguments, {"thinkwire_rules": str(CHOSEN_BY_HEADER)}, confdir)
    (read,) = read_flows(tmp_path / "out")
    assert read.response is not None
    assert read.response.raw_content == live
