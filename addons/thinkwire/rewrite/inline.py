"""Inline: reasoning goes into the visible text, between tags, for clients that can only show text.

A stretch of reasoning is opened once and closed once: before visible text, a tool call or the finish comes, or at the
end. It makes documents of text; it does not touch token metadata and does not know APIs.
"""

from collections.abc import Sequence
from typing import NamedTuple

from thinkwire.dialects.dialect import Dialect
from thinkwire.dialects.parts import VISIBLE, Extent, Kind, Owner, Part, Update
from thinkwire.rewrite.plan import Inline, Opaque
from thinkwire.rewrite.removal import remove_reasoning
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text

__all__ = ["Inlined", "Inliner"]


class Inlined(NamedTuple):
    """The documents of text that go before a document, and behind one that carries the role."""

    before: Sequence[str]
    after: Sequence[str]


class Inliner:
    """Puts the reasoning of one answer into its text, document by document."""

    __slots__ = ("_closes", "_is_open", "_like", "_opens", "changes")

    def __init__(self, inline: Inline) -> None:
        self._opens, self._closes = inline.family.opens, inline.family.closes
        self._is_open: dict[Owner | None, bool] = {}
        self._like: Node | None = None
        self.changes = 0
        """How often something changed that decides about later documents."""

    def inline(self, updates: list[Update], dialect: Dialect, edits: Edits) -> Inlined:
        self._like = updates[0].node
        before: list[str] = []
        after: list[str] = []
        for update in updates:
            if update.extent is Extent.WHOLE:
                self._inline_whole(update, edits)
            elif update.owner is not None and update.owner.space == "":
                text = self._text_of(update)
                if text:
                    goes_first = bool(update.of(Kind.ROLE)) and not _goes_on(update)
                    documents = dialect.write(Kind.TEXT, text, update.owner, updates[0].node)
                    (after if goes_first else before).extend(documents)
                    remove_reasoning(update, Opaque.KEEP, edits)
        return Inlined(before, after)

    def finish(self, dialect: Dialect) -> Sequence[str]:
        """The documents that close what is still open when the answer ends."""
        if self._like is None:
            return ()
        opened = [owner for owner, is_open in self._is_open.items() if is_open and owner is not None]
        self._is_open.clear()
        return [text for owner in opened for text in dialect.write(Kind.TEXT, self._closes, owner, self._like)]

    def _text_of(self, update: Update) -> str:
        """What the text gains by this update: its reasoning, with the tags that are due."""
        was_open = self._is_open.get(update.owner, False)
        reasoning = _reasoning_of(update)
        opens = self._opens if reasoning and not was_open else ""
        closes = self._closes if (reasoning or was_open) and _goes_on(update) else ""
        is_open = (was_open or bool(reasoning)) and not closes
        if is_open != was_open:
            self._is_open[update.owner] = is_open
            self.changes += 1
        return f"{opens}{reasoning}{closes}"

    def _inline_whole(self, update: Update, edits: Edits) -> None:
        reasoning = _reasoning_of(update)
        text = next((part for part in update.of(Kind.TEXT) if part.node.is_string or part.node.is_empty), None)
        if not reasoning or text is None or (update.owner is not None and update.owner.space):
            return
        shown = (text.node.value if text.shown is None else text.shown) or ""
        edits.replace(text.node, quote_text(f"{self._opens}{reasoning}{self._closes}{shown}"))
        remove_reasoning(update, Opaque.KEEP, edits)


def _goes_on(update: Update) -> bool:
    """Does something come that ends a stretch of reasoning?"""
    return any(part.says_something for part in update.of(*VISIBLE, Kind.FINISH))


def _reasoning_of(update: Update) -> str:
    """The text of an update's reasoning, once, whatever carries it."""
    parts = [part for part in update.of(Kind.REASONING) if part.says_something and not part.is_mark]
    named = [part for part in parts if part.node.is_string]
    if named:
        return str(min(named, key=_rank).node.value)
    leaves = [leaf for part in parts for leaf in part.leaves if leaf.kind is Kind.REASONING and leaf.node.is_string]
    return "".join(leaf.node.value for leaf in leaves)


def _rank(part: Part) -> int:
    return part.place.rank if part.place is not None and part.place.rank is not None else 0
