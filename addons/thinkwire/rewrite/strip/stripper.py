"""Strip: reasoning goes, and with it the token metadata that would betray it.

It decides update by update, with the states of `states.py`; it does not know APIs and does not send anything.
"""

from collections.abc import Set
from typing import Final, NamedTuple

from thinkwire.dialects.core.fields import REASONING
from thinkwire.dialects.core.flagged_text import after_closing_tag
from thinkwire.dialects.core.parts import VISIBLE, Extent, ItemKey, Kind, Part, Update
from thinkwire.rewrite.action import Action, Document, Outcome
from thinkwire.rewrite.plan import Opaque, Strip, TokenMetadata
from thinkwire.rewrite.removal import REASONING_KINDS, keeps_something, remove_reasoning
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.rewrite.strip.metadata import kept_parts
from thinkwire.rewrite.strip.states import TRANSITIONS, WHEN_OWED, MetadataAction, Shows, StripState
from thinkwire.rewrite.tally import Effect
from thinkwire.rewrite.versioned import Version, Versioned, VersionedDict
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits

_METADATA: Final = (Kind.TOKENS, Kind.TRANSCRIPT)


class _Item(NamedTuple):
    """What a stream has shown of one item so far."""

    state: StripState = StripState.START
    hid: bool = False
    """Was something of this item itself hidden?"""
    has_role: bool = False
    has_finished: bool = False
    owes_metadata: bool = False
    """Did reasoning come without token metadata, which may still follow?"""
    is_reasoning: bool = False
    was_sent: bool = False
    """Has any document about it been sent?"""
    open_tags: tuple[str, str] | None = None
    """The tags of reasoning whose closing one has not come yet."""


class _Items:
    """What a stream has shown of all its items so far."""

    __slots__ = ("_items", "hidden", "unfinished")

    def __init__(self, version: Version) -> None:
        self._items: VersionedDict[ItemKey | None, _Item] = VersionedDict(version)
        self.hidden = 0
        """How many items have hidden something."""
        self.unfinished = 0
        """How many items have not come to their end."""

    def __bool__(self) -> bool:
        return bool(self._items)

    def get(self, key: ItemKey | None) -> _Item | None:
        return self._items.get(key)

    def set(self, key: ItemKey | None, item: _Item) -> None:
        before = self._items.get(key)
        if before != item:
            self._count(before, -1)
            self._count(item, 1)
            self._items[key] = item

    def forget_space(self, space: str) -> None:
        for key in [key for key in self._items if key is not None and key.space == space]:
            self._count(self._items.pop(key), -1)

    def _count(self, item: _Item | None, by: int) -> None:
        """Keep count of what is asked about all items at every document."""
        if item is not None:
            self.hidden += by * (item.state is not StripState.START)
            self.unfinished += by * (not item.has_finished)


class Stripper(Action):
    """Strips the documents of one answer, in order."""

    __slots__ = ("_hid_in_snapshot", "_hid_items", "_is_body", "_items", "_numbers", "_strip")

    def __init__(self, strip: Strip, version: Version) -> None:
        self._strip = strip
        self._items = _Items(version)
        self._numbers = Renumberer(version)
        self._hid_in_snapshot: VersionedDict[ItemKey | None, bool] = VersionedDict(version)
        """The items of which a snapshot has shown reasoning."""
        self._hid_items = Versioned(version, False)
        """Was an item hidden that is reasoning alone, or reasoning that had no item?"""
        self._is_body = False

    def apply(self, document: Document, edits: Edits) -> Outcome:
        """Decide about one document; in a stream, one is dropped if nothing meaningful remains in it."""
        if document.is_added:
            return self._number(document.updates, edits)
        updates, extent = document.updates, document.extent
        self._is_body = extent is Extent.SNAPSHOT
        for space in updates[0].resets:
            self._numbers.reset(space)
            self._items.forget_space(space)
        for update in updates:
            if update.begins:
                self._begin(update.item)
            elif self._is_of_reasoning(update):
                update.parts = list(map(_as_reasoning, update.parts))
        if self._remove_reasoning_items(updates, extent, edits) or self._ends_unsent(updates, edits):
            return self._drop(updates)
        # A snapshot beside a delta is in the same node, and shares the choice's metadata with it.
        holders = {update.node for update in updates if _holds_reasoning(update)}
        lost = [self._strip_update(update, holders, edits) for update in updates[1:]]
        lost.append(self._strip_own(updates, holders, edits))
        if edits and extent is Extent.DELTA and not self._is_anything_left(updates, edits):
            return self._drop(updates)
        self._note_sent(updates)
        self._numbers.renumber(updates, edits)
        return Outcome(Effect.STRIPPED if edits else Effect.NONE, lost=sorted(set().union(*lost)))

    def expect(self, updates: list[Update]) -> None:
        self._numbers.note(updates)

    def expect_end(self) -> None:
        self._numbers.end()

    def _number(self, updates: list[Update], edits: Edits) -> Outcome:
        """Give an added document, which shows visible text, its numbers."""
        if any(self._numbers.is_removed(update.item) for update in updates):
            return Outcome(Effect.DROPPED, is_sent=False)  # it was text of reasoning
        self._numbers.renumber_added(updates, edits, items=True)
        return Outcome(Effect.STRIPPED)

    def _drop(self, updates: list[Update]) -> Outcome:
        self._numbers.drop_document(updates)
        return Outcome(Effect.DROPPED, is_sent=False)

    def _begin(self, key: ItemKey | None) -> None:
        """Another item has the number from now on, whatever had it before."""
        self._numbers.forget_item(key)
        item = self._items.get(key)
        if item is not None and item.is_reasoning:
            self._items.set(key, item._replace(is_reasoning=False, was_sent=False))

    def _is_of_reasoning(self, update: Update) -> bool:
        """Does an update that does not look so belong to reasoning? What has no number lives on as something else."""
        item = self._items.get(update.item)
        in_blocks = update.item is not None and update.item.space != ""
        return in_blocks and item is not None and item.is_reasoning and not update.is_reasoning

    def _remove_reasoning_items(self, updates: list[Update], extent: Extent, edits: Edits) -> bool:
        """Remove items that are reasoning alone, and all that is about them; returns whether the document goes.

        A body is never dropped: its parts are.
        """
        own = updates[0]
        if any(update.is_reasoning for update in updates) or (own.item is None and _holds_reasoning(own)):
            self._hid_items.value = True
        going = [update for update in updates if update.is_reasoning and self._goes_whole(update)]
        for update in going:
            self._remove_item(update, edits)
        for update in updates:
            if update.about and any(map(self._numbers.is_removed, update.about)):
                going.append(update)
                self._remove_item(update, edits)
        return extent is Extent.DELTA and any(
            update.node.parent is None and (update in going or self._numbers.is_removed(update.item))
            for update in updates
        )

    def _goes_whole(self, item: Update) -> bool:
        """Does nothing of an item of reasoning stay? In a stream, its signature may be still to come."""
        if self._strip.opaque is Opaque.DROP or not item.has_state:
            return True
        return item.extent is Extent.SNAPSHOT and not keeps_something(item)

    def _remove_item(self, update: Update, edits: Edits) -> None:
        if update.item is not None:
            self._numbers.remove_item(update.item)
            if update.is_reasoning and not update.item.space and update.extent is Extent.DELTA:
                self._advance(update, holds_reasoning=True)  # it lives on, and its next tokens may be of reasoning
        if update.node.parent is not None:
            edits.remove(update.node)

    def _ends_unsent(self, updates: list[Update], edits: Edits) -> bool:
        """Remove reasoning that could have had a signature, if a document with nothing meaningful ends it unsent."""
        item = self._items.get(updates[0].item)
        if item is None or not item.is_reasoning or item.was_sent or updates[0].is_reasoning:
            return False
        if any(part.is_meaningful for update in updates for part in update.parts):
            return False
        self._remove_item(updates[0], edits)
        return True

    # --- one update ---------------------------------------------------------------------------------------------

    def _strip_update(self, update: Update, holders: Set[Node], edits: Edits) -> set[str]:
        """Strip what one document holds of one item; returns the names of token metadata that went.

        `holders` are the objects of the document that reasoning was found in.
        """
        holds_reasoning = update.node in holders
        if update.extent is Extent.SNAPSHOT:
            if holds_reasoning:
                self._hid_in_snapshot[update.item] = True
            action = self._action_on_snapshot(update.item)
        else:
            action = self._advance(update, _holds_reasoning(update))
            holds_tag = self._follow_tags(update, edits)
            action = MetadataAction.DROP if holds_reasoning or holds_tag else action
        remove_reasoning(update, self._strip.opaque, edits)
        return self._judge(update, action, self._hid(update.item) or self._hid_items.value, edits)

    def _action_on_snapshot(self, key: ItemKey | None) -> MetadataAction:
        if self._hid(key):
            return MetadataAction.DROP
        if not self._hid_items.value:
            return MetadataAction.KEEP
        # A server may list the tokens of a hidden item with the one that follows it. What repeats a stream keeps what
        # its pieces may keep.
        return MetadataAction.DROP if self._is_body else MetadataAction.KEEP_IF_SPELLED

    def _hid(self, key: ItemKey | None) -> bool:
        """Has the stream hidden anything of this item?"""
        item = self._items.get(key)
        return key in self._hid_in_snapshot or (item is not None and item.hid)

    def _advance(self, update: Update, holds_reasoning: bool) -> MetadataAction:
        item = self._items.get(update.item) or _Item(self._first_state(update.item))
        ends = any(part.is_meaningful for part in update.of(Kind.FINISH))
        has_metadata = any(part.is_meaningful for part in update.of(*_METADATA, Kind.REASONING_TOKENS))
        shows = Shows.REASONING if holds_reasoning else _shows(update, ends)
        following, action = TRANSITIONS[item.state][shows]
        if item.owes_metadata:
            action = WHEN_OWED.get(action, action)
        item = item._replace(
            state=following,
            hid=item.hid or holds_reasoning,
            has_finished=item.has_finished or ends,
            owes_metadata=not has_metadata and (holds_reasoning or item.owes_metadata),
            is_reasoning=item.is_reasoning or update.is_reasoning,
        )
        self._items.set(update.item, item)
        return action

    def _first_state(self, key: ItemKey | None) -> StripState:
        """Blocks of one answer follow each other: what comes after a hidden one may list its last token. Choices do
        not."""
        follows = key is not None and key.space != ""
        return StripState.HIDDEN if follows and self._hid_anything else StripState.START

    def _follow_tags(self, update: Update, edits: Edits) -> bool:
        """Take the closing tag of earlier reasoning off the text that follows it; returns whether it was there."""
        item = self._items.get(update.item)
        assert item is not None  # its state was just noted
        flagged = next((part for part in update.of(Kind.REASONING) if part.spec and part.spec.tags), None)
        if flagged is not None and flagged.spec is not None:
            open_tags = flagged.spec.tags if flagged.rest is None else None
            self._items.set(update.item, item._replace(open_tags=open_tags))
            return False
        text = next((part for part in update.of(Kind.TEXT) if part.is_meaningful), None)
        if text is None or item.open_tags is None:
            return False
        rest = after_closing_tag(text.node.raw, item.open_tags)
        self._items.set(update.item, item._replace(open_tags=None))
        if rest == '""':
            edits.remove(text.node)
        elif rest is not None:
            edits.replace(text.node, rest)
        return rest is not None

    def _judge(self, update: Update, action: MetadataAction, hid: bool, edits: Edits) -> set[str]:
        """Remove the token metadata that may not stay; returns its names. A transcript lists all that was hidden."""
        parts = [part for part in update.of(*_METADATA) if part.is_meaningful]
        if self._strip.token_metadata is TokenMetadata.ALL:
            action = MetadataAction.DROP
        kept = kept_parts(update, parts, action)
        going = {part.node for part in parts} - {
            part.node for part in kept if not (hid and part.kind is Kind.TRANSCRIPT)
        }
        for node in going:
            edits.remove(node)
        return {node.key for node in going}

    # --- the document -------------------------------------------------------------------------------------------

    def _strip_own(self, updates: list[Update], holders: Set[Node], edits: Edits) -> set[str]:
        """Strip what the document holds outside of any choice; or all it holds, if it is about one item."""
        own = updates[0]
        if own.item is not None:
            return self._strip_update(own, holders, edits)
        holds_reasoning = bool(holders) if own.extent is Extent.SNAPSHOT else _holds_reasoning(own)
        remove_reasoning(own, self._strip.opaque, edits)
        action = MetadataAction.KEEP if self._is_open(updates) and not holds_reasoning else MetadataAction.DROP
        return self._judge(own, action, self._hid_anything, edits)

    def _is_open(self, updates: list[Update]) -> bool:
        """Is a list of all tokens, beside the choices, known to hold nothing hidden?"""
        if updates[0].extent is Extent.DELTA:
            return bool(self._items) and not self._items.unfinished and not self._hid_anything
        return not self._hid_anything and len(updates) > 1  # if no choice is in sight, it may be of any

    @property
    def _hid_anything(self) -> bool:
        return self._hid_items.value or bool(self._hid_in_snapshot) or self._items.hidden > 0

    def _is_anything_left(self, updates: list[Update], edits: Edits) -> bool:
        """Does anything meaningful remain in a document, apart from its reasoning and a role that was sent already?"""
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
        item = self._items.get(update.item)
        return item is not None and item.has_role

    def _note_sent(self, updates: list[Update]) -> None:
        for update in updates:
            item = self._items.get(update.item)
            if item is not None and not (item.was_sent and item.has_role):
                has_role = item.has_role or any(part.is_meaningful for part in update.of(Kind.ROLE))
                self._items.set(update.item, item._replace(was_sent=True, has_role=has_role))


def _as_reasoning(part: Part) -> Part:
    """What a part is if all is reasoning but the signature; a yes or no, such as `stop: true`, betrays nothing."""
    could_tell = part.kind in VISIBLE or (part.kind is Kind.OTHER and part.node.raw not in ("true", "false"))
    return Part(Kind.REASONING, part.node, REASONING) if could_tell else part


def _holds_reasoning(update: Update) -> bool:
    return update.had_tags or any(part.is_meaningful for part in update.of(*REASONING_KINDS))


def _shows(update: Update, ends: bool) -> Shows:
    visible = {part.kind for part in update.parts if part.kind in VISIBLE and part.is_meaningful}
    if visible - {Kind.TOOL_CALL}:
        return Shows.TEXT
    if visible:
        return Shows.CALL
    return Shows.END if ends else Shows.NOTHING
