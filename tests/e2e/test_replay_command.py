"""`thinkwire replay`: a provider that only knows recordings."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

from mitmproxy import http

from tests.flows import recorded_flow, write_flows

from .bodies import EVENTS, SSE, STREAM, STREAM_QUESTION
from .client import CHAT, ask
from .mitmdump import PROJECT, START_LIMIT, Mitmdump
from .upstream import LIMIT

RECORDING = str(PROJECT / "recordings" / "llamacpp-chat-stream.flow")
NULL = str(PROJECT / "tests" / "ruleset" / "bad" / "null.yaml")


def start(*arguments: str, home: Path) -> Mitmdump:
    code = "import sys; from thinkwire.cli.main import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code, "replay", *arguments],
        cwd=PROJECT,
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(PROJECT / "addons")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Mitmdump(process)


def test_the_command_stands_where_the_provider_stood(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - id: here\n    when: {host: api.nowhere.test}\n    response: {reasoning: strip}\n"
    )
    flow = recorded_flow(
        STREAM_QUESTION,
        url=f"https://api.nowhere.test{CHAT}",
        headers=[SSE],
        chunks=[(60.0, event) for event in EVENTS],
    )
    path = write_flows(tmp_path / "one.flow", flow)
    mitmdump = start(str(path), "--port", "0", "--speed", "0", "--rules", str(rules), home=tmp_path)
    try:
        mitmdump.wait_until_listening()
        reply = ask(mitmdump.port, STREAM_QUESTION)
        assert (reply.status, reply.ending) == (200, "clean")
        assert b"reasoning" not in reply.raw_body
        mitmdump.log.wait_for(f"is answered by number 1 of {path}", 0, LIMIT)
        mitmdump.interrupt()
        assert mitmdump.wait_for_end() == 0, mitmdump.log.text
    finally:
        mitmdump.stop()


def test_what_mitmdump_refuses_is_an_exit_code_of_ours(tmp_path: Path) -> None:
    mitmdump = start(RECORDING, "--port", "70000", home=tmp_path)
    assert mitmdump.wait_for_end() == 2
    assert "port must be" in mitmdump.log.text
    assert "Traceback" not in mitmdump.log.text


def run_to_end(*arguments: str, home: Path, code: int = 0) -> str:
    started = start(*arguments, home=home)
    assert started.wait_for_end() == code, started.log.text
    assert "Traceback" not in started.log.text
    return started.log.text


def test_asking_oneself_shows_what_the_readme_shows(tmp_path: Path) -> None:
    """Here without waiting: the times of what the client got are not the recorded ones."""
    printed = run_to_end("recordings/llamacpp-chat-stream.flow", "--ask", "--speed", "0", home=tmp_path)
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("<!-- ask: ")[2].partition("-->\n\n")[2].partition("      ...\n")[0]
    before, heading, after = printed.partition("  the client got\n")
    assert before + heading == "".join(line.removeprefix("    ") for line in shown.splitlines(keepends=True))
    (sent,) = re.findall(r"the provider sent\n(.*?)  times", before, re.DOTALL)
    assert after.startswith(sent)
    assert re.search(r"^  times     first reasoning [\d.]+ s, first answer [\d.]+ s, total [\d.]+ s\n", after, re.M)


def test_asking_oneself_goes_on_to_the_last_and_shows_what_broke_off(tmp_path: Path) -> None:
    url, headers = f"https://api.nowhere.test{CHAT}", [SSE, ("content-encoding", "gzip")]
    cut = recorded_flow(STREAM_QUESTION, url=url, headers=[SSE], chunks=[(0.0, EVENTS[1]), (9.0, EVENTS[2])], error="x")
    refused = recorded_flow({**STREAM_QUESTION, "n": 1}, url=url, error="connection refused", chunks=[])
    refused.response = None
    packed = recorded_flow({**STREAM_QUESTION, "n": 2}, url=url, headers=headers, chunks=[(0.0, gzip.compress(STREAM))])
    path = write_flows(tmp_path / "three.flow", cut, refused, packed)
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - {id: hide, when: {host: api.nowhere.test}, response: {reasoning: strip}}\n"
    )
    printed = run_to_end(str(path), RECORDING, "--ask", "--speed", "0", "--rules", str(rules), home=tmp_path)
    first, second, third, fourth = printed.split("flow ")[1:]
    sent, got = first.split("  the client got\n")
    assert "  reasoning " in sent
    assert "  broke off x\n" in sent
    assert "  reasoning " not in got
    assert "  broke off " in got
    assert "  answered  nothing\n  broke off connection refused\n" in second
    assert "  answered  502 " in second
    assert "  reasoning " in third
    assert "  reasoning " not in third.partition("  the client got\n")[2]
    assert "no rule decides" in fourth


def test_each_exchange_is_asked_for_at_its_own_host_and_what_cannot_be_is_named(tmp_path: Path) -> None:
    """One request for all, and some that no client would send like that."""
    urls = [f"https://a.test{CHAT}", f"http://b.test{CHAT}", f"http://b.test/api{CHAT}", f"http://[::1]:81{CHAT}"]
    asked = [
        recorded_flow(STREAM_QUESTION, url=url, headers=[SSE], chunks=[(0.0, chunk)])
        for url, chunk in zip(urls, EVENTS[1:], strict=False)
    ]
    asked[2].request.path += "?a b|\xe9"
    asked[3].request.headers["host"] = "[::1]:81"
    asked[0].request.headers = http.Headers(
        [(b"host", b"a.test"), (b"x-line", b"a\r\nb: c"), (b"no name", b"x"), (b"expect", b"100-continue")]
    )
    unanswered = recorded_flow(STREAM_QUESTION)
    unanswered.response = None
    path = write_flows(tmp_path / "five.flow", *asked, unanswered)
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - {id: hide, when: {host: a.test}, response: {reasoning: strip}}\n"
        "  - {id: other, when: {host: [b.test, '::1']}, response: {reasoning: {rename: reasoning}}}\n"
    )
    printed = run_to_end(str(path), "--ask", "--speed", "0", "--rules", str(rules), home=tmp_path, code=1)
    assert printed.endswith(f"thinkwire: number 5 of {path} cannot be replayed: it has no answer\n")
    for one, shown in zip(asked, printed.split("flow ")[1:], strict=False):
        sent, got = shown.split("  the client got\n")
        assert one.request.host in sent
        assert "  answered  200 " in got
        for said in re.findall("^  (?:reasoning|content) .*", sent, re.M):
            assert (said in got) == (one.request.host != "a.test" or "content" in said)


def test_an_api_that_the_rules_declare_is_read_by_who_asks_oneself(tmp_path: Path) -> None:
    recording, rules = "recordings/composed-own-apis.flow", "rules/example-dialect.yaml"
    printed = run_to_end(recording, "--ask", "--speed", "0", "--rules", rules, home=tmp_path)
    sent, got = printed.partition("flow 2")[0].split("  the client got\n")
    assert "  asked     talkative, " in sent
    assert "  reasoning I have to look " in sent
    assert "  content   " in got
    assert "  reasoning " not in got


def test_asking_oneself_can_be_interrupted(tmp_path: Path) -> None:
    flow = recorded_flow(STREAM_QUESTION, headers=[SSE], chunks=[(0.0, EVENTS[1]), (60.0, EVENTS[2])])
    started = start(str(write_flows(tmp_path / "long.flow", flow)), "--ask", home=tmp_path)
    try:
        started.log.wait_for("  asked ", 0, START_LIMIT)
        started.interrupt()
        assert started.wait_for_end() == 130
        assert "Traceback" not in started.log.text
    finally:
        started.stop()
