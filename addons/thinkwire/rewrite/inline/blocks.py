"""Inline in APIs that number their blocks: a block of reasoning is sent as one of text, with the tags in it.

It keeps its number, so that no other block moves; reasoning that is not a block (a plan before tool calls) gets one of
its own after those that came. Reasoning without a word that can be read (its text is hidden, or encrypted) has nothing
to show: it falls out. It makes documents; `inliner.py` decides what comes here.
"""

from collections.abc import Sequence

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.block_writer import BlockWriter
from thinkwire.rewrite.inline.snapshot import Tags
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.rewrite.versioned import Version, Versioned, VersionedDict


class InlineBlocks:
    """The blocks of one stream, reasoning as text."""

    __slots__ = ("_closes", "_last", "_next", "_opens", "_reasoning", "_writer", "numbers")

    def __init__(self, tags: Tags, dialect: Dialect, request: RequestFacts, version: Version) -> None:
        self._opens, self._closes = tags
        self.numbers = Renumberer(version)
        self._writer = BlockWriter(dialect, request, self.numbers, version)
        self._next: VersionedDict[str, int] = VersionedDict(version)
        """The number after all blocks that came, per space."""
        self._reasoning: VersionedDict[ItemKey, bool] = VersionedDict(version)
        """Which items are reasoning."""
        self._last: Versioned[ItemKey | None] = Versioned(version, None)
        """The one of them that came last, until another block or the answer's end shows that it is over."""

    def note(self, update: Update, reasoning: str) -> bool:
        """Take note of what a document with this reasoning holds of its block; returns whether that is reasoning."""
        item = update.item
        if item is None:
            return False
        if item.space == "":  # not a block, and the same for all that is about the answer: the next may be text
            return bool(reasoning)
        if update.begins and not update.is_reasoning:
            self._reasoning.pop(item, None)
        elif update.is_reasoning or reasoning:
            self._reasoning[item] = True
        return item in self._reasoning

    def begin(self, updates: list[Update]) -> None:
        """Take note of the next document that came."""
        self._writer.begin(updates)
        for space in updates[0].resets:
            self._next.pop(space, None)
        if updates[0].resets:
            self._reasoning.clear()
        item = updates[0].item
        if item is not None and isinstance(item.number, int):
            self._next[item.space] = max(self._next.get(item.space, 0), item.number + 1)

    def say(self, updates: list[Update], item: ItemKey, reasoning: str) -> Sequence[str]:
        """The documents that replace one about reasoning."""
        documents = [] if item == self._last.value else list(self.close())
        self._last.value = item
        if reasoning and updates[0].extent is Extent.DELTA:
            text = reasoning
            if not self._writer.is_open:
                text = f"{self._opens}{reasoning}"
                documents += self._writer.open(Kind.TEXT, self._key_of(item), text)
            documents += self._writer.say(text)
        self.numbers.drop_document(updates)
        return documents

    def _key_of(self, item: ItemKey) -> ItemKey:
        """The block of text, as the client counts."""
        if item.space:
            return ItemKey(item.space, self.numbers.current(item))
        space = self._writer.space_of(Kind.TEXT)
        return self.numbers.insert(ItemKey(space, self._next.get(space, 0)), before=True)

    def close(self) -> Sequence[str]:
        """The documents that end the reasoning that came last."""
        last, self._last.value = self._last.value, None
        if self._writer.is_open:
            return [*self._writer.say(self._closes), *self._writer.close()]
        if last is not None:
            self.numbers.remove_item(last)
        return ()

    def finish(self) -> Sequence[str]:
        """The documents that end the last reasoning when no more documents come."""
        self.numbers.end()
        return self.close()
