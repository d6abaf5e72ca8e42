"""A request's body as the rules send it to the provider, with reasoning from the caller's earlier answers put back.

It reads mitmproxy's requests, and changes none. A caller is a digest of the credential in a request, or else of the
client's address: what is remembered for one caller is never seen by another. The credential itself is never kept, and
the digest means nothing in another run.
"""

import secrets
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from mitmproxy import http

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.history.base import Conversation
from thinkwire.dialects.registry import CONVERSATIONS
from thinkwire.exchange.request_headers import is_signed
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.history.mapper import Mapped, Refused, map_history
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.history.recorder import ReasoningCapture
from thinkwire.rewrite.request_body import rewrite_request
from thinkwire.ruleset.choose import Selection
from thinkwire.wire.json_tree import Unreadable

_HEADERS: Final = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
_SECRET: Final = secrets.token_bytes(32)


def caller_of(flow: http.HTTPFlow) -> bytes:
    """The caller's digest; the same for all requests with the same credential."""
    request = flow.request
    credentials = ((name, request.headers.get(name)) for name in _HEADERS)
    kind, value = next(((name, value) for name, value in credentials if value), ("key", request.query.get("key")))
    if not value:
        address = flow.client_conn.peername
        kind, value = "address", address[0] if address else ""
    return blake2b(f"{kind}\0{value}".encode("utf-8", "surrogateescape"), key=_SECRET, digest_size=16).digest()


class CallerMemory:
    """The memory as one caller's request sees it."""

    def __init__(self, flow: http.HTTPFlow, facts: RequestFacts, selection: Selection, memory: Memory) -> None:
        self._flow = flow
        self._facts = facts
        self._selection = selection
        self._memory = memory

    def rewrite_request(self, body: bytes) -> Mapped:
        """The request's body after everything that the rules do with it. Raises Unreadable and Refused."""
        plan, caller = self._selection.plan, self._caller
        family = plan.response.extract.family if plan.response.extract is not None else None
        mapped = map_history(body, plan.request, self._facts, family, lambda turn: self._memory.recall(caller, turn))
        return Mapped(rewrite_request(mapped.raw, plan.request), mapped.notes)

    def answer(self) -> AnswerRewriter:
        """A rewriter for the answer, which captures reasoning if the next request may need it."""
        plan, conversation = self._selection.plan, CONVERSATIONS.get(self._facts.dialect)
        capture = None
        if plan.request.restore and conversation is not None:
            capture = ReasoningCapture(
                self._memory, self._caller, conversation, self._last_user(conversation), plan.response.extract
            )
        return AnswerRewriter(plan.response, self._facts, self._selection.dialects, capture)

    @property
    def _caller(self) -> bytes:
        """The caller and the API: the blocks of one API mean nothing in another."""
        return caller_of(self._flow) + (self._facts.dialect or "").encode()

    def _last_user(self, conversation: Conversation) -> str:
        try:
            return conversation.last_user(self._facts.body)
        except RecursionError:
            return ""


@dataclass(frozen=True, slots=True)
class EditedRequest:
    """What the rules do to the body of a request."""

    after: bytes | None = None
    """Without a content coding; None if it stays as it is."""
    notes: list[str] = field(default_factory=list)
    """What to log about it."""
    refusal: str = ""
    """Why it must not be sent; empty if it may be."""


def edit_request(request: http.Request, caller_memory: CallerMemory) -> EditedRequest:
    """The body after everything that the rules do with it; the request itself stays as it is."""
    if is_signed(request):
        return EditedRequest(notes=["request left alone: it is signed (AWS SigV4)"])
    try:
        before = request.get_content(strict=True) or b""
        mapped = caller_memory.rewrite_request(before) if before else Mapped(before, [])
    except Refused as refused:
        return EditedRequest(refusal=str(refused))
    except (ValueError, Unreadable) as error:
        return EditedRequest(notes=[f"request left alone: its body cannot be read ({error})"])
    if mapped.raw == before:
        return EditedRequest(notes=mapped.notes)
    return EditedRequest(mapped.raw, [*mapped.notes, "request edited"])
