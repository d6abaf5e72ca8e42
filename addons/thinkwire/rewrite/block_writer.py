"""Blocks of ours in APIs that number their blocks: opened, filled and closed by the API's own documents.

It knows what was said so far in the block that is open, since what closes a block may say all of it once more.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.rewrite.template import carries
from thinkwire.wire.json_tree import Node, decode, encode, read
from thinkwire.wire.splice import Edits, splice

__all__ = ["BlockWriter"]

_PROBE: Final = "probe"
"""A text that reads the same however JSON spells it; one that a block says may begin in the middle of a sign."""


@dataclass(slots=True)
class _Block:
    """The block that is being written."""

    item: ItemKey
    """With its number as the client counts."""
    kind: Kind
    like: Node
    """What all its documents are like: what names the block is the same in all of them."""
    text: str = ""


class BlockWriter:
    """Writes blocks of one stream, one after another, in the likeness of what comes."""

    __slots__ = ("_beside", "_block", "_carriers", "_dialect", "_last", "_like", "_numbers", "_request")

    def __init__(self, dialect: Dialect, request: RequestFacts, numbers: Renumberer) -> None:
        self._dialect = dialect
        self._request = request
        self._numbers = numbers
        self._block: _Block | None = None
        self._like: Node | None = None
        self._beside: ItemKey | None = None
        self._last: tuple[ItemKey | None, Node] | None = None
        """The first document of the last block, and whom it stood beside."""
        self._carriers: dict[Kind, slice] = {}
        """Which of a block's documents carry its text, for each kind of text."""

    @property
    def is_open(self) -> bool:
        return self._block is not None

    def begin(self, updates: list[Update]) -> None:
        """Take note of the next document that came."""
        self._like, self._beside = updates[0].node, updates[0].item
        if updates[0].begins or updates[0].resets:
            self._last = None
        for space in updates[0].resets:
            self._numbers.reset(space)
        self._numbers.note(updates)

    def space_of(self, kind: Kind) -> str:
        """The space in which blocks of that kind are numbered."""
        assert self._like is not None
        updates = self._updates(self._dialect.write(kind, _PROBE, ItemKey("", 0), self._like)[0])
        return updates[0].item.space if updates[0].item is not None else ""

    def open(self, kind: Kind, owner: ItemKey, text: str) -> Iterable[str]:
        """The documents that open a block; `text` is what will be said in it first."""
        assert self._like is not None
        like = self._like
        if self._last is not None and self._last[0] == self._beside:
            like = self._last[1]  # behind another one beside the same owner, from which it needs to differ in name
        self._block = _Block(owner, kind, like)
        opening, middle, _ = self._written(text)
        self._last = self._beside, read((*opening, *middle)[0], self._dialect.table(self._request))
        return self._ours(opening)

    def say(self, text: str) -> Iterable[str]:
        """The documents that carry a piece of text, in the block that is open."""
        assert self._block is not None
        self._block.text += text
        _, middle, _ = self._written(text)
        return self._ours(middle)

    def close(self) -> Iterable[str]:
        """The documents that end the block, if one is open."""
        if self._block is None:
            return ()
        _, _, closing = self._written(self._block.text)
        self._block = None
        return self._ours(closing)

    def numbered(self, document: str, *, is_ours: bool) -> str:
        """One more document than came, with the number that is next; blocks of ours have theirs already."""
        edits = Edits()
        self._numbers.renumber_added(self._updates(document), edits, owners=not is_ours)
        return decode(splice(encode(document), edits.spans()))

    def _written(self, text: str) -> tuple[list[str], list[str], list[str]]:
        """The documents of a block: those before its text, those with it, and those behind it."""
        assert self._block is not None
        kind, owner, like = self._block.kind, self._block.item, self._block.like
        carriers = self._carriers.get(kind)
        if carriers is None:
            probe = self._dialect.write(kind, _PROBE, owner, like)
            carriers = self._carriers[kind] = self._carriers_in(probe, kind)
        documents = self._dialect.write(kind, text, owner, like)
        return documents[: carriers.start], documents[carriers], documents[carriers.stop :]

    def _carriers_in(self, documents: list[str], kind: Kind) -> slice:
        table = self._dialect.table(self._request)
        has_text = [carries(document, kind, _PROBE, table) for document in documents]
        return slice(has_text.index(True), len(has_text) - has_text[::-1].index(True))

    def _updates(self, document: str) -> list[Update]:
        return locate(read(document, self._dialect.table(self._request)), Extent.DELTA)

    def _ours(self, documents: Iterable[str]) -> Iterable[str]:
        return [self.numbered(document, is_ours=True) for document in documents]
