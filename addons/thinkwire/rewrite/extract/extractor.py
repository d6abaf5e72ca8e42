"""What becomes of text that was told apart: the reasoning gets the API's own place, held-back text a document.

It makes documents in the likeness of those that came; reading the text is done in `extract.py`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.extract.reasoning_blocks import Blocks
from thinkwire.rewrite.extract.splitter import Extractor, SplitText
from thinkwire.rewrite.extract.tag_reader import Piece
from thinkwire.rewrite.plan import Extract, Reasoning, Rename, Strip
from thinkwire.rewrite.removal import THOUGHT
from thinkwire.rewrite.template import DocumentTemplate, carries, likeness_of
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits

__all__ = ["ExtractResult", "Extraction", "says_something"]

_NAMES: tuple[str, ...] = ("reasoning",)
"""Where no rule names the reasoning: the name that new clients read."""


class ExtractResult(NamedTuple):
    """The documents that an extraction adds to the one it read."""

    is_something: bool
    """Was text taken from the document? Then it is not sent where nothing is left in it."""
    before: Sequence[str]
    after: Sequence[str]
    is_sent: bool = True
    """False where the document itself is replaced by those of ours, or held."""


class Extraction:
    """Tells the texts of one answer apart, and finds a place for what it finds."""

    __slots__ = ("_blocks", "_dialect", "_extractor", "_hides", "_last_texts", "_like", "_moves", "_names", "_request")

    def __init__(self, extract: Extract, reasoning: Reasoning, request: RequestFacts) -> None:
        self._request = request
        self._blocks: Blocks | None = None
        self._hides = isinstance(reasoning, Strip)
        self._names = reasoning.names if isinstance(reasoning, Rename) else _NAMES
        self._dialect: Dialect | None = None
        self._extractor = Extractor(extract, self._selects, hides=self._hides)
        self._moves = 0
        """How often a document was held, to be sent later: to hold another one for trial would send that, too."""
        self._last_texts: dict[ItemKey | None, DocumentTemplate] = {}
        """The last document of whose text not all stayed, for each owner: what is held back leaves in its likeness."""
        self._like: Node | None = None

    @property
    def changes(self) -> int:
        """How often something changed that decides about later documents."""
        return self._extractor.changes + self._moves

    @property
    def signs(self) -> re.Pattern[bytes]:
        return self._extractor.signs

    def read(self, updates: list[Update], dialect: Dialect, edits: Edits) -> ExtractResult:
        """Tell apart the texts of one document; the edits leave in it what stays there."""
        self._dialect = dialect
        self._like = updates[0].node
        if not self._hides and dialect.has_blocks:
            if self._blocks is None:
                self._blocks = Blocks(dialect, self._request)
            return self._read_block(updates, self._blocks, edits)
        before = list(self._documents(self._ended(updates[0]), dialect))
        opens = self._opens(updates[0])
        extracted = self._extractor.extract(updates, edits, has_blocks=dialect.has_blocks)
        for part, reasoning in extracted.wholes:
            if not self._hides and dialect.insert is not None:
                dialect.insert(reasoning, part.node, self._names, edits)
        self._note_texts(updates[1:] if opens else updates, updates)
        before += self._documents(extracted.before, dialect)
        after = list(self._documents(extracted.after, dialect))
        return ExtractResult(any(update.had_tags for update in updates), before, after)

    def finish(self, dialect: Dialect) -> Sequence[str]:
        last = self._extractor.finish()
        if self._blocks is None:
            return list(self._documents(last, dialect))
        self._blocks.end()
        result = self._all_in_blocks(last, self._blocks)
        return [*result, *self._blocks.close(), *self._blocks.release_all_but(None)]

    def _ended(self, own: Update) -> list[tuple[ItemKey | None, Piece]]:
        """What is held back of texts that others follow under the same numbers; theirs begin anew."""
        if own.resets:
            return self._extractor.forget()
        return self._extractor.end(own.item) if own.begins and own.item is not None else []

    def _read_block(self, updates: list[Update], blocks: Blocks, edits: Edits) -> ExtractResult:
        """Tell apart the text of a document about one block, and place what it holds in blocks."""
        own, owner = updates[0], updates[0].item
        before = self._ended_in_blocks(updates, blocks) if own.begins or own.resets else []
        blocks.begin(updates)
        if owner is None and own.extent is Extent.DELTA and not own.of(Kind.FINISH):
            return self._passed(updates, before, blocks, edits)  # a ping: it is about no block
        before += blocks.release_all_but(owner)
        if owner is None or owner.space == "" or own.is_reasoning or _is_of_another_kind(own):
            before += [*blocks.close(), *blocks.release_all_but(None)]
            if owner is not None:
                blocks.shows(owner)
            return self._passed(updates, before, blocks, edits)
        opens = self._opens(own)
        told = self._extractor.told_of(own)
        if told is not None:
            return self._told_apart(updates, owner, told, before, blocks, edits, opens=opens)
        goes_on = own.extent is Extent.DELTA and bool(own.of(Kind.TEXT))  # an empty text ends nothing
        is_beginning = own.extent is Extent.DELTA and not self._extractor.has_read(owner)
        if blocks.opens_text(own) and (goes_on or is_beginning):
            self._moves += 1
            blocks.hold(owner, own.node.text)
            blocks.leave_out(updates)
            return ExtractResult(True, before, (), is_sent=False)
        if goes_on:
            return self._passed(updates, before, blocks, edits)
        before += self._in_blocks(owner, self._extractor.flush(owner), blocks)
        before += [*blocks.close(), *blocks.show_blank(owner)]
        if blocks.ends_unseen(updates):
            return ExtractResult(True, before, (), is_sent=False)
        return self._passed(updates, before, blocks, edits)

    def _ended_in_blocks(self, updates: list[Update], blocks: Blocks) -> list[str]:
        """The documents for what is left of blocks whose numbers others have from now on."""
        own = updates[0]
        blocks.note(updates)
        documents = self._all_in_blocks(self._ended(own), blocks)
        if own.resets:
            documents += [*blocks.close(), *blocks.release_all_but(None)]
        elif own.item is not None:
            documents += blocks.show_blank(own.item)
        return documents

    def _told_apart(
        self,
        updates: list[Update],
        owner: ItemKey,
        told: SplitText,
        before: list[str],
        blocks: Blocks,
        edits: Edits,
        *,
        opens: bool,
    ) -> ExtractResult:
        """Place the text of a delta of a block, or of what opens one."""
        own, pieces = updates[0], told.pieces
        waits = told.leads and blocks.opens_text(own)
        if told.is_left and not waits:
            before += blocks.show(owner, ())
            return self._passed(updates, before, blocks, edits)
        like = likeness_of(own)
        assert like is not None  # it has a text that was told apart
        if not opens:
            self._note_text(own, updates)
        if waits:
            document = own.node.text if told.is_left else like.saying(pieces[0].text)
            blocks.hold(owner, document, is_blank_text=True)
            before += self._in_blocks(owner, pieces[1:], blocks)
        else:
            if opens and all(piece.is_reasoning for piece in pieces):
                blocks.hold(owner, like.saying(""))  # its text is still to come
            before += self._in_blocks(owner, pieces, blocks, like)
        self._moves += 1
        blocks.leave_out(updates)
        return ExtractResult(True, before, (), is_sent=False)

    def _passed(self, updates: list[Update], before: list[str], blocks: Blocks, edits: Edits) -> ExtractResult:
        """A document that goes on itself, with its numbers and its whole texts put right."""
        for part, reasoning in self._extractor.wholes_of(updates, edits, has_blocks=True):
            if self._dialect is not None and self._dialect.insert is not None:
                self._dialect.insert(reasoning, part.node, self._names, edits)
        blocks.renumber(updates, edits)
        return ExtractResult(False, before, ())

    def _in_blocks(
        self, owner: ItemKey, pieces: Iterable[Piece], blocks: Blocks, first: DocumentTemplate | None = None
    ) -> list[str]:
        """The documents of an owner's pieces; the first visible one is in that likeness, token metadata and all."""
        result: list[str] = []
        for piece in pieces:
            if piece.is_reasoning:
                result += blocks.think(owner, piece.text)
            else:
                said = [first.saying(piece.text)] if first is not None else self._text_documents(owner, piece.text)
                first = None
                result += blocks.show(owner, list(said))
        return result

    def _all_in_blocks(self, pieces: Iterable[tuple[ItemKey | None, Piece]], blocks: Blocks) -> list[str]:
        """The documents of what was held back of any owners."""
        held_back = [(owner, piece) for owner, piece in pieces if owner is not None]
        return [document for owner, piece in held_back for document in self._in_blocks(owner, [piece], blocks)]

    def _selects(self, update: Update) -> bool:
        """Is there a place for a thought? Under strip it needs none."""
        if self._hides:
            return True
        if update.extent is Extent.SNAPSHOT:
            return self._dialect is not None and self._dialect.insert is not None
        return update.item is None or update.item.space == ""

    def _documents(self, pieces: Iterable[tuple[ItemKey | None, Piece]], dialect: Dialect) -> Iterable[str]:
        for owner, piece in pieces:
            if not piece.is_reasoning:
                yield from self._text_documents(owner, piece.text)
            elif not self._hides and self._like is not None:
                yield from dialect.write(Kind.REASONING, piece.text, owner or ItemKey("", 0), self._like)

    def _text_documents(self, owner: ItemKey | None, text: str) -> Iterable[str]:
        """Documents of ours that add a text to an owner's: like the last one that did, or as the API writes them."""
        like = self._last_texts.get(owner)
        if like is not None:
            return [like.saying(text)]
        if owner is None or self._dialect is None or self._like is None:
            return []
        written = self._dialect.write(Kind.TEXT, text, owner, self._like)
        return [one for one in written if carries(one, Kind.TEXT, text, self._dialect.table(self._request))]

    def _note_texts(self, of: list[Update], updates: list[Update]) -> None:
        for update in of:
            if update.extent is Extent.DELTA and update.had_tags:
                self._note_text(update, updates)

    def _note_text(self, update: Update, updates: list[Update]) -> None:
        like = likeness_of(update, updates)
        if like is not None:
            self._last_texts[update.item] = like

    def _opens(self, own: Update) -> bool:
        """May a document open a block, with text in it already? No other text can leave in its likeness."""
        owner = own.item
        if owner is None or owner.space == "" or self._extractor.has_read(owner):
            return False
        return own.begins or any(part.is_meaningful for part in own.of(Kind.OTHER))


def _is_of_another_kind(update: Update) -> bool:
    """Is this about a block that is none of text?"""
    if any(part.is_meaningful for part in update.of(*THOUGHT, Kind.TOOL_CALL, Kind.REFUSAL, Kind.ERROR)):
        return True
    may_be_text = bool(update.of(Kind.TEXT, Kind.ROLE))
    return not may_be_text and any(part.is_meaningful for part in update.of(Kind.OTHER))


def says_something(updates: list[Update], edits: Edits) -> bool:
    """Is anything left in a document from which text was taken?"""
    return any(part.is_meaningful and not edits.is_removed(part.node) for update in updates for part in update.parts)
