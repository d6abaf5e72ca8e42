"""Strip: reasoning goes, and with it the token metadata that would betray it.

It decides update by update, with the states of `states.py`; it does not know APIs and does not send anything.
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Final

from thinkwire.dialects.core.flagged_text import after_closing_tag
from thinkwire.dialects.core.parts import REASONING, VISIBLE, Extent, ItemKey, Kind, Part, Update
from thinkwire.rewrite.plan import Opaque, Strip, TokenMetadata
from thinkwire.rewrite.removal import THOUGHT, keeps_something, remove_reasoning
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.rewrite.strip.metadata import kept_parts
from thinkwire.rewrite.strip.states import TRANSITIONS, WHEN_OWED, MetadataAction, Shows, StripState
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits

__all__ = ["Stripper"]

_METADATA: Final = (Kind.TOKENS, Kind.TRANSCRIPT)


@dataclass(slots=True)
class _Choice:
    """What a stream has shown of one owner so far."""

    state: StripState = StripState.START
    hid: bool = False
    """Was something of this owner itself hidden?"""
    has_role: bool = False
    has_finished: bool = False
    owes_metadata: bool = False
    """Did reasoning come without token metadata, which may still follow?"""
    is_reasoning: bool = False
    was_sent: bool = False
    """Has any document about it been sent?"""
    open_tags: tuple[str, str] | None = None
    """The tags of a thought whose closing one has not come yet."""


class Stripper:
    """Strips the documents of one answer, in order."""

    __slots__ = (
        "_choices",
        "_hid_in_whole",
        "_hid_owners",
        "_hidden",
        "_is_body",
        "_numbers",
        "_strip",
        "_unfinished",
        "changes",
    )

    def __init__(self, strip: Strip) -> None:
        self._strip = strip
        self.changes = 0
        """How often something changed that decides about later documents."""
        self._choices: dict[ItemKey | None, _Choice] = {}
        self._numbers = Renumberer()
        self._hid_in_whole: set[ItemKey | None] = set()
        """The owners of which a whole has shown a thought."""
        self._hidden = 0
        """How many choices have hidden something."""
        self._unfinished = 0
        """How many choices have not come to their end."""
        self._hid_owners = False
        """Was an owner hidden that is reasoning alone, or a thought that had no owner?"""
        self._is_body = False

    def strip(self, updates: list[Update], extent: Extent, edits: Edits) -> tuple[bool, set[str]]:
        """Collect the edits of one document, given its updates.

        Returns whether it is to be sent at all, and the names of the token metadata that it lost. `extent` is the
        document's own: in a stream (DELTA) one of which nothing is left is not sent.
        """
        self._is_body = extent is Extent.SNAPSHOT
        for space in updates[0].resets:
            self._reset(space)
        for update in updates:
            if update.begins:
                self._begin(update.item)
            elif self._is_of_thought(update):
                update.parts = list(map(_as_thought, update.parts))
        if self._remove_thoughts(updates, extent, edits) or self._ends_unsent(updates, edits):
            return self._drop(updates)
        # A whole message beside a delta stands in the same node, and shares the choice's metadata with it.
        told = {update.node for update in updates if _holds_thought(update)}
        lost = [self._strip_update(update, told, edits) for update in updates[1:]]
        lost.append(self._strip_own(updates, told, edits))
        if edits and extent is Extent.DELTA and not self._says_something(updates, edits):
            return self._drop(updates)
        self._note_sent(updates)
        self._numbers.renumber(updates, edits)
        return True, set().union(*lost)

    def note(self, updates: list[Update]) -> None:
        """Take note of the next document that came, before those of ours that are sent before it."""
        self._numbers.note(updates)

    def end(self) -> None:
        """Take note that no more documents come."""
        self._numbers.end()

    def number(self, updates: list[Update], edits: Edits) -> bool:
        """Give a document of ours, which shows visible text, its numbers; returns whether it is to be sent."""
        if any(self._numbers.is_removed(update.item) for update in updates):
            return False  # it was text of a thought
        self.changes += any(update.counters for update in updates)
        self._numbers.renumber_added(updates, edits, owners=True)
        return True

    def _drop(self, updates: list[Update]) -> tuple[bool, set[str]]:
        self.changes += self._numbers.drop_document(updates)
        return False, set()

    def _reset(self, space: str) -> None:
        self.changes += 1
        self._numbers.reset(space)
        for owner in [owner for owner in self._choices if owner is not None and owner.space == space]:
            self._count(self._choices.pop(owner), -1)

    def _begin(self, owner: ItemKey | None) -> None:
        """Another owner has the number from now on, whatever the one was that had it."""
        self.changes += self._numbers.forget_owner(owner)
        choice = self._choices.get(owner)
        if choice is not None and choice.is_reasoning:
            self.changes += 1
            choice.is_reasoning = choice.was_sent = False

    def _is_of_thought(self, update: Update) -> bool:
        """Does an update that does not look so belong to a thought? What has no number lives on as something else."""
        choice = self._choices.get(update.item)
        in_blocks = update.item is not None and update.item.space != ""
        return in_blocks and choice is not None and choice.is_reasoning and not update.is_reasoning

    def _remove_thoughts(self, updates: list[Update], extent: Extent, edits: Edits) -> bool:
        """Remove owners that are reasoning alone, and all that is about them; returns whether the document goes.

        A body cannot go as a whole: its parts do.
        """
        if not self._hid_owners and (any(update.is_reasoning for update in updates) or _is_told_apart(updates[0])):
            self._hid_owners = True
            self.changes += 1
        thoughts = [update for update in updates if update.is_reasoning and self._goes_whole(update)]
        for update in thoughts:
            self._remove_owner(update, edits)
        for update in updates:
            if update.about and any(map(self._numbers.is_removed, update.about)):
                thoughts.append(update)
                self._remove_owner(update, edits)
        return extent is Extent.DELTA and any(
            update.node.parent is None and (update in thoughts or self._numbers.is_removed(update.item))
            for update in updates
        )

    def _goes_whole(self, thought: Update) -> bool:
        """Does nothing of a thought stay? In a stream, its signature may be still to come."""
        if self._strip.opaque is Opaque.DROP or not thought.has_state:
            return True
        return thought.extent is Extent.SNAPSHOT and not keeps_something(thought)

    def _remove_owner(self, update: Update, edits: Edits) -> None:
        if update.item is not None:
            self.changes += self._numbers.remove_owner(update.item)
            if update.is_reasoning and not update.item.space and update.extent is Extent.DELTA:
                self._advance(update, holds_thought=True)  # it lives on, and its next tokens may be the thought's
        if update.node.parent is not None:
            edits.remove(update.node)

    def _ends_unsent(self, updates: list[Update], edits: Edits) -> bool:
        """Remove a thought that could have had a signature, where a document that says nothing ends it unsent."""
        choice = self._choices.get(updates[0].item)
        if choice is None or not choice.is_reasoning or choice.was_sent or updates[0].is_reasoning:
            return False
        if any(part.is_meaningful for update in updates for part in update.parts):
            return False
        self._remove_owner(updates[0], edits)
        return True

    # --- one update ---------------------------------------------------------------------------------------------

    def _strip_update(self, update: Update, told: Set[Node], edits: Edits) -> set[str]:
        """Strip what one document says of one owner; returns the names of token metadata that went.

        `told` are the objects of the document that a thought was found in.
        """
        holds_thought = update.node in told
        if update.extent is Extent.SNAPSHOT:
            if holds_thought and update.item not in self._hid_in_whole:
                self.changes += 1
                self._hid_in_whole.add(update.item)
            verdict = self._verdict_on_whole(update.item)
        else:
            verdict = self._advance(update, _holds_thought(update))
            holds_tag = self._follow_tags(update, edits)
            verdict = MetadataAction.DROP if holds_thought or holds_tag else verdict
        remove_reasoning(update, self._strip.opaque, edits)
        return self._judge(update, verdict, self._hid(update.item) or self._hid_owners, edits)

    def _verdict_on_whole(self, owner: ItemKey | None) -> MetadataAction:
        if self._hid(owner):
            return MetadataAction.DROP
        if not self._hid_owners:
            return MetadataAction.KEEP
        # A server may list the tokens of a hidden owner with the one that follows it. What repeats a stream keeps what
        # its pieces may keep.
        return MetadataAction.DROP if self._is_body else MetadataAction.KEEP_IF_SPELLED

    def _hid(self, owner: ItemKey | None) -> bool:
        """Has the stream hidden anything of this owner?"""
        choice = self._choices.get(owner)
        return owner in self._hid_in_whole or (choice is not None and choice.hid)

    def _advance(self, update: Update, holds_thought: bool) -> MetadataAction:
        choice = self._choices.get(update.item)
        if choice is None:
            choice = self._choices[update.item] = _Choice(self._first_state(update.item))
            self._count(choice, 1)
        ends = any(part.is_meaningful for part in update.of(Kind.FINISH))
        has_metadata = any(part.is_meaningful for part in update.of(*_METADATA, Kind.REASONING_TOKENS))
        shows = Shows.REASONING if holds_thought else _shows(update, ends)
        following, verdict = TRANSITIONS[choice.state][shows]
        if choice.owes_metadata:
            verdict = WHEN_OWED.get(verdict, verdict)
        before = replace(choice)
        choice.is_reasoning = choice.is_reasoning or update.is_reasoning
        choice.state = following
        choice.hid = choice.hid or holds_thought
        choice.has_finished = choice.has_finished or ends
        choice.owes_metadata = not has_metadata and (holds_thought or choice.owes_metadata)
        self._count(before, -1)
        self._count(choice, 1)
        self.changes += choice != before
        return verdict

    def _count(self, choice: _Choice, by: int) -> None:
        """Keep count of what is asked about all choices at every document."""
        self._hidden += by * (choice.state is not StripState.START)
        self._unfinished += by * (not choice.has_finished)

    def _first_state(self, owner: ItemKey | None) -> StripState:
        """Blocks of one answer follow each other: what comes after a hidden one may list its last token. Choices do
        not."""
        follows = owner is not None and owner.space != ""
        return StripState.HIDDEN if follows and self._hid_anything else StripState.START

    def _follow_tags(self, update: Update, edits: Edits) -> bool:
        """Take the closing tag of an earlier thought off the text that follows it; returns whether it was there."""
        choice = self._choices[update.item]
        thought = next((part for part in update.of(Kind.REASONING) if part.spec and part.spec.tags), None)
        if thought is not None and thought.spec is not None:
            choice.open_tags = thought.spec.tags if thought.rest is None else None
            return False
        text = next((part for part in update.of(Kind.TEXT) if part.is_meaningful), None)
        if text is None or choice.open_tags is None:
            return False
        rest = after_closing_tag(text.node.raw, choice.open_tags)
        choice.open_tags = None
        if rest == '""':
            edits.remove(text.node)
        elif rest is not None:
            edits.replace(text.node, rest)
        return rest is not None

    def _judge(self, update: Update, verdict: MetadataAction, hid: bool, edits: Edits) -> set[str]:
        """Remove the token metadata that may not stay; returns its names. A transcript lists all that was hidden."""
        parts = [part for part in update.of(*_METADATA) if part.is_meaningful]
        if self._strip.token_metadata is TokenMetadata.ALL:
            verdict = MetadataAction.DROP
        kept = kept_parts(update, parts, verdict)
        going = {part.node for part in parts} - {
            part.node for part in kept if not (hid and part.kind is Kind.TRANSCRIPT)
        }
        for node in going:
            edits.remove(node)
        return {node.key for node in going}

    # --- the document -------------------------------------------------------------------------------------------

    def _strip_own(self, updates: list[Update], told: Set[Node], edits: Edits) -> set[str]:
        """Strip what the document says outside of any choice; or all it says, where it has one owner."""
        own = updates[0]
        if own.item is not None:
            return self._strip_update(own, told, edits)
        holds_thought = bool(told) if own.extent is Extent.SNAPSHOT else _holds_thought(own)
        remove_reasoning(own, self._strip.opaque, edits)
        verdict = MetadataAction.KEEP if self._is_open(updates) and not holds_thought else MetadataAction.DROP
        return self._judge(own, verdict, self._hid_anything, edits)

    def _is_open(self, updates: list[Update]) -> bool:
        """Is a list of all tokens, beside the choices, known to hold nothing hidden?"""
        if updates[0].extent is Extent.DELTA:
            return self._all_ended_open
        return not self._hid_anything and len(updates) > 1  # where no choice is in sight, it may be of any

    @property
    def _hid_anything(self) -> bool:
        return self._hid_owners or bool(self._hid_in_whole) or self._hidden > 0

    @property
    def _all_ended_open(self) -> bool:
        """Has each choice of the stream come to its end, and nothing was hidden?"""
        return bool(self._choices) and not self._unfinished and not self._hid_anything

    def _says_something(self, updates: list[Update], edits: Edits) -> bool:
        return any(
            part.is_meaningful
            and (part.kind is not Kind.REASONING or part.is_blocks)  # a text is removed, or emptied
            and not edits.is_removed(part.node)
            and not self._is_known_role(update, part)
            for update in updates
            for part in update.parts
        )

    def _is_known_role(self, update: Update, part: Part) -> bool:
        if part.kind is not Kind.ROLE:
            return False
        choice = self._choices.get(update.item)
        return choice is not None and choice.has_role

    def _note_sent(self, updates: list[Update]) -> None:
        for update in updates:
            choice = self._choices.get(update.item)
            if choice is not None:
                choice.was_sent = True
            if choice is not None and not choice.has_role:
                choice.has_role = any(part.is_meaningful for part in update.of(Kind.ROLE))
                self.changes += choice.has_role


def _as_thought(part: Part) -> Part:
    """What a part is where all is thought but the signature; a yes or no, such as `stop: true`, tells nothing."""
    could_tell = part.kind in VISIBLE or (part.kind is Kind.OTHER and part.node.raw not in ("true", "false"))
    return Part(Kind.REASONING, part.node, REASONING) if could_tell else part


def _holds_thought(update: Update) -> bool:
    return update.had_tags or any(part.is_meaningful for part in update.of(*THOUGHT))


def _is_told_apart(own: Update) -> bool:
    """Does a document hold a thought outside of any choice or block?"""
    return own.item is None and _holds_thought(own)


def _shows(update: Update, ends: bool) -> Shows:
    visible = {part.kind for part in update.parts if part.kind in VISIBLE and part.is_meaningful}
    if visible - {Kind.TOOL_CALL}:
        return Shows.TEXT
    if visible:
        return Shows.CALL
    return Shows.END if ends else Shows.NOTHING
