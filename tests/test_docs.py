"""What the documents show is what the program does: YAML blocks are valid rule files, the diagram is the table."""

import re
from pathlib import Path

import pytest

from thinkwire.proxy.filters import compile_filter
from thinkwire.rewrite.states import diagram
from thinkwire.ruleset import shipped
from thinkwire.ruleset.load import load
from thinkwire.ruleset.problem import render

PROJECT = Path(__file__).resolve().parents[1]
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(match[1], id=f"{path.name}:{path.read_text(encoding='utf-8').count(chr(10), 0, match.start()) + 1}")
    for path in sorted(PROJECT.glob("*.md"))
    for match in YAML.finditer(path.read_text(encoding="utf-8"))
]


def test_the_documents_show_rules() -> None:
    assert BLOCKS


@pytest.mark.parametrize("block", BLOCKS)
def test_each_yaml_block_is_a_rule_file_without_problems(block: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(block, encoding="utf-8")
    loaded = load(file, shipped=shipped.folder(), compile_filter=compile_filter)
    assert not loaded.problems, "\n".join(map(render, loaded.problems))


def test_the_diagram_of_states_is_printed_from_the_table() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{diagram()}```" in readme
