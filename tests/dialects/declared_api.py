"""Declared APIs for tests, in few words."""

from collections.abc import Mapping, Sequence

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import Kind
from thinkwire.dialects.declared.compiler import Declaration, DeclaredField, compile_dialect
from thinkwire.dialects.declared.paths import parse_path

type Paths = Mapping[str, Sequence[str]]


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
