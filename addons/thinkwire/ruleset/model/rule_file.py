"""The rule file as pydantic models: which keys exist, what each takes, and what it is for.

Checks one file on its own, key by key. Does not know positions, other files, or what a rule does. The descriptions are
what editors show (`thinkwire schema`).
"""

from typing import Any

from pydantic import Field

from thinkwire.ruleset.field_types import Version
from thinkwire.ruleset.model.base import Mapping
from thinkwire.ruleset.model.dialect import DialectModel
from thinkwire.ruleset.model.rule import RuleModel
from thinkwire.ruleset.model.rule_test import RuleTestModel


class RuleFile(Mapping):
    """Rules of thinkwire: what happens to the reasoning in LLM traffic."""

    version: Version = Field(description="The version of this format: 1.")
    include: list[str] = Field(
        default=[],
        description="Files whose rules come after this file's own: shipped names (`default`) or paths relative to "
        "this file.",
    )
    rules: list[RuleModel] = Field(default=[], description="The rules; specific ones first, general ones last.")
    dialects: list[DialectModel] = Field(
        default=[], description="APIs that thinkwire does not know, each by its places; they come before built-in ones."
    )
    tests: list[RuleTestModel] = Field(
        default=[], description="What the rules must make of recorded exchanges; `thinkwire test` runs them."
    )


def json_schema() -> dict[str, Any]:
    """The schema as JSON values, draft 2020-12; the same for every call."""
    schema = _tidy(RuleFile.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "thinkwire rule file", **schema}


def _tidy(schema: Any) -> Any:
    """Without pydantic's titles and defaults: editors would offer the placeholders of unset keys as values."""
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    if isinstance(schema, dict):
        return {
            key: {name: _tidy(value) for name, value in item.items()} if key in ("properties", "$defs") else _tidy(item)
            for key, item in schema.items()
            if key not in ("title", "default")
        }
    return schema
