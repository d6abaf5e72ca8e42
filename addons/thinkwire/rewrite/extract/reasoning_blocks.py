"""Thoughts that were told apart from a text, as blocks of their own, in APIs that number their blocks.

The text's block begins only when visible text comes: what opens it is held until then, so that the thought can stand
before it, and all later numbers make room. It makes documents; reading the text is done in `extract.py`.
"""

from collections.abc import Iterable, Sequence

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.block_writer import BlockWriter
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.wire.splice import Edits

__all__ = ["Blocks"]


class Blocks:
    """The blocks of one stream, as the client counts them."""

    __slots__ = ("_held", "_held_owner", "_holds_blank", "_numbers", "_shown", "_writer")

    def __init__(self, dialect: Dialect, request: RequestFacts) -> None:
        self._numbers = Renumberer()
        self._writer = BlockWriter(dialect, request, self._numbers)
        """Writes the thoughts."""
        self._held: list[str] = []
        """The documents that open a block of text of which nothing has been shown yet."""
        self._held_owner: ItemKey | None = None
        self._holds_blank = False
        """Is there white space among what is held? Like all text it is shown at the end, whatever else comes."""
        self._shown: set[ItemKey] = set()

    def note(self, updates: list[Update]) -> None:
        """Take note of the next document that came: what is sent before it is numbered from here."""
        if updates[0].resets:
            self._numbers.end()
        else:
            self._numbers.note(updates)

    def end(self) -> None:
        """Take note that no more documents come."""
        self._numbers.end()

    def begin(self, updates: list[Update]) -> None:
        """Take note of what the next document begins."""
        self._writer.begin(updates)
        own = updates[0]
        if own.resets:
            self._shown.clear()
        elif own.begins and own.item is not None:
            self._shown.discard(own.item)
            self._numbers.forget_owner(own.item)

    def opens_text(self, update: Update) -> bool:
        """Is this about a block that may be one of text, of which nothing has been shown?"""
        owner = update.item
        return owner is not None and owner.space != "" and not update.is_reasoning and owner not in self._shown

    def shows(self, owner: ItemKey) -> None:
        """Take note that all documents of this owner are sent as they come: it is none of text."""
        self._shown.add(owner)

    def hold(self, owner: ItemKey, document: str, *, is_blank_text: bool = False) -> None:
        """Hold what opens a block of text, or white space at its beginning: a thought goes before both."""
        if owner != self._held_owner:
            self._drop_held()
        self._held_owner = owner
        self._held.append(document)
        self._holds_blank = self._holds_blank or is_blank_text

    def _drop_held(self) -> list[str]:
        held = self._held
        self._held, self._held_owner, self._holds_blank = [], None, False
        return held

    def think(self, owner: ItemKey, text: str) -> Iterable[str]:
        """The documents that carry a piece of thought from the text of this owner."""
        if not self._writer.is_open:
            room = self._numbers.make_room(owner, before=owner not in self._shown)
            yield from self._writer.open(Kind.REASONING, room, text)
        yield from self._writer.say(text)

    def show(self, owner: ItemKey, documents: Sequence[str]) -> Iterable[str]:
        """The documents that show a piece of the text, behind what has to come before it."""
        yield from self.close()
        yield from self._release(owner)
        for document in documents:
            yield self._writer.numbered(document, is_ours=False)

    def close(self) -> Iterable[str]:
        """The documents that end the thought which is being written, if one is."""
        return self._writer.close()

    def show_blank(self, owner: ItemKey) -> Iterable[str]:
        """The documents that show a text which is at its end, if it was all white space."""
        if self._holds_blank and owner == self._held_owner:
            yield from self.show(owner, ())

    def ends_unseen(self, updates: list[Update]) -> bool:
        """Does the document end a block of which nothing was shown? Then it goes, with what opened it."""
        owner = updates[0].item
        if owner is None or (owner != self._held_owner and not self._numbers.is_removed(owner)):
            return False
        self._drop_held()
        self._numbers.remove_owner(owner)
        self._numbers.drop_document(updates)
        return True

    def release_all_but(self, owner: ItemKey | None) -> Iterable[str]:
        """What was held of another block than this one: it turns out to be none of text, or an empty one."""
        held = self._held_owner
        if held is not None and held != owner:
            yield from self._release(held)

    def leave_out(self, updates: list[Update]) -> None:
        """Take note that the document itself is not sent: others stand for it."""
        self._numbers.drop_document(updates)

    def renumber(self, updates: list[Update], edits: Edits) -> None:
        self._numbers.renumber(updates, edits)

    def _release(self, owner: ItemKey) -> Iterable[str]:
        self._shown.add(owner)
        if self._held_owner == owner:
            for document in self._drop_held():
                yield self._writer.numbered(document, is_ours=False)
