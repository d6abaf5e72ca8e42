"""Reasoning that was extracted from a text, as blocks of its own, in APIs that number their blocks.

The text's block begins only when visible text comes: what opens it is held until then, so that the reasoning can come
before it, and all later numbers make room. It makes documents; reading the text is done in `splitter.py`.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.block_writer import BlockWriter
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.rewrite.versioned import Version, Versioned, VersionedDict, VersionedList


class _Held(NamedTuple):
    """A block of text of which nothing has been shown yet."""

    item: ItemKey
    has_blank_text: bool = False
    """Is there white space among what is held of it? Like all text it is shown at the end, whatever else comes."""


class ReasoningBlocks:
    """The blocks of one stream, as the client counts them."""

    __slots__ = ("_held", "_held_documents", "_shown", "_writer", "numbers")

    def __init__(self, dialect: Dialect, request: RequestFacts, version: Version) -> None:
        self.numbers = Renumberer(version)
        self._writer = BlockWriter(dialect, request, self.numbers, version)
        """Writes the reasoning."""
        self._held: Versioned[_Held | None] = Versioned(version, None)
        self._held_documents: VersionedList[str] = VersionedList(version)
        """What opens that block."""
        self._shown: VersionedDict[ItemKey, bool] = VersionedDict(version)

    def note(self, updates: list[Update]) -> None:
        """Take note of the next document that came: what is sent before it is numbered from here."""
        if updates[0].resets:
            self.numbers.end()
        else:
            self.numbers.note(updates)

    def begin(self, updates: list[Update]) -> None:
        """Take note of what the next document begins."""
        self._writer.begin(updates)
        own = updates[0]
        if own.resets:
            self._shown.clear()
        elif own.begins and own.item is not None:
            self._shown.pop(own.item, None)
            self.numbers.forget_item(own.item)

    def opens_text(self, update: Update) -> bool:
        """Is this about a block that may be one of text, of which nothing has been shown?"""
        item = update.item
        return item is not None and item.space != "" and not update.is_reasoning and item not in self._shown

    def shows(self, item: ItemKey) -> None:
        """Take note that all documents of this item are sent as they come: it is not text."""
        self._shown[item] = True

    def hold(self, item: ItemKey, document: str, *, is_blank_text: bool = False) -> None:
        """Hold what opens a block of text, or white space at its beginning: reasoning goes before both."""
        held = self._held.value
        if held is None or held.item != item:
            self._held_documents.take()
            held = _Held(item)
        self._held.value = _Held(item, held.has_blank_text or is_blank_text)
        self._held_documents.append(document)

    def think(self, item: ItemKey, text: str) -> Iterable[str]:
        """The documents that carry a piece of reasoning from the text of this item."""
        if not self._writer.is_open:
            inserted = self.numbers.insert(item, before=item not in self._shown)
            yield from self._writer.open(Kind.REASONING, inserted, text)
        yield from self._writer.say(text)

    def show(self, item: ItemKey, documents: Sequence[str]) -> Iterable[str]:
        """The documents that show a piece of the text, after what has to come before it."""
        yield from self.close()
        yield from self._release(item)
        for document in documents:
            yield self._writer.numbered(document, has_item_numbers=False)

    def close(self) -> Iterable[str]:
        """The documents that end the reasoning which is being written, if there is any."""
        return self._writer.close()

    def show_blank(self, item: ItemKey) -> Iterable[str]:
        """The documents that show a text which is at its end, if it was all white space."""
        held = self._held.value
        if held is not None and held.has_blank_text and held.item == item:
            yield from self.show(item, ())

    def ends_unseen(self, updates: list[Update]) -> bool:
        """Does the document end a block of which nothing was shown? Then it goes, with what opened it."""
        item, held = updates[0].item, self._held.value
        is_held = held is not None and held.item == item
        if item is None or not (is_held or self.numbers.is_removed(item)):
            return False
        self._held.value = None
        self._held_documents.take()
        self.numbers.remove_item(item)
        self.numbers.drop_document(updates)
        return True

    def release_all_but(self, item: ItemKey | None) -> Iterable[str]:
        """What was held of another block than this one: it turns out not to be text, or to be an empty one."""
        held = self._held.value
        if held is not None and held.item != item:
            yield from self._release(held.item)

    def _release(self, item: ItemKey) -> Iterable[str]:
        self._shown[item] = True
        held = self._held.value
        if held is not None and held.item == item:
            self._held.value = None
            for document in self._held_documents.take():
                yield self._writer.numbered(document, has_item_numbers=False)
