"""Inline in APIs that number their blocks: a block of thought is sent as one of text, with the tags in it.

It keeps the thought's number, so that no other block moves; a thought that is no block (a plan before tool calls) gets
one of its own behind those that came. A thought without a word that can be read (its text is
hidden, or encrypted) has nothing to show: it falls out. It makes documents; `inline.py` decides what comes here.
"""

from collections.abc import Sequence

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.block_writer import BlockWriter
from thinkwire.rewrite.inline.snapshot import Tags
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.wire.splice import Edits

__all__ = ["InlineBlocks"]


class InlineBlocks:
    """The blocks of one stream, thoughts as text."""

    __slots__ = ("_closes", "_next", "_numbers", "_opens", "_thought", "_thoughts", "_writer")

    def __init__(self, tags: Tags, dialect: Dialect, request: RequestFacts) -> None:
        self._opens, self._closes = tags
        self._numbers = Renumberer()
        self._writer = BlockWriter(dialect, request, self._numbers)
        self._next: dict[str, int] = {}
        """The number behind all blocks that came, in each space."""
        self._thoughts: set[ItemKey] = set()
        self._thought: ItemKey | None = None
        """The thought that came last, until another block or the answer's end shows that it is over."""

    def note(self, update: Update, reasoning: str) -> bool:
        """Take note of what a document with this reasoning says about its block; returns whether it is a thought."""
        owner = update.item
        if owner is None:
            return False
        if owner.space == "":  # no block, and the same for all that is about the answer: it says nothing of the next
            return bool(reasoning)
        if update.begins and not update.is_reasoning:
            self._thoughts.discard(owner)
        elif update.is_reasoning or reasoning:
            self._thoughts.add(owner)
        return owner in self._thoughts

    def begin(self, updates: list[Update]) -> None:
        """Take note of the next document that came."""
        self._writer.begin(updates)
        for space in updates[0].resets:
            self._next.pop(space, None)
        if updates[0].resets:
            self._thoughts.clear()
        owner = updates[0].item
        if owner is not None and isinstance(owner.number, int):
            self._next[owner.space] = max(self._next.get(owner.space, 0), owner.number + 1)

    def say(self, updates: list[Update], owner: ItemKey, reasoning: str) -> Sequence[str]:
        """What stands for a document about a thought."""
        documents = [] if owner == self._thought else list(self.close())
        self._thought = owner
        if reasoning and updates[0].extent is Extent.DELTA:
            text = reasoning
            if not self._writer.is_open:
                text = f"{self._opens}{reasoning}"
                documents += self._writer.open(Kind.TEXT, self._place_of(owner), text)
            documents += self._writer.say(text)
        self._numbers.drop_document(updates)
        return documents

    def _place_of(self, owner: ItemKey) -> ItemKey:
        """Where the block of text stands, as the client counts."""
        if owner.space:
            return ItemKey(owner.space, self._numbers.current(owner))
        space = self._writer.space_of(Kind.TEXT)
        return self._numbers.make_room(ItemKey(space, self._next.get(space, 0)), before=True)

    def close(self) -> Sequence[str]:
        """The documents that end the thought that came last."""
        thought, self._thought = self._thought, None
        if self._writer.is_open:
            return [*self._writer.say(self._closes), *self._writer.close()]
        if thought is not None:
            self._numbers.remove_owner(thought)
        return ()

    def finish(self) -> Sequence[str]:
        """The documents that end the last thought when no more documents come."""
        self._numbers.end()
        return self.close()

    def renumber(self, updates: list[Update], edits: Edits) -> None:
        self._numbers.renumber(updates, edits)
