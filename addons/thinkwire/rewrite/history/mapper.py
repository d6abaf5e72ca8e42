"""Reasoning of earlier turns in a request: gathered from every form in which clients keep it, and written in one.

It reads and edits the assistant's messages, turn by turn, and puts back what is remembered. Who takes which form is in
`dialects/history/provider_forms.py`, and where requests keep reasoning in the files beside it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES, Family, merged
from thinkwire.dialects.history.base import BY_ID, Conversation, Turn, TurnReasoning
from thinkwire.dialects.history.message import AssistantMessage, TaggedText
from thinkwire.dialects.history.provider_forms import HistoryForm, HistoryFormat, format_for
from thinkwire.dialects.history.writers import write
from thinkwire.dialects.registry import CONVERSATIONS
from thinkwire.rewrite.extract.tag_reader import TagReader
from thinkwire.rewrite.plan import History, Opaque, RequestPlan, To
from thinkwire.rewrite.removal import remove_reasoning
from thinkwire.wire.json_tree import Unreadable, decode, read
from thinkwire.wire.splice import Edits, splice

type Recall = Callable[[Turn], TurnReasoning | None]
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
_UNTRANSLATABLE = "a block of {} cannot be written as {}: set `history: keep` or `history: drop` for this request"


class Refused(Exception):
    """The request must not be sent; the message says why."""


@dataclass(slots=True)
class Mapped:
    """A request's body after its history was mapped."""

    raw: bytes
    notes: list[str] = field(default_factory=list)
    """What the log says about it."""


def map_history(raw: bytes, plan: RequestPlan, facts: RequestFacts, family: Family | None, recall: Recall) -> Mapped:
    """The body with the reasoning of earlier turns as the plan says; the same bytes if nothing has to change.

    `family` is the tag family that the answer is read by. Raises Unreadable and Refused.
    """
    conversation = CONVERSATIONS.get(facts.dialect)
    if conversation is None or not (plan.history.changes or plan.restore):
        return Mapped(raw)
    taken = format_for(facts, family.name if family is not None else "")
    known = (family, FAMILIES.get(taken.family) if taken is not None else None, FAMILIES["think"])
    families = list({one.name: one for one in known if one is not None}.values())
    mapper = _Mapper(plan, conversation, taken, families, recall)
    edits = Edits()
    try:
        root = read(decode(raw), conversation.table)
        for turn in conversation.turns(root, locate(root, Extent.SNAPSHOT)):
            mapper.map(turn, edits)
        return Mapped(splice(raw, edits.spans()) if edits else raw, list(mapper.notes()))
    except RecursionError:
        raise Unreadable("nested too deep") from None


class _Mapper:
    """Maps the turns of one request."""

    def __init__(
        self,
        plan: RequestPlan,
        conversation: Conversation,
        taken: HistoryFormat | None,
        families: list[Family],
        recall: Recall,
    ) -> None:
        """`taken` is what the provider or model is known to take, if anything."""
        self._history: History = plan.history
        self._restores = plan.restore
        self._conversation = conversation
        self._tags = merged(families) if len(families) > 1 else families[0]
        self._opens = tuple(one.opens for one in families)
        self._recall = recall
        self._form = self._form_of(plan.history.to, taken)
        """None leaves what is there alone."""
        self._restored_form = self._form or (taken.form if taken is not None else None)
        self._family = families[0] if taken is not None and taken.form is HistoryForm.INLINE else FAMILIES["think"]
        self._is_unknown = plan.history.to is To.AUTO and taken is None
        self._dropped = self._restored = self._forgotten = 0

    def _form_of(self, to: To, taken: HistoryFormat | None) -> HistoryForm | None:
        form: HistoryForm | None
        if to is To.AUTO:
            form = taken.form if taken is not None else HistoryForm.DROP
        elif to is To.NATIVE:
            own = next(
                (form for form in self._conversation.forms if form in (HistoryForm.BLOCKS, HistoryForm.THINKING)), None
            )
            form = own or (taken.form if taken is not None and taken.form in _NATIVE else HistoryForm.REASONING)
        else:
            form = _FORMS.get(to)
        return form if form in self._conversation.forms else None

    def map(self, turn: Turn, edits: Edits) -> None:
        if turn.update is None:
            self._put_back(turn, edits)
            return
        message = AssistantMessage(turn.update, self._read_tags)
        if self._history.drops_unsigned:
            _drop_unsigned(message, edits)
        if not message.has_reasoning and self._writes_blocks:
            self._put_back(turn, edits)
            return
        is_whole = message.has_reasoning and not self._lacks_details(message)
        remembered = None if is_whole else self._recalled(turn)
        if remembered is not None and (message.has_reasoning and remembered.text != message.text):
            remembered = None  # the client has another reasoning
        form = self._form if remembered is None else self._restored_form
        if form is None or form is HistoryForm.BLOCKS:
            return
        if message.untranslatable and form is not HistoryForm.DROP:
            written = "tagged text" if form is HistoryForm.INLINE else f"`{form.value}`"
            raise Refused(_UNTRANSLATABLE.format(message.untranslatable, written))
        if self._is_unknown:
            self._dropped += message.count
        write(message, form, self._conversation, remembered, self._history.fill, self._family, _remove_all, edits)

    def _read_tags(self, text: str) -> TaggedText | None:
        reader = TagReader(self._tags, starts_inside=False)
        pieces = [*reader.feed(text), *reader.finish()]
        shown = [piece for piece in pieces if piece.text.strip()]
        is_blank = text.lstrip().startswith(self._opens)  # an empty block counts as well
        if not is_blank and not (shown and shown[0].is_reasoning):
            return None
        reasoning = "".join(piece.text for piece in pieces if piece.is_reasoning)
        rest = "".join(piece.text for piece in pieces if not piece.is_reasoning)
        return TaggedText(reasoning.strip("\n"), rest.lstrip("\n"))

    @property
    def _writes_blocks(self) -> bool:
        """Is reasoning put back as the API's own blocks?"""
        return self._restored_form is HistoryForm.BLOCKS and self._form in (None, HistoryForm.BLOCKS)

    def _lacks_details(self, message: AssistantMessage) -> bool:
        """Has the client kept the text of the reasoning, but lost its signatures or encrypted forms?"""
        return self._restored_form is HistoryForm.DETAILS and not message.blocks

    def _put_back(self, turn: Turn, edits: Edits) -> None:
        """Put back blocks that a turn lacks."""
        put_back = self._conversation.put_back
        if put_back is None or (not turn.lacks_reasoning and turn.update is None):
            return
        remembered = self._recall(turn) if self._restores and turn.keys else None
        done = remembered is not None and put_back(turn, remembered, edits)
        self._count(turn, done=done)

    def _recalled(self, turn: Turn) -> TurnReasoning | None:
        """What is remembered of a turn, if it can be written in the form that is asked for."""
        if not self._restores or not turn.keys or self._restored_form in (None, HistoryForm.DROP):
            return None
        remembered = self._recall(turn)
        if remembered is not None and not (
            remembered.text or (self._restored_form is HistoryForm.DETAILS and remembered.blocks)
        ):
            remembered = None
        self._count(turn, done=remembered is not None)
        return remembered

    def _count(self, turn: Turn, *, done: bool) -> None:
        if self._restores:
            self._restored += done
            has_calls = bool(turn.keys) and turn.keys[0].startswith((BY_ID, "called"))
            self._forgotten += not done and turn.is_first and has_calls

    def notes(self) -> Iterable[str]:
        if self._restored:
            yield f"reasoning put back: {self._restored}"
        if self._forgotten:
            yield f"turns with calls but no reasoning, and none remembered: {self._forgotten}"
        if self._dropped:
            yield f"history: {self._dropped} blocks of reasoning dropped: it is not known what this model takes"


def _remove_all(update: Update, edits: Edits) -> None:
    remove_reasoning(update, Opaque.DROP, edits)


def _drop_unsigned(message: AssistantMessage, edits: Edits) -> None:
    """Take out the thinking blocks without a signature, and forget them."""
    unsigned = message.unsigned_blocks
    gone = [part for part in message.parts if part.blocks and unsigned.issuperset(part.blocks)]
    _remove_all(replace(message.update, parts=gone), edits)
    for block in unsigned - {block for part in gone for block in part.blocks}:
        edits.remove(block)
    message.forget(gone)
