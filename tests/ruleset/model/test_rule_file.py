"""The JSON Schema says what `check` says, as far as a schema can."""

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from ruamel.yaml import YAML

from tests.ruleset.loading import SHIPPED, load_file
from thinkwire.ruleset.model.rule_file import json_schema

BAD = Path(__file__).parents[1] / "bad"
MODELINE = "# yaml-language-server: $schema=schema.json"
STRUCTURE = [
    "bad-id",
    "bad-number.fault",
    "bad-number.not-positive",
    "bad-number.tests",
    "bad-path",
    "bad-path.tests",
    "bad-tags",
    "empty",
    "empty.fault",
    "empty.list",
    "empty.tests",
    "missing-key",
    "missing-key.dialects",
    "missing-key.extract",
    "missing-key.fault",
    "missing-key.tests",
    "no-expectation",
    "two-actions",
    "two-actions.extract",
    "two-actions.fault",
    "unknown-key",
    "unknown-key.dialects",
    "unknown-key.fault",
    "unknown-key.tests",
    "unknown-value",
    "unknown-value.family",
    "unknown-value.fault",
    "unknown-version",
    "where-of-family",
    "wrong-type",
    "wrong-type.dialects",
    "wrong-type.extract",
    "wrong-type.fault",
    "wrong-type.root",
    "wrong-type.tests",
]
"""The bad files whose fault is one of structure, which a schema can see."""


def read(path: Path) -> Any:
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(json_schema())
    return jsonschema.Draft202012Validator(json_schema())


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_files_fit_the_schema_and_have_no_problems(
    path: Path, validator: jsonschema.Draft202012Validator
) -> None:
    validator.validate(read(path))
    assert load_file(path).problems == ()


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_files_name_the_schema_and_say_for_whom_they_are(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == MODELINE
    assert lines[1].startswith("# For ")


def test_the_shipped_schema_is_up_to_date() -> None:
    shipped = json.loads((SHIPPED / "schema.json").read_text(encoding="utf-8"))
    assert shipped == json_schema(), "run: thinkwire schema > rules/schema.json"


def test_a_file_with_everything_in_it_fits_the_schema(validator: jsonschema.Draft202012Validator) -> None:
    path = Path(__file__).parents[1] / "good" / "everything.yaml"
    assert load_file(path).problems == ()
    validator.validate(read(path))


@pytest.mark.parametrize("name", STRUCTURE)
def test_the_schema_refuses_bad_structure(name: str, validator: jsonschema.Draft202012Validator) -> None:
    assert not validator.is_valid(read(BAD / f"{name}.yaml"))


def test_every_key_has_a_description() -> None:
    schema = json_schema()
    for mapping in (schema, *schema["$defs"].values()):
        for name, key in mapping.get("properties", {}).items():
            assert key.get("description"), name
