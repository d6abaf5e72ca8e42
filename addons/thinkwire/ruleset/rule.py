"""One rule, ready to be asked: where it is written, when it matches, what it sets.

Plain values, made when the file is loaded. Does not know the other rules.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.ruleset.condition import Alternative, Check, compile_condition
from thinkwire.ruleset.model.rule import RuleModel
from thinkwire.ruleset.settings.setting import Setting, SettingValue
from thinkwire.ruleset.settings.table import SETTINGS


@dataclass(frozen=True, slots=True)
class Origin:
    """Names a rule: `deepseek (rules/x.yaml:12)`."""

    id: str
    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.id} ({self.file}:{self.line})"


@dataclass(frozen=True, slots=True)
class Rule:
    origin: Origin
    alternatives: tuple[Alternative, ...]
    """Any of them will do; a rule without `when` has one, which is empty and always holds."""
    values: tuple[SettingValue, ...]
    """What it sets, in the table's order, members of the request body last."""

    def matches(self, facts: RequestFacts, flow: object) -> bool:
        return any(all(check.holds(facts, flow) for check in checks) for checks in self.alternatives)

    def failures(self, facts: RequestFacts, flow: object) -> list[Check]:
        """Of each alternative that does not hold, the first check that failed."""
        found = (next((c for c in checks if not c.holds(facts, flow)), None) for checks in self.alternatives)
        return [check for check in found if check is not None]

    def value_of[V](self, setting: Setting[V]) -> V | None:
        """What it sets this setting to; None if it does not."""
        return next((one.value for one in self.values if one.setting is setting), None)


def compile_rule(model: RuleModel, file: Path, line: int) -> Rule:
    """A rule from its checked form."""
    conditions = model.when if isinstance(model.when, list) else [model.when]
    alternatives = tuple(map(compile_condition, conditions)) or ((),)
    values = sorted(_values(model), key=lambda value: bool(value.path))
    return Rule(Origin(model.id, file, line), alternatives, tuple(values))


def _values(model: RuleModel) -> Iterator[SettingValue]:
    for setting in SETTINGS:
        written = getattr(getattr(model, setting.side), setting.name)
        if written is not None:  # no setting takes null
            yield from setting.read(written)
