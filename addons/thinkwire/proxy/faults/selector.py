"""Which fault a request gets, and how many were refused. Only decides; `faulty.py` makes the fault."""

import logging
from collections import Counter

from mitmproxy import http

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.proxy.faults.live import FaultyAnswer
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First
from thinkwire.ruleset.choose import Selection
from thinkwire.ruleset.rule import Origin

__all__ = ["Faults"]

logger = logging.getLogger(__name__)


class Faults:
    """The faults of the command line, or else of the rules."""

    def __init__(self) -> None:
        self._named: Fault | None = None
        self._refused: Counter[tuple[Origin | None, First]] = Counter()
        """How many requests each rule has refused, to begin with."""
        self._warned: set[Origin] = set()

    def use(self, named: Fault | None) -> None:
        """This one from now on, whatever the rules say; with None, theirs."""
        self._named = named
        self._refused = Counter({key: count for key, count in self._refused.items() if key[0] is not None})

    def begin(self, flow: http.HTTPFlow, facts: RequestFacts, choice: Selection, *, replays: bool) -> FaultyAnswer:
        """What a request gets, of which the rules have decided; it may be answered already."""
        fault = self._choose(choice, replays=replays)
        faulty = FaultyAnswer(flow, fault, facts, choice.dialects, replays=replays)
        if fault.status_first is not None and flow.request.stream:
            faulty.notes.append("not refused as a fault: the headers of the request had left already")
        elif fault.status_first is not None and self._refuses(choice, fault, fault.status_first):
            faulty.refuse(fault.status_first.status)
        if flow.response is None:
            faulty.request()
        return faulty

    def _choose(self, choice: Selection, *, replays: bool) -> Fault:
        """What a rule says without `live` is for replays."""
        if self._named is not None and replays:
            return self._named
        fault = choice.plan.response.fault
        if replays or fault.live or not fault.is_any:
            return fault
        origin = _origin(choice)
        if origin is not None and origin not in self._warned:
            self._warned.add(origin)
            logger.error(
                "%s asks for a fault, but nothing is replayed: requests pass without it. "
                "Write `live: true` into the fault where real answers are to have it.",
                origin,
            )
        return NO_FAULT

    def _refuses(self, choice: Selection, fault: Fault, first: First) -> bool:
        """Is this one of the first requests? It counts as one."""
        key = (None if fault is self._named else _origin(choice)), first
        if self._refused[key] >= first.times:
            return False
        self._refused[key] += 1
        return True


def _origin(choice: Selection) -> Origin | None:
    return next((one.rule for one in choice.decided if one.setting == "response.fault"), None)
