"""What mitmproxy and mitmweb show of answers of LLM APIs, through their own choice of a view."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from mitmproxy import contentviews, http
from mitmproxy import io as flow_io
from mitmproxy.test import tflow
from mitmproxy.tools.web.app import flow_to_json

from tests.e2e.test_recordings import EXPECTED, FOLDER
from tests.flows import QUESTION, exchange
from tests.proxy.view.seat import PIECES, SENT, Seat, rows, shown
from tests.rewrite.answers import body, chunk, event, stream
from tests.wire import aws_messages
from thinkwire.proxy.view.contentviews import NOT_AN_ANSWER, NOT_SHOWN

# --- which answers ------------------------------------------------------------------------------------------------

CHAT_BODY = json.dumps(body({"reasoning_content": "Hm well.", "content": "Hi."})).encode()
OLLAMA = [
    {"model": "m", "message": {"role": "assistant", "content": "", "thinking": "Hm well."}, "done": False},
    {"model": "m", "message": {"role": "assistant", "content": "Hi."}, "done": True, "done_reason": "stop"},
]
GEMINI = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hm well.", "thought": True}]}}]},
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]},
]
CONVERSE = [
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Hm well."}}}),
    ("contentBlockStop", {"contentBlockIndex": 0}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Hi."}}),
    ("contentBlockStop", {"contentBlockIndex": 1}),
    ("messageStop", {"stopReason": "end_turn"}),
]
GOOGLE = "http://provider.test/v1beta/models/gemini-3:streamGenerateContent"
AMAZON = "http://provider.test/model/m/converse-stream"
ANSWERS: dict[str, Callable[[], http.HTTPFlow]] = {
    "events": lambda: exchange(SENT),
    "body": lambda: exchange(CHAT_BODY, kind="application/json", question={**QUESTION, "stream": False}),
    "lines": lambda: exchange(
        *(json.dumps(one).encode() + b"\n" for one in OLLAMA),
        kind="application/x-ndjson",
        url="http://provider.test/api/chat",
    ),
    "list": lambda: exchange(
        json.dumps(GEMINI).encode(), kind="application/json", url=GOOGLE, question={"contents": []}
    ),
    "messages": lambda: exchange(
        *(aws_messages.event(name, one) for name, one in CONVERSE),
        kind="application/vnd.amazon.eventstream",
        url=AMAZON,
        question={"messages": []},
    ),
}


@pytest.mark.parametrize("rules", ["default", "strip"])
@pytest.mark.parametrize("form", ANSWERS)
def test_an_answer_is_shown_assembled_whatever_it_is_made_of(seat: Seat, form: str, rules: str) -> None:
    found = shown(seat.use(rules).read(ANSWERS[form]()))
    assert found.view_name == "thinkwire"
    assert "content   Hi." in found.text
    assert found.text.count("reasoning Hm well.") == 1
    assert ("The provider sent:" in found.text) == (rules == "strip")


@pytest.mark.parametrize(
    "one",
    [
        exchange(b'{"reasoning_content": "x"}', kind="application/json", url="http://other.test/things", question=1),
        exchange(b'{"data": [{"id": "m"}]}', kind="application/json"),
        exchange(b'{"error": {"message": "no"}}', kind="application/json", status=400),
        exchange(b"<html>", kind="text/html"),
        exchange(b"data: 1\n\n", url="http://other.test/news", question=None),
        exchange(b"\x89PNG", kind="image/png"),
    ],
)
def test_everything_else_is_left_to_the_other_views(seat: Seat, one: http.HTTPFlow) -> None:
    before = shown(one)
    assert before.view_name != "thinkwire"
    assert shown(seat.read(one)) == before
    for name in ("thinkwire", "thinkwire-original"):
        assert contentviews.prettify_message(one.request, one).view_name != name


def test_a_request_is_not_claimed_and_can_be_read_in_each_view(seat: Seat) -> None:
    one = seat.read(exchange(SENT))
    assert contentviews.prettify_message(one.request, one).view_name == "JSON"
    found = contentviews.prettify_message(one.request, one, "thinkwire")
    assert found.text == f"{NOT_AN_ANSWER}\n\n{one.request.text}"
    assert one.request.content is not None
    assert one.request.content.decode() in contentviews.prettify_message(one.request, one, "thinkwire-original").text


def test_messages_of_a_web_socket_are_left_to_the_other_views(seat: Seat) -> None:
    one = tflow.twebsocketflow()
    assert one.websocket is not None
    for message in one.websocket.messages:
        assert contentviews.prettify_message(message, one).view_name != "thinkwire"
        assert NOT_AN_ANSWER in contentviews.prettify_message(message, one, "thinkwire").text


@pytest.mark.parametrize(
    "raw", [b"\xff\x00", b"data: {", b"data: " + b"[" * 100_000, b"data: {}\n\n", b"{", b'"', b"[]"]
)
@pytest.mark.parametrize("kind", ["text/event-stream", "application/json", "application/x-ndjson"])
def test_no_body_makes_a_view_fail(seat: Seat, raw: bytes, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    for rules in ("default", "strip"):
        one = seat.use(rules).read(exchange(raw, kind=kind))
        assert {shown(one, name).syntax_highlight for name in ("thinkwire", "thinkwire-original")} == {"none"}
    assert "please report this" not in caplog.text


def test_a_bug_shows_the_body(seat: Seat, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_arguments: object, **_more: object) -> None:
        raise RuntimeError("a bug")

    one = seat.read(exchange(SENT))
    monkeypatch.setattr("thinkwire.proxy.view.contentviews.read_exchange", fail)
    assert one.response is not None
    assert one.response.content is not None
    assert shown(one).text == f"{NOT_SHOWN}\n\n{one.response.content.decode()}"
    assert "please report this" in caplog.text


# --- what is shown ------------------------------------------------------------------------------------------------


def test_rules_and_what_they_did_come_before_the_answer(seat: Seat) -> None:
    found = rows(shown(seat.stream(*PIECES)[0]).text)
    assert found["asked"] == "chat-completions, model m, stream, 1 message"
    assert found["rules"].startswith("default-rename (")
    assert found["done"] == "2 events renamed"
    assert (found["reasoning"], found["content"], found["finish"]) == ("Hm well.", "Hi.", "stop")
    assert "first reasoning" in found["times"]
    assert "hidden" not in found


def test_what_was_hidden_is_counted_and_shown_separately(seat: Seat) -> None:
    text = shown(seat.use("strip").stream(*PIECES)[0]).text
    assert rows(text)["hidden"] == "from the client: 2 events of reasoning"
    _, client, provider = text.split("\n\n")
    assert client.startswith("The client got:\n")
    assert "Hm well." not in client
    assert provider.startswith("The provider sent:\n")
    assert "reasoning Hm well.\n" in provider
    assert "content   Hi.\n" in client
    assert "content   Hi.\n" in provider


def test_hidden_reasoning_may_be_what_the_answer_begins_with(seat: Seat) -> None:
    reasoning = event(chunk({"reasoning_content": "Hi"}))
    found = rows(shown(seat.use("strip").stream(reasoning, *PIECES[2:])[0]).text)
    assert found["hidden"] == "from the client: 1 event of reasoning"


def test_tagged_text_that_is_hidden_is_counted_and_extracted_text_is_not(seat: Seat, tmp_path: Path) -> None:
    tagged = event(chunk({"content": "<think>Hm.</think>Hi."}))
    assert "hidden" not in rows(shown(seat.use("think-tags").stream(tagged)[0]).text)
    rules = tmp_path / "tags.yaml"
    rules.write_text("version: 1\nrules:\n  - id: all\n    response: {extract: think, reasoning: strip}\n")
    one, sent = seat.use(str(tmp_path / "tags")).stream(tagged)
    assert b"Hm" not in sent
    assert rows(shown(one).text)["hidden"] == "from the client: 18 characters of content"


def test_signatures_that_are_hidden_are_counted(seat: Seat) -> None:
    block = {"index": 0, "content_block": {"type": "thinking", "thinking": "Hm.", "signature": ""}}
    signature = {"index": 0, "delta": {"type": "signature_delta", "signature": base64.b64encode(bytes(range(200)))}}
    text = {"index": 1, "content_block": {"type": "text", "text": "Hi."}}
    one, _ = seat.use("strip").stream(
        *(
            f"event: {name}\ndata: {json.dumps({'type': name, **document}, default=bytes.decode)}\n\n".encode()
            for name, document in (
                ("content_block_start", block),
                ("content_block_delta", signature),
                ("content_block_stop", {"index": 0}),
                ("content_block_start", text),
            )
        ),
        url="http://provider.test/v1/messages",
    )
    assert rows(shown(one).text)["hidden"] == "from the client: 1 event of reasoning, 1 signature or encrypted text"


def test_inlined_reasoning_is_not_called_hidden(seat: Seat, tmp_path: Path) -> None:
    rules = tmp_path / "inline.yaml"
    rules.write_text("version: 1\nrules:\n  - id: in-text\n    response: {reasoning: inline}\n")
    one, sent = seat.use(str(rules.with_suffix(""))).stream(*PIECES)
    assert b"<think>" in sent
    assert "hidden" not in rows(shown(one).text)


def test_observing_hides_nothing_and_says_what_would_be(seat: Seat) -> None:
    one, sent = seat.use("strip", thinkwire_observe=True).stream(*PIECES)
    assert sent == SENT
    found = rows(shown(one).text)
    assert found["done"].startswith("would change: 1 event stripped, 1 dropped")
    assert "hidden" not in found
    assert found["reasoning"] == "Hm well."


def test_an_answer_that_was_withheld_shows_what_came(seat: Seat) -> None:
    one = seat.use("strip").read(exchange(b'{"choices": [{"mess', kind="application/json"))
    found = shown(one)
    assert found.view_name == "thinkwire"
    assert "answered  502 application/json" in found.text
    assert '{"choices": [{"mess' in shown(one, "thinkwire-original").text


def test_an_answer_that_is_edited_is_shown_anew(seat: Seat) -> None:
    one, _ = seat.stream(*PIECES)
    assert "content   Hi.\n" in shown(one).text
    assert one.response is not None
    one.response.content = event(chunk({"content": "Bye."}))
    assert "content   Bye.\n" in shown(one).text


def test_choices_calls_refusals_and_errors_have_rows_of_their_own(seat: Seat) -> None:
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "look", "arguments": '{"a":1}'}}]}
    sent = stream(
        chunk({"content": "One."}), chunk({"content": "Two."}, 1), chunk(call, 1), chunk({"refusal": "No."}, 1),
        {"error": {"message": "overloaded"}},
    )  # fmt: skip
    lines = shown(seat.stream(sent)[0]).text.splitlines()
    start = lines.index("choice 0")
    assert lines[start : start + 8] == [
        "choice 0",
        "content   One.",
        "",
        "choice 1",
        "content   Two.",
        'call      look({"a":1})',
        "refusal   No.",
        'error     {"message":"overloaded"}',
    ]


def test_long_lines_are_wrapped_and_lose_nothing(seat: Seat) -> None:
    words = " ".join(f"word{number}" for number in range(200))
    text = f"{words}\n    indented\n{'x' * 300}"
    found = rows(shown(seat.stream(event(chunk({"content": text})))[0]).text)["content"]
    assert max(map(len, found.splitlines())) <= 70
    assert "".join(found.split()) == "".join(text.split())
    assert "\n    indented\n" in found


def test_no_text_changes_the_reading_direction(seat: Seat) -> None:
    assert "\\u202e\\x1b[2J" in shown(seat.stream(event(chunk({"content": "\u202e\x1b[2J"})))[0]).text


def test_half_a_character_does_not_break_the_screen(seat: Seat) -> None:
    pieces = [event(json.dumps(chunk({name: text}))) for name, text in (("reasoning", "\ud83d"), ("content", "\ude00"))]
    text = shown(seat.stream(*pieces)[0]).text
    assert "\\ud83d" in text
    text.encode()


# --- recordings ---------------------------------------------------------------------------------------------------


def recorded(name: str) -> http.HTTPFlow:
    with (FOLDER / f"{name}.flow").open("rb") as file:
        (one,) = flow_io.FlowReader(file).stream()
    assert isinstance(one, http.HTTPFlow)
    return one


@pytest.mark.parametrize("name", EXPECTED)
def test_the_times_of_a_recording_are_those_of_the_provider(seat: Seat, name: str) -> None:
    found = shown(seat.read(recorded(name))).text
    assert ("first reasoning" in found) == ("timeline" in found) == ("stream" in name)
    stripped = shown(seat.use("strip").read(recorded(name))).text
    client, provider = stripped.split("\n\nThe provider sent:\n")
    assert "timeline" not in client
    assert ("timeline" in provider) == ("stream" in name)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_can_be_viewed_without_the_addon(name: str) -> None:
    one = recorded(name)
    assert flow_to_json(one)["response"]["contentLength"] > 0
    assert one.response is not None
    assert one.response.content is not None
    assert shown(one, "raw").text == one.response.content.decode()
