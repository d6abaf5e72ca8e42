"""Numbers that clients count by (`index`, `output_index`, `sequence_number`): gaps close when something falls out.

It knows spaces of numbers and what fell out of them, not which members hold the numbers.
"""

from thinkwire.dialects.core.parts import CountOf, ItemKey, Update
from thinkwire.rewrite.versioned import SortedNumbers, Version, VersionedDict
from thinkwire.wire.splice import Edits


class Renumberer:
    """The removed and added numbers of one stream, space by space."""

    __slots__ = ("_dropped_documents", "_insertions", "_last_documents", "_removed_items", "_version")

    def __init__(self, version: Version) -> None:
        self._version = version
        self._insertions: VersionedDict[str, SortedNumbers] = VersionedDict(version)
        """The insertion points of added items, per space: twice the number of the item that one is inserted before, or
        one more if it is inserted after it."""
        self._removed_items: VersionedDict[str, SortedNumbers] = VersionedDict(version)
        self._dropped_documents: VersionedDict[str, int] = VersionedDict(version)
        """How many numbered documents of each space were dropped, less those that were added. They come in order, so a
        count is enough."""
        self._last_documents: dict[str, int] = {}
        """The number of the last document that came, per space. It decides about added documents alone."""

    def remove_item(self, item: ItemKey) -> None:
        """Note that an item falls out."""
        if item.space and not isinstance(item.number, str) and not self.is_removed(item):
            self._in(self._removed_items, item.space).add(item.number)

    def forget_item(self, item: ItemKey | None) -> None:
        """Note that the number of an item, if that fell out, is another one's from now on."""
        if item is not None and self.is_removed(item):
            self._removed_items[item.space].remove(int(item.number))

    def is_removed(self, item: ItemKey | None) -> bool:
        if item is None or isinstance(item.number, str):
            return False
        removed = self._removed_items.get(item.space)
        return removed is not None and item.number in removed

    def drop_document(self, updates: list[Update]) -> None:
        """Note that a document falls out, whose number later ones count on if it has one."""
        counters = [counter for update in updates for counter in update.counters]
        for space in {space for count_of, space, _ in counters if count_of is CountOf.DOCUMENTS}:
            self._dropped_documents[space] = self._dropped_documents.get(space, 0) + 1

    def reset(self, space: str) -> None:
        for numbers in (self._removed_items, self._insertions):
            numbers.pop(space, None)
        self._dropped_documents.pop(space, None)
        self._last_documents.pop(space, None)

    def renumber(self, updates: list[Update], edits: Edits) -> None:
        """Write the numbers that a document has after all that fell out before it."""
        for update in updates:
            for count_of, space, node in update.counters:
                number = int(node.raw)
                gap = (
                    self._dropped_documents.get(space, 0)
                    if count_of is CountOf.DOCUMENTS
                    else number - self._shifted(space, number)
                )
                if gap:
                    edits.replace(node, str(number - gap))

    def renumber_added(self, updates: list[Update], edits: Edits, *, items: bool) -> None:
        """Write the numbers of an added document; with those of its `items`, if they are the provider's."""
        for update in updates:
            for count_of, space, node in update.counters:
                if count_of is CountOf.DOCUMENTS:
                    edits.replace(node, str(self._next_document(space)))
                elif items:
                    edits.replace(node, str(self._shifted(space, int(node.raw))))

    def current(self, item: ItemKey) -> int | str:
        """The number that an item has after all that fell out and was added before it; a name stays."""
        return item.number if isinstance(item.number, str) else self._shifted(item.space, item.number)

    def insert(self, item: ItemKey, *, before: bool) -> ItemKey:
        """Add an item before another one, or after it; returns it with its number, as the client counts."""
        if isinstance(item.number, str):
            return item
        insertions = self._in(self._insertions, item.space)
        point = 2 * item.number + (not before)
        number = self._shifted(item.space, item.number) + (0 if before else 1 + insertions.count(point))
        insertions.add(point)
        return ItemKey(item.space, number)

    def note(self, updates: list[Update]) -> None:
        """Take note of the numbers of a document that came."""
        for update in updates:
            for count_of, space, node in update.counters:
                if count_of is CountOf.DOCUMENTS:
                    self._last_documents[space] = int(node.raw)

    def end(self) -> None:
        """Take note that what is sent from now on comes after the last document."""
        for space in self._last_documents:
            self._last_documents[space] += 1

    def _shifted(self, space: str, number: int) -> int:
        removed, insertions = self._removed_items.get(space), self._insertions.get(space)
        fewer = removed.below(number) if removed is not None else 0
        more = insertions.up_to(2 * number) if insertions is not None else 0
        return number - fewer + more

    def _next_document(self, space: str) -> int:
        """The number of an added document, before the one that came last."""
        dropped = self._dropped_documents.get(space, 0)
        self._dropped_documents[space] = dropped - 1
        return self._last_documents.get(space, 0) - dropped

    def _in(self, spaces: VersionedDict[str, SortedNumbers], space: str) -> SortedNumbers:
        return spaces.setdefault(space, SortedNumbers(self._version))
