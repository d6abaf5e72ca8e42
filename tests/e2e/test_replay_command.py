"""`thinkwire replay`: a provider that only knows recordings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows import recorded_flow, write_flows
from thinkwire import cli

from .bodies import EVENTS, SSE, STREAM_QUESTION
from .client import CHAT, ask
from .mitmdump import PROJECT, Mitmdump
from .upstream import LIMIT

RECORDING = str(PROJECT / "recordings" / "llamacpp-chat-stream.flow")
NULL = str(PROJECT / "tests" / "ruleset" / "bad" / "null.yaml")


def start(*arguments: str, home: Path) -> Mitmdump:
    code = "import sys; from thinkwire.cli import main; sys.exit(main())"
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


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.flow"], 2, "thinkwire: cannot read none.flow: no such file or directory\n"),
        ([NULL], 2, f"thinkwire: {NULL} is neither a mitmproxy flow file nor a HAR file\n"),
        ([], 2, "FILE"),
        ([RECORDING, "--speed", "fast"], 2, "the replay speed is a number from 0 on"),
        ([RECORDING, "--rules", "none.yaml"], 2, "cannot read none.yaml"),
        ([RECORDING, "--rules", NULL], 1, "null.yaml:"),
    ],
)
def test_the_command_says_why_it_cannot_run(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", *arguments]) == code
    assert said in "".join(capsys.readouterr())
