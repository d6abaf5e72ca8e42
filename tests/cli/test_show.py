"""`thinkwire show`: recordings as people and programs read them."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_recordings import ANSWER, EXPECTED, FOLDER, THOUGHT
from tests.flows import CHAT_URL, exchange, spoken, write_flows
from tests.rewrite.answers import body, chunk, event, stream
from thinkwire.cli import main as cli

RULES = Path(__file__).parents[2] / "rules"
STREAM = FOLDER / "llamacpp-chat-stream.flow"
PIECES = [
    event(chunk({"reasoning_content": "Hm"})),
    event(chunk({"reasoning_content": "."})),
    event(chunk({"content": "Hi\nyou"})),
    event(chunk(finish_reason="stop")) + b"data: [DONE]\n\n",
]
TIMES = [0.5, 1.0, 3.0, 4.0]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return write_flows(tmp_path / "made.flow", exchange(*PIECES, times=TIMES))


def show(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    assert cli.main(["show", *map(str, arguments)]) == code
    return capsys.readouterr().out


def events(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in show(capsys, *arguments, "--events").splitlines()]


# --- for people ---------------------------------------------------------------------------------------------------


def test_a_recording_is_shown_in_short(capsys: pytest.CaptureFixture[str], made: Path) -> None:
    assert show(capsys, made) == (
        "flow 1: POST http://provider.test/v1/chat/completions\n"
        "  asked     chat-completions, model m, stream, 1 message\n"
        "  answered  200 text/event-stream, 5 events\n"
        "  reasoning Hm.\n"
        "  content   Hi\n"
        "            you\n"
        "  finish    stop\n"
        "  times     first reasoning 0.50 s, first answer 3.00 s, total 4.00 s\n"
        "  timeline  |       r       r                             a             .|\n"
        "            4 chunks, longest wait 2.00 s; r reasoning, a answer, . other\n"
        "\n"
    )


@pytest.mark.parametrize("name", EXPECTED)
def test_every_recording_can_be_shown(capsys: pytest.CaptureFixture[str], name: str) -> None:
    out = show(capsys, FOLDER / f"{name}.flow")
    assert out.count(f"  reasoning {EXPECTED[name].reasoning.rstrip()}\n") == EXPECTED[name].choices
    assert out.count(f"  content   {EXPECTED[name].content}\n") == EXPECTED[name].choices * bool(EXPECTED[name].content)
    assert ("  choice 1\n" in out) == (EXPECTED[name].choices > 1)
    assert out == show(capsys, FOLDER / f"{name}.flow")


def test_without_times_only_the_total_is_known(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = show(capsys, write_flows(tmp_path / "a.flow", exchange(*PIECES)))
    assert "  times     total 2.50 s\n\n" in out
    assert "timeline" not in out


def test_calls_refusals_errors_and_what_broke_off_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call = {"tool_calls": [{"index": 0, "function": {"name": "look_up", "arguments": '{"a": 1}'}}]}
    raw = b"".join(map(event, [chunk(call), chunk({"refusal": "No."}), {"error": {"message": "overloaded"}}]))
    out = show(capsys, write_flows(tmp_path / "a.flow", exchange(raw, b"data: {broken", error="peer closed")))
    assert '  call      look_up({"a": 1})\n' in out
    assert "  refusal   No.\n" in out
    assert '  error     {"message":"overloaded"}\n' in out
    assert "  damage    1 event cannot be read; the first is 4: " in out
    assert "  broke off peer closed\n" in out


def test_what_is_no_answer_of_a_model_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    refused = exchange(b'{"error": "bad key"}', kind="application/json", status=401)
    page = exchange(b"<html>", kind="text/html", url="http://other.test/", question=None)
    silent = exchange()
    silent.response = None
    gone = exchange()
    assert gone.response is not None
    gone.response.raw_content = None
    out = show(capsys, write_flows(tmp_path / "a.flow", refused, page, silent, gone))
    assert '  answered  401 application/json, not an answer of a model, {"error": "bad key"}\n' in out
    assert "  asked     no known API\n  answered  200 text/html, not an answer of a model\n" in out
    assert "  answered  nothing\n  broke off there is no answer\n" in out
    assert "its body is not in the recording\n" in out


def test_what_nobody_can_read_is_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    details = {"reasoning_details": [{"type": "reasoning.encrypted", "data": "c2VjcmV0"}], "encrypted_content": "YQ=="}
    out = show(capsys, write_flows(tmp_path / "a.flow", exchange(stream(chunk({"content": "Hi"} | details)))))
    assert "reasoning" not in out
    assert "  opaque    1 signature or encrypted text, 4 bytes\n" in out


def test_a_websocket_is_read_message_by_message(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = [
        {"type": "response.created", "response": {"status": "in_progress"}},
        {"type": "response.reasoning_text.delta", "output_index": 0, "delta": "Hm"},
        {"type": "response.output_text.delta", "output_index": 1, "delta": "Hi"},
        {"type": "response.completed", "response": {"status": "completed", "usage": {"total_tokens": 3}}},
    ]
    asked = {"type": "response.create", "model": "m", "input": []}
    path = write_flows(tmp_path / "a.flow", spoken((True, asked), *((False, one) for one in said), every=1.0))
    out = show(capsys, path)
    assert "  asked     openai-responses, model m, stream, 0 messages\n" in out
    assert "a WebSocket with 5 messages\n  reasoning Hm\n  content   Hi\n  finish    completed\n" in out
    assert "  times     first reasoning 2.00 s, first answer 3.00 s, total 4.00 s\n" in out
    assert cli.main(["lint", str(path)]) == 0


def test_answers_that_follow_each_other_are_told_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = [
        document
        for text in ("Hi", "Ho")
        for document in (
            {"type": "response.created", "response": {"status": "in_progress"}},
            {"type": "response.output_text.delta", "output_index": 0, "delta": text},
        )
    ]
    path = write_flows(tmp_path / "a.flow", spoken(*((False, one) for one in said)))
    assert "  content   Hi\n  content   Ho\n" in show(capsys, path)


@pytest.mark.parametrize("never", [float("nan"), float("inf"), 1e300])
def test_times_that_cannot_be_are_none(capsys: pytest.CaptureFixture[str], tmp_path: Path, never: float) -> None:
    noted = exchange(event(chunk({"content": "Hi"})), times=[never])
    ended = exchange(event(chunk({"content": "Hi"})))
    broken = exchange(event(chunk({"content": "Hi"})), error="cut")
    talk = spoken((False, {"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"}), (False, {}))
    assert talk.websocket is not None
    assert broken.error is not None
    for one in (noted, ended, broken):
        assert one.response is not None
        one.response.timestamp_end = never if one is ended else None
    broken.error.timestamp = talk.websocket.messages[1].timestamp = never
    path = write_flows(tmp_path / "a.flow", noted, ended, broken, talk)
    out = show(capsys, path)
    assert out.count("  content   Hi\n") == 4
    assert out.count("  times ") == out.count("  times     first answer 0.00 s, total 0.00 s\n") == 1
    assert cli.main(["show", str(path), "--html", str(tmp_path / "a.html")]) == 0
    assert cli.main(["show", str(path), "--events"]) == 0


def test_rules_are_run_over_the_messages_of_a_websocket(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    item = {"type": "reasoning", "id": "rs", "summary": []}
    thought = {"type": "response.reasoning_text.delta", "output_index": 0, "item_id": "rs", "delta": "Hm"}
    said = [
        {"type": "response.created", "response": {"id": "r", "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        thought,
        {"type": "response.output_text.delta", "output_index": 1, "delta": "Hi"},
        {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [item]}},
    ]
    asked = {"type": "response.create", "model": "m", "input": []}
    path = write_flows(tmp_path / "a.flow", spoken((True, asked), *((False, one) for one in said)))
    strip = ("--rules", RULES / "strip.yaml")
    out = show(capsys, path, *strip)
    assert "a WebSocket with 6 messages, as" not in out
    assert (
        "  answered  101 text/event-stream, a WebSocket with 6 messages\n  content   Hi\n  finish    completed\n" in out
    )
    out = show(capsys, path, *strip, "--diff")
    assert f"  message 3\n  - {json.dumps(thought)}\n" in out
    assert '"output_index": 1' in out
    assert "strip-all (rules/strip.yaml:6): 2 messages changed, 2 messages dropped" in out
    out = show(capsys, path, "--diff")
    assert "nothing to change" in out


def test_one_flow_can_be_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first, second = (exchange(*PIECES, url=f"http://{name}.test/v1/chat/completions") for name in ("one", "two"))
    path = write_flows(tmp_path / "a.flow", first, second)
    assert show(capsys, path, "--flow", 2).startswith("flow 2: POST http://two.test")
    assert cli.main(["show", str(path), "--flow", "3"]) == 2
    assert capsys.readouterr().err == f"thinkwire: {path} has no exchange 3; there are: 1, 2\n"


def test_keys_in_a_url_are_not_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    url = "http://h/v1beta/models/g:generateContent?key=AIzaSecret&alt=sse&X-Amz-Signature=abc"
    path = write_flows(tmp_path / "a.flow", exchange(*PIECES, url=url))
    assert show(capsys, path).startswith(
        "flow 1: POST http://h/v1beta/models/g:generateContent?key=[removed]&alt=sse&X-Amz-Signature=[removed]\n"
    )


def test_choices_stand_in_the_order_of_their_numbers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    raw = stream(*(chunk({"content": "Hi"}, index=number) for number in (10, 2, 0)))
    out = show(capsys, write_flows(tmp_path / "a.flow", exchange(raw)))
    assert re.findall(r"choice \d+", out) == ["choice 0", "choice 2", "choice 10"]


def test_a_compressed_stream_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    raw = gzip.compress(b"".join(PIECES))
    flow = exchange(raw[:40], raw[40:], times=[1.0, 2.0], headers=[("content-encoding", "gzip")])
    out = show(capsys, write_flows(tmp_path / "a.flow", flow))
    assert "  reasoning Hm.\n" in out
    flow = exchange(raw[:-12], headers=[("content-encoding", "gzip")])
    path = write_flows(tmp_path / "b.flow", flow)
    assert "  broke off the compressed body ends too early\n" in show(capsys, path)
    assert "  broke off the compressed body ends too early\n" in show(capsys, path, "--rules", RULES / "default.yaml")
    flow = exchange(raw, headers=[("content-encoding", "compress")])
    out = show(capsys, write_flows(tmp_path / "c.flow", flow))
    assert "content-encoding compress cannot be read" in out


def test_a_har_is_read_as_well(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    answer = json.dumps(body({"content": "Hi"})).encode()
    entry = {
        "startedDateTime": "2026-11-30T12:00:00Z",
        "time": 1500,
        "request": {
            "method": "POST",
            "url": CHAT_URL,
            "httpVersion": "HTTP/1.1",
            "headers": [],
            "postData": {"text": '{"model": "m", "messages": []}'},
        },
        "response": {
            "status": 200,
            "httpVersion": "HTTP/1.1",
            "headers": [{"name": "content-type", "value": "application/json"}],
            "content": {
                "text": base64.b64encode(answer).decode(),
                "encoding": "base64",
            },
        },
    }
    path = tmp_path / "a.har"
    path.write_text(json.dumps({"log": {"entries": [entry]}}))
    out = show(capsys, path)
    assert "  asked     chat-completions, model m, no stream, 0 messages\n" in out
    assert "  content   Hi\n  finish    stop\n  times     total 1.50 s\n" in out
    path.write_text("{}")
    assert cli.main(["show", str(path)]) == 2
    assert "not a valid HAR file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"nonsense", "is neither a mitmproxy flow file nor a HAR file"),
        (b"5:hello,", "is neither a mitmproxy flow file nor a HAR file"),
        (b"\x00\xff", "is neither a mitmproxy flow file nor a HAR file"),
        (b"{broken", "is not a valid HAR file"),
    ],
)
def test_what_is_no_recording_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, raw: bytes, why: str
) -> None:
    path = tmp_path / "a.flow"
    path.write_bytes(raw)
    assert cli.main(["show", str(path)]) == 2
    assert capsys.readouterr().err == f"thinkwire: {path} {why}\n"


def test_a_file_that_is_not_there_or_empty_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["show", "none.flow"]) == 2
    assert capsys.readouterr().err == "thinkwire: cannot read none.flow: no such file or directory\n"
    (tmp_path / "a.flow").touch()
    assert cli.main(["show", str(tmp_path / "a.flow")]) == 2
    assert "holds no HTTP exchange" in capsys.readouterr().err


@pytest.mark.parametrize("cut", [1, 30, 300])
def test_of_a_file_that_was_cut_the_complete_flows_are_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cut: int
) -> None:
    path = write_flows(tmp_path / "a.flow", exchange(*PIECES), exchange(*PIECES))
    path.write_bytes(path.read_bytes()[:-cut])
    assert cli.main(["show", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out.count("  reasoning Hm.\n") == 1
    assert err == f"thinkwire: {path} is damaged or cut off after flow 1; the complete flows were read\n"


def test_the_guide_shows_what_is_printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER.parent)
    guide = Path("docs/guide.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^    \$ uv run (thinkwire show .*)\n((?:    .*\n)+)", guide, re.MULTILINE)
    assert show(capsys, *shown[0].split()[2:]) == re.sub(r"^    ", "", shown[1], flags=re.MULTILINE) + "\n"
    (line,) = re.findall(r'`(\{"flow".*?\})`', guide)
    assert line in show(capsys, STREAM, "--events").splitlines()


# --- rules --------------------------------------------------------------------------------------------------------


def test_with_rules_it_is_what_the_client_gets(capsys: pytest.CaptureFixture[str]) -> None:
    out = show(capsys, STREAM, "--rules", RULES / "strip.yaml")
    assert "  rules     strip" in out
    assert "reasoning" not in out.replace("r reasoning", "")
    assert f"  content   {ANSWER}\n" in out


def test_what_rules_extract_is_reasoning(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    raw = stream(*(chunk({"content": text}) for text in ("<thi", "nk>Hm.</th", "ink>", "Hi")))
    path = write_flows(tmp_path / "a.flow", exchange(raw))
    assert "  content   <think>Hm.</think>Hi\n" in show(capsys, path)
    assert "  reasoning Hm.\n  content   Hi\n" in show(capsys, path, "--rules", RULES / "think-tags.yaml")
    out = show(capsys, path, "--diff", "--rules", RULES / "think-tags.yaml")
    assert re.search(r"^  \+ .*\"reasoning\":\"Hm\.\"", out, re.MULTILINE)


def test_a_bad_rule_file_cannot_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    bad = Path(__file__).parents[1] / "ruleset" / "bad" / "null.yaml"
    assert cli.main(["show", str(STREAM), "--rules", str(bad)]) == 2
    assert "null.yaml:" in capsys.readouterr().err


def test_the_diff_shows_what_changed_and_only_that(capsys: pytest.CaptureFixture[str], made: Path) -> None:
    lines = show(capsys, made, "--diff").splitlines()
    assert lines[0] == "flow 1: POST http://provider.test/v1/chat/completions"
    assert [line for line in lines if line.startswith("  event")] == ["  event 1", "  event 2"]
    assert lines[2].endswith('"delta": {"reasoning_content": "Hm"}, "finish_reason": null}]}')
    assert lines[3].endswith('"delta": {"reasoning": "Hm"}, "finish_reason": null}]}')
    assert re.fullmatch(r"  default-rename \(.*default.yaml:\d+\): 2 events renamed", lines[-2])


def test_the_diff_shows_events_that_are_not_sent(capsys: pytest.CaptureFixture[str], made: Path) -> None:
    out = show(capsys, made, "--diff", "--rules", RULES / "strip.yaml")
    assert out.count("\n  - ") == 2
    assert "\n  + " not in out
    assert "2 events dropped" in out


def test_the_diff_of_a_body_is_cut_to_the_change(capsys: pytest.CaptureFixture[str]) -> None:
    out = show(capsys, FOLDER / "llamacpp-chat-body.flow", "--diff")
    assert "  body\n" in out
    before, after = re.findall(r"^  [-+] (.*)$", out, re.MULTILINE)
    assert before.replace("reasoning_content", "reasoning") == after
    assert before.startswith("...")
    assert len(before) < 200


def test_where_no_rule_decides_the_diff_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("version: 1\nrules:\n  - id: a\n    when: {host: x}\n    response: {reasoning: strip}\n")
    assert "no rule decides about this exchange" in show(capsys, STREAM, "--diff", "--rules", rules)


USER = {"role": "user", "content": "Why?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.fixture
def tool_loop(tmp_path: Path) -> Path:
    """Two exchanges; the second request has forgotten what the first answer thought."""
    asked = {"model": "kimi-k3", "stream": True, "include_reasoning": True, "messages": [USER]}
    called = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    asked_next = asked | {"messages": [USER, called, {"role": "tool", "tool_call_id": "call_1", "content": "x"}]}
    first = stream(chunk({"reasoning_content": "Hm."}), chunk({"tool_calls": [CALL | {"index": 0}]}))
    second = stream(chunk({"content": "Hi"}))
    return write_flows(tmp_path / "loop.flow", exchange(first, question=asked), exchange(second, question=asked_next))


@pytest.mark.parametrize("only", [[], ["--flow", "2"]])
def test_the_diff_shows_what_the_rules_do_to_a_request(
    capsys: pytest.CaptureFixture[str], tool_loop: Path, only: list[str]
) -> None:
    lines = show(capsys, tool_loop, "--diff", "--rules", RULES / "kimi.yaml", *only).splitlines()
    assert lines[-5:-2] == [
        "flow 2: POST http://provider.test/v1/chat/completions",
        "  request",
        '  + messages.1.reasoning_content: "Hm."',
    ]
    assert lines[-2].endswith("): reasoning put back: 1, request edited, nothing to change")


def test_the_diff_shows_members_of_a_request_that_go_change_and_come(
    capsys: pytest.CaptureFixture[str], tool_loop: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - id: a\n    request:\n      remove: [include_reasoning]\n"
        "      set: {model: kimi-k2, thinking.type: enabled}\n"
    )
    out = show(capsys, tool_loop, "--diff", "--rules", rules, "--flow", "1")
    assert out.splitlines()[1:6] == [
        "  request",
        '  - model: "kimi-k3"',
        '  + model: "kimi-k2"',
        "  - include_reasoning: true",
        '  + thinking: {"type":"enabled"}',
    ]


def test_the_diff_says_of_a_refused_request_why_and_nothing_of_its_answer(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - id: a\n    request: {history: inline}\n    response: {reasoning: strip}\n"
    )
    blocks = [{"type": "redacted_thinking", "data": "b3BhcXVl"}, {"type": "text", "text": "a"}]
    asked = {"model": "m", "messages": [USER, {"role": "assistant", "content": blocks}]}
    path = write_flows(tmp_path / "a.flow", exchange(*PIECES, question=asked))
    (_, line, _) = show(capsys, path, "--diff", "--rules", rules).split("\n", 2)
    assert "refused: a block of redacted_thinking cannot be written as tagged text" in line


def test_the_diff_of_lists_and_lines_shows_their_documents(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = "".join(
        json.dumps({"message": {"role": "assistant", "content": "", "thinking": text}, "done": False}) + "\n"
        for text in ("Hm", ".")
    )
    ollama = exchange(lines.encode(), kind="application/x-ndjson", url="http://h/api/chat")
    part = {"candidates": [{"content": {"parts": [{"text": "Hm", "thought": True}]}}]}
    listed = exchange(
        json.dumps([part, part]).encode(),
        kind="application/json",
        url="http://h/v1beta/models/g:streamGenerateContent",
        question={"contents": []},
    )
    path = write_flows(tmp_path / "a.flow", ollama, listed)
    out = show(capsys, path, "--diff", "--rules", RULES / "strip.yaml")
    assert out.count('\n  - {"message"') == 2
    assert out.count('\n  - {"candidates"') == 2
    assert show(capsys, path).count("  reasoning Hm") == 2


# --- for programs -------------------------------------------------------------------------------------------------


def test_events_are_lines_of_json_and_say_when_a_thought_ends(capsys: pytest.CaptureFixture[str], made: Path) -> None:
    common = {"flow": 1, "choice": 0, "status": None}
    thinking = common | {"type": "reasoning", "status": "thinking"}
    assert events(capsys, made) == [
        thinking | {"token": "Hm", "time": 0.5},
        thinking | {"token": ".", "time": 1.0},
        common | {"type": "reasoning", "token": "", "status": "", "time": 3.0},
        common | {"type": "content", "token": "Hi\nyou", "time": 3.0},
        common | {"type": "finish", "token": "stop", "time": 4.0},
        {"flow": 1, "type": "end", "token": "", "status": "complete", "choice": None, "time": 4.0},
    ]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_tokens_of_a_recording_spell_what_was_said(capsys: pytest.CaptureFixture[str], name: str) -> None:
    found = events(capsys, FOLDER / f"{name}.flow")
    for choice in range(EXPECTED[name].choices):
        mine = [one for one in found if one["choice"] == choice]
        said = {kind: "".join(one["token"] for one in mine if one["type"] == kind) for kind in ("reasoning", "content")}
        assert said == {"reasoning": EXPECTED[name].reasoning, "content": EXPECTED[name].content}
        assert [one["status"] for one in mine if one["type"] == "reasoning"].count("") == 1


def test_a_thought_that_the_end_cuts_ends_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_flows(tmp_path / "a.flow", exchange(*PIECES[:2], times=TIMES[:2], error="peer closed"))
    *_, ended, last = events(capsys, path)
    assert (ended["type"], ended["status"], ended["time"]) == ("reasoning", "", 1.0)
    assert (last["type"], last["status"]) == ("end", "peer closed")


def test_events_name_calls_and_hold_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call = {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{}"}}]}
    raw = stream(chunk(call), {"choices": [], "usage": {"total_tokens": 3}})
    path = write_flows(tmp_path / "a.flow", exchange(raw))
    tool, usage, _ = events(capsys, path)
    assert (tool["type"], tool["name"], tool["call"], tool["token"]) == ("tool", "f", 0, "{}")
    assert usage["value"] == {"total_tokens": 3}


def test_events_are_what_the_client_gets_where_rules_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = events(capsys, STREAM, "--rules", RULES / "strip.yaml")
    assert "reasoning" not in {one["type"] for one in found}
    assert "".join(one["token"] for one in events(capsys, STREAM) if one["type"] == "reasoning") == THOUGHT
