"""Warnings about rules that have no effect, or one that cannot have been meant.

Looks at a whole ruleset without problems. If the user's rules make an included one superfluous, that is not a mistake:
including is for that. If one of them switches off an included strip, it may be, because nothing else would show it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from thinkwire.rewrite.plan import JSONPath, Strip
from thinkwire.ruleset.condition import Alternative, covers
from thinkwire.ruleset.problem import Code, Problem, Source, Span
from thinkwire.ruleset.rule import Rule
from thinkwire.ruleset.settings.table import REASONING


@dataclass(frozen=True, slots=True)
class PlacedRule:
    """A rule and where its id is."""

    rule: Rule
    source: Source
    span: Span

    @property
    def strips(self) -> bool:
        reasoning = self.rule.value_of(REASONING)
        return isinstance(reasoning, Strip)


def warnings(rules: Sequence[PlacedRule]) -> Iterator[Problem]:
    """The rules come in the order in which they are asked."""
    for index, placed in enumerate(rules):
        yield from _never_decides(placed, [other for other in rules[:index] if other.source is placed.source])
        yield from _undoes_strip(placed, rules[:index], rules[index + 1 :])


def _never_decides(placed: PlacedRule, earlier: Sequence[PlacedRule]) -> Iterator[Problem]:
    keys = _keys(placed.rule)
    if not keys:
        reason, hint = "it sets nothing", "add `request` or `response`, or remove the rule"
    elif all(_is_set(key, alternative, earlier) for key in keys for alternative in placed.rule.alternatives):
        reason, hint = "rules before it already set all that it sets", "move it up, or remove it"
    else:
        return
    message = f"`{placed.rule.origin.id}` can never decide anything: {reason}"
    yield placed.source.problem(Code.NEVER_DECIDES, placed.span, message, hint)


type _Key = str | JSONPath
"""What only one rule can set: a setting by its name, or a member of the request body by its path."""


def _keys(rule: Rule) -> set[_Key]:
    return {value.path or value.name for value in rule.values}


def _is_set(key: _Key, alternative: Alternative, earlier: Sequence[PlacedRule]) -> bool:
    return any(
        covers(general, alternative)
        for other in earlier
        if key in _keys(other.rule)
        for general in other.rule.alternatives
    )


def _undoes_strip(placed: PlacedRule, earlier: Sequence[PlacedRule], later: Sequence[PlacedRule]) -> Iterator[Problem]:
    if placed.rule.value_of(REASONING) is None or placed.strips:
        return
    undone = (
        other
        for other in later
        if other.strips
        and other.source is not placed.source
        and not all(_is_set(REASONING.full_name, alternative, earlier) for alternative in other.rule.alternatives)
    )
    if (other := next(undone, None)) is not None:
        message = f"`{placed.rule.origin.id}` comes before {other.rule.origin} and undoes its strip"
        hint = f"above this rule, repeat the `when` of `{other.rule.origin.id}` in a rule with `reasoning: strip`"
        yield placed.source.problem(Code.UNDOES_STRIP, placed.span, message, hint)
