"""The README's commands are the ones that are run: its test command is the first thing that `.ci/run` does."""

from __future__ import annotations

import re
import shlex

from tests.e2e.mitmdump import PROJECT

CODE = re.compile(r"^```\w*\n(.*?)^```|^((?: {4}.*\n)+)", re.MULTILINE | re.DOTALL)


def shown_commands() -> list[str]:
    """Every command line in the README's code blocks, without prompt and comment."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    blocks = [fenced or indented for fenced, indented in CODE.findall(readme)]
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [re.sub(r"\s+#.*", "", line) for line in lines]


def test_ci_runs_the_long_test_command_of_the_readme() -> None:
    (command,) = {line for line in shown_commands() if line.startswith("python3 -m venv") and line.endswith("pytest")}
    assert command in (PROJECT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_recordings_and_rule_files_that_the_readme_names_are_there() -> None:
    words = [word for line in shown_commands() if "mitmdump" in line for word in shlex.split(line)]
    named = {
        word.rpartition("=")[2] for word in words if re.search(r"(recordings|rules|addons)/\S+\.(flow|yaml|py)$", word)
    }
    assert any(name.startswith("recordings/") for name in named)
    assert all((PROJECT / name).exists() for name in named)


def test_ci_runs_the_tests_of_the_shipped_rule_files() -> None:
    assert (
        ".uv/bin/uv run thinkwire test rules/*.yaml"
        in (PROJECT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    )
