"""The machine that makes a body faulty: each fault, in each framing, however the body is cut."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from typing import Any

import pytest

from tests.corpus import needs_corpus, recorded_answers
from tests.splits import drain, run_at_every_split, splits
from tests.wire.aws_messages import event, read_all
from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.registry import DIALECTS
from thinkwire.rewrite.faults.fault import Fault, First, Stall
from thinkwire.rewrite.faults.injection import Break, FaultyBody, Pause, Step
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.codings import decoder_for

APIS = {dialect.name: dialect for dialect in DIALECTS}
DONE = b"data: [DONE]\n\n"
EVENTS = [b": hi\n\n", b'data: {"n":1}\n\n', b": ping\n\n", b'data: {"n":"\xc3\xa9"}\n\n', DONE]
STREAM = b"".join(EVENTS)
NAMED = b'event: a\ndata: {"type":"a"}\n\nevent: b\ndata: {"type":"b"}\n\n'
LINES = b'{"n":1}\n\n{"n":2}\n{"n":3}\n'
LIST = b'[{"n":1},\n{"n":2},\n{"n":3}]\n'
BODY = b'{"n":[1,2,3,4]}'


def faulty(
    fault: Fault, label: ContentHint = ContentHint.EVENTS, api: str = "chat-completions", coding: str = ""
) -> FaultyBody:
    return FaultyBody(fault, label, APIS[api], decoder_for(coding) if coding else None)


def together(steps: Iterable[Step]) -> list[Step]:
    """The steps, with bytes that follow one another put together."""
    joined: list[Step] = []
    for step in steps:
        if isinstance(step, bytes) and joined and isinstance(last := joined[-1], bytes):
            joined[-1] = last + step
        else:
            joined.append(step)
    return joined


def run(fault: Fault, raw: bytes, label: ContentHint = ContentHint.EVENTS, api: str = "chat-completions") -> list[Step]:
    steps: list[Step] = run_at_every_split(lambda: faulty(fault, label, api), raw, together)
    return steps


def error_in(raw: bytes) -> Any:
    (line,) = [line for line in raw.splitlines() if line.startswith(b"data:")]
    return json.loads(line[5:])


def test_without_a_fault_not_a_byte_changes() -> None:
    for label, raw in (
        (ContentHint.EVENTS, STREAM),
        (ContentHint.LINES, LINES),
        (ContentHint.LIST, LIST),
        (ContentHint.JSON, BODY),
    ):
        assert run(Fault(), raw, label) == [raw]


def test_an_event_goes_out_when_it_is_there_and_chunks_stay_whole() -> None:
    body = faulty(Fault(drop_done=True))
    assert body.feed(EVENTS[0] + EVENTS[1]) == [EVENTS[0] + EVENTS[1]]
    assert body.feed(EVENTS[3][:5]) == []
    assert body.feed(EVENTS[3][5:]) == [EVENTS[3]]


@pytest.mark.parametrize(("after", "sent"), [(0, EVENTS[:1]), (1, EVENTS[:2]), (2, EVENTS[:4]), (3, EVENTS)], ids=str)
def test_the_connection_breaks_behind_as_many_events(after: int, sent: list[bytes]) -> None:
    assert run(Fault(cut_after=after), STREAM) == [b"".join(sent), Break()]


def test_comments_are_no_events_and_the_end_mark_is_one() -> None:
    assert run(Fault(cut_after=3), STREAM) == [STREAM, Break()]
    body = faulty(Fault(cut_after=4))
    assert drain(body, [STREAM]) == [STREAM]
    assert body.shortfall == "the answer has only 3 events, so that not every fault came about"


@pytest.mark.parametrize("raw", [b"", b": hi\n\n"], ids=repr)
def test_an_answer_without_events_has_no_fault_and_that_is_said(raw: bytes) -> None:
    for fault in (Fault(cut_after=0), Fault(error_after=0), Fault(stall=Stall(0, 1))):
        body = faulty(fault)
        assert drain(body, [raw]) == ([raw] if raw else [])
        assert body.shortfall == "the answer has no event at all, so that no fault came about"


@pytest.mark.parametrize("fault", [Fault(error_after=1), Fault(error_after=9), Fault(stall=Stall(2, 1))], ids=str)
def test_a_body_has_no_faults_of_streams_and_that_is_said(fault: Fault) -> None:
    body = faulty(fault, ContentHint.JSON)
    assert drain(body, [BODY]) == [BODY]
    assert body.shortfall == "the answer is no stream, so that not every fault came about"


def test_what_came_about_is_no_shortfall() -> None:
    for fault in (Fault(stall=Stall(1, 1)), Fault(cut_after=9), Fault(error_after=0)):
        body = faulty(fault, ContentHint.JSON)
        drain(body, [BODY])
        assert body.shortfall == ""
    for fault in (Fault(cut_after=3), Fault(stall=Stall(3, 1)), Fault(drop_done=True), Fault(error_after=0)):
        body = faulty(fault)
        drain(body, [STREAM])
        assert body.shortfall == ""


@pytest.mark.parametrize(("after", "sent"), [(0, EVENTS[:1]), (2, EVENTS[:4]), (3, EVENTS)], ids=str)
def test_an_answer_stalls_behind_as_many_events(after: int, sent: list[bytes]) -> None:
    steps = run(Fault(stall=Stall(after, 2.5)), STREAM)
    assert steps == [one for one in (b"".join(sent), Pause(2.5), STREAM[len(b"".join(sent)) :]) if one]


def test_a_stalled_answer_may_break_where_it_stalled_or_later() -> None:
    assert run(Fault(stall=Stall(1, 1), cut_after=1), STREAM) == [b"".join(EVENTS[:2]), Pause(1), Break()]
    assert run(Fault(stall=Stall(1, 1), cut_after=2), STREAM) == [
        b"".join(EVENTS[:2]),
        Pause(1),
        b"".join(EVENTS[2:4]),
        Break(),
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=repr)
def test_the_end_mark_goes_with_all_its_bytes(end: bytes) -> None:
    raw = STREAM.replace(b"\n", end)
    assert run(Fault(drop_done=True), raw) == [raw.removesuffix(DONE.replace(b"\n", end))]


def test_only_an_end_mark_is_dropped() -> None:
    assert run(Fault(drop_done=True), NAMED) == [NAMED]
    assert run(Fault(drop_done=True), b"data: {}\n\ndata: [DONE]") == [b"data: {}\n\n"]


@pytest.mark.parametrize(("after", "sent"), [(0, EVENTS[:1]), (1, EVENTS[:2]), (2, EVENTS[:4])], ids=str)
def test_an_error_comes_behind_as_many_events_and_ends_the_answer(after: int, sent: list[bytes]) -> None:
    (raw,) = run(Fault(error_after=after), STREAM)
    assert isinstance(raw, bytes)
    assert raw.startswith(b"".join(sent))
    error = raw[len(b"".join(sent)) :]
    assert error.endswith(b"\n\n")
    assert error_in(error)["error"]["type"] == "server_error"


def test_an_error_behind_an_event_that_nothing_ended_is_one_of_its_own() -> None:
    (raw,) = run(Fault(error_after=1), b'data: {"n":1}')
    assert isinstance(raw, bytes)
    first, second, _ = raw.split(b"\n\n")
    assert (first, error_in(second)["error"]["type"]) == (b'data: {"n":1}', "server_error")


@pytest.mark.parametrize(
    ("api", "name", "kind"),
    [
        ("anthropic-messages", b"error", "error"),
        ("openai-responses", b"error", "error"),
        ("lm-studio", b"error", "error"),
        ("mistral-conversations", b"conversation.response.error", "conversation.response.error"),
    ],
)
def test_where_events_have_names_the_error_has_one(api: str, name: bytes, kind: str) -> None:
    (raw,) = run(Fault(error_after=1), NAMED, api=api)
    assert isinstance(raw, bytes)
    _, error, rest = raw.split(b"\n\n")
    assert error.startswith(b"event: " + name + b"\ndata: {")
    assert error_in(error)["type"] == kind
    assert rest == b""


def test_an_error_behind_a_named_end_mark_is_named() -> None:
    (raw,) = run(Fault(error_after=1), b"event: done\ndata: [DONE]\n\n", api="cohere")
    assert isinstance(raw, bytes)
    assert b"\n\nevent: error\ndata: {" in raw


def test_an_event_of_responses_has_a_number() -> None:
    (raw,) = run(Fault(error_after=2), NAMED, api="openai-responses")
    assert isinstance(raw, bytes)
    assert error_in(raw.removeprefix(NAMED))["sequence_number"] == 2


def test_lines_break_and_end_in_an_error() -> None:
    assert run(Fault(cut_after=2), LINES, ContentHint.LINES) == [b'{"n":1}\n\n{"n":2}\n', Break()]
    (raw,) = run(Fault(error_after=1), LINES, ContentHint.LINES, "ollama")
    assert isinstance(raw, bytes)
    first, error = map(json.loads, raw.splitlines())
    assert first == {"n": 1}
    assert set(error) == {"error"}


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_list_that_ends_in_an_error_is_still_one(after: int) -> None:
    (raw,) = run(Fault(error_after=after), LIST, ContentHint.LIST, "gemini")
    assert isinstance(raw, bytes)
    *before, error = json.loads(raw)
    assert before == [{"n": n + 1} for n in range(after)]
    assert error["error"]["code"] == 500


def test_a_list_breaks_between_its_elements() -> None:
    assert run(Fault(cut_after=2), LIST, ContentHint.LIST) == [b'[{"n":1},\n{"n":2}', Break()]


def test_messages_of_aws_end_in_an_exception() -> None:
    first, second = event("messageStart", {"n": 1}), event("messageStop", {"n": 2})
    (raw,) = run(Fault(error_after=1), first + second, ContentHint.AWS, "bedrock-converse")
    assert isinstance(raw, bytes)
    (_, document), (name, error) = read_all(raw)
    assert (document, name, set(error)) == ({"n": 1}, "internalServerException", {"__type", "message"})
    assert run(Fault(cut_after=1), first + second, ContentHint.AWS) == [first, Break()]


@pytest.mark.parametrize("after", [0, 1, 20])
def test_a_body_breaks_off_in_its_middle(after: int) -> None:
    assert run(Fault(cut_after=after), BODY, ContentHint.JSON) == [BODY[:7], Break()]


def test_a_body_is_one_event() -> None:
    (raw,) = run(Fault(error_after=0), BODY, ContentHint.JSON)
    assert isinstance(raw, bytes)
    assert json.loads(raw)["error"]["type"] == "server_error"
    assert run(Fault(error_after=1), BODY, ContentHint.JSON) == [BODY]
    assert run(Fault(stall=Stall(0, 2)), BODY, ContentHint.JSON) == [Pause(2), BODY]
    assert run(Fault(stall=Stall(1, 2)), BODY, ContentHint.JSON) == [BODY, Pause(2)]


@pytest.mark.parametrize("label", list(ContentHint))
def test_nothing_comes_of_nothing(label: ContentHint) -> None:
    for fault in (Fault(cut_after=0), Fault(error_after=0), Fault(stall=Stall(0, 1))):
        assert run(fault, b"", label) == []


def test_a_coding_is_undone() -> None:
    packed = gzip.compress(STREAM)
    for chunks in splits(packed):
        steps = together(drain(faulty(Fault(cut_after=2), coding="gzip"), chunks))
        assert steps == [b"".join(EVENTS[:4]), Break()]


def test_a_damaged_coding_breaks_the_connection() -> None:
    packed = gzip.compress(STREAM)
    assert drain(faulty(Fault(drop_done=True), coding="gzip"), [b"no gzip", packed]) == [Break()]


def test_no_step_is_of_no_bytes() -> None:
    for fault in (Fault(drop_done=True), Fault(error_after=2), Fault(stall=Stall(2, 1)), Fault(cut_after=2)):
        for chunks in splits(STREAM):
            assert all(drain(faulty(fault), chunks))


@needs_corpus
def test_a_fault_that_never_comes_leaves_every_recorded_byte() -> None:
    for answer in recorded_answers():
        label = ContentHint.EVENTS if answer.is_stream else ContentHint.JSON
        assert together(drain(faulty(Fault(stall=Stall(10**6, 1)), label), [answer.raw])) == [answer.raw], answer.name


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_every_api_has_an_error_that_is_json(dialect: Dialect) -> None:
    (raw,) = together(drain(FaultyBody(Fault(error_after=1), ContentHint.EVENTS, dialect), [NAMED]))
    assert isinstance(raw, bytes)
    assert "thinkwire" in json.dumps(error_in(raw.split(b"\n\n")[1]))


def test_a_fault_says_what_it_is_about() -> None:
    assert not Fault(live=True).is_any
    first, split = Fault(status_first=First(429)), Fault(split=3)
    assert (first.is_any, first.touches_body) == (True, False)
    assert (split.touches_body, split.touches_events) == (True, False)
