"""A recorded WebSocket, taken through the rules once more; the recording stays as it is."""

from collections.abc import Iterator

from mitmproxy.websocket import WebSocketMessage

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.exchange.websocket import WebSocketExchange
from thinkwire.playback.recording import RecordedExchange
from thinkwire.playback.rehearsal import memory_of_a_session
from thinkwire.ruleset.choose import Ruleset, Selection

__all__ = ["converse"]


def converse(recorded: RecordedExchange, ruleset: Ruleset) -> Iterator[tuple[WebSocketMessage, WebSocketMessage]]:
    """Each message as it came, and as it would be sent on by these rules, edited or dropped.

    What was thought earlier on the same WebSocket is remembered, nothing from elsewhere.
    """
    flow = recorded.flow.copy()
    if flow.websocket is None or recorded.flow.websocket is None:
        return
    messages, flow.websocket.messages = flow.websocket.messages, []

    def choose(message: bytes | None) -> tuple[RequestFacts, Selection]:
        facts = recorded.facts(ruleset.dialects, message)
        return facts, ruleset.choose(facts, recorded.flow)

    conversation = WebSocketExchange(flow, choose, memory_of_a_session(), observes=False)
    for before, message in zip(recorded.flow.websocket.messages, messages, strict=True):
        flow.websocket.messages.append(message)
        conversation.message()
        yield before, message
