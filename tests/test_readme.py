"""The commands of the documents are those that are run: the README's test command is the first thing in `.ci/run`."""

from __future__ import annotations

import re
import shlex

from tests.e2e.mitmdump import PROJECT

CODE = re.compile(r"^```\w*\n(.*?)^```|^((?: {4}.*\n)+)", re.MULTILINE | re.DOTALL)


def shown_commands(*documents: str) -> list[str]:
    """Every command line in the code blocks of the documents, without prompt and comment."""
    texts = [(PROJECT / name).read_text(encoding="utf-8") for name in documents]
    blocks = [fenced or indented for text in texts for fenced, indented in CODE.findall(text)]
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [re.sub(r"\s+#.*", "", line) for line in lines]


def test_ci_runs_the_long_test_command_of_the_readme() -> None:
    (command,) = {
        line for line in shown_commands("README.md") if line.startswith("python3 -m venv") and line.endswith("pytest")
    }
    assert command in (PROJECT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_the_recordings_and_rule_files_that_the_documents_name_are_there() -> None:
    shown = shown_commands("README.md", "docs/guide.md")
    words = [word for line in shown if re.match("(python3|uv run) ", line) for word in shlex.split(line)]
    named = {
        word.rpartition("=")[2] for word in words if re.search(r"(recordings|rules|addons)/\S+\.(flow|yaml|py)$", word)
    }
    assert any(name.startswith("recordings/") for name in named)
    assert all([*PROJECT.glob(name)] for name in named)


def test_ci_runs_the_tests_of_the_shipped_rule_files() -> None:
    assert (
        ".uv/bin/uv run thinkwire test rules/*.yaml"
        in (PROJECT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    )
