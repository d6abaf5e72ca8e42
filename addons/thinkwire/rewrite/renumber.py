"""Numbers that clients count by (`index`, `output_index`, `sequence_number`): gaps close when something falls out.

It knows spaces of numbers and what fell out of them, not where the numbers stand.
"""

from bisect import bisect_left, bisect_right, insort

from thinkwire.dialects.core.parts import CountOf, ItemKey, Update
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits

__all__ = ["Renumberer"]


class Renumberer:
    """The removed numbers of one stream, space by space."""

    __slots__ = ("_documents", "_last_documents", "_owners", "_rooms")

    def __init__(self) -> None:
        self._rooms: dict[str, list[int]] = {}
        """Where owners of ours stand, in each space, sorted: twice the number of the owner that one stands before, or
        one more where it stands behind it."""
        self._last_documents: dict[str, int] = {}
        """The last number of each space of documents that came."""
        self._owners: dict[str, list[int]] = {}
        """The removed owners of each space, sorted."""
        self._documents: dict[str, int] = {}
        """How many numbered documents of each space were dropped, less those of ours that were sent. They come in
        order, so a count is enough."""

    def remove_owner(self, owner: ItemKey) -> bool:
        """Note that an owner falls out; returns whether that is news."""
        if not owner.space or isinstance(owner.number, str) or self.is_removed(owner):
            return False
        insort(self._owners.setdefault(owner.space, []), owner.number)
        return True

    def forget_owner(self, owner: ItemKey | None) -> bool:
        """Note that the number of a removed owner is that of another one now; returns whether it was of one."""
        if owner is None or not self.is_removed(owner):
            return False
        removed = self._owners[owner.space]
        del removed[bisect_left(removed, int(owner.number))]
        return True

    def is_removed(self, owner: ItemKey | None) -> bool:
        if owner is None or isinstance(owner.number, str):
            return False
        removed = self._owners.get(owner.space, ())
        at = bisect_left(removed, owner.number)
        return at < len(removed) and removed[at] == owner.number

    def drop_document(self, updates: list[Update]) -> bool:
        """Note that a document falls out; returns whether it had a number that later ones count on."""
        spaces = {space for update in updates for count_of, space, _ in update.counters if _counts(count_of)}
        for space in spaces:
            self._documents[space] = self._documents.get(space, 0) + 1
        return bool(spaces)

    def reset(self, space: str) -> None:
        for numbers in (self._owners, self._documents, self._rooms, self._last_documents):
            numbers.pop(space, None)

    def renumber(self, updates: list[Update], edits: Edits) -> None:
        """Write the numbers that a document has after all that fell out before it."""
        for update in updates:
            for count_of, space, node in update.counters:
                gap = self._gap(count_of, space, node)
                if gap:
                    edits.replace(node, str(int(node.raw) - gap))

    def renumber_added(self, updates: list[Update], edits: Edits, *, owners: bool) -> None:
        """Write the numbers of one more document than came; with those of its `owners`, if they are the provider's."""
        for update in updates:
            for count_of, space, node in update.counters:
                if _counts(count_of):
                    edits.replace(node, str(self._next_document(space)))
                elif owners:
                    edits.replace(node, str(self._shifted(space, int(node.raw))))

    def _gap(self, count_of: CountOf, space: str, node: Node) -> int:
        if _counts(count_of):
            return self._documents.get(space, 0)
        return int(node.raw) - self._shifted(space, int(node.raw))

    def _shifted(self, space: str, number: int) -> int:
        removed = bisect_left(self._owners.get(space, ()), number)
        return number - removed + bisect_right(self._rooms.get(space, ()), 2 * number)

    def current(self, owner: ItemKey) -> int | str:
        """The number that an owner has after all that fell out and was added before it; a name stays."""
        return owner.number if isinstance(owner.number, str) else self._shifted(owner.space, owner.number)

    def make_room(self, owner: ItemKey, *, before: bool) -> ItemKey:
        """An owner of ours before another one, or behind it; returns it with its number, as the client counts."""
        if isinstance(owner.number, str):
            return owner
        rooms = self._rooms.setdefault(owner.space, [])
        place = 2 * owner.number + (not before)
        number = self._shifted(owner.space, owner.number) + (0 if before else 1 + rooms.count(place))
        insort(rooms, place)
        return ItemKey(owner.space, number)

    def note(self, updates: list[Update]) -> None:
        """Take note of the numbers of a document that came."""
        for update in updates:
            for count_of, space, node in update.counters:
                if _counts(count_of):
                    self._last_documents[space] = int(node.raw)

    def end(self) -> None:
        """Take note that what is sent from now on stands behind the document that came last."""
        for space in self._last_documents:
            self._last_documents[space] += 1

    def _next_document(self, space: str) -> int:
        """The number of a document that is sent before the one that came last, and one more than came."""
        number = self._last_documents.get(space, 0) - self._documents.get(space, 0)
        self._documents[space] = self._documents.get(space, 0) - 1
        return number


def _counts(count_of: CountOf) -> bool:
    return count_of is CountOf.DOCUMENTS
