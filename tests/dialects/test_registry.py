"""Every dialect is complete, and every file that defines one is registered."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import thinkwire.dialects
from thinkwire.dialects.core.dialect import Dialect, Handling
from thinkwire.dialects.registry import DIALECTS, NAMES

FOLDER = Path(thinkwire.dialects.__path__[0])


@pytest.mark.parametrize("dialect", DIALECTS, ids=NAMES)
def test_each_dialect_states_how_reasoning_is_stripped_renamed_and_sent_back(dialect: Dialect) -> None:
    for field in fields(Handling):
        assert len(getattr(dialect.handling, field.name).split()) >= 3, f"{dialect.name} does not say: {field.name}"


def test_every_file_that_defines_a_dialect_is_in_the_registry() -> None:
    definition = re.compile(r"^([A-Z][A-Z0-9_]*)\b.*= Dialect\($", re.MULTILINE)
    defined = {name for path in FOLDER.rglob("*.py") for name in definition.findall(path.read_text(encoding="utf-8"))}
    registry = (FOLDER / "registry.py").read_text(encoding="utf-8")
    assert len(defined) >= len(DIALECTS)
    assert not {name for name in defined if not re.search(rf"^DIALECTS\b[^)]*\b{name}\b", registry, re.MULTILINE)}


def test_names_are_unique_and_are_what_rules_say() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in NAMES)
