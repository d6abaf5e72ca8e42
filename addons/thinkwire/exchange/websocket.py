"""The messages of one WebSocket: each request of the client gets a plan of its own, which also rewrites its answer.

One message in, at most one out: messages are edited or dropped in place, never added. Binary messages, and text that is
not JSON, pass. It edits mitmproxy's flows; `proxy/exchanges.py` calls it from the hooks.
"""

import json
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from mitmproxy import http
from mitmproxy.proxy.layers.websocket import Fragmentizer
from mitmproxy.websocket import WebSocketMessage

from thinkwire.dialects.core.dialect import GLANCE, Phase
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import DIALECTS
from thinkwire.exchange.exchange_log import log_exchange
from thinkwire.exchange.request_rewriting import CallerMemory
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.plan import Opaque, Strip, TokenMetadata
from thinkwire.rewrite.stream.documents import Documents
from thinkwire.rewrite.stream.json_lines import rewritten
from thinkwire.rewrite.stream.sse import is_document
from thinkwire.ruleset.choose import Selection
from thinkwire.wire.json_tree import Node, Unreadable, decode, read
from thinkwire.wire.ndjson import Line

logger = logging.getLogger(__name__)

type Choose = Callable[[bytes | None], tuple[RequestFacts, Selection]]
"""A client's message, or None for the upgrade itself -> the request as the rules see it, and what they chose."""


class WebSocketExchange:
    """The messages of one flow, in the order of mitmproxy's hooks.

    Few messages of the server say which request they answer. If there are several candidates, the strictest of their
    plans decides: reasoning must not be sent because answers overlapped.
    """

    def __init__(self, flow: http.HTTPFlow, choose: Choose, memory: Memory, *, observes: bool) -> None:
        self._flow = flow
        self._choose = choose
        self._memory = memory
        self._observes = observes
        # The upgrade decides about what the server sends before any request; it has no answer to wait for.
        self._ended = _Request(flow, *choose(None), memory, observes=observes)
        """The last whose answer has come to its end; some of it may be late."""
        self._ended.is_over = True
        self._open: list[_Request] = []
        """Those whose answers have begun, oldest first."""
        self._waiting: deque[_Request] = deque()
        """Those whose answers have not."""
        self._unclear = 0
        """How many answers are still to end, once one has ended and it is not known which; else 0."""

    def message(self) -> None:
        """Edit the latest message, or drop it."""
        assert self._flow.websocket is not None
        message = self._flow.websocket.messages[-1]
        if not message.is_text:
            return
        try:
            root = _glance(message)
            if message.from_client:
                self._add_request(message, root)
            else:
                self._answer(message, root)
        except Exception:
            # mitmproxy would log it and send the message as it came.
            logger.exception("thinkwire failed on a message, please report this")
            if self._judge(None).drops_unreadable and not message.from_client and not self._observes:
                message.drop()

    def end(self) -> None:
        """The connection is closed; log what has not been logged yet."""
        for request in (*self._open, *self._waiting):
            request.end()

    def _add_request(self, message: WebSocketMessage, root: Node | None) -> None:
        if _phase_of(root) is not Phase.ASKED:
            return
        request = _Request(self._flow, *self._choose(message.content), self._memory, observes=self._observes)
        self._waiting.append(request)
        self._unclear += self._unclear > 0
        request.edit(message)

    def _answer(self, message: WebSocketMessage, root: Node | None) -> None:
        phase, name = _phase_of(root), _answer_id(root)
        if phase is Phase.BEGAN:
            self._begin(name)
        self._judge(name).rewrite(message)
        named = self._named(name)
        if phase is Phase.ENDED and named is not self._ended:
            self._close([named] if named is not None else self._open or [*self._waiting][:1])
        elif phase is Phase.REFUSED:
            # Servers that answer one request after the other refuse the second; others give up the first.
            self._close([*self._open, *self._waiting])

    def _begin(self, name: str | None) -> None:
        """The answer of the next request begins, unless the server repeats that one has begun."""
        if self._unclear or not self._waiting or (name is not None and self._named(name) in self._open):
            return
        request = self._waiting.popleft()
        request.name = name
        self._open.append(request)

    def _named(self, name: str | None) -> "_Request | None":
        return next((one for one in (*self._open[::-1], self._ended) if name is not None and one.name == name), None)

    def _judge(self, name: str | None) -> "_Request":
        """The request whose plan decides about a message of the server."""
        if self._unclear:
            return _strictest([*self._open, *self._waiting])
        return self._named(name) or _strictest(self._open[::-1] or [*[*self._waiting][:1], self._ended])

    def _close(self, involved: "list[_Request]") -> None:
        """The answer of one of these requests is over."""
        if self._unclear or len(involved) > 1:
            self._unclear = (self._unclear or len(self._open) + len(self._waiting)) - 1
            if not self._unclear:
                self._end(*self._open, *self._waiting)
        elif involved:
            self._end(*involved)

    def _end(self, *requests: "_Request") -> None:
        self._ended = _strictest(requests)
        for request in requests:
            request.end()
        self._open = [one for one in self._open if not one.is_over]
        self._waiting = deque(one for one in self._waiting if not one.is_over)


class _Request:
    """One request and its answer on a WebSocket."""

    def __init__(
        self, flow: http.HTTPFlow, facts: RequestFacts, selection: Selection, memory: Memory, *, observes: bool
    ) -> None:
        self.name: str | None = None
        """What the server calls the answer."""
        self.is_over = False
        self._flow = flow
        self._selection = selection
        self._observes = observes
        self._notes: list[str] = []
        self._caller_memory = CallerMemory(flow, facts, selection, memory)
        self._answer = self._caller_memory.answer()
        self._documents = Documents(self._answer)

    @property
    def drops_unreadable(self) -> bool:
        return self._selection.plan.response.drops_unreadable

    @property
    def strictness(self) -> tuple[bool, ...]:
        """Of two requests, the one with the greater value hides more."""
        plan = self._selection.plan.response
        strip = plan.reasoning
        return (
            isinstance(strip, Strip),
            isinstance(strip, Strip) and strip.opaque is Opaque.DROP,
            bool(plan.extract),
            isinstance(strip, Strip) and strip.token_metadata is TokenMetadata.ALL,
            plan.drops_unreadable,
        )

    def edit(self, message: WebSocketMessage) -> None:
        """Edit the request as the plan says."""
        mapped = self._caller_memory.rewrite_request(message.content)
        self._notes += mapped.notes
        if mapped.raw != message.content:
            self._notes.append("request edited")
            self._replace(message, mapped.raw)

    def rewrite(self, message: WebSocketMessage) -> None:
        """Rewrite a message of the answer; drop it if nothing is left of it."""
        if not self._selection.plan.reads_answer or not is_document(decode(message.content)):
            return
        after = rewritten(Line(message.content), self._documents)
        if after != message.content:
            self._replace(message, after)

    def end(self) -> None:
        """The answer is over, complete or not; logged once."""
        if self.is_over:
            return
        self.is_over = True
        log_exchange(self._selection, self._answer.tally, "message", self._notes, self._observes, live=self._flow.live)

    def _replace(self, message: WebSocketMessage, after: bytes) -> None:
        if self._observes:
            return
        if after:
            message.content = without_torn_characters(after, Fragmentizer.FRAGMENT_SIZE)
        else:
            message.drop()


def _strictest(requests: Sequence[_Request]) -> _Request:
    """The one whose plan hides most; the first of several."""
    return max(requests, key=lambda request: request.strictness)


def _glance(message: WebSocketMessage) -> Node | None:
    try:
        return read(decode(message.content), GLANCE)
    except Unreadable:
        return None


def _phase_of(root: Node | None) -> Phase | None:
    if root is None:
        return None
    return next((phase for dialect in DIALECTS if (phase := dialect.phase(root)) is not None), None)


def _answer_id(root: Node | None) -> str | None:
    """The server's id for the answer that a message belongs to, if it says it."""
    if root is None:
        return None
    return next((found for dialect in DIALECTS if (found := dialect.answer_id(root)) is not None), None)


_CONTINUES: Final = range(0x80, 0xC0)
"""UTF-8's continuation bytes."""


def without_torn_characters(document: bytes, size: int) -> bytes:
    """The JSON text with an escape for each character that a multiple of `size` bytes would cut in two.

    mitmproxy sends a changed message in frames of that size, and decodes each by itself: halves would become U+FFFD.
    """
    border = size
    while border < len(document):
        if document[border] in _CONTINUES:
            start, end = _character_at(document, border)
            escaped = json.dumps(document[start:end].decode("utf-8", "replace"))[1:-1]
            document = document[:start] + escaped.encode() + document[end:]
        border += size
    return document


def _character_at(document: bytes, at: int) -> tuple[int, int]:
    start, end = at, at + 1
    while document[start] in _CONTINUES:
        start -= 1
    while end < len(document) and document[end] in _CONTINUES:
        end += 1
    return start, end
