"""A recorded exchange as it is served with a fault: what comes, when, and how it ends."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import Any

import pytest

from tests.e2e.bodies import BODY, DONE, EVENTS, JSON, SSE, STREAM, STREAM_QUESTION
from tests.flows import recorded_flow
from thinkwire.dialects.registry import DIALECTS, request_facts
from thinkwire.proxy.replay.faulty_answer import with_fault
from thinkwire.proxy.replay.recordings import ReplayAnswer, ReplayExchange
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First, Stall

FACTS = request_facts("h", "/v1/chat/completions", "POST", [], b'{"stream": true}')
TIMES = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
PACKED = gzip.compress(STREAM)


def recorded(*chunks: tuple[float, bytes], header: tuple[str, str] = SSE, more: Any = (), **how: Any) -> ReplayExchange:
    chunks = chunks or tuple(zip(TIMES, EVENTS, strict=True))
    flow = recorded_flow(STREAM_QUESTION, headers=[header, *more], chunks=chunks, **how)
    length = sum(len(chunk) for _, chunk in chunks)
    answer = ReplayAnswer(flow.response.status_code, "OK", (header, *more), length, chunks[0][0], chunks)  # type: ignore[union-attr]
    return ReplayExchange("a.flow", 1, flow, answer, ended=chunks[-1][0] + 0.25, breaks_off=False)


def performed(one: ReplayExchange, fault: Fault) -> tuple[list[tuple[float, bytes]], float, bool]:
    """The chunks, the end, and whether the connection breaks there."""
    made = with_fault(one, fault, FACTS, DIALECTS)
    assert made.answer is not None
    assert made.answer.length is None  # the old one would be wrong
    return list(made.answer.chunks), made.ended, made.breaks_off


def test_what_does_not_touch_the_events_is_served_as_recorded() -> None:
    one = recorded()
    for fault in (NO_FAULT, Fault(split=7), Fault(status_first=First(429))):
        assert with_fault(one, fault, FACTS, DIALECTS) is one


def test_a_stall_makes_all_that_follows_late() -> None:
    chunks, ended, breaks_off = performed(recorded(), Fault(stall=Stall(3, 10)))
    assert chunks == [(at + (10 if n >= 3 else 0), EVENTS[n]) for n, at in enumerate(TIMES)]
    assert (ended, breaks_off) == (14.25, False)


def test_a_stall_lasts_as_long_at_any_speed() -> None:
    fault = Fault(stall=Stall(1, 10))
    chunks, ended, _ = performed(recorded().at_speed(2), fault)
    assert [at for at, _ in chunks[:3]] == [0.25, 10.5, 10.75]
    assert ended == 12.125
    chunks, ended, _ = performed(recorded().at_speed(0), fault)
    assert [at for at, _ in chunks] == [0.0, *[10.0] * 7]
    assert ended == 10.0


def test_a_stall_within_a_chunk_tears_it_in_two() -> None:
    chunks, ended, _ = performed(recorded((1.0, STREAM)), Fault(stall=Stall(2, 10)))
    assert chunks == [(1.0, b"".join(EVENTS[:2])), (11.0, b"".join(EVENTS[2:]))]
    assert ended == 11.25


def test_a_cut_is_the_end() -> None:
    assert performed(recorded(), Fault(cut_after=3)) == (list(zip(TIMES, EVENTS, strict=True))[:3], 1.5, True)
    fault = Fault(cut_after=3, stall=Stall(3, 10))
    assert performed(recorded(), fault) == (list(zip(TIMES, EVENTS, strict=True))[:3], 11.5, True)


def test_an_error_is_the_end() -> None:
    chunks, ended, breaks_off = performed(recorded(error="broke"), Fault(error_after=2))
    assert [at for at, _ in chunks] == [0.5, 1.0]
    assert chunks[1][1].startswith(EVENTS[1] + b'data: {"error":')
    assert (ended, breaks_off) == (1.0, False)


def test_what_broke_off_still_breaks_off() -> None:
    one = replace(recorded(), breaks_off=True)
    chunks, _, breaks_off = performed(one, Fault(drop_done=True))
    assert ([chunk for _, chunk in chunks], breaks_off) == (EVENTS[:-1], True)
    assert performed(one, Fault(error_after=1))[2] is False


def test_a_body_with_a_fault_comes_at_its_end() -> None:
    halves = (1.0, BODY[:20]), (2.0, BODY[20:])
    assert performed(recorded(*halves, header=JSON), Fault(cut_after=1)) == (
        [(2.25, BODY[: len(BODY) // 2])],
        2.25,
        True,
    )
    assert performed(recorded(*halves, header=JSON), Fault(stall=Stall(0, 3))) == ([(5.25, BODY)], 5.25, False)


def test_a_coding_is_undone() -> None:
    one = recorded((1.0, PACKED), more=[("content-encoding", "gzip")])
    made = with_fault(one, Fault(drop_done=True), FACTS, DIALECTS)
    assert made.answer is not None
    assert (made.answer.coding, made.answer.chunks) == ("", ((1.0, STREAM.removesuffix(DONE)),))


@pytest.mark.parametrize("coding", ["odd", "gzip"])
def test_what_cannot_be_decoded_has_no_fault(coding: str, caplog: pytest.LogCaptureFixture) -> None:
    one = recorded((1.0, b"no such coding"), more=[("content-encoding", coding)])
    assert with_fault(one, Fault(cut_after=0), FACTS, DIALECTS) is one
    assert f"number 1 of a.flow has no fault: its content-encoding {coding} cannot be read" in caplog.text


def test_what_has_no_body_or_is_an_error_has_no_fault() -> None:
    for one in (recorded(status=429), recorded(method="HEAD"), replace(recorded(), answer=None)):
        assert with_fault(one, Fault(cut_after=0), FACTS, DIALECTS) is one


def test_too_few_events_are_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert performed(recorded(), Fault(cut_after=9))[2] is False
    assert "number 1 of a.flow: the answer has only 8 events, so that not every fault came about" in caplog.text
