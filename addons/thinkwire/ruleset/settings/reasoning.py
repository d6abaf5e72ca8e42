"""`response.reasoning`: what happens to reasoning on its way to the client."""

from collections.abc import Iterator
from typing import Annotated, Final, assert_never

from pydantic import ConfigDict, Field

from thinkwire.dialects.apis.chat_completions import SPELLINGS
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.plan import Inline, Keep, Opaque, Reasoning, Rename, Strip, TokenMetadata
from thinkwire.ruleset.field_types import ByType, FamilyName, Some, member_of, once_each, one_of
from thinkwire.ruleset.model.base import Mapping
from thinkwire.ruleset.problem import Code, Problem, Source
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode

THINK: Final = FAMILIES["think"]

ActionName = Annotated[str, *one_of("keep", "strip", "inline")]
Spelling = Annotated[str, *one_of(*SPELLINGS)]
Spellings = Annotated[Spelling | Annotated[Some[Spelling], once_each], ByType("a name or a list of names")]


class StripOptions(Mapping):
    """How thoroughly reasoning is hidden."""

    token_metadata: Annotated[str, *member_of(TokenMetadata)] = Field(
        default="hidden",
        description="`hidden` (default): logprobs and token ids that list hidden tokens are removed; `all`: all "
        "of them are.",
    )
    opaque: Annotated[str, *member_of(Opaque)] = Field(
        default="drop",
        description="Signatures and encrypted reasoning: `drop` (default), or `keep`, so that clients can send them "
        "back.",
    )


class InlineOptions(Mapping):
    """How reasoning is written into the visible text."""

    family: FamilyName = Field(default="think", description="The tags, by the name of their family; default `think`.")


class ReasoningAction(Mapping):
    """One action with its options."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    rename: Spellings = Field(
        default=[], description="The name reasoning gets in chat completions; a list sends it under each name."
    )
    strip: StripOptions = Field(default=StripOptions(), description="Hide reasoning, with options.")
    inline: InlineOptions = Field(
        default=InlineOptions(), description="Put reasoning into the visible text, between the tags of a family."
    )


ReasoningValue = Annotated[
    ActionName | ReasoningAction, ByType("keep, strip, inline, or a mapping such as {rename: reasoning}")
]


_ACTIONS: Final[dict[str, Reasoning]] = {"keep": Keep(), "strip": Strip(), "inline": Inline(THINK)}


def compile_reasoning(value: str | ReasoningAction) -> Reasoning:
    if isinstance(value, str):
        return _ACTIONS[value]
    if "rename" in value.model_fields_set:
        return Rename((value.rename,) if isinstance(value.rename, str) else tuple(value.rename))
    if "inline" in value.model_fields_set:
        return Inline(FAMILIES[value.inline.family])
    return Strip(TokenMetadata(value.strip.token_metadata), Opaque(value.strip.opaque))


def spell_reasoning(reasoning: Reasoning) -> str:
    match reasoning:
        case Keep():
            return "keep"
        case Strip(TokenMetadata.HIDDEN, Opaque.DROP):
            return "strip"
        case Strip():
            return f"{{strip: {{token_metadata: {reasoning.token_metadata.value}, opaque: {reasoning.opaque.value}}}}}"
        case Rename((name,)):
            return f"{{rename: {name}}}"
        case Rename(names):
            return f"{{rename: [{', '.join(names)}]}}"
        case Inline(family):
            return "inline" if family is THINK else f"{{inline: {{family: {family.name}}}}}"
    assert_never(reasoning)


def reasoning_conflicts(source: Source, value: YamlNode) -> Iterator[Problem]:
    """Two actions at once, or none."""
    actions = [key for key, _ in value.entries if key.text in ReasoningAction.model_fields]
    for key in actions[1:]:
        message = f"`{actions[0].text}` and `{key.text}` cannot be combined"
        yield source.problem(Code.TWO_ACTIONS, key.span, message, "keep one, or make two rules with a `when` each")
    if value.kind is NodeKind.MAPPING and not value.entries:
        message = "`reasoning` is an empty mapping"
        yield source.problem(Code.EMPTY, value.span, message, "write `keep`, `strip` or `{rename: reasoning}`")
