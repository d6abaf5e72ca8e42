"""What becomes of text that was told apart: the reasoning gets the API's own place, held-back text a document.

It makes documents in the likeness of those that came; reading the text is done in `extract.py`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thinkwire.dialects.dialect import Dialect
from thinkwire.dialects.parts import Extent, Kind, Owner, Update
from thinkwire.rewrite.extract import Extractor
from thinkwire.rewrite.plan import Extract, Reasoning, Rename, Strip
from thinkwire.rewrite.tags import Piece
from thinkwire.wire.json_tree import Node, decode, encode
from thinkwire.wire.splice import Edits, quote_text, splice

__all__ = ["Extraction", "ToldApart", "says_something"]

_NAMES: tuple[str, ...] = ("reasoning",)
"""Where no rule names the reasoning: the name that new clients read."""


class ToldApart(NamedTuple):
    """The documents that an extraction adds to the one it read."""

    is_something: bool
    before: Sequence[str]
    after: Sequence[str]


class Extraction:
    """Tells the texts of one answer apart, and finds a place for what it finds."""

    __slots__ = ("_dialect", "_extractor", "_hides", "_last_texts", "_like", "_names")

    def __init__(self, extract: Extract, reasoning: Reasoning) -> None:
        self._hides = isinstance(reasoning, Strip)
        self._names = reasoning.names if isinstance(reasoning, Rename) else _NAMES
        self._dialect: Dialect | None = None
        self._extractor = Extractor(extract, self._selects)
        self._last_texts: dict[Owner | None, str] = {}
        """The last document that carried text, for each owner: what is held back leaves in its likeness."""
        self._like: Node | None = None

    @property
    def changes(self) -> int:
        return self._extractor.changes

    @property
    def signs(self) -> re.Pattern[bytes]:
        return self._extractor.signs

    def read(self, updates: list[Update], dialect: Dialect, edits: Edits) -> ToldApart:
        """Tell apart the texts of one document; the edits leave in it what stays there."""
        self._dialect = dialect
        self._like = updates[0].node
        extracted = self._extractor.extract(updates, edits)
        for part, reasoning in extracted.wholes:
            if not self._hides and dialect.place is not None:
                dialect.place(reasoning, part.node, self._names, edits)
        self._note_texts(updates)
        before = list(self._documents(extracted.before, dialect))
        after = list(self._documents(extracted.after, dialect))
        return ToldApart(any(update.held_thought for update in updates) or bool(before), before, after)

    def finish(self, dialect: Dialect) -> Sequence[str]:
        return list(self._documents(self._extractor.finish(), dialect))

    def _selects(self, update: Update) -> bool:
        """Is there a place for a thought? Under strip it needs none."""
        if self._hides:
            return True
        if update.extent is Extent.WHOLE:
            return self._dialect is not None and self._dialect.place is not None
        return update.owner is None or update.owner.space == ""

    def _documents(self, pieces: Iterable[tuple[Owner | None, Piece]], dialect: Dialect) -> Iterable[str]:
        for owner, piece in pieces:
            if not piece.is_reasoning:
                yield from self._text_document(owner, piece.text)
            elif not self._hides and self._like is not None:
                yield from dialect.write(Kind.REASONING, piece.text, owner or Owner("", 0), self._like)

    def _text_document(self, owner: Owner | None, text: str) -> Iterable[str]:
        document = self._last_texts.get(owner)
        if document is not None:
            yield document.replace(_GAP, quote_text(text), 1)

    def _note_texts(self, updates: list[Update]) -> None:
        for update in updates:
            texts = [part for part in update.of(Kind.TEXT) if part.node.is_string and not part.node.is_empty]
            if update.extent is Extent.DELTA and len(texts) == 1:
                edits = Edits()
                edits.replace(texts[0].node, _GAP)
                for other in updates:
                    for part in other.of(*_SAID_ONCE):
                        edits.remove(part.node)
                self._last_texts[update.owner] = decode(splice(encode(update.node.text), edits.spans()))


_GAP = '"~thinkwire~gap~"'
_SAID_ONCE = (Kind.ROLE, Kind.FINISH, Kind.USAGE, Kind.TOKENS, Kind.TRANSCRIPT, Kind.TOOL_CALL, Kind.OTHER)


def says_something(updates: list[Update], edits: Edits) -> bool:
    """Is anything left in a document from which text was taken?"""
    return any(part.says_something and not edits.is_removed(part.node) for update in updates for part in update.parts)
