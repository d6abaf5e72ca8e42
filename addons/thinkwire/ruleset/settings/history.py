"""`request.history`: how the reasoning of earlier turns travels up."""

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import ConfigDict, Field

from thinkwire.rewrite.plan import History, To
from thinkwire.ruleset.field_types import ByType, member_of, one_of
from thinkwire.ruleset.model.base import Mapping
from thinkwire.ruleset.problem import Code, Problem, Source
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode

HistoryForm = Annotated[str, *member_of(To)]


class HistoryOptions(Mapping):
    """How the reasoning of earlier turns travels up, with options."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    to: HistoryForm = Field(default="keep", description="The form, as in the short way of writing; default `keep`.")
    fill: str = Field(
        default="",
        description="The reasoning to write into assistant messages that have tool calls but none; some providers "
        'refuse those. Most often `""`.',
    )
    unsigned: Annotated[str, *one_of("drop")] = Field(
        default="drop", description="`drop`: thinking blocks without a signature are removed."
    )


HistoryValue = Annotated[
    HistoryForm | HistoryOptions,
    ByType(
        "keep, drop, reasoning_content, reasoning, inline, native, auto, or a mapping such as {to: auto, fill: text}"
    ),
]


def compile_history(value: str | HistoryOptions) -> History:
    if isinstance(value, str):
        return History(To(value))
    given = value.model_fields_set
    return History(To(value.to), value.fill if "fill" in given else None, "unsigned" in given)


def spell_history(history: History) -> str:
    members = [f"to: {history.to.value}"] if history.to is not To.KEEP else []
    members += [f"fill: {json.dumps(history.fill)}"] if history.fill is not None else []
    members += ["unsigned: drop"] if history.drops_unsigned else []
    return f"{{{', '.join(members)}}}" if history.fill is not None or history.drops_unsigned else history.to.value


def history_conflicts(source: Source, value: YamlNode) -> Iterator[Problem]:
    """A text to fill in needs a form to be written in."""
    if value.kind is not NodeKind.MAPPING:
        return
    if not value.entries:
        yield source.problem(Code.EMPTY, value.span, "`history` is an empty mapping", "write `auto`, or another form")
    fill, to = next((key for key, _ in value.entries if key.text == "fill"), None), value.get("to")
    form = "keep" if to is None else to.scalar
    if fill is not None and form in ("keep", "drop"):
        message = f"`fill` needs a form to be written in, but `to` is `{form}`"
        yield source.problem(Code.TWO_ACTIONS, fill.span, message, "add `to: reasoning_content`, or another form")
