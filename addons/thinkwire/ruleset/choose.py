"""Which rules decide about a request, and the plan that follows from them.

Each setting comes from the first matching rule that sets it; members of the request body are chosen path by path. Does
not know files or YAML. `Ruleset.choose` runs once for each request; everything it needs was compiled before.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import DIALECTS
from thinkwire.rewrite.plan import JSONPath, Plan, RequestPlan, ResponsePlan
from thinkwire.ruleset.explain import Decision, explain
from thinkwire.ruleset.rule import Origin, Rule
from thinkwire.ruleset.settings.setting import SettingValue, Side
from thinkwire.ruleset.settings.table import REMOVE, SET

REMEMBERED_SELECTIONS = 256
"""Combinations of matching rules whose selection is cached; real traffic has a handful."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What the rules decided for one request."""

    plan: Plan
    decided: tuple[Decision, ...]
    """In the order of the rules. Settings that no rule set are not here; the plan has their defaults."""
    dialects: tuple[Dialect, ...] = DIALECTS
    """All APIs that an answer may belong to; fixed together with the plan."""

    @property
    def rules(self) -> tuple[Origin, ...]:
        """The rules that decided something, in order, each once."""
        return tuple(dict.fromkeys(decision.rule for decision in self.decided))


class Ruleset:
    """All rules of a file and of those it includes, in order. Never changes."""

    def __init__(self, rules: tuple[Rule, ...], declared: tuple[Dialect, ...] = ()) -> None:
        self.rules = rules
        self.declared = declared
        self.dialects = (*declared, *DIALECTS)
        """All APIs that are known under these rules, the declared ones first."""
        self._decide = lru_cache(maxsize=REMEMBERED_SELECTIONS)(partial(_decide, rules, self.dialects))

    def choose(self, facts: RequestFacts, flow: object = None) -> Selection:
        """The selection for a request; without a flow, no `filter` holds. Equal selections share one plan object."""
        return self._decide(tuple(i for i, rule in enumerate(self.rules) if rule.matches(facts, flow)))

    def explain(self, facts: RequestFacts, flow: object = None) -> str:
        """Which rule decided each setting, and why the other rules did not; several lines, no final newline."""
        return explain(self.rules, self.choose(facts, flow).decided, facts, flow)


def _decide(rules: tuple[Rule, ...], dialects: tuple[Dialect, ...], matching: tuple[int, ...]) -> Selection:
    chosen: list[SettingValue] = []
    decided: list[Decision] = []
    for rule in (rules[index] for index in matching):
        # Compared with earlier rules only: within one rule, loading has refused clashes.
        earlier = tuple(chosen)
        for value in rule.values:
            if not any(value.clashes(other) for other in earlier):
                chosen.append(value)
                decided.append(Decision(value.name, value.text, rule.origin))
    # What no rule has set is as the plan has it by default.
    members = tuple((one.path, one.value) for one in chosen if one.setting is SET)
    request = RequestPlan(remove=_removed(chosen), set=members, **_single(chosen, Side.REQUEST))
    return Selection(Plan(request, ResponsePlan(**_single(chosen, Side.RESPONSE))), tuple(decided), dialects)


def _single(chosen: list[SettingValue], side: Side) -> dict[str, Any]:
    return {one.setting.name: one.value for one in chosen if one.setting.side is side and not one.path}


def _removed(chosen: list[SettingValue]) -> tuple[JSONPath, ...]:
    """Without members of members that go anyway."""
    paths = dict.fromkeys(one.path for one in chosen if one.setting is REMOVE)
    return tuple(path for path in paths if not any(path[:length] in paths for length in range(1, len(path))))
