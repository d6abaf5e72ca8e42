"""Which recorded exchange answers a request: the one that fits it best. Only chooses; `server.py` serves.

Method and path must be the same. Of the remaining ones, the first of these differences decides: the model, whether a
stream is asked for, how much of the conversation (`messages`, `contents`, `input`, ...) is the same, how much of the
other members, the query, the host. Exchanges that fit equally well take turns.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import Final

from mitmproxy import http

from thinkwire.dialects.core.request_facts import RequestFacts, conversation_in, conversation_member
from thinkwire.proxy.replay.recordings import ReplayExchange

_SHOWN: Final = 3
"""How many are named if none fits."""
_WORD: Final = re.compile(r"\w+")
_READ: Final = 4_000
"""Characters of a text whose words are counted: streams wait meanwhile."""

Fit = tuple[bool, bool, float, float, bool, bool]


class _Turn:
    """One element of a conversation."""

    def __init__(self, value: object) -> None:
        self._value = value

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(word for text in _texts(self._value) for word in _words(text[:_READ]))

    def likeness(self, other: "_Turn") -> float:
        """1 if both are the same, else less: by the words they share."""
        if self._value == other._value:
            return 1.0
        total = self._words.total() + other._words.total()
        return 0.9 * 2 * (self._words & other._words).total() / total if total else 0.0


@dataclass(frozen=True)
class Asked:
    """What decides about a request which recorded one fits."""

    facts: RequestFacts
    query: str
    content: bytes
    """The body; compared if it is not JSON."""

    @property
    def line(self) -> str:
        return f"{self.facts.method} {self.facts.path}"

    @cached_property
    def turns(self) -> tuple[_Turn, ...]:
        body = self.facts.body
        turns = conversation_in(body) if isinstance(body, dict) else body if body is not None else self.content
        return tuple(map(_Turn, turns if isinstance(turns, list) else [turns]))

    @cached_property
    def rest(self) -> dict[str, object]:
        body = self.facts.body
        talk = conversation_member(body) if isinstance(body, dict) else None
        return {name: value for name, value in body.items() if name != talk} if isinstance(body, dict) else {}


def asked_by(flow: http.HTTPFlow, facts: RequestFacts) -> Asked:
    query = flow.request.path.partition("?")[2]
    return Asked(facts, query, flow.request.get_content(strict=False) or b"")


class RecordingIndex:
    """All recorded exchanges, and which of several equal ones is next."""

    def __init__(self, exchanges: Sequence[tuple[ReplayExchange, Asked]]) -> None:
        self._exchanges = exchanges
        self._turns: Counter[tuple[int, ...]] = Counter()

    def choose(self, asked: Asked) -> ReplayExchange | None:
        """The one that fits best, or the next of several that do; None if none has the same method and path."""
        same_line = [index for index, (_, one) in enumerate(self._exchanges) if one.line == asked.line]
        if not same_line:
            return None
        equals = tuple(index for index in same_line if _is_same(asked, self._exchanges[index][1]))
        if not equals:
            fits = {index: _fit(asked, self._exchanges[index][1]) for index in same_line}
            best = max(fits.values())
            equals = tuple(index for index, fit in fits.items() if fit == best)
        turn = self._turns[equals]
        self._turns[equals] += 1
        return self._exchanges[equals[turn % len(equals)]][0]

    def nearest(self, asked: Asked) -> list[str]:
        """For a request that none fits: descriptions of the nearest, and why they do not fit."""

        def distance(one: tuple[ReplayExchange, Asked]) -> tuple[bool, float]:
            facts = one[1].facts
            likeness = SequenceMatcher(None, facts.path[:200], asked.facts.path[:200]).ratio()
            return facts.path != asked.facts.path, -likeness

        firsts = {one[1].line: one for one in reversed(self._exchanges)}
        lines = []
        for recorded, its in sorted(firsts.values(), key=distance)[:_SHOWN]:
            differing = [name for name in ("method", "path") if getattr(its.facts, name) != getattr(asked.facts, name)]
            lines.append(f"{recorded} is {its.line} (another {' and another '.join(differing)})")
        return lines


def _is_same(asked: Asked, recorded: Asked) -> bool:
    """Nothing fits better, and this is known without counting the words of thousands of requests."""
    facts, its = asked.facts, recorded.facts
    if (facts.model, facts.stream, facts.host, asked.query) != (its.model, its.stream, its.host, recorded.query):
        return False
    return facts.body == its.body and (facts.body is not None or asked.content == recorded.content)


def _fit(asked: Asked, recorded: Asked) -> Fit:
    """The greater, the better."""
    return (
        asked.facts.model == recorded.facts.model,
        asked.facts.stream == recorded.facts.stream,
        _likeness_of_turns(asked.turns, recorded.turns),
        _likeness_of_members(asked.rest, recorded.rest),
        asked.query == recorded.query,
        asked.facts.host == recorded.facts.host,
    )


def _likeness_of_turns(one: Sequence[_Turn], other: Sequence[_Turn]) -> float:
    """Turn by turn; turns of only one of them count against it, so that steps of a tool loop differ by their length."""
    longest = max(len(one), len(other))
    return sum(a.likeness(b) for a, b in zip(one, other, strict=False)) / longest if longest else 1.0


def _likeness_of_members(one: dict[str, object], other: dict[str, object]) -> float:
    names = one.keys() | other.keys()
    same = sum(name in one and name in other and one[name] == other[name] for name in names)
    return same / len(names) if names else 1.0


@lru_cache(maxsize=2048)  # each turn of a loop repeats those before it
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text))


def _texts(value: object) -> Iterator[str]:
    pending = [value]
    while pending:
        match pending.pop():
            case str() as text:
                yield text
            case bytes() as raw:
                yield raw.decode("utf-8", "replace")
            case dict() as members:
                pending += members.values()
            case list() as elements:
                pending += elements
            case None:
                pass
            case number:
                yield str(number)
