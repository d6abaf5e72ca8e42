"""The messages of one WebSocket: each request of the client gets a plan of its own, and its answer is rewritten by it.

One message in, at most one out: messages are edited or dropped in place, never added. Binary messages, and text that is
not JSON, pass. It edits mitmproxy's flows; the hooks that call it are in `addon.py`.
"""

import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from mitmproxy import http
from mitmproxy.proxy.layers.websocket import Fragmentizer
from mitmproxy.websocket import WebSocketMessage

from thinkwire.dialects.dialect import GLANCE, Turn
from thinkwire.dialects.registry import DIALECTS
from thinkwire.dialects.request import RequestFacts
from thinkwire.proxy.report import log_exchange
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.documents import Documents
from thinkwire.rewrite.events import is_document
from thinkwire.rewrite.lines import rewritten
from thinkwire.rewrite.request import rewrite_request
from thinkwire.ruleset.choose import Choice
from thinkwire.wire.json_tree import Unreadable, decode, read
from thinkwire.wire.ndjson import Line

__all__ = ["Conversation", "without_torn_characters"]

logger = logging.getLogger(__name__)

type Choose = Callable[[bytes | None], tuple[RequestFacts, Choice]]
"""A client's message, or None for the upgrade itself -> the request as the rules see it, and what they chose."""


class Conversation:
    """The messages of one flow, in the order of mitmproxy's hooks."""

    def __init__(self, flow: http.HTTPFlow, choose: Choose, observes: bool) -> None:
        self._flow = flow
        self._choose = choose
        self._observes = observes
        # What the server says before it was asked is judged by the upgrade, which has no answer to wait for.
        self._current = _Request(flow, *choose(None), observes)
        self._current.is_over = True
        self._waiting: deque[_Request] = deque()
        """Asked while another answer was under way."""

    def message(self) -> None:
        """Edit the last message that came, or drop it."""
        assert self._flow.websocket is not None
        message = self._flow.websocket.messages[-1]
        if not message.is_text:
            return
        try:
            if message.from_client:
                self._ask(message)
            else:
                self._answer(message)
        except Exception:
            # mitmproxy would log it and send the message as it came.
            logger.exception("thinkwire failed on a message, please report this")
            if self._current.drops_unreadable and not message.from_client and not self._observes:
                message.drop()

    def end(self) -> None:
        """The connection is closed; what has not been logged is."""
        for request in (self._current, *self._waiting):
            request.end()

    def _ask(self, message: WebSocketMessage) -> None:
        if _turn_of(message) is not Turn.ASKED:
            return
        request = _Request(self._flow, *self._choose(message.content), self._observes)
        if self._current.is_over:
            self._current = request
        else:
            self._waiting.append(request)
        request.edit(message)

    def _answer(self, message: WebSocketMessage) -> None:
        turn = _turn_of(message)
        if turn is Turn.BEGAN:
            self._begin()
        elif turn is Turn.REFUSED and self._current.has_begun and self._waiting:
            # A server that answers one request after the other refuses the second.
            self._waiting.popleft().end("refused")
            turn = None
        self._current.rewrite(message)
        if turn in (Turn.ENDED, Turn.REFUSED):
            self._end_current()

    def _begin(self) -> None:
        if self._current.has_begun and self._waiting:
            self._end_current()
        self._current.has_begun = True

    def _end_current(self) -> None:
        self._current.end()
        if self._waiting:
            self._current = self._waiting.popleft()


class _Request:
    """One request and its answer on a WebSocket."""

    def __init__(self, flow: http.HTTPFlow, facts: RequestFacts, choice: Choice, observes: bool) -> None:
        self.has_begun = False
        self.is_over = False
        self._flow = flow
        self._choice = choice
        self._observes = observes
        self._notes: list[str] = []
        self._answer = AnswerRewriter(choice.plan.response, facts, choice.dialects)
        self._documents = Documents(self._answer)

    @property
    def drops_unreadable(self) -> bool:
        return self._choice.plan.response.drops_unreadable

    def edit(self, message: WebSocketMessage) -> None:
        """Edit the request as the plan says."""
        after = rewrite_request(message.content, self._choice.plan.request)
        if after != message.content:
            self._notes.append("request edited")
            self._replace(message, after)

    def rewrite(self, message: WebSocketMessage) -> None:
        """Rewrite a piece of the answer; drop it where nothing is left of it."""
        if not self._choice.plan.response.changes or not is_document(decode(message.content)):
            return
        after = rewritten(Line(message.content), self._documents)
        if after != message.content:
            self._replace(message, after)

    def end(self, note: str = "") -> None:
        """The answer is over, whole or not; says so once in the log."""
        if self.is_over:
            return
        self.is_over = True
        notes = [*self._notes, note] if note else self._notes
        log_exchange(self._choice, self._answer.tally, "message", notes, self._observes, live=self._flow.live)

    def _replace(self, message: WebSocketMessage, after: bytes) -> None:
        if self._observes:
            return
        if after:
            message.content = without_torn_characters(after, Fragmentizer.FRAGMENT_SIZE)
        else:
            message.drop()


def _turn_of(message: WebSocketMessage) -> Turn | None:
    try:
        root = read(decode(message.content), GLANCE)
    except Unreadable:
        return None
    return next((turn for dialect in DIALECTS if (turn := dialect.turn(root)) is not None), None)


_CONTINUES: Final = range(0x80, 0xC0)
"""The bytes of UTF-8 that continue a character."""


def without_torn_characters(document: bytes, size: int) -> bytes:
    """The JSON text with an escape for each character that a multiple of `size` bytes would cut in two.

    mitmproxy sends a changed message in frames of that size, and decodes each by itself: halves would become U+FFFD.
    """
    border = size
    while border < len(document):
        if document[border] in _CONTINUES:
            start, end = _character_at(document, border)
            escaped = "".join(f"\\u{unit:04x}" for unit in _utf_16(document[start:end].decode("utf-8", "replace")))
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


def _utf_16(character: str) -> list[int]:
    raw = character.encode("utf-16-be")
    return [int.from_bytes(raw[at : at + 2]) for at in range(0, len(raw), 2)]
