"""Recorded flows through the rules: each command shows the same of them, and what live traffic would get."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import http

from tests.flows import CHAT_URL, QUESTION, exchange, write_flows
from tests.rewrite.answers import chunk, event, stream
from thinkwire.cli import main as cli
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.run import ExchangeResult, run
from thinkwire.proxy.flow_filter import compile_filter
from thinkwire.ruleset import load as shipped
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.load import load

ROOT = Path(__file__).parents[2]
RECORDINGS = sorted((ROOT / "recordings").glob("*.flow"))
RULES = ("default", "strip", "think-tags", "kimi", "both")

REDACTED = [{"type": "redacted_thinking", "data": "b3BhcXVl"}, {"type": "text", "text": "Because."}]
ASKED_AGAIN = QUESTION | {"messages": [{"role": "assistant", "content": REDACTED}, {"role": "user", "content": "Why?"}]}
ANSWER = stream(chunk({"reasoning_content": "Hm"}), chunk({"content": "Hi"}), chunk(finish_reason="stop"))


type Results = dict[int, tuple[int, list[str]]]
"""For each exchange its status, and its texts in quotation marks."""


def results_of_show(capsys: pytest.CaptureFixture[str], recording: Path, rules: Path) -> Results:
    """What `show --rules` prints."""
    arguments = ["show", str(recording), "--rules", str(rules)]
    assert cli.main(arguments) == 0
    rows = capsys.readouterr().out
    numbers, statuses = re.findall(r"^flow (\d+):", rows, re.M), re.findall(r"^  answered  (\d+) ", rows, re.M)
    texts: dict[int, dict[Any, str]] = {int(number): {} for number in numbers}
    assert cli.main([*arguments, "--events"]) == 0
    for one in map(json.loads, capsys.readouterr().out.splitlines()):
        if one["type"] in ("reasoning", "content"):
            said, key = texts[one["flow"]], (one["type"], one["choice"])
            said[key] = said.get(key, "") + one["token"]
    return {
        number: (int(status), sorted(quoted(text) for text in texts[number].values() if text))
        for number, status in zip(texts, statuses, strict=True)
    }


def quoted(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return written if len(written) <= 400 else f"{written[:400]}..."


def results_of_test(
    capsys: pytest.CaptureFixture[str], folder: Path, recording: Path, rules: Path, flows: int
) -> Results:
    """What `test` prints beside what is expected in vain."""
    expect = {"status": 599, "reasoning": "never said", "content": "never said"}
    tests = [{"id": f"t-{n}", "recording": str(recording), "flow": n, "expect": expect} for n in range(1, flows + 1)]
    (folder / "tests.yaml").write_text(
        json.dumps({"version": 1, "include": [str(rules)], "rules": [], "tests": tests}), encoding="utf-8"
    )
    assert cli.main(["test", str(folder / "tests.yaml")]) == 1
    results: Results = {}
    for block in re.split(r"^FAILED  t-", capsys.readouterr().out, flags=re.M)[1:]:
        number = int(block.partition(" ")[0])
        status, *texts = re.findall(r"^          got       (.*)$", block, re.M)
        results[number] = int(status), sorted(text for text in texts if text != '""')
    return results


# --- show and test agree ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_show_and_test_agree(capsys: pytest.CaptureFixture[str], tmp_path: Path, recording: Path, rules: str) -> None:
    path = ROOT / "rules" / f"{rules}.yaml"
    said = results_of_show(capsys, recording, path)
    assert said == results_of_test(capsys, tmp_path, recording, path, len(said))


def agreed(capsys: pytest.CaptureFixture[str], folder: Path, rule: str, *flows: http.HTTPFlow) -> Results:
    """What both commands print of these flows by one rule."""
    path, rules = write_flows(folder / "a.flow", *flows), folder / "rules.yaml"
    rules.write_text(f"version: 1\nrules:\n  - {rule}\n", encoding="utf-8")
    said = results_of_show(capsys, path, rules)
    assert said == results_of_test(capsys, folder, path, rules, len(flows))
    return said


def test_a_refused_request_gets_no_answer_of_the_provider(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rule = "{id: a, request: {history: reasoning_content}}"
    assert agreed(capsys, tmp_path, rule, exchange(ANSWER, question=ASKED_AGAIN)) == {1: (400, [])}


def test_an_unreadable_answer_is_withheld(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    broken = exchange(b'{"choices": [{"message"', kind="application/json", question=QUESTION | {"stream": False})
    assert agreed(capsys, tmp_path, "{id: a, response: {reasoning: strip}}", broken) == {1: (502, [])}


def test_a_coding_that_nobody_knows_is_withheld(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    odd = exchange(ANSWER, headers=[("content-encoding", "rot13")])
    assert agreed(capsys, tmp_path, "{id: a, response: {reasoning: strip}}", odd) == {1: (502, [])}


def test_the_control_header_is_gone_before_a_filter_sees_the_request(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = exchange(ANSWER)
    asked.request.headers["x-thinkwire"] = "strip"
    by_filter = "{id: a, when: {filter: ~hq x-thinkwire}, response: {reasoning: strip}}"
    assert agreed(capsys, tmp_path, by_filter, asked) == {1: (200, ['"Hi"', '"Hm"'])}
    by_header = "{id: a, when: {header: {x-thinkwire: strip}}, response: {reasoning: strip}}"
    assert agreed(capsys, tmp_path, by_header, asked) == {1: (200, ['"Hi"'])}


# --- requests -----------------------------------------------------------------------------------------------------

USER = {"role": "user", "content": "Why?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": "", "tool_calls": [CALL]}
FIRST = {"model": "kimi-k3", "stream": True, "messages": [USER]}
NEXT = FIRST | {"messages": [USER, CALLED, {"role": "tool", "tool_call_id": "call_1", "content": "x"}]}
CALLING = stream(
    chunk({"reasoning_content": "Hm."}),
    chunk({"tool_calls": [CALL | {"index": 0}]}, finish_reason="tool_calls"),
)


def shipped_rules(name: str) -> Ruleset:
    return read_rules(ROOT / "rules" / f"{name}.yaml")


def read_rules(path: Path) -> Ruleset:
    ruleset = load(path, shipped=shipped.folder(), compile_filter=compile_filter).ruleset
    assert ruleset is not None
    return ruleset


def played(ruleset: Ruleset, *flows: http.HTTPFlow) -> list[ExchangeResult]:
    return list(run([RecordedExchange(number, flow) for number, flow in enumerate(flows, 1)], ruleset))


def called(result: ExchangeResult) -> dict[str, Any]:
    """The assistant's message as it is sent up."""
    return dict(json.loads(result.flow.request.content or b"")["messages"][1])


def is_changed(result: ExchangeResult) -> bool:
    """Is the request another than recorded?"""
    return result.flow.request.content != result.recorded.flow.request.content


def test_the_reasoning_of_an_earlier_answer_is_restored() -> None:
    first, second = played(shipped_rules("kimi"), exchange(CALLING, question=FIRST), exchange(CALLING, question=NEXT))
    assert not is_changed(first)
    assert called(second) == CALLED | {"reasoning_content": "Hm."}
    assert second.notes == ("reasoning put back: 1", "request edited")
    assert [rule.id for rule in second.selection.rules] == ["kimi", "default-rename"]


def test_nothing_is_remembered_without_the_earlier_flow() -> None:
    (only,) = played(shipped_rules("kimi"), exchange(CALLING, question=NEXT))
    assert called(only) == CALLED | {"reasoning_content": " "}


def test_an_answer_that_broke_off_is_remembered_as_far_as_it_came() -> None:
    unfinished = event(chunk({"reasoning_content": "Hm."})) + event(chunk({"content": "Bec"}))
    said = {"role": "assistant", "content": "Bec"}
    asked = FIRST | {"messages": [USER, said, {"role": "user", "content": "Go on"}]}
    first = exchange(unfinished, question=FIRST, error="peer closed")
    _, second = played(shipped_rules("kimi"), first, exchange(CALLING, question=asked))
    assert called(second) == said | {"reasoning_content": "Hm."}


def test_nothing_is_restored_for_another_caller() -> None:
    first, second = exchange(CALLING, question=FIRST), exchange(CALLING, question=NEXT)
    second.request.headers["authorization"] = "Bearer other"
    assert called(played(shipped_rules("kimi"), first, second)[1])["reasoning_content"] == " "


def test_what_was_recorded_stays_as_it_is() -> None:
    flows = exchange(CALLING, question=FIRST), exchange(CALLING, question=NEXT)
    played(shipped_rules("kimi"), *flows)
    assert json.loads(flows[1].request.content or b"") == NEXT
    assert flows[0].response is not None
    assert flows[0].response.content == CALLING


def test_a_refused_request_has_no_answer_to_remember(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("version: 1\nrules:\n  - id: a\n    request: {history: inline, restore: true}\n")
    redacted = {"model": "m", "messages": [USER, {"role": "assistant", "content": REDACTED}]}
    first, second = played(read_rules(path), exchange(CALLING, question=redacted), exchange(CALLING, question=NEXT))
    assert "redacted_thinking" in first.refusal
    assert not is_changed(second)


@pytest.mark.parametrize("where", ["header", "query"])
def test_a_signed_request_stays_as_it_is(where: str) -> None:
    flow = exchange(CALLING, question=NEXT, url=CHAT_URL + ("?X-Amz-Signature=0a" if where == "query" else ""))
    if where == "header":
        flow.request.headers["authorization"] = "AWS4-HMAC-SHA256 Credential=k, SignedHeaders=host, Signature=0a"
    (one,) = played(shipped_rules("kimi"), flow)
    assert (is_changed(one), one.notes) == (False, ("request left alone: it is signed (AWS SigV4)",))


def test_an_unreadable_request_stays_as_it_is() -> None:
    flow = exchange(CALLING, question=NEXT)
    flow.request.raw_content = b'{"model": "kimi-k3", '
    flow.request.host = "api.moonshot.ai"
    flow.request.path = "/v1/chat/completions"
    (one,) = played(shipped_rules("kimi"), flow)
    assert not is_changed(one)
    assert "its body cannot be read" in one.notes[0]


def test_what_is_not_asked_for_is_still_remembered() -> None:
    flows = exchange(CALLING, question=FIRST), exchange(CALLING, question=NEXT)
    recorded = [RecordedExchange(number, flow) for number, flow in enumerate(flows, 1)]
    (only,) = run(recorded, shipped_rules("kimi"), [2])
    assert called(only) == CALLED | {"reasoning_content": "Hm."}
