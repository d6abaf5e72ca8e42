"""What the documents show is what the program does: YAML blocks are valid rule files, the diagram is the table."""

import re
import typing
from pathlib import Path

import pytest

from thinkwire.dialects.apis import chat_completions
from thinkwire.dialects.core import dialect, fields, parts
from thinkwire.dialects.core import request_facts as request
from thinkwire.dialects.core.dialect import handling_table
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.tag_families import FAMILIES, families_table
from thinkwire.dialects.registry import DIALECTS, request_facts
from thinkwire.playback.recording import read_recording
from thinkwire.playback.rule_test import run_test
from thinkwire.proxy.flow_filter import compile_filter
from thinkwire.proxy.options import OPTIONS
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import ResponsePlan, Strip
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.strip.states import diagram
from thinkwire.ruleset import load as shipped
from thinkwire.ruleset.load import load
from thinkwire.ruleset.problem import render
from thinkwire.ruleset.settings.table import settings_table
from thinkwire.wire import json_tree, splice

PROJECT = Path(__file__).resolve().parents[1]
YAML = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    pytest.param(match[1], id=f"{path.name}:{path.read_text(encoding='utf-8').count(chr(10), 0, match.start()) + 1}")
    for path in sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/*.md")])
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


def test_the_tests_that_the_documents_show_pass(tmp_path: Path) -> None:
    (tmp_path / "recordings").symlink_to(PROJECT / "recordings")
    (tmp_path / "rules").mkdir()
    verdicts = []
    for block in BLOCKS:
        file = tmp_path / "rules" / "rules.yaml"
        file.write_text(str(block.values[0]), encoding="utf-8")
        loaded = load(file, shipped=shipped.folder(), compile_filter=compile_filter)
        assert loaded.ruleset is not None
        verdicts += [run_test(test, loaded.ruleset, read_recording) for test in loaded.tests]
    assert verdicts
    assert [verdict for verdict in verdicts if not verdict.has_passed] == []


def test_the_table_of_apis_is_printed_from_the_registry() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"<!-- apis:.*?-->\n(.*?)<!-- end of apis -->", readme, re.DOTALL)
    assert shown is not None
    assert shown[1] == handling_table(DIALECTS), "CONTRIBUTING.md, A new API, says how to print it anew"


def test_the_api_that_contributing_adds_is_one_that_works() -> None:
    (source,) = re.findall(
        r"^```python\n(.*?)^```", (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M | re.S
    )
    modules = (chat_completions, dialect, fields, parts, request, json_tree, splice, typing)
    namespace = {name: value for module in modules for name, value in vars(module).items() if not name.startswith("_")}
    namespace["fields"] = fields
    exec(source, namespace)
    dialects = (namespace["TALKATIVE"], *DIALECTS)
    facts = request_facts("h", "/v9/talk", "POST", [], b'{"model": "m"}', dialects)
    answer = AnswerRewriter(ResponsePlan(Strip()), facts, dialects)
    assert (facts.dialect, facts.model) == ("talkative", "m")
    document = b'{"id": 1, "choices": [{"index": 0, "thoughts": "Secret", "say": "Hi"}]}'
    assert rewrite_body(document, answer) == b'{"id": 1, "choices": [{"index": 0, "say": "Hi"}]}'
    like = json_tree.read("{}", None)
    for kind in (parts.Kind.REASONING, parts.Kind.TEXT):
        (text,) = namespace["TALKATIVE"].write(kind, "hm", parts.ItemKey("", 0), like)
        root = json_tree.read(text, namespace["DOCUMENT"])
        assert namespace["TALKATIVE"].matches_document(root)
        assert [part.kind for update in locate(root, parts.Extent.DELTA) for part in update.parts] == [kind]


def test_the_table_of_tag_families_is_printed_from_theirs() -> None:
    guide = (PROJECT / "docs" / "guide.md").read_text(encoding="utf-8")
    shown = re.search(r"<!-- families:.*?-->\n(.*?)<!-- end of families -->", guide, re.DOTALL)
    assert shown is not None
    assert shown[1] == families_table(FAMILIES.values()), "CONTRIBUTING.md, A new family of tags, says how"


def test_the_table_of_settings_is_printed_from_theirs() -> None:
    guide = (PROJECT / "docs" / "guide.md").read_text(encoding="utf-8")
    shown = re.search(r"<!-- settings:.*?-->\n(.*?)<!-- end of settings -->", guide, re.DOTALL)
    assert shown is not None
    assert shown[1] == settings_table(), "CONTRIBUTING.md, A new setting, says how to print it anew"


def test_the_diagram_of_states_is_printed_from_the_table() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{diagram()}```" in readme


DOCUMENTS = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/*.md"), PROJECT / "recordings" / "README.md"])
LINK = re.compile(r"\]\((?!https?://)([^)#]*)(?:#([^)]*))?\)")


def headings(document: Path) -> set[str]:
    """The anchors that a forge makes of the headings."""
    titles = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    for file, anchor in LINK.findall(document.read_text(encoding="utf-8")):
        target = document.parent / file if file else document
        assert target.exists(), f"{document.name} links to {file}"
        assert not anchor or anchor in headings(target), f"{document.name} links to {file}#{anchor}"


def test_every_option_and_command_is_in_the_guide() -> None:
    guide = (PROJECT / "docs" / "guide.md").read_text(encoding="utf-8")
    addon = (PROJECT / "addons" / "thinkwire" / "proxy" / "addon.py").read_text(encoding="utf-8")
    commands = set(re.findall(r'@command\.command\("([^"]+)"\)', addon))
    assert commands
    names = commands | {option.name for option in OPTIONS}
    assert {name for name in names if name not in guide} == set()
