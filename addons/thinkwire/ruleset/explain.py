"""Why a request is treated as it is, in words for people.

Prints the rule that set each setting and, for every other rule, the first condition that failed. Decides nothing
itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.ruleset.problem import one_line
from thinkwire.ruleset.rule import Origin, Rule
from thinkwire.ruleset.settings.table import REASONING


@dataclass(frozen=True, slots=True)
class Decision:
    """One setting and the rule that set it."""

    setting: str
    """`response.reasoning`, `request.remove include_reasoning`, ..."""
    value: str
    """As one writes it in a rule file; empty for a removal, which has no value."""
    rule: Origin


def explain(rules: Sequence[Rule], decided: Sequence[Decision], facts: RequestFacts, flow: object) -> str:
    """Several lines, no final newline; unprintable characters in what a client sent are escaped."""
    deciding = {decision.rule for decision in decided}
    others = [rule for rule in rules if rule.origin not in deciding]
    lines = [_request(facts), "", *_settings(decided)]
    if others:
        lines += ["", "rules that set nothing here:"]
    for rule in others:
        failures = [check.describe_failure(facts, flow) for check in rule.failures(facts, flow)]
        reasons = ["matches, but what it sets was already set"] if rule.matches(facts, flow) else failures
        lines += [f"  {rule.origin}", *(f"    {reason}" for reason in reasons)]
    return "\n".join(map(one_line, lines))


def _request(facts: RequestFacts) -> str:
    known = [
        f"dialect {facts.dialect or 'unknown'}",
        f"model {facts.model or 'unknown'}",
        "stream" if facts.stream else "no stream",
    ]
    return f"{facts.method} {facts.host}{facts.path} ({', '.join(known)})"


def _settings(decided: Sequence[Decision]) -> Iterator[str]:
    rows = [(decision.setting, decision.value, str(decision.rule)) for decision in decided]
    if all(setting != REASONING.full_name for setting, _, _ in rows):  # the one default that is worth a line
        rows.append((REASONING.full_name, REASONING.spell(REASONING.default), "default"))
    left = [f"{setting} = {value}" if value else setting for setting, value, _ in rows]
    width = max(map(len, left))
    for text, (_, _, origin) in zip(left, rows, strict=True):
        yield f"{text:{width}}  {origin}"
