"""What is known of a flow beside the flow itself. Each part of the addon has a field here, and no flows of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from mitmproxy.flow import Flow

from thinkwire.exchange.exchange import Exchange
from thinkwire.exchange.websocket import WebSocketExchange
from thinkwire.proxy.faults.live import FaultyAnswer
from thinkwire.proxy.record.flow_record import FlowRecord
from thinkwire.proxy.replay.redirected_request import RedirectedRequest
from thinkwire.proxy.view.capture import AnswerCapture, BeforeAfter


@dataclass(slots=True)
class FlowState:
    """What the parts of the addon know of one flow; a field is None again as soon as it is of no more use."""

    control_headers: tuple[tuple[str, str], ...] = ()
    """Those that were taken out of the request. They stay for `thinkwire.explain`."""
    exchange: Exchange | None = None
    """What the rules do, from the complete request to the end of the answer."""
    websocket: WebSocketExchange | None = None
    """The same for the messages of a WebSocket."""
    faulty: FaultyAnswer | None = None
    redirected: RedirectedRequest | None = None
    """The request while a recording is to answer it, until its answer begins."""
    record: FlowRecord | None = None
    """What is to be recorded."""
    capture: AnswerCapture | None = None
    """What is to be viewed, while the answer is under way."""
    before_after: BeforeAfter | None = None
    """What is viewed. It stays as long as the flow."""


class FlowStates:
    """The state of each flow that mitmproxy still holds; it goes with the flow."""

    def __init__(self) -> None:
        self._states: WeakKeyDictionary[Flow, FlowState] = WeakKeyDictionary()

    def of(self, flow: Flow) -> FlowState:
        """The flow's state; a new one for a flow that has none yet."""
        return self._states.setdefault(flow, FlowState())

    def __iter__(self) -> Iterator[tuple[Flow, FlowState]]:
        return iter([*self._states.items()])
