"""What a request and its answer have to do with the memory of earlier turns."""

from mitmproxy import http

from thinkwire.dialects.conversation import Conversation
from thinkwire.dialects.registry import CONVERSATIONS
from thinkwire.dialects.request import RequestFacts
from thinkwire.proxy.caller import caller_of
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.history import Mapped, map_history
from thinkwire.rewrite.memory import Memory
from thinkwire.rewrite.remember import Hearing
from thinkwire.rewrite.request import rewrite_request
from thinkwire.ruleset.choose import Choice

__all__ = ["Recollection"]


class Recollection:
    """The memory as one caller's request sees it."""

    def __init__(self, flow: http.HTTPFlow, facts: RequestFacts, choice: Choice, memory: Memory) -> None:
        self._flow = flow
        self._facts = facts
        self._choice = choice
        self._memory = memory

    def rewrite_request(self, body: bytes) -> Mapped:
        """The request's body after all that the rules do with it. Raises Unreadable and Refused."""
        plan, caller = self._choice.plan, self._caller
        family = plan.response.extract.family if plan.response.extract is not None else None
        mapped = map_history(body, plan.request, self._facts, family, lambda turn: self._memory.recall(caller, turn))
        return Mapped(rewrite_request(mapped.raw, plan.request), mapped.notes)

    def answer(self) -> AnswerRewriter:
        """A rewriter for the answer, which hears it where the next request may need what was thought."""
        plan, conversation = self._choice.plan, CONVERSATIONS.get(self._facts.dialect)
        hearing = None
        if plan.request.restores and conversation is not None:
            hearing = Hearing(self._memory, self._caller, conversation, self._user(conversation), plan.response.extract)
        return AnswerRewriter(plan.response, self._facts, self._choice.dialects, hearing)

    @property
    def _caller(self) -> bytes:
        """Who asks, and by which API: the blocks of one mean nothing in another."""
        return caller_of(self._flow) + (self._facts.dialect or "").encode()

    def _user(self, conversation: Conversation) -> str:
        try:
            return conversation.last_user(self._facts.body)
        except RecursionError:
            return ""
