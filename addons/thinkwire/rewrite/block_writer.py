"""Added blocks in APIs that number their blocks: opened, filled and closed by the API's own documents.

It knows the text so far of the block that is open, since what closes a block may repeat all of it.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.renumber import Renumberer
from thinkwire.rewrite.template import carries
from thinkwire.rewrite.versioned import Version, Versioned
from thinkwire.wire.json_tree import Node, decode, encode, read
from thinkwire.wire.splice import Edits, splice

_PROBE: Final = "probe"
"""A text that reads the same however JSON spells it; a block's own may begin in the middle of a character."""


class _Block(NamedTuple):
    """The block that is being written."""

    item: ItemKey
    """With its number as the client counts."""
    kind: Kind
    like: Node
    """The model of all its documents: what names the block is the same in all of them."""
    text: str = ""


class BlockWriter:
    """Writes blocks of one stream, one after another, modelled on the documents that come."""

    __slots__ = ("_beside", "_block", "_carriers", "_dialect", "_last", "_like", "_numbers", "_request")

    def __init__(self, dialect: Dialect, request: RequestFacts, numbers: Renumberer, version: Version) -> None:
        self._dialect = dialect
        self._request = request
        self._numbers = numbers
        self._block: Versioned[_Block | None] = Versioned(version, None)
        self._like: Node | None = None
        self._beside: ItemKey | None = None
        self._last: tuple[ItemKey | None, Node] | None = None
        """The first document of the last block, and the item that it was added beside."""
        self._carriers: dict[Kind, slice] = {}
        """Which of a block's documents carry its text, for each kind of text."""

    @property
    def is_open(self) -> bool:
        return self._block.value is not None

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

    def open(self, kind: Kind, item: ItemKey, text: str) -> Iterable[str]:
        """The documents that open a block; `text` is the first piece that it will hold."""
        assert self._like is not None
        like = self._like
        if self._last is not None and self._last[0] == self._beside:
            like = self._last[1]  # after another one beside the same item, from which it needs to differ in name
        block = _Block(item, kind, like)
        self._block.value = block
        opening, middle, _ = self._written(block, text)
        self._last = self._beside, read((*opening, *middle)[0], self._dialect.table(self._request))
        return self._added(opening)

    def say(self, text: str) -> Iterable[str]:
        """The documents that carry a piece of text, in the block that is open."""
        block = self._block.value
        assert block is not None
        self._block.value = block._replace(text=block.text + text)
        _, middle, _ = self._written(block, text)
        return self._added(middle)

    def close(self) -> Iterable[str]:
        """The documents that end the block, if one is open."""
        block = self._block.value
        if block is None:
            return ()
        _, _, closing = self._written(block, block.text)
        self._block.value = None
        return self._added(closing)

    def numbered(self, document: str, *, has_item_numbers: bool) -> str:
        """An added document, with the number that is next; added blocks have their items' numbers already."""
        edits = Edits()
        self._numbers.renumber_added(self._updates(document), edits, items=not has_item_numbers)
        return decode(splice(encode(document), edits.spans()))

    def _written(self, block: _Block, text: str) -> tuple[list[str], list[str], list[str]]:
        """The documents of a block: those before its text, those with it, and those after it."""
        item, kind, like, _ = block
        carriers = self._carriers.get(kind)
        if carriers is None:
            probe = self._dialect.write(kind, _PROBE, item, like)
            has_text = [carries(document, kind, _PROBE, self._dialect.table(self._request)) for document in probe]
            carriers = slice(has_text.index(True), len(has_text) - has_text[::-1].index(True))
            self._carriers[kind] = carriers
        documents = self._dialect.write(kind, text, item, like)
        return documents[: carriers.start], documents[carriers], documents[carriers.stop :]

    def _updates(self, document: str) -> list[Update]:
        return locate(read(document, self._dialect.table(self._request)), Extent.DELTA)

    def _added(self, documents: Iterable[str]) -> Iterable[str]:
        return [self.numbered(document, has_item_numbers=True) for document in documents]
