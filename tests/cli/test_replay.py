"""`thinkwire replay`: what it refuses. What it serves is tried in `tests/e2e/test_replay_command.py`."""

from pathlib import Path

import pytest

from thinkwire.cli import main as cli

PROJECT = Path(__file__).parents[2]
RECORDING = str(PROJECT / "recordings" / "llamacpp-chat-stream.flow")
NULL = str(PROJECT / "tests" / "ruleset" / "bad" / "null.yaml")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.flow"], 2, "thinkwire: cannot read none.flow: no such file or directory\n"),
        ([NULL], 2, f"thinkwire: {NULL} is neither a mitmproxy flow file nor a HAR file\n"),
        ([], 2, "FILE"),
        ([RECORDING, "--speed", "fast"], 2, "the replay speed is a number from 0 on"),
        ([RECORDING, "--fault", "cut=1"], 2, "thinkwire: --fault: there is no fault 'cut'"),
        ([RECORDING, "--fault", "cut-after=1", "--fault", "error-after=1"], 2, "cannot be combined"),
        ([RECORDING, "--rules", "none.yaml"], 2, "cannot read none.yaml"),
        ([RECORDING, "--rules", NULL], 2, "null.yaml:"),
    ],
)
def test_the_command_says_why_it_cannot_run(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", *arguments]) == code
    assert said in "".join(capsys.readouterr())
