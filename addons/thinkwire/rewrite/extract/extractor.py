"""Extract: tagged reasoning leaves the text for the API's own place, before anything else is decided.

Held-back text gets documents that are modelled on those that came; reading the text is done in `splitter.py`.
"""

from collections.abc import Iterable, Sequence

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.insertion import DEFAULT_NAMES
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.action import Action, Document, Outcome
from thinkwire.rewrite.extract.reasoning_blocks import ReasoningBlocks
from thinkwire.rewrite.extract.splitter import Splitter, SplitText
from thinkwire.rewrite.extract.tag_reader import Piece, marker_prefixes
from thinkwire.rewrite.plan import Extract, Reasoning, Rename, Strip
from thinkwire.rewrite.removal import REASONING_KINDS
from thinkwire.rewrite.tally import Effect
from thinkwire.rewrite.template import DocumentTemplate, carries, template_of
from thinkwire.rewrite.versioned import Version
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits


class Extractor(Action):
    """Extracts the reasoning from the texts of one answer, and finds a place for it."""

    __slots__ = (
        "_blocks",
        "_dialect",
        "_hides",
        "_last_texts",
        "_like",
        "_names",
        "_request",
        "_splitter",
        "_version",
        "marker_prefixes",
    )

    adds_documents = True

    def __init__(self, extract: Extract, reasoning: Reasoning, request: RequestFacts, version: Version) -> None:
        self._request = request
        self._version = version
        self._blocks: ReasoningBlocks | None = None
        self._hides = isinstance(reasoning, Strip)
        self._names = reasoning.names if isinstance(reasoning, Rename) else DEFAULT_NAMES
        self._dialect: Dialect | None = None
        self._splitter = Splitter(extract, self._selects, version, hides=self._hides)
        self._last_texts: dict[ItemKey | None, DocumentTemplate] = {}
        """The last document of whose text not all stayed, for each item: what is held back is modelled on it."""
        self._like: Node | None = None
        self.marker_prefixes = marker_prefixes(extract.family)

    def apply(self, document: Document, edits: Edits) -> Outcome:
        """Split the texts of one document; the edits leave in it what stays there."""
        updates, dialect = document.updates, document.dialect
        self._dialect = dialect
        self._like = updates[0].node
        if not self._hides and dialect.has_blocks:
            if self._blocks is None:
                self._blocks = ReasoningBlocks(dialect, self._request, self._version)
            return self._apply_to_block(updates, self._blocks, edits)
        before = list(self._documents(self._ended(updates[0]), dialect))
        opens = self._opens(updates[0])
        split = self._splitter.split(updates, edits, has_blocks=dialect.has_blocks)
        for part, reasoning in split.snapshots:
            if not self._hides and dialect.insert is not None:
                dialect.insert(reasoning, part.node, self._names, edits)
        for update in updates[1:] if opens else updates:
            if update.extent is Extent.DELTA and update.had_tags:
                self._note_text(update, updates)
        before += self._documents(split.before, dialect)
        after = list(self._documents(split.after, dialect))
        is_emptied = any(update.had_tags for update in updates)
        return Outcome(Effect.EXTRACTED, is_emptied=is_emptied, before=before, after=after)

    def finish(self, dialect: Dialect) -> Sequence[str]:
        last = self._splitter.finish()
        if self._blocks is None:
            return list(self._documents(last, dialect))
        self._blocks.numbers.end()
        result = self._all_in_blocks(last, self._blocks)
        return [*result, *self._blocks.close(), *self._blocks.release_all_but(None)]

    def _ended(self, own: Update) -> list[tuple[ItemKey | None, Piece]]:
        """What is held back of texts that others follow under the same numbers; theirs begin anew."""
        if own.resets:
            return self._splitter.forget()
        return self._splitter.end(own.item) if own.begins and own.item is not None else []

    def _apply_to_block(self, updates: list[Update], blocks: ReasoningBlocks, edits: Edits) -> Outcome:
        """Split the text of a document about one block, and place what it holds in blocks."""
        own, item = updates[0], updates[0].item
        before = self._ended_in_blocks(updates, blocks) if own.begins or own.resets else []
        blocks.begin(updates)
        if item is None and own.extent is Extent.DELTA and not own.of(Kind.FINISH):
            return self._passed(updates, before, blocks, edits)  # a ping: it is about no block
        before += blocks.release_all_but(item)
        if item is None or item.space == "" or own.is_reasoning or _is_of_another_kind(own):
            before += [*blocks.close(), *blocks.release_all_but(None)]
            if item is not None:
                blocks.shows(item)
            return self._passed(updates, before, blocks, edits)
        opens = self._opens(own)
        split = self._splitter.split_delta(own)
        if split is not None:
            return self._place_split(updates, item, split, before, blocks, edits, opens=opens)
        goes_on = own.extent is Extent.DELTA and bool(own.of(Kind.TEXT))  # an empty text ends nothing
        is_beginning = own.extent is Extent.DELTA and not self._splitter.has_read(item)
        if blocks.opens_text(own) and (goes_on or is_beginning):
            blocks.hold(item, own.node.text)
            blocks.numbers.drop_document(updates)
            return Outcome(Effect.EXTRACTED, is_sent=False, before=before)
        if goes_on:
            return self._passed(updates, before, blocks, edits)
        before += self._in_blocks(item, self._splitter.flush(item), blocks)
        before += [*blocks.close(), *blocks.show_blank(item)]
        if blocks.ends_unseen(updates):
            return Outcome(Effect.EXTRACTED, is_sent=False, before=before)
        return self._passed(updates, before, blocks, edits)

    def _ended_in_blocks(self, updates: list[Update], blocks: ReasoningBlocks) -> list[str]:
        """The documents for what is left of blocks whose numbers others have from now on."""
        own = updates[0]
        blocks.note(updates)
        documents = self._all_in_blocks(self._ended(own), blocks)
        if own.resets:
            documents += [*blocks.close(), *blocks.release_all_but(None)]
        elif own.item is not None:
            documents += blocks.show_blank(own.item)
        return documents

    def _place_split(
        self,
        updates: list[Update],
        item: ItemKey,
        split: SplitText,
        before: list[str],
        blocks: ReasoningBlocks,
        edits: Edits,
        *,
        opens: bool,
    ) -> Outcome:
        """Place the text of a delta of a block, or of what opens one."""
        own, pieces = updates[0], split.pieces
        waits = split.leads and blocks.opens_text(own)
        if split.is_left and not waits:
            before += blocks.show(item, ())
            return self._passed(updates, before, blocks, edits)
        like = template_of(own)
        assert like is not None  # it has a text that was split
        if not opens:
            self._note_text(own, updates)
        if waits:
            document = own.node.text if split.is_left else like.with_text(pieces[0].text)
            blocks.hold(item, document, is_blank_text=True)
            before += self._in_blocks(item, pieces[1:], blocks)
        else:
            if opens and all(piece.is_reasoning for piece in pieces):
                blocks.hold(item, like.with_text(""))  # its text is still to come
            before += self._in_blocks(item, pieces, blocks, like)
        blocks.numbers.drop_document(updates)
        return Outcome(Effect.EXTRACTED, is_sent=False, before=before)

    def _passed(self, updates: list[Update], before: list[str], blocks: ReasoningBlocks, edits: Edits) -> Outcome:
        """A document that goes on itself, with its numbers and the texts of its snapshots put right."""
        for part, reasoning in self._splitter.split_snapshots(updates, edits, has_blocks=True):
            if self._dialect is not None and self._dialect.insert is not None:
                self._dialect.insert(reasoning, part.node, self._names, edits)
        blocks.numbers.renumber(updates, edits)
        return Outcome(Effect.EXTRACTED, before=before)

    def _in_blocks(
        self, item: ItemKey, pieces: Iterable[Piece], blocks: ReasoningBlocks, first: DocumentTemplate | None = None
    ) -> list[str]:
        """The documents of an item's pieces; the first visible one is made from that template, token metadata too."""
        result: list[str] = []
        for piece in pieces:
            if piece.is_reasoning:
                result += blocks.think(item, piece.text)
            else:
                said = [first.with_text(piece.text)] if first is not None else self._text_documents(item, piece.text)
                first = None
                result += blocks.show(item, list(said))
        return result

    def _all_in_blocks(self, pieces: Iterable[tuple[ItemKey | None, Piece]], blocks: ReasoningBlocks) -> list[str]:
        """The documents of what was held back of any items."""
        held_back = [(item, piece) for item, piece in pieces if item is not None]
        return [document for item, piece in held_back for document in self._in_blocks(item, [piece], blocks)]

    def _selects(self, update: Update) -> bool:
        """Is there a place for reasoning? Under strip it needs none."""
        if self._hides:
            return True
        if update.extent is Extent.SNAPSHOT:
            return self._dialect is not None and self._dialect.insert is not None
        return update.item is None or update.item.space == ""

    def _documents(self, pieces: Iterable[tuple[ItemKey | None, Piece]], dialect: Dialect) -> Iterable[str]:
        for item, piece in pieces:
            if not piece.is_reasoning:
                yield from self._text_documents(item, piece.text)
            elif not self._hides and self._like is not None:
                yield from dialect.write(Kind.REASONING, piece.text, item or ItemKey("", 0), self._like)

    def _text_documents(self, item: ItemKey | None, text: str) -> Iterable[str]:
        """Documents that add a text to an item's: like the last one that did, or as the API writes them."""
        like = self._last_texts.get(item)
        if like is not None:
            return [like.with_text(text)]
        if item is None or self._dialect is None or self._like is None:
            return []
        written = self._dialect.write(Kind.TEXT, text, item, self._like)
        return [one for one in written if carries(one, Kind.TEXT, text, self._dialect.table(self._request))]

    def _note_text(self, update: Update, updates: list[Update]) -> None:
        like = template_of(update, updates)
        if like is not None:
            self._last_texts[update.item] = like

    def _opens(self, own: Update) -> bool:
        """May a document open a block, with text in it already? Then it is no model for other texts."""
        item = own.item
        if item is None or item.space == "" or self._splitter.has_read(item):
            return False
        return own.begins or any(part.is_meaningful for part in own.of(Kind.OTHER))


def _is_of_another_kind(update: Update) -> bool:
    """Is this about a block that is not one of text?"""
    if any(part.is_meaningful for part in update.of(*REASONING_KINDS, Kind.TOOL_CALL, Kind.REFUSAL, Kind.ERROR)):
        return True
    may_be_text = bool(update.of(Kind.TEXT, Kind.ROLE))
    return not may_be_text and any(part.is_meaningful for part in update.of(Kind.OTHER))
