"""What `rewrite/` and `wire/` must not know: no API by its name, and no name of a member, type or event on the wire.

Whatever they need to know about an API, its dialect says; a wire name there is a special case of one API.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import CONVERSATIONS, DIALECTS
from thinkwire.wire.json_tree import Shape

PACKAGE = Path(__file__).parents[1] / "addons" / "thinkwire"
FACTS = RequestFacts("h", "/", "POST", ())
OTHERS = frozenset(
    ("redacted_thinking", "reasoning_details", "toolName", "stream_options", "in_progress", "include_reasoning")
)
"""Names of members, types and events that no table has, because only functions look for them."""
JSON = frozenset(("true", "false", "null"))
LAYERS = ("rewrite", "wire", "exchange")
ALLOWED = {
    "wire/aws_event_stream.py": {"bytes", "name", "__type"},  # of the framing, whatever API is in it
    "exchange/secret_patterns.py": {"token", "code"},  # secrets are known by their names
    "exchange/websocket.py": {"message"},  # the noun of the log
}
"""Literals that mean something else than a name in a document; each with the reason."""


def names_in(shape: Shape, seen: set[int]) -> Iterator[str]:
    """The names in a table: of members, of the member that switches, and of the types that it switches between."""
    if id(shape) in seen:
        return
    seen.add(id(shape))
    members = shape.members or {}
    inner = [*members.values(), *shape.cases.values(), shape.other, shape.elements]
    yield from (*members, *shape.cases, *filter(None, [shape.switch]))
    for one in inner:
        if isinstance(one, Shape):
            yield from names_in(one, seen)


@cache
def wire_names() -> frozenset[str]:
    seen: set[int] = set()
    tables = [dialect.table(FACTS) for dialect in DIALECTS] + [one.table for one in CONVERSATIONS.values()]
    return frozenset(name for table in tables for name in names_in(table, seen)) - JSON | OTHERS


def literals(source: str) -> Iterator[tuple[int, str]]:
    """The texts in a module, except docstrings, `__slots__`, and the values of its own enums."""
    tree = ast.parse(source)
    ours: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as text):
                ours.add(text)
            case ast.Assign(targets=[ast.Name(id="__slots__")]):
                ours.update(ast.walk(node))
            case ast.ClassDef(bases=[ast.Name(id="Enum")]):
                ours.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in ours:
            yield node.lineno, node.value


def wire_names_in(source: str, allowed: frozenset[str] | set[str] = frozenset()) -> list[str]:
    return [f"{line}: {text!r}" for line, text in literals(source) if text in wire_names() - allowed]


MODULES = [path for layer in LAYERS for path in sorted((PACKAGE / layer).rglob("*.py"))]


def test_there_are_modules_and_names() -> None:
    assert len(MODULES) > 50
    assert {"reasoning_content", "thinking", "tool_calls", "choices", "response.completed"} <= wire_names()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_knows_no_wire_name(path: Path) -> None:
    allowed = ALLOWED.get(path.relative_to(PACKAGE).as_posix(), set())
    assert wire_names_in(path.read_text(encoding="utf-8"), allowed) == []


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_allowed_is_needed(name: str) -> None:
    used = {text for _, text in literals((PACKAGE / name).read_text(encoding="utf-8"))}
    assert used >= ALLOWED[name]


def test_a_wire_name_is_caught() -> None:
    assert wire_names_in('kind = "redacted_thinking"') == ["1: 'redacted_thinking'"]
    assert wire_names_in('match value:\n    case {"tool_calls": list()}:\n        pass') == ["2: 'tool_calls'"]
    assert wire_names_in('"""It speaks of `tool_calls`."""') == []
