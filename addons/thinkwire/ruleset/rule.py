"""One rule, ready to be asked: where it stands, when it fits, what it sets.

Plain values, made when the file is loaded. Does not know the other rules.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.faults.fault import Fault
from thinkwire.rewrite.plan import (
    History,
    Inline,
    JSONPath,
    Keep,
    OnError,
    Opaque,
    Reasoning,
    Rename,
    Strip,
    To,
    TokenMetadata,
)
from thinkwire.ruleset.condition import Alternative, Check, compile_condition
from thinkwire.ruleset.extract_setting import Tagged, compile_extract
from thinkwire.ruleset.faults import compile_fault, spell_fault
from thinkwire.ruleset.model.rule import HistoryOptions, ReasoningAction, Request, Response, RuleModel


@dataclass(frozen=True, slots=True)
class Origin:
    """Names a rule: `deepseek (rules/x.yaml:12)`."""

    id: str
    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.id} ({self.file}:{self.line})"


@dataclass(frozen=True, slots=True)
class Decision:
    """One setting and the rule that set it."""

    setting: str
    """`response.reasoning`, `request.remove include_reasoning`, ..."""
    value: str
    """As one writes it in a rule file; empty for a removal, which has none."""
    rule: Origin


@dataclass(frozen=True, slots=True)
class BodyEdit:
    """One member of the request body: set to a JSON text, or removed."""

    path: JSONPath
    json: str | None

    @property
    def setting(self) -> str:
        return f"request.{'remove' if self.json is None else 'set'} {'.'.join(self.path)}"

    def clashes(self, other: "BodyEdit") -> bool:
        """Would the result depend on which comes first? Two removals never do."""
        if self.json is None and other.json is None and self.path != other.path:
            return False
        shorter = min(len(self.path), len(other.path))
        return self.path[:shorter] == other.path[:shorter]


type Value = History | Reasoning | Tagged | OnError | Fault | float | bool
"""A setting."""


SINGLE: Final = {
    "history": "request",
    "restore": "request",
    "reasoning": "response",
    "extract": "response",
    "on_error": "response",
    "keepalive": "response",
    "fault": "response",
}
"""The settings that have one value, and where they stand."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a rule sets; None where it leaves the setting to others."""

    history: History | None = None
    restore: bool | None = None
    reasoning: Reasoning | None = None
    extract: Tagged | None = None
    on_error: OnError | None = None
    keepalive: float | None = None
    fault: Fault | None = None
    edits: tuple[BodyEdit, ...] = ()

    def single(self) -> Iterator[tuple[str, Value]]:
        """The settings that are set and have one value, as (name, value)."""
        for name in SINGLE:
            value = getattr(self, name)
            if value is not None:
                yield name, value


@dataclass(frozen=True, slots=True)
class Rule:
    origin: Origin
    alternatives: tuple[Alternative, ...]
    """Any of them will do; a rule without `when` has one, which is empty and always holds."""
    settings: Settings

    def matches(self, facts: RequestFacts, flow: object) -> bool:
        return any(all(check.holds(facts, flow) for check in checks) for checks in self.alternatives)

    def failures(self, facts: RequestFacts, flow: object) -> list[Check]:
        """Of each alternative that does not hold, the first check that failed."""
        found = (next((c for c in checks if not c.holds(facts, flow)), None) for checks in self.alternatives)
        return [check for check in found if check is not None]


def spell(value: Value) -> str:
    """A setting's value as one writes it in a rule file."""
    match value:
        case bool():
            return "true" if value else "false"
        case History():
            return _spell_history(value)
        case Keep():
            return "keep"
        case Strip(TokenMetadata.HIDDEN, Opaque.DROP):
            return "strip"
        case Strip():
            return f"{{strip: {{token_metadata: {value.token_metadata.value}, opaque: {value.opaque.value}}}}}"
        case Rename((name,)):
            return f"{{rename: {name}}}"
        case Rename(names):
            return f"{{rename: [{', '.join(names)}]}}"
        case Inline(family):
            return "inline" if family is FAMILIES["think"] else f"{{inline: {{family: {family.name}}}}}"
        case Tagged():
            return value.text
        case OnError():
            return value.value
        case Fault():
            return spell_fault(value)
    return f"{value:g}"


def _spell_history(history: History) -> str:
    members = [f"to: {history.to.value}"] if history.to is not To.KEEP else []
    members += [f"fill: {json.dumps(history.fill)}"] if history.fill is not None else []
    members += ["unsigned: drop"] if history.drops_unsigned else []
    return f"{{{', '.join(members)}}}" if history.fill is not None or history.drops_unsigned else history.to.value


def compile_rule(model: RuleModel, file: Path, line: int) -> Rule:
    """A rule from its checked form."""
    conditions = model.when if isinstance(model.when, list) else [model.when]
    alternatives = tuple(map(compile_condition, conditions)) or ((),)
    return Rule(Origin(model.id, file, line), alternatives, _settings(model.request, model.response))


def _settings(request: Request, response: Response) -> Settings:
    given = response.model_fields_set
    asked = request.model_fields_set
    return Settings(
        history=_history(request.history) if "history" in asked else None,
        restore=request.restore if "restore" in asked else None,
        reasoning=_reasoning(response.reasoning) if "reasoning" in given else None,
        extract=compile_extract(response.extract) if "extract" in given else None,
        on_error=OnError(response.on_error) if "on_error" in given else None,
        keepalive=response.keepalive if "keepalive" in given else None,
        fault=compile_fault(response.fault) if "fault" in given else None,
        edits=tuple(_edits(request)),
    )


def _history(value: str | HistoryOptions) -> History:
    if isinstance(value, str):
        return History(To(value))
    given = value.model_fields_set
    return History(To(value.to), value.fill if "fill" in given else None, "unsigned" in given)


_ACTIONS: dict[str, Reasoning] = {"keep": Keep(), "strip": Strip(), "inline": Inline(FAMILIES["think"])}


def _reasoning(value: str | ReasoningAction) -> Reasoning:
    if isinstance(value, str):
        return _ACTIONS[value]
    if "rename" in value.model_fields_set:
        return Rename((value.rename,) if isinstance(value.rename, str) else tuple(value.rename))
    if "inline" in value.model_fields_set:
        return Inline(FAMILIES[value.inline.family])
    return Strip(TokenMetadata(value.strip.token_metadata), Opaque(value.strip.opaque))


def _edits(request: Request) -> Iterator[BodyEdit]:
    for path in dict.fromkeys(request.remove):
        yield BodyEdit(tuple(path.split(".")), None)
    for path, value in request.set.items():
        yield BodyEdit(tuple(path.split(".")), json.dumps(value, ensure_ascii=False))
