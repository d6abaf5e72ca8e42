"""The JSON Schema of the rule file, for editors.

Made from the models; adds nothing to them. What a schema cannot say (unique ids, filters, includes) only
`thinkwire check` says.
"""

from typing import Any

from thinkwire.ruleset.model import RuleFile


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
