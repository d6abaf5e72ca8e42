"""Reasoning of earlier turns in a request: gathered from every form in which clients keep it, written in one.

It reads and edits the assistant's messages, turn by turn, and puts back what is remembered. Who takes which form is
said in `dialects/history.py`, where requests keep it in the files `*_conversation.py`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES, Family, merged
from thinkwire.dialects.history.base import BY_ID, Conversation, Thought, Turn
from thinkwire.dialects.history.provider_forms import HistoryForm, HistoryFormat, format_for
from thinkwire.dialects.registry import CONVERSATIONS
from thinkwire.rewrite.history.message import AssistantMessage, Tags
from thinkwire.rewrite.history.writers import write
from thinkwire.rewrite.plan import History, RequestPlan, To
from thinkwire.wire.json_tree import Unreadable, decode, read
from thinkwire.wire.splice import Edits, splice

__all__ = ["Mapped", "Refused", "map_history"]

type Recall = Callable[[Turn], Thought | None]
"""What is remembered of a turn."""

_FORMS = {
    To.DROP: HistoryForm.DROP,
    To.REASONING_CONTENT: HistoryForm.REASONING_CONTENT,
    To.REASONING: HistoryForm.REASONING,
    To.INLINE: HistoryForm.INLINE,
}
_NATIVE = frozenset(
    (HistoryForm.REASONING_CONTENT, HistoryForm.REASONING, HistoryForm.DETAILS, HistoryForm.CONTENT_LIST)
)
"""What can be the own form of an API whose messages have no blocks."""
_REDACTED = (
    "a block of redacted_thinking cannot be written as {}: set `history: keep` or `history: drop` for this request"
)


class Refused(Exception):
    """The request must not be sent; the message says why."""


@dataclass(slots=True)
class Mapped:
    """A request's body after its history was mapped."""

    raw: bytes
    notes: list[str] = field(default_factory=list)
    """What the log says of it."""


def map_history(raw: bytes, plan: RequestPlan, facts: RequestFacts, family: Family | None, recall: Recall) -> Mapped:
    """The body with the reasoning of earlier turns as the plan says; the same bytes where nothing is to change.

    `family` is the one that the answer is read by. Raises Unreadable and Refused.
    """
    conversation = CONVERSATIONS.get(facts.dialect)
    if conversation is None or not (plan.history.changes or plan.restore):
        return Mapped(raw)
    try:
        return _mapped(raw, plan, facts, family, recall, conversation)
    except RecursionError:
        raise Unreadable("nested too deep") from None


def _mapped(
    raw: bytes,
    plan: RequestPlan,
    facts: RequestFacts,
    family: Family | None,
    recall: Recall,
    conversation: Conversation,
) -> Mapped:
    root = read(decode(raw), conversation.table)
    taker = format_for(facts, family.name if family is not None else "")
    known = (family, FAMILIES.get(taker.family) if taker is not None else None, FAMILIES["think"])
    families = list({one.name: one for one in known if one is not None}.values())
    mapper = _Mapper(plan, conversation, taker, families, recall)
    edits = Edits()
    for turn in conversation.turns(root, locate(root, Extent.SNAPSHOT)):
        mapper.map(turn, edits)
    return Mapped(splice(raw, edits.spans()) if edits else raw, list(mapper.notes()))


class _Mapper:
    """Maps the turns of one request."""

    def __init__(
        self,
        plan: RequestPlan,
        conversation: Conversation,
        taker: HistoryFormat | None,
        families: list[Family],
        recall: Recall,
    ) -> None:
        self._history: History = plan.history
        self._restores = plan.restore
        self._conversation = conversation
        self._tags = Tags(merged(families) if len(families) > 1 else families[0], tuple(one.opens for one in families))
        self._recall = recall
        self._form = self._form_of(plan.history.to, taker)
        """None leaves what is there alone."""
        self._restored_form = self._form or (taker.form if taker is not None else None)
        self._family = families[0] if taker is not None and taker.form is HistoryForm.INLINE else FAMILIES["think"]
        self._is_unknown = plan.history.to is To.AUTO and taker is None
        self._dropped = self._restored = self._forgotten = 0

    def _form_of(self, to: To, taker: HistoryFormat | None) -> HistoryForm | None:
        form: HistoryForm | None
        if to is To.AUTO:
            form = taker.form if taker is not None else HistoryForm.DROP
        elif to is To.NATIVE:
            own = next(
                (form for form in self._conversation.forms if form in (HistoryForm.BLOCKS, HistoryForm.THINKING)), None
            )
            form = own or (taker.form if taker is not None and taker.form in _NATIVE else HistoryForm.REASONING)
        else:
            form = _FORMS.get(to)
        return form if form in self._conversation.forms else None

    def map(self, turn: Turn, edits: Edits) -> None:
        if turn.update is None:
            self._put_back(turn, edits)
            return
        said = AssistantMessage(turn.update, self._tags)
        if self._history.drops_unsigned:
            said.drop_unsigned(edits)
        if not said.has_thought and self._writes_blocks:
            self._put_back(turn, edits)
            return
        thought = None if said.has_thought and not self._lacks_details(said) else self._recalled(turn)
        if thought is not None and (said.has_thought and thought.text != said.text):
            thought = None  # the client has another one
        form = self._form if thought is None else self._restored_form
        if form is None or form is HistoryForm.BLOCKS:
            return
        if said.is_redacted and form is not HistoryForm.DROP:
            raise Refused(_REDACTED.format("text" if form is HistoryForm.INLINE else f"`{form.value}`"))
        if self._is_unknown:
            self._dropped += said.count
        write(said, form, self._conversation, thought, self._history.fill, self._family, edits)

    @property
    def _writes_blocks(self) -> bool:
        """Are thoughts put back as the API's own blocks?"""
        return self._restored_form is HistoryForm.BLOCKS and self._form in (None, HistoryForm.BLOCKS)

    def _lacks_details(self, said: AssistantMessage) -> bool:
        """Has the client kept the text of a thought, and lost what was signed or encrypted of it?"""
        return self._restored_form is HistoryForm.DETAILS and not said.blocks

    def _put_back(self, turn: Turn, edits: Edits) -> None:
        """Put back blocks that a turn lacks."""
        put_back = self._conversation.put_back
        if put_back is None or (not turn.lacks_thought and turn.update is None):
            return
        thought = self._recall(turn) if self._restores and turn.keys else None
        done = thought is not None and put_back(turn, thought, edits)
        self._count(turn, done=done)

    def _recalled(self, turn: Turn) -> Thought | None:
        """What is remembered of a turn, where that can be written in the form that is asked for."""
        if not self._restores or not turn.keys or self._restored_form in (None, HistoryForm.DROP):
            return None
        thought = self._recall(turn)
        if thought is not None and not (
            thought.text or (self._restored_form is HistoryForm.DETAILS and thought.blocks)
        ):
            thought = None
        self._count(turn, done=thought is not None)
        return thought

    def _count(self, turn: Turn, *, done: bool) -> None:
        if self._restores:
            self._restored += done
            has_calls = bool(turn.keys) and turn.keys[0].startswith((BY_ID, "called"))
            self._forgotten += not done and turn.is_first and has_calls

    def notes(self) -> Iterable[str]:
        if self._restored:
            yield f"thoughts put back: {self._restored}"
        if self._forgotten:
            yield f"turns with calls that have no thought, and none is remembered: {self._forgotten}"
        if self._dropped:
            yield f"history: {self._dropped} blocks of reasoning dropped, for nobody knows what this model takes"
