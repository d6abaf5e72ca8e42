"""Declared APIs for tests, in few words."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from thinkwire.dialects.core.dialect import GLANCE, Dialect
from thinkwire.dialects.core.parts import Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.declared.compiler import Declaration, DeclaredField, compile_dialect
from thinkwire.dialects.declared.paths import parse_path
from thinkwire.wire.json_tree import Node, decode, read

type Paths = Mapping[str, Sequence[str]]

REQUEST = RequestFacts("h", "/talk", "POST", (), {"request": {"name": "m", "live": True}, "model": "n", "stream": 1})
CHOICES: Paths = {
    "reasoning": ["choices[*].delta.thoughts", "choices[*].message.thoughts"],
    "text": ["choices[*].delta.say"],
    "owner": ["choices[*].index"],
    "envelope": ["id", "model"],
}
EVENTS: Paths = {
    "reasoning": ["[type=thought.delta].text", "[type=thought.start]"],
    "text": ["[type=say.delta].text"],
    "usage": ["usage"],
}


def declared_fields(paths: Paths) -> tuple[DeclaredField, ...]:
    """`{"tool_call": ["a.b"]}` -> fields; `thought` is reasoning that removes its whole item."""
    return tuple(
        DeclaredField(Kind.REASONING, parse_path(path), is_reasoning=True)
        if kind == "thought"
        else DeclaredField(Kind(kind.replace("_", " ")), parse_path(path))
        for kind, of_kind in paths.items()
        for path in of_kind
    )


def declare(paths: Paths, *evidence: str, path: str = "/talk", name: str = "talkative") -> Dialect:
    return compile_dialect(Declaration(name, path.__eq__, tuple(map(parse_path, evidence)), declared_fields(paths)))


def tree(document: Any, dialect: Dialect | None = None) -> Node:
    raw = json.dumps(document, ensure_ascii=False).encode()
    return read(decode(raw), GLANCE if dialect is None else dialect.table(REQUEST))
