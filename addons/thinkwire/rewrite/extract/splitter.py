"""Extract: tagged text of an answer is told apart into reasoning and visible text, before anything else is decided.

It reads text, choice by choice, and edits what is visible; what becomes of the reasoning is decided elsewhere. Only
visible text is read, never tool arguments.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Part, Update
from thinkwire.rewrite.extract.tag_reader import Piece, TagReader, first_signs, joined
from thinkwire.rewrite.plan import Extract
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text

__all__ = ["Extracted", "Extractor", "SplitText"]


class Extracted(NamedTuple):
    """What a document's text has become, beside what is left in it."""

    before: list[tuple[ItemKey | None, Piece]]
    """Pieces to send before the document, each as one of its own."""
    after: list[tuple[ItemKey | None, Piece]]
    """Pieces to send behind it: it carries the role, which clients want first."""
    wholes: list[tuple[Part, str]]
    """The reasoning of texts that came whole, each with the part that it stood in."""


class SplitText(NamedTuple):
    """What the text of one delta has become."""

    pieces: list[Piece]
    is_left: bool
    """Is it all visible text as it came, with nothing held back?"""
    leads: bool
    """Is the first piece white space, behind nothing but such? A thought may still come before it."""


class Extractor:
    """Reads the texts of one answer, in order."""

    __slots__ = ("_extract", "_first_block", "_hides", "_readers", "_selects", "changes", "signs")

    def __init__(self, extract: Extract, selects: Callable[[Update], bool], *, hides: bool) -> None:
        self._extract = extract
        self._hides = hides
        """Does nobody see the thoughts? What they part is then one text."""
        self._selects = selects
        """Is there a place for what is told apart from this update's texts? Others are left alone."""
        self._readers: dict[ItemKey | None, TagReader] = {}
        self._first_block: ItemKey | None = None
        """The block with the first text of an answer that is a row of them: only that may start inside a thought."""
        self.changes = 0
        """How often something changed that decides about later documents."""
        self.signs = first_signs(extract.family)
        """What a text must hold, in its bytes as JSON, to hold a marker or the beginning of one."""

    def extract(self, updates: list[Update], edits: Edits, *, has_blocks: bool) -> Extracted:
        selected = list(filter(self._selects, updates))
        result = Extracted([], [], [])
        deltas = {update.node for update in selected if update.extent is Extent.DELTA}
        for update in selected:
            if update.extent is Extent.DELTA:
                self._read_delta(update, edits, result)
            elif update.node not in deltas:  # a whole beside a delta repeats what came so far, and ends nothing
                result.before.extend((update.item, piece) for piece in self.flush(update.item))
        result.wholes.extend(self.wholes_of(selected, edits, has_blocks=has_blocks))
        return result

    def finish(self) -> list[tuple[ItemKey | None, Piece]]:
        """What is still held back when the answer ends."""
        return [(owner, piece) for owner, reader in self._readers.items() for piece in reader.finish()]

    def _reader(self, *, is_first: bool) -> TagReader:
        return TagReader(self._extract.family, starts_inside=self._extract.starts_inside and is_first)

    def _reader_of(self, owner: ItemKey | None) -> TagReader:
        reader = self._readers.get(owner)
        if reader is None:
            is_block = owner is not None and owner.space != ""
            is_first = not is_block or self._first_block is None
            self._first_block = owner if is_block and is_first else self._first_block
            reader = self._readers[owner] = self._reader(is_first=is_first)
        return reader

    # --- blocks -------------------------------------------------------------------------------------------------

    def told_of(self, update: Update) -> SplitText | None:
        """What the text of a delta has become; None where it has none."""
        texts = _texts(update) if update.extent is Extent.DELTA else []
        if not texts:
            return None
        reader = self._reader_of(update.item)
        before, is_beginning = reader.mark, reader.is_at_beginning
        values = [part.node.value for part in texts]
        pieces = reader.feed("".join(values))
        is_left = pieces == [Piece(False, "".join(values))]
        self.changes += reader.mark != before or reader.is_at_beginning or not is_left
        leads = is_beginning and bool(pieces) and not pieces[0].is_reasoning and pieces[0].text.isspace()
        return SplitText(pieces, is_left, leads)

    def forget(self) -> list[tuple[ItemKey | None, Piece]]:
        """What is held back, where another answer begins in the same stream."""
        pieces = self.finish()
        self.changes += bool(self._readers)
        self._readers.clear()
        self._first_block = None
        return pieces

    def end(self, owner: ItemKey) -> list[tuple[ItemKey | None, Piece]]:
        """What is held back of an owner's text, which another one follows under the same number."""
        reader = self._readers.pop(owner, None)
        self.changes += reader is not None
        return [(owner, piece) for piece in reader.finish()] if reader is not None else []

    def has_read(self, owner: ItemKey | None) -> bool:
        return owner in self._readers

    def flush(self, owner: ItemKey | None) -> list[Piece]:
        """What is held back of an owner's text, where that is at its end."""
        reader = self._readers.get(owner)
        return reader.finish() if reader is not None else []

    def wholes_of(self, updates: list[Update], edits: Edits, *, has_blocks: bool) -> Iterable[tuple[Part, str]]:
        """The reasoning of the texts that came whole, which the edits leave without it."""
        begun: set[Node | None] = set()
        for texts in _whole_texts(updates):
            first, _ = texts[0]
            row = first.node.parent
            is_first = not has_blocks or (row not in begun if row is not None else self._may_be_first(first.item))
            begun.add(row)
            yield from self._read_whole(texts, self._reader(is_first=is_first), edits)

    def _may_be_first(self, owner: ItemKey | None) -> bool:
        """May the text that a document about one block repeats be the first one of a row of blocks?"""
        return owner is None or self._first_block is None or owner == self._first_block

    # --- deltas -------------------------------------------------------------------------------------------------

    def _read_delta(self, update: Update, edits: Edits, result: Extracted) -> None:
        texts = _texts(update)
        ends = any(part.is_meaningful for part in update.of(Kind.FINISH))
        ends_block = update.item is not None and update.item.space != "" and not update.of(Kind.TEXT)
        goes_on = ends_block or any(part.is_meaningful for part in update.of(Kind.TOOL_CALL, Kind.REFUSAL))
        reader = self._readers.get(update.item)
        if not texts and (reader is None or not (ends or goes_on)):
            return
        reader = self._reader_of(update.item)
        before = reader.mark
        text = "".join(part.node.value for part in texts)
        pieces = reader.feed(text)
        if ends or goes_on:
            pieces = joined([*pieces, *reader.finish()])
        if texts and pieces != [Piece(False, text)]:
            update.had_tags = True
            if self._hides:
                pieces = joined(piece for piece in pieces if not piece.is_reasoning)
            self._place(update, texts, pieces, edits, result, has_ended=ends)
        elif not texts:
            result.before.extend((update.item, piece) for piece in pieces)
        self.changes += reader.mark != before or reader.is_at_beginning

    def _place(
        self,
        update: Update,
        texts: list[Part],
        pieces: list[Piece],
        edits: Edits,
        result: Extracted,
        *,
        has_ended: bool,
    ) -> None:
        """One visible piece stays in the document; the others stand before it, or behind it.

        Of several texts only the last one, or the first, says anything then, or their pieces would change their order.
        """
        goes_first = not has_ended and any(part.is_meaningful for part in update.of(Kind.ROLE))
        stays = pieces[:1] if goes_first else pieces[-1:]
        others = pieces[1:] if goes_first else pieces[:-1]
        if stays and stays[0].is_reasoning:
            stays, others = [], pieces
        for part in texts:
            part.shown = ""
        texts[0 if goes_first else -1].shown = stays[0].text if stays else ""
        for part in texts:
            edits.replace(part.node, quote_text(part.shown or ""))
        (result.after if goes_first else result.before).extend((update.item, piece) for piece in others)

    # --- wholes -------------------------------------------------------------------------------------------------

    def _read_whole(
        self, texts: list[tuple[Update, Part]], reader: TagReader, edits: Edits
    ) -> Iterable[tuple[Part, str]]:
        """Read texts that continue each other, as the one that a stream would have made of them."""
        read = [reader.feed(part.node.value) for _, part in texts]
        read[-1] = joined([*read[-1], *reader.finish()])
        if joined(piece for pieces in read for piece in pieces) == [
            Piece(False, "".join(part.node.value for _, part in texts))
        ]:
            return
        thoughts: list[tuple[Part, str]] = []
        for (update, part), pieces in zip(texts, read, strict=True):
            if pieces == [Piece(False, part.node.value)]:
                continue
            update.had_tags = True
            part.shown = "".join(piece.text for piece in pieces if not piece.is_reasoning)
            edits.replace(part.node, quote_text(part.shown))
            thoughts += [(part, piece.text) for piece in pieces if piece.is_reasoning]
        if thoughts:
            yield thoughts[0][0], "".join(text for _, text in thoughts)  # what is one text has one place for it


def _texts(update: Update) -> list[Part]:
    return [part for part in update.of(Kind.TEXT) if part.node.is_string and not part.node.is_empty]


def _whole_texts(updates: list[Update]) -> Iterable[list[tuple[Update, Part]]]:
    """The texts that came whole, those together that continue each other."""
    is_stream = bool(updates) and updates[0].node.is_list  # in one piece: its documents are elements of a list
    result: dict[object, list[tuple[Update, Part]]] = {}
    for number, update in enumerate(updates):
        texts = _texts(update) if update.extent is Extent.SNAPSHOT else []
        if texts:
            result.setdefault(update.item if is_stream else number, []).extend((update, part) for part in texts)
    return result.values()
