"""Which rules decide about a request, and the plan that follows.

Each setting comes from the first matching rule that sets it; members of the request body are chosen path by path. Does
not know files or YAML. `Ruleset.choose` runs once for each request; everything it needs was compiled before.
"""

from dataclasses import dataclass, field
from functools import lru_cache, partial

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import DIALECTS
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault
from thinkwire.rewrite.plan import History, JSONPath, OnError, Plan, Reasoning, RequestPlan, ResponsePlan, Strip
from thinkwire.ruleset.explain import explain
from thinkwire.ruleset.extract_setting import Tagged
from thinkwire.ruleset.rule import SINGLE, BodyEdit, Decision, Origin, Rule, spell

REMEMBERED_CHOICES = 256
"""Combinations of matching rules whose choice is kept; real traffic has a handful."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What the rules decided for one request."""

    plan: Plan
    decided: tuple[Decision, ...]
    """In the order of the rules. Settings that no rule set are not here; the plan has their defaults."""
    dialects: tuple[Dialect, ...] = DIALECTS
    """All APIs that an answer may be of; fixed with the plan."""

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
        """All APIs that are known where these rules hold, the declared ones first."""
        self._decide = lru_cache(maxsize=REMEMBERED_CHOICES)(partial(_decide, rules, self.dialects))

    def choose(self, facts: RequestFacts, flow: object = None) -> Selection:
        """The choice for a request; without a flow, no `filter` holds. Equal selections share one plan object."""
        return self._decide(tuple(i for i, rule in enumerate(self.rules) if rule.matches(facts, flow)))

    def explain(self, facts: RequestFacts, flow: object = None) -> str:
        """Which rule decided each setting, and why the other rules did not; several lines, no final newline."""
        choice = self.choose(facts, flow)
        return explain(self.rules, choice.decided, facts, flow)


def _decide(rules: tuple[Rule, ...], dialects: tuple[Dialect, ...], matching: tuple[int, ...]) -> Selection:
    chosen = _Chosen()
    for index in matching:
        chosen.add(rules[index])
    return Selection(chosen.plan(), tuple(chosen.decided), dialects)


@dataclass(slots=True)
class _Chosen:
    """The settings found so far; the first rule that sets one has it."""

    decided: list[Decision] = field(default_factory=list)
    history: History | None = None
    restore: bool | None = None
    reasoning: Reasoning | None = None
    extract: Tagged | None = None
    on_error: OnError | None = None
    keepalive: float | None = None
    fault: Fault | None = None
    edits: list[BodyEdit] = field(default_factory=list)

    def add(self, rule: Rule) -> None:
        for name, value in rule.settings.single():
            if getattr(self, name) is None:
                setattr(self, name, value)
                self.decided.append(Decision(f"{SINGLE[name]}.{name}", spell(value), rule.origin))
        # Compared with earlier rules only: within one rule, loading has refused clashes.
        earlier = list(self.edits)
        for edit in rule.settings.edits:
            if not any(edit.clashes(other) for other in earlier):
                self.edits.append(edit)
                self.decided.append(Decision(edit.setting, edit.json or "", rule.origin))

    def plan(self) -> Plan:
        default = OnError.DROP if isinstance(self.reasoning, Strip) else OnError.PASS
        response = ResponsePlan(
            reasoning=self.reasoning or ResponsePlan().reasoning,
            on_error=self.on_error or default,
            keepalive=self.keepalive or ResponsePlan().keepalive,
            extract=self.extract.plan if self.extract else None,
            fault=self.fault or NO_FAULT,
        )
        history = self.history or RequestPlan().history
        return Plan(RequestPlan(self._removed(), self._set(), history, self.restore or False), response)

    def _removed(self) -> tuple[JSONPath, ...]:
        """Without members of members that go anyway."""
        paths = {edit.path for edit in self.edits if edit.json is None}
        return tuple(
            edit.path
            for edit in self.edits
            if edit.json is None and not any(edit.path[:length] in paths for length in range(1, len(edit.path)))
        )

    def _set(self) -> tuple[tuple[JSONPath, str], ...]:
        return tuple((edit.path, edit.json) for edit in self.edits if edit.json is not None)
