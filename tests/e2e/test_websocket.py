"""WebSockets: each request has a plan of its own, messages are rewritten in place or dropped, and none is added."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http, io
from mitmproxy.test import tflow
from mitmproxy.websocket import WebSocketMessage
from websockets.exceptions import ConnectionClosedError
from wsproto.frame_protocol import Opcode

from .fixtures import CHOSEN_BY_HEADER
from .mitmdump import Mitmdump, read_offline, reverse_mitmdump
from .upstream import LIMIT
from .websocket import Document, Message, Provider, create, read_answer, running_provider, talk

STRIP = {"x-thinkwire": "strip"}
HIDE: Document = {"include_reasoning": False}


def events(name: str = "r1", text: str = "Loud") -> list[str]:
    """One answer: reasoning, then a message."""
    hidden = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "quiet note"}]}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    documents: list[Document] = [
        {"type": "response.created", "response": {"id": name, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**hidden, "summary": []}},
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "quiet note"},
        {"type": "response.output_item.done", "output_index": 0, "item": hidden},
        {"type": "response.output_item.added", "output_index": 1, "item": {**said, "content": []}},
        {"type": "response.output_text.delta", "output_index": 1, "delta": text},
        {"type": "response.output_item.done", "output_index": 1, "item": said},
        {"type": "response.completed", "response": {"id": name, "status": "completed", "output": [hidden, said]}},
    ]
    return [json.dumps({**one, "sequence_number": number}) for number, one in enumerate(documents)]


def without_reasoning(messages: list[str]) -> list[Document]:
    """What a client must see of `events`, by hand: without the messages of reasoning, the numbers closed."""
    documents = [json.loads(message) for message in (messages[0], *messages[4:])]
    for number, document in enumerate(documents):
        document["sequence_number"] = number
        if "output_index" in document:
            document["output_index"] = 0
    del documents[-1]["response"]["output"][0]
    return documents


def parsed(messages: list[Message]) -> list[Any]:
    return [json.loads(message) for message in messages]


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: Provider) -> Provider:
    running.forget()
    running.respond_with(lambda message: events())
    return running


@pytest.fixture(scope="module")
def socket_proxy(running: Provider, confdir: Path) -> Iterator[Mitmdump]:
    with reverse_mitmdump(running.url, {}, confdir) as mitmdump:
        yield mitmdump


@pytest.fixture(scope="module")
def observing(running: Provider, confdir: Path) -> Iterator[Mitmdump]:
    with reverse_mitmdump(running.url, {"thinkwire_observe": "true"}, confdir) as mitmdump:
        yield mitmdump


@pytest.fixture(scope="module")
def chosen_socket(running: Provider, confdir: Path) -> Iterator[Mitmdump]:
    with reverse_mitmdump(running.url, {"thinkwire_rules": str(CHOSEN_BY_HEADER)}, confdir) as mitmdump:
        yield mitmdump


def ask(mitmdump: Mitmdump, *, headers: dict[str, str] | None = None, **members: Any) -> list[Message]:
    with talk(mitmdump.port, headers=headers) as connection:
        connection.send(create(**members))
        return read_answer(connection)


@pytest.mark.parametrize("compression", ["deflate", None])
def test_without_a_strip_every_message_keeps_its_bytes(
    socket_proxy: Mitmdump, provider: Provider, compression: str | None
) -> None:
    with talk(socket_proxy.port, compression=compression) as connection:
        connection.send(create())
        assert read_answer(connection) == events()
    assert provider.messages == [create()]


@pytest.mark.parametrize("compression", ["deflate", None])
def test_the_header_of_the_upgrade_hides_the_reasoning_and_is_not_passed_on(
    socket_proxy: Mitmdump, provider: Provider, compression: str | None
) -> None:
    with talk(socket_proxy.port, headers=STRIP, compression=compression) as connection:
        connection.send(create())
        assert parsed(read_answer(connection)) == without_reasoning(events())
    assert "x-thinkwire" not in provider.headers[0]
    assert ("permessage-deflate" in provider.headers[0].get("sec-websocket-extensions", "")) is (
        compression is not None
    )
    assert provider.messages == [create()]


def test_each_request_of_a_connection_has_a_plan_of_its_own(socket_proxy: Mitmdump, provider: Provider) -> None:
    with talk(socket_proxy.port) as connection:
        for members in ({}, HIDE, {}):
            connection.send(create(**members))
            answer = read_answer(connection)
            assert parsed(answer) == (without_reasoning(events()) if members else parsed(list(events())))
    assert provider.messages == [create()] * 3  # `include_reasoning` is ours under the shipped rules


def test_requests_that_do_not_wait_for_each_other_keep_their_plans(socket_proxy: Mitmdump, provider: Provider) -> None:
    names = iter(["r1", "r2"])
    provider.respond_with(lambda message: [] if len(provider.messages) == 1 else [*events("r1"), *events("r2")])
    with talk(socket_proxy.port) as connection:
        connection.send(create(**HIDE))
        connection.send(create())
        first, second = (parsed(read_answer(connection)) for _ in names)
    assert first == without_reasoning(events("r1"))
    assert second == parsed(list(events("r2")))


def test_a_request_that_is_refused_meanwhile_does_not_take_the_plan_away(
    socket_proxy: Mitmdump, provider: Provider
) -> None:
    """The server works on one request at a time."""
    refusal = json.dumps({"type": "error", "status": 400, "error": {"message": "one at a time"}})
    first = events()
    provider.respond_with(lambda message: first[:2] if len(provider.messages) == 1 else [refusal, *first[2:]])
    with talk(socket_proxy.port) as connection:
        connection.send(create(**HIDE))
        begun = [connection.recv(LIMIT)]
        connection.send(create())
        assert read_answer(connection) == [refusal]
        begun += read_answer(connection)
    assert parsed(begun) == without_reasoning(first)


def test_what_is_no_request_and_no_event_passes(socket_proxy: Mitmdump, provider: Provider) -> None:
    others: list[Message] = ["hello", b"\x00\xff", "[DONE]", '{"type": "codex.rate_limits", "left": 1.0}']
    provider.respond_with(lambda message: [*others, *events()] if message == create() else [])
    with talk(socket_proxy.port, headers=STRIP) as connection:
        for message in ("ping", b"\x01", '{"type":"other"}', create()):
            connection.send(message)
        answers = read_answer(connection)
    assert answers[: len(others)] == others
    assert len(answers) == len(others) + len(without_reasoning(events()))
    assert provider.messages[:3] == ["ping", b"\x01", '{"type":"other"}']


@pytest.mark.parametrize(("case", "passes"), [("strip", False), ("strip-pass", True), ("rename", True)])
def test_json_that_cannot_be_read_follows_on_error(
    chosen_socket: Mitmdump, provider: Provider, case: str, passes: bool
) -> None:
    torn = '{"type": "response.reasoning_text.delta", "delta": "quiet'
    provider.respond_with(lambda message: [torn, *events()])
    mark = chosen_socket.log.mark()
    answer = ask(chosen_socket, headers={"x-case": case})
    assert (torn in answer) is passes
    assert len(answer) == passes + (len(events()) if case == "rename" else 5)
    chosen_socket.log.wait_for("1 not readable", mark, LIMIT)


def test_no_character_of_a_long_message_is_torn(socket_proxy: Mitmdump, provider: Provider) -> None:
    text = "…🙂" * 3000
    provider.respond_with(lambda message: events(text=text))
    assert parsed(ask(socket_proxy, headers=STRIP)) == without_reasoning(events(text=text))


def test_long_requests_are_edited_whole(socket_proxy: Mitmdump, provider: Provider) -> None:
    ask(socket_proxy, input="é" * 30_000, **HIDE)
    (message,) = provider.messages
    assert json.loads(message) == json.loads(create(input="é" * 30_000))


def test_observing_changes_no_message(observing: Mitmdump, provider: Provider) -> None:
    mark = observing.log.mark()
    assert ask(observing, headers=STRIP, **HIDE) == events()
    assert provider.messages == [create(**HIDE)]
    observing.log.wait_for("would change: request edited, 4 messages? ", mark, LIMIT)


LINE = re.compile(r"default-\S+ .*\n")


def test_each_answer_has_one_line_in_the_log(socket_proxy: Mitmdump, provider: Provider) -> None:
    mark = socket_proxy.log.mark()
    with talk(socket_proxy.port) as connection:
        for members in (HIDE, {}):
            connection.send(create(**members))
            read_answer(connection)
    socket_proxy.log.wait_for("nothing to change", mark, LIMIT)
    ask(socket_proxy, headers=STRIP)
    socket_proxy.log.wait_for("(?s)nothing to change.*3 dropped", mark, LIMIT)
    lines = LINE.findall("".join(socket_proxy.log.text.splitlines(keepends=True)[mark:]))
    assert len(lines) == 3
    assert "request edited" in lines[0]
    assert "3 dropped" in lines[0]


def test_an_answer_that_breaks_off_is_logged_when_the_connection_ends(
    socket_proxy: Mitmdump, provider: Provider
) -> None:
    provider.respond_with(lambda message: events()[:3])
    provider.closes = True
    mark = socket_proxy.log.mark()
    with talk(socket_proxy.port, headers=STRIP) as connection:
        connection.send(create())
        assert connection.recv(LIMIT) == events()[0]
        with pytest.raises(ConnectionClosedError):
            connection.recv(LIMIT)
    found = socket_proxy.log.wait_for(LINE, mark, LIMIT)
    assert "2 messages dropped" in found[0]


def test_flows_read_from_a_file_give_the_live_messages(confdir: Path, tmp_path: Path) -> None:
    flow = tflow.twebsocketflow()
    flow.request = http.Request.make(
        "GET",
        "http://127.0.0.1:9/v1/responses",
        headers=http.Headers(upgrade="websocket", connection="upgrade", sec_websocket_version="13"),
    )
    assert flow.websocket is not None
    flow.websocket.messages = [
        WebSocketMessage(Opcode.TEXT, from_client, text.encode())
        for from_client, text in [(True, create(**HIDE)), *((False, text) for text in events())]
    ]
    with (tmp_path / "in").open("wb") as file:
        io.FlowWriter(file).add(flow)  # type: ignore[no-untyped-call]
    log = read_offline(["-r", str(tmp_path / "in"), "-w", str(tmp_path / "out")], {}, confdir)
    with (tmp_path / "out").open("rb") as file:
        (after,) = io.FlowReader(file).stream()
    assert isinstance(after, http.HTTPFlow)
    assert after.websocket is not None
    asked, *answers = [message for message in after.websocket.messages if not message.dropped]
    assert asked.text == create()
    assert [json.loads(answer.text) for answer in answers] == without_reasoning(events())
    assert "3 dropped" in log
