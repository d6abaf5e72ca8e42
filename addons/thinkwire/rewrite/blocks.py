"""Thoughts that were told apart from a text, as blocks of their own, in APIs that number their blocks.

The text's block begins only when visible text comes: what opens it is held until then, so that the thought can stand
before it, and all later numbers make room. It makes documents; reading the text is done in `extract.py`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thinkwire.dialects.dialect import Dialect
from thinkwire.dialects.locate import locate
from thinkwire.dialects.parts import CountOf, Extent, Kind, Owner, Update
from thinkwire.dialects.request import RequestFacts
from thinkwire.rewrite.numbers import Numbers
from thinkwire.wire.json_tree import Node, decode, encode, read
from thinkwire.wire.splice import Edits, quote_text, splice

__all__ = ["Blocks"]


@dataclass(slots=True)
class _Thought:
    """The thought that is being written."""

    owner: Owner
    text: str = ""


class Blocks:
    """The blocks of one stream, as the client counts them."""

    __slots__ = ("_dialect", "_held", "_held_owner", "_like", "_numbers", "_request", "_shown", "_thought")

    def __init__(self, dialect: Dialect, request: RequestFacts) -> None:
        self._dialect = dialect
        self._request = request
        self._numbers = Numbers()
        self._held: list[str] = []
        """The documents that open a block of text of which nothing has been shown yet."""
        self._held_owner: Owner | None = None
        self._shown: set[Owner] = set()
        self._thought: _Thought | None = None
        self._like: Node | None = None

    def begin(self, updates: list[Update]) -> None:
        """Take note of the next document that came."""
        self._like = updates[0].node
        for space in updates[0].resets:
            self._numbers.reset(space)
        self._numbers.note(updates)

    def opens_text(self, update: Update) -> bool:
        """Is this about a block that may be one of text, of which nothing has been shown?"""
        owner = update.owner
        return owner is not None and owner.space != "" and not update.is_thought and owner not in self._shown

    def is_showing(self, owner: Owner) -> bool:
        """Does text of this owner follow on text of it?"""
        return owner in self._shown and self._thought is None

    def hold(self, updates: list[Update]) -> None:
        owner = updates[0].owner
        if owner != self._held_owner:
            self._held, self._held_owner = [], owner
        self._held.append(updates[0].node.text)
        self._numbers.drop_document(updates)

    def think(self, owner: Owner, text: str) -> Iterable[str]:
        """The documents that carry a piece of thought from the text of this owner."""
        if self._thought is None:
            self._thought = _Thought(self._numbers.make_room(owner, before=owner not in self._shown))
            opening, _, _ = self._written(text)
            yield from self._ours(opening)
        self._thought.text += text
        _, middle, _ = self._written(text)
        yield from self._ours(middle)

    def show(self, owner: Owner, documents: Sequence[str]) -> Iterable[str]:
        """The documents that show a piece of the text, behind what has to come before it."""
        yield from self.close()
        yield from self._release(owner)
        for document in documents:
            yield self._numbered(document, is_ours=False)

    def close(self) -> Iterable[str]:
        """The documents that end the thought which is being written, if one is."""
        if self._thought is not None:
            _, _, closing = self._written(self._thought.text)
            yield from self._ours(closing)
            self._thought = None

    def ends_unseen(self, updates: list[Update]) -> bool:
        """Does the document end a block of which nothing was shown? Then it goes, with what opened it."""
        owner = updates[0].owner
        if owner is None or (owner != self._held_owner and not self._numbers.is_removed(owner)):
            return False
        self._held, self._held_owner = [], None
        self._numbers.remove_owner(owner)
        self._numbers.drop_document(updates)
        return True

    def release_all_but(self, owner: Owner | None) -> Iterable[str]:
        """What was held of another block than this one: it turns out to be none of text, or an empty one."""
        held = self._held_owner
        if held is not None and held != owner:
            yield from self._release(held)

    def leave_out(self, updates: list[Update]) -> None:
        """Take note that the document itself is not sent: others stand for it."""
        self._numbers.drop_document(updates)

    def renumber(self, updates: list[Update], edits: Edits) -> None:
        self._numbers.renumber(updates, edits)

    def _release(self, owner: Owner) -> Iterable[str]:
        self._shown.add(owner)
        if self._held_owner == owner:
            held, self._held, self._held_owner = self._held, [], None
            for document in held:
                yield self._numbered(document, is_ours=False)

    def _written(self, text: str) -> tuple[list[str], list[str], list[str]]:
        """The documents of a thought: those before its text, those with it, and those behind it."""
        assert self._thought is not None
        assert self._like is not None
        documents = self._dialect.write(Kind.REASONING, text, self._thought.owner, self._like)
        carries = [self._carries(document, text) for document in documents]
        first, last = carries.index(True), len(carries) - carries[::-1].index(True)
        return documents[:first], documents[first:last], documents[last:]

    def _carries(self, document: str, text: str) -> bool:
        updates = locate(read(document, self._dialect.table(self._request)), Extent.DELTA)
        deltas = (update for update in updates if update.extent is Extent.DELTA)
        parts = (part for update in deltas for part in update.of(Kind.REASONING))
        return any(part.node.is_string and part.node.value == text for part in parts)

    def _ours(self, documents: Iterable[str]) -> Iterable[str]:
        return [self._numbered(document, is_ours=True) for document in documents]

    def _numbered(self, document: str, *, is_ours: bool) -> str:
        """One more document than came, with the number that is next; blocks of ours have theirs already."""
        updates = locate(read(document, self._dialect.table(self._request)), Extent.DELTA)
        edits = Edits()
        for update in updates:
            for count_of, space, node in update.counters:
                if count_of is CountOf.DOCUMENTS:
                    edits.replace(node, str(self._numbers.next_document(space)))
                elif not is_ours:
                    edits.replace(node, str(self._numbers.current(Owner(space, int(node.raw)))))
        return decode(splice(encode(document), edits.spans()))


def text_document(update: Update, text: str) -> str:
    """The update's document with another text in the place of its own."""
    edits = Edits()
    for part in update.of(Kind.TEXT):
        if part.node.is_string and not part.node.is_empty:
            edits.replace(part.node, quote_text(text))
    for part in update.of(Kind.TOKENS):
        edits.remove(part.node)
    return decode(splice(encode(update.node.text), edits.spans()))
