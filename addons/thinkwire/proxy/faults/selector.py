"""Which fault a request gets, and how many requests have been refused. Only decides; `live.py` makes the fault."""

import logging
from collections import Counter

from mitmproxy import http

from thinkwire.exchange.content_type import is_websocket
from thinkwire.proxy.faults.live import FaultyAnswer
from thinkwire.proxy.flow_state import FlowState
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First
from thinkwire.ruleset.choose import Selection
from thinkwire.ruleset.rule import Origin

logger = logging.getLogger(__name__)


class Faults:
    """The faults of the command line, or else of the rules."""

    def __init__(self) -> None:
        self._named: Fault | None = None
        self._refused: Counter[tuple[Origin | None, First]] = Counter()
        """How many requests each rule has refused; None: the command line."""
        self._warned: set[Origin] = set()

    def use(self, named: Fault | None) -> None:
        """This one from now on, whatever the rules say; with None, the rules' faults."""
        self._named = named
        self._refused = Counter({key: count for key, count in self._refused.items() if key[0] is not None})

    # --- steps of the addon's hooks -----------------------------------------------------------------------------------

    def request(self, flow: http.HTTPFlow, state: FlowState) -> None:
        """After the rules: choose the fault. It may answer in the provider's place."""
        exchange = state.exchange
        if exchange is None or exchange.refusal or exchange.observes or not flow.live or is_websocket(flow.request):
            return
        selection, replays = exchange.selection, state.redirected is not None
        fault = self._choose(selection, replays=replays)
        state.faulty = faulty = FaultyAnswer(flow, fault, exchange.facts, selection.dialects, replays=replays)
        if fault.status_first is not None and flow.request.stream:
            faulty.notes.append("not refused as a fault: the headers of the request had left already")
        elif fault.status_first is not None and self._refuses(selection, fault, fault.status_first):
            faulty.refuse(fault.status_first.status)
        if flow.response is None:
            faulty.request()

    def responseheaders(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        """Before the rules decide how the answer is read: undo its coding if events are to be touched."""
        if state.faulty is not None:
            state.faulty.prepare()

    def tap(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        """After the rules have decided how the answer is read."""
        if state.faulty is not None:
            state.faulty.tap()

    def response(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        if state.faulty is not None and state.exchange is not None:
            state.exchange.note(*state.faulty.response())

    def error(self, _flow: http.HTTPFlow, state: FlowState) -> None:
        if state.faulty is not None and state.exchange is not None:
            state.exchange.note(*state.faulty.error())

    # ------------------------------------------------------------------------------------------------------------------

    def _choose(self, selection: Selection, *, replays: bool) -> Fault:
        """A rule's fault without `live` is for replays only."""
        if self._named is not None and replays:
            return self._named
        fault = selection.plan.response.fault
        if replays or fault.live or not fault.is_any:
            return fault
        origin = _origin(selection)
        if origin is not None and origin not in self._warned:
            self._warned.add(origin)
            logger.error(
                "%s asks for a fault, but nothing is replayed: requests pass without it. "
                "Write `live: true` into the fault if real answers are to have it.",
                origin,
            )
        return NO_FAULT

    def _refuses(self, selection: Selection, fault: Fault, first: First) -> bool:
        """Is this one of the first requests? It counts as one."""
        key = (None if fault is self._named else _origin(selection)), first
        if self._refused[key] >= first.times:
            return False
        self._refused[key] += 1
        return True


def _origin(selection: Selection) -> Origin | None:
    return next((one.rule for one in selection.decided if one.setting == "response.fault"), None)
