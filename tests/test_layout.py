"""The layout by which one finds one's way: small folders, small modules, one name for one type, a test file each."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "addons" / "thinkwire"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")

MOST_MODULES = 15
MOST_LINES = 400
FLAT = {"dialects/apis"}
"""One file per API, however many there are."""


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def public_types(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        name = node.name if isinstance(node, ast.ClassDef) else node.name.id if isinstance(node, ast.TypeAlias) else "_"
        if not name.startswith("_"):
            yield name


def test_the_package_is_where_it_is_looked_for() -> None:
    assert len(MODULES) > 150


def test_no_folder_holds_more_modules_than_one_can_survey() -> None:
    counts = Counter(name_of(path.parent) for path in MODULES)
    assert {name for name, count in counts.items() if count > MOST_MODULES} == FLAT


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_is_longer_than_one_can_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_a_public_type_has_a_name_of_its_own() -> None:
    counts = Counter(name for path in MODULES for name in public_types(path.read_text(encoding="utf-8")))
    assert {name for name, count in counts.items() if count > 1} == set()


def test_the_public_types_of_a_module_are_its_classes_and_aliases() -> None:
    source = "class A: ...\nclass _B: ...\ntype C = A | _B\ntype _D = C\ndef e(): ...\n"
    assert [*public_types(source)] == ["A", "C"]


def test_each_module_has_a_test_file_of_its_name() -> None:
    """`addons/thinkwire/a/b.py` has `tests/a/test_b.py`."""
    paired = {name_of(path): TESTS / name_of(path.with_name(f"test_{path.name}")) for path in MODULES}
    assert [name for name, tests in paired.items() if not tests.exists()] == []
