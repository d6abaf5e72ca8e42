"""A rule file's test, run: what is taken from the recording, what becomes of it, and what cannot be run."""

import json
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http, tcp
from mitmproxy.test import tflow

from tests.flows import CHAT_URL, QUESTION, exchange, write_flows
from tests.rewrite.answers import body, chunk, event, stream
from tests.ruleset.loading import load_text
from thinkwire.playback.recording import read_recording
from thinkwire.playback.rule_test import run_test
from thinkwire.ruleset.rule_tests.verdict import Verdict

USER = {"role": "user", "content": "Why?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": "", "tool_calls": [CALL]}
FIRST = {"model": "kimi-k3", "stream": True, "messages": [USER]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "x"}
NEXT = FIRST | {"messages": [USER, CALLED, RESULT]}
CALLING = stream(
    chunk({"reasoning_content": "Hm."}),
    chunk({"tool_calls": [CALL | {"index": 0}]}, finish_reason="tool_calls"),
)
ANSWER = stream(chunk({"reasoning_content": "Hm"}), chunk({"content": "Hi"}), chunk(finish_reason="stop"))
STRIP = "{id: hide, response: {reasoning: strip}}"
RENAME = "{id: name, response: {reasoning: {rename: reasoning}}}"
RESTORE = "{id: restore, request: {history: reasoning_content, restore: true}}"


def run(folder: Path, rule: str, test: str, *flows: Any) -> Verdict:
    """The verdict on one test of one rule, over these flows."""
    if flows:
        write_flows(folder / "a.flow", *flows)
    loaded = load_text(folder, f"version: 1\nrules:\n  - {rule}\ntests:\n  - {{id: one, recording: a.flow, {test}}}\n")
    assert loaded.ruleset is not None, loaded.problems
    (read,) = loaded.tests
    return run_test(read, loaded.ruleset, read_recording)


def differing(folder: Path, rule: str, test: str, *flows: Any) -> list[str]:
    verdict = run(folder, rule, test, *flows)
    assert not verdict.obstacle
    return [one.what for one in verdict.mismatches]


# --- answers ------------------------------------------------------------------------------------------------------


def test_what_a_client_reads_is_what_the_rules_have_made(tmp_path: Path) -> None:
    stripped = 'rules: [hide], expect: {reasoning: "", content: Hi, absent: [reasoning_content], status: 200}'
    assert differing(tmp_path, STRIP, stripped, exchange(ANSWER)) == []
    assert differing(tmp_path, RENAME, stripped.replace("hide", "name")) == ["reasoning"]
    named = "rules: [name], expect: {reasoning: Hm, present: [delta.reasoning], absent: [reasoning_content]}"
    assert differing(tmp_path, RENAME, named) == []
    assert differing(tmp_path, STRIP, named.replace("name", "hide")) == ["reasoning", "present"]


def test_a_whole_body_is_rewritten_too(tmp_path: Path) -> None:
    document = body({"reasoning_content": "Hm", "content": "Hi"})
    flow = exchange(json.dumps(document).encode(), kind="application/json", question=QUESTION | {"stream": False})
    test = 'expect: {reasoning: "", content: Hi, absent: [reasoning_content], present: [message.content]}'
    assert differing(tmp_path, STRIP, test, flow) == []


def test_a_compressed_answer_is_read(tmp_path: Path) -> None:
    flow = exchange(ANSWER)
    assert flow.response is not None
    flow.response.encode("gzip")
    assert differing(tmp_path, STRIP, 'expect: {reasoning: "", content: Hi}', flow) == []


def test_times_of_chunks_do_not_matter(tmp_path: Path) -> None:
    flow = exchange(ANSWER[:70], ANSWER[70:], times=[0.5, 1.0])
    assert differing(tmp_path, RENAME, "expect: {reasoning: Hm, content: Hi}", flow) == []


def test_faults_are_not_made(tmp_path: Path) -> None:
    rule = "{id: faulty, response: {fault: {status_first: 429, cut_after: 1, live: true}}}"
    test = "rules: [faulty], expect: {status: 200, content: Hi, present: [finish_reason]}"
    assert differing(tmp_path, rule, test, exchange(ANSWER)) == []


def test_declared_apis_are_known(tmp_path: Path) -> None:
    rule = (
        "{id: hide, when: {dialect: own}, response: {reasoning: strip}}\ndialects:\n"
        "  - {id: own, path: /own, places: {reasoning: thought, text: say, owner: n}}"
    )
    flow = exchange(event({"n": 0, "thought": "Hm"}), event({"n": 0, "say": "Hi"}), url="http://h/own")
    assert differing(tmp_path, rule, 'expect: {reasoning: "", content: Hi, absent: [thought]}', flow) == []
    kept = rule.replace("strip", "keep")
    assert differing(tmp_path, kept, "expect: {reasoning: Hm, content: Hi, present: [thought]}", flow) == []


def test_an_answer_that_cannot_be_read_is_withheld_as_live(tmp_path: Path) -> None:
    broken = exchange(b'{"choices": [{"message"', kind="application/json", question=QUESTION | {"stream": False})
    assert differing(tmp_path, STRIP, "expect: {status: 502, present: [error.message]}", broken) == []
    verdict = run(tmp_path, STRIP, 'rules: [hide], expect: {reasoning: "", absent: [reasoning_content]}')
    assert [one.what for one in verdict.mismatches] == ["status"]
    assert "the body cannot be read" in verdict.notes[0]


def test_an_error_of_the_provider_is_a_document(tmp_path: Path) -> None:
    refused = exchange(b'{"error": {"code": 7}}', kind="application/json", status=429)
    test = 'expect: {status: 429, present: [error.code], reasoning: "", content: ""}'
    assert differing(tmp_path, STRIP, test, refused) == []


def test_a_refused_request_gets_our_answer(tmp_path: Path) -> None:
    blocks = [{"type": "redacted_thinking", "data": "b3BhcXVl"}, {"type": "text", "text": "a"}]
    asked = {"model": "m", "messages": [USER, {"role": "assistant", "content": blocks}]}
    rule = "{id: inline, request: {history: inline}}"
    flow = exchange(ANSWER, question=asked)
    refused = 'expect: {status: 400, content: "", present: [error]}'
    assert differing(tmp_path, rule, refused, flow) == []
    verdict = run(tmp_path, rule, "expect: {content: Hi, request: {present: [model]}}")
    assert [one.what for one in verdict.mismatches] == ["status", "content", "request"]
    assert "redacted_thinking" in verdict.notes[0]


# --- requests -----------------------------------------------------------------------------------------------------


def test_the_request_that_goes_up_is_seen(tmp_path: Path) -> None:
    rule = "{id: edit, request: {remove: [stream], set: {a.b: 1}}}"
    test = "rules: [edit], expect: {request: {absent: [stream], present: [messages], body: {a.b: 1, model: m}}}"
    assert differing(tmp_path, rule, test, exchange(ANSWER)) == []
    assert differing(tmp_path, STRIP, test.replace("edit", "hide")) == ["request.absent", "request.body a.b"]


def test_what_an_earlier_answer_thought_is_put_back(tmp_path: Path) -> None:
    flows = exchange(CALLING, question=FIRST), exchange(ANSWER, question=NEXT)
    test = "expect: {request: {body: {messages.1.reasoning_content: Hm.}}}"
    assert run(tmp_path, RESTORE, test, *flows).notes == ("reasoning put back: 1", "request edited")
    assert differing(tmp_path, RESTORE, test, *flows) == []
    assert differing(tmp_path, RENAME, test, *flows) == ["request.body messages.1.reasoning_content"]
    assert differing(tmp_path, RESTORE, test, *flows[1:]) == ["request.body messages.1.reasoning_content"]


def test_each_test_has_a_memory_of_its_own(tmp_path: Path) -> None:
    write_flows(tmp_path / "a.flow", exchange(CALLING, question=FIRST), exchange(ANSWER, question=NEXT))
    write_flows(tmp_path / "b.flow", exchange(ANSWER, question=NEXT))
    tests = "".join(
        f"  - {{id: {name}, recording: {name}.flow, expect: {{request: {{present: [messages.reasoning_content]}}}}}}\n"
        for name in "ab"
    )
    loaded = load_text(tmp_path, f"version: 1\nrules:\n  - {RESTORE}\ntests:\n{tests}")
    assert loaded.ruleset is not None
    ruleset = loaded.ruleset
    assert [run_test(test, ruleset, read_recording).has_passed for test in loaded.tests] == [True, False]


# --- which flow, and what of it is changed ------------------------------------------------------------------------


def test_the_last_flow_is_meant_or_the_one_that_is_named(tmp_path: Path) -> None:
    flows = exchange(CALLING, question=FIRST), exchange(ANSWER, question=NEXT)
    assert differing(tmp_path, RENAME, "expect: {content: Hi}", *flows) == []
    assert differing(tmp_path, RENAME, "flow: 2, expect: {content: Hi}") == []
    assert differing(tmp_path, RENAME, "flow: 1, expect: {reasoning: Hm., content: ''}") == []


def test_flows_that_are_no_exchanges_count_and_are_passed_over(tmp_path: Path) -> None:
    gone = exchange(ANSWER, question=FIRST, error="broke off")
    gone.response = None
    others = tflow.ttcpflow(), tflow.twebsocketflow(), gone
    assert isinstance(others[0], tcp.TCPFlow)
    assert differing(tmp_path, RENAME, "flow: 4, expect: {content: Hi}", *others, exchange(ANSWER)) == []


def test_a_changed_request_is_what_the_rules_are_asked_about(tmp_path: Path) -> None:
    when = (
        "{host: a.example, path: /b/chat/completions, method: PUT, model: other, header: {x-a: b}, "
        "body: {a.b: 1}, dialect: chat-completions, filter: ~d a.example & ~m PUT}"
    )
    rule = f"{{id: all, when: {when}, response: {{reasoning: strip}}}}"
    target = "host: a.example, path: '/b/chat/completions?x=y', method: PUT"
    changes = f"{{{target}, header: {{x-a: b}}, body: {{model: other, a.b: 1}}}}"
    test = f"with: {changes}, rules: [all], expect: {{reasoning: ''}}"
    flow = exchange(ANSWER)
    flow.request.headers["host"] = "provider.test"
    assert differing(tmp_path, rule, test, flow) == []
    assert differing(tmp_path, rule, test.replace("b: 1}}", "b: 2}}")) == ["rules", "reasoning"]
    assert differing(tmp_path, rule, "rules: []") == []


def test_all_flows_up_to_the_tested_one_are_changed(tmp_path: Path) -> None:
    rule = "{id: restore, when: {model: deepseek-v4}, request: {restore: true}}"
    kept = NEXT | {"messages": [USER, CALLED | {"reasoning_content": "mine"}, RESULT]}
    flows = exchange(CALLING, question=FIRST), exchange(ANSWER, question=kept)
    changes = "with: {body: {model: deepseek-v4}}, without: [messages.1.reasoning_content]"
    test = f"{changes}, expect: {{request: {{body: {{messages.1.reasoning_content: Hm.}}}}}}"
    assert differing(tmp_path, rule, test, *flows) == []


def test_the_recording_stays_as_it_is(tmp_path: Path) -> None:
    flow = exchange(ANSWER)
    write_flows(tmp_path / "a.flow", flow)
    recording = read_recording(tmp_path / "a.flow")
    (before,) = (one.flow.get_state() for one in recording.exchanges)
    test = "{id: a, recording: a.flow, with: {body: {a: 1}}, rules: [hide]}"
    loaded = load_text(tmp_path, f"version: 1\nrules:\n  - {STRIP}\ntests:\n  - {test}\n")
    assert loaded.ruleset is not None
    assert run_test(loaded.tests[0], loaded.ruleset, lambda _: recording).has_passed
    assert recording.exchanges[0].flow.get_state() == before


def test_our_header_is_for_the_rules_and_travels_no_further(tmp_path: Path) -> None:
    """As in live traffic, where it is gone before a filter can see it."""
    asked = "with: {header: {x-thinkwire: strip}}, rules: [hide]"
    by_header = "{id: hide, when: {header: {x-thinkwire: strip}}, response: {reasoning: strip}}"
    assert differing(tmp_path, by_header, asked, exchange(ANSWER)) == []
    by_filter = "{id: hide, when: {filter: ~hq x-thinkwire}, response: {reasoning: strip}}"
    assert differing(tmp_path, by_filter, asked) == ["rules"]


# --- what cannot be run -------------------------------------------------------------------------------------------


def without_answer() -> http.HTTPFlow:
    flow = exchange(ANSWER)
    flow.response = None
    return flow


def without_body() -> http.HTTPFlow:
    flow = exchange(ANSWER)
    assert flow.response is not None
    flow.response.raw_content = None
    return flow


def in_unknown_coding() -> http.HTTPFlow:
    return exchange(b"abc", headers=[("content-encoding", "rot13")])


@pytest.mark.parametrize(
    ("test", "flows", "why"),
    [
        ("flow: 3", [exchange(ANSWER)], "a.flow has no exchange 3; there are: 1"),
        ("flow: 1", [tflow.ttcpflow(), exchange(ANSWER)], "a.flow has no exchange 1; there are: 2"),
        ("flow: 1", [tflow.ttcpflow()], "a.flow has no exchange 1; there are: none at all"),
        ("", [tflow.ttcpflow()], "a.flow has no exchange 1; there are: none at all"),
        ("", [tflow.twebsocketflow()], "flow 1 is a WebSocket, which rule tests do not support"),
        ("", [exchange(ANSWER), without_answer()], "flow 2 has no answer"),
        ("", [without_body()], "flow 1 was recorded without the answer's body"),
        ("", [in_unknown_coding()], "the answer of flow 1 cannot be read: content-encoding rot13 cannot be read"),
        (
            "without: [messages.7]",
            [exchange(ANSWER)],
            "the request of flow 1 cannot be changed: its body has no messages.7 that could be taken out",
        ),
        (
            "with: {body: {messages.7.role: a}}",
            [exchange(ANSWER)],
            "the request of flow 1 cannot be changed: its body has no place for messages.7.role",
        ),
    ],
)
def test_what_cannot_be_run_says_why(tmp_path: Path, test: str, flows: list[Any], why: str) -> None:
    rule = RENAME.replace("rename: reasoning", "rename: thinking")
    verdict = run(tmp_path, rule, ", ".join(filter(None, [test, "rules: [name]"])), *flows)
    assert not verdict.has_passed
    assert verdict.obstacle.removeprefix(f"{tmp_path}/") == why


def test_a_recording_that_is_missing_or_none_cannot_be_run(tmp_path: Path) -> None:
    assert run(tmp_path, STRIP, "rules: [hide]").obstacle == f"cannot read {tmp_path}/a.flow: no such file or directory"
    (tmp_path / "a.flow").write_text("no flows")
    assert "a.flow is neither" in run(tmp_path, STRIP, "rules: [hide]").obstacle
    raw = write_flows(tmp_path / "a.flow", exchange(ANSWER), exchange(ANSWER)).read_bytes()
    (tmp_path / "a.flow").write_bytes(raw[:-20])
    assert "is damaged" in run(tmp_path, STRIP, "flow: 1, rules: [hide]").obstacle


def test_a_name_that_no_file_can_have_is_no_bug(tmp_path: Path) -> None:
    loaded = load_text(
        tmp_path, f'version: 1\nrules:\n  - {STRIP}\ntests:\n  - {{id: a, recording: "a\\0", rules: [hide]}}\n'
    )
    assert loaded.ruleset is not None
    assert run_test(loaded.tests[0], loaded.ruleset, read_recording).obstacle == "no recording can have this name"


@pytest.mark.parametrize(
    "changes",
    ["host: ''", "host: é.example", "path: no-slash", "path: ''", "path: /é", "method: é", "header: {x-a: 'é\\nb: c'}"],
)
def test_odd_changes_are_no_bug(tmp_path: Path, changes: str) -> None:
    flow = exchange(ANSWER, url=CHAT_URL)
    assert not run(tmp_path, STRIP, f"with: {{{changes}}}, rules: [hide]", flow).obstacle
