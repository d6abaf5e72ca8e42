"""Splits the tagged text of an answer into reasoning and visible text, item by item.

It edits what is visible; what becomes of the reasoning is decided in `extractor.py`. Only visible text is read, never
tool arguments.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Part, Update
from thinkwire.rewrite.extract.tag_reader import Piece, ReaderState, TagReader, joined
from thinkwire.rewrite.plan import Extract
from thinkwire.rewrite.versioned import Version, Versioned, VersionedDict
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text


class SplitDocument(NamedTuple):
    """What a document's text has become, beside what is left in it."""

    before: list[tuple[ItemKey | None, Piece]]
    """Pieces to send before the document, each as one of its own."""
    after: list[tuple[ItemKey | None, Piece]]
    """Pieces to send after it: it carries the role, which clients want first."""
    snapshots: list[tuple[Part, str]]
    """The reasoning of the texts of snapshots, each with the part that it was in."""


class SplitText(NamedTuple):
    """What the text of one delta has become."""

    pieces: list[Piece]
    is_left: bool
    """Is it all visible text as it came, with nothing held back?"""
    leads: bool
    """Is the first piece white space, after nothing but such? Reasoning may still come before it."""


class Splitter:
    """Splits the texts of one answer, in order."""

    __slots__ = ("_extract", "_first_block", "_hides", "_readings", "_selects", "_version")

    def __init__(self, extract: Extract, selects: Callable[[Update], bool], version: Version, *, hides: bool) -> None:
        self._extract = extract
        self._hides = hides
        """Does the client get no reasoning? The visible texts around it are then one."""
        self._selects = selects
        """Is there a place for the reasoning in this update's texts? Others are left alone."""
        self._version = version
        self._readings: VersionedDict[ItemKey | None, ReaderState] = VersionedDict(version)
        self._first_block: Versioned[ItemKey | None] = Versioned(version, None)
        """The block with the first text of an answer that is a row of them: only that may start inside reasoning."""

    def split(self, updates: list[Update], edits: Edits, *, has_blocks: bool) -> SplitDocument:
        selected = list(filter(self._selects, updates))
        result = SplitDocument([], [], [])
        deltas = {update.node for update in selected if update.extent is Extent.DELTA}
        for update in selected:
            if update.extent is Extent.DELTA:
                self._split_delta(update, edits, result)
            elif update.node not in deltas:  # a snapshot beside a delta repeats what came so far, and ends nothing
                result.before.extend((update.item, piece) for piece in self.flush(update.item))
        result.snapshots.extend(self.split_snapshots(selected, edits, has_blocks=has_blocks))
        return result

    def finish(self) -> list[tuple[ItemKey | None, Piece]]:
        """What is still held back when the answer ends."""
        return [(item, piece) for item in list(self._readings) for piece in self.flush(item)]

    def _new_reader(self, *, is_first: bool) -> TagReader:
        return TagReader(self._extract.family, starts_inside=self._extract.starts_inside and is_first)

    def _reader(self, item: ItemKey | None) -> TagReader:
        """A reader that goes on in the item's text; what it reads counts once it is noted."""
        reading = self._readings.get(item)
        if reading is not None:
            return TagReader.resume(self._extract.family, reading)
        is_block = item is not None and item.space != ""
        is_first = not is_block or self._first_block.value is None
        if is_block and is_first:
            self._first_block.value = item
        return self._new_reader(is_first=is_first)

    def _note(self, item: ItemKey | None, reader: TagReader) -> None:
        """Note how far the item's text has been read."""
        self._readings[item] = reader.reading
        if reader.reading.is_at_beginning:
            self._version.advance()  # only white space leaves it there: no other text may be rewritten like this one

    # --- blocks -------------------------------------------------------------------------------------------------

    def split_delta(self, update: Update) -> SplitText | None:
        """What the text of a delta has become; None if it has none."""
        texts = _texts(update) if update.extent is Extent.DELTA else []
        if not texts:
            return None
        reader = self._reader(update.item)
        is_beginning = reader.reading.is_at_beginning
        values = [part.node.value for part in texts]
        pieces = reader.feed("".join(values))
        is_left = pieces == [Piece(False, "".join(values))]
        self._note(update.item, reader)
        leads = is_beginning and bool(pieces) and not pieces[0].is_reasoning and pieces[0].text.isspace()
        return SplitText(pieces, is_left, leads)

    def forget(self) -> list[tuple[ItemKey | None, Piece]]:
        """What is held back when another answer begins in the same stream."""
        pieces = self.finish()
        self._readings.clear()
        self._first_block.value = None
        return pieces

    def end(self, item: ItemKey) -> list[tuple[ItemKey | None, Piece]]:
        """What is held back of an item's text, which another one follows under the same number."""
        pieces = self.flush(item)
        self._readings.pop(item, None)
        return [(item, piece) for piece in pieces]

    def has_read(self, item: ItemKey | None) -> bool:
        return item in self._readings

    def flush(self, item: ItemKey | None) -> list[Piece]:
        """What is held back of an item's text, if that is at its end."""
        if item not in self._readings:
            return []
        reader = self._reader(item)
        pieces = reader.finish()
        self._note(item, reader)
        return pieces

    def split_snapshots(self, updates: list[Update], edits: Edits, *, has_blocks: bool) -> Iterable[tuple[Part, str]]:
        """The reasoning of the texts of snapshots, which the edits leave without it."""
        begun: set[Node | None] = set()
        for texts in _snapshot_texts(updates):
            first, _ = texts[0]
            row = first.node.parent
            # A document about one block may repeat its text, which may be the first one of a row of blocks.
            may_be_first = first.item is None or self._first_block.value in (None, first.item)
            is_first = not has_blocks or (row not in begun if row is not None else may_be_first)
            begun.add(row)
            yield from self._split_snapshot(texts, self._new_reader(is_first=is_first), edits)

    # --- deltas -------------------------------------------------------------------------------------------------

    def _split_delta(self, update: Update, edits: Edits, result: SplitDocument) -> None:
        texts = _texts(update)
        ends = any(part.is_meaningful for part in update.of(Kind.FINISH))
        ends_block = update.item is not None and update.item.space != "" and not update.of(Kind.TEXT)
        goes_on = ends_block or any(part.is_meaningful for part in update.of(Kind.TOOL_CALL, Kind.REFUSAL))
        if not texts and not (self.has_read(update.item) and (ends or goes_on)):
            return
        reader = self._reader(update.item)
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
        self._note(update.item, reader)

    def _place(
        self,
        update: Update,
        texts: list[Part],
        pieces: list[Piece],
        edits: Edits,
        result: SplitDocument,
        *,
        has_ended: bool,
    ) -> None:
        """One visible piece stays in the document; the others go before it, or after it.

        Of several texts only the last one, or the first, keeps any then, or their pieces would change their order.
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

    # --- snapshots ----------------------------------------------------------------------------------------------

    def _split_snapshot(
        self, texts: list[tuple[Update, Part]], reader: TagReader, edits: Edits
    ) -> Iterable[tuple[Part, str]]:
        """Split texts that continue each other, as the one that a stream would have made of them."""
        read = [reader.feed(part.node.value) for _, part in texts]
        read[-1] = joined([*read[-1], *reader.finish()])
        if joined(piece for pieces in read for piece in pieces) == [
            Piece(False, "".join(part.node.value for _, part in texts))
        ]:
            return
        reasoning: list[tuple[Part, str]] = []
        for (update, part), pieces in zip(texts, read, strict=True):
            if pieces == [Piece(False, part.node.value)]:
                continue
            update.had_tags = True
            part.shown = "".join(piece.text for piece in pieces if not piece.is_reasoning)
            edits.replace(part.node, quote_text(part.shown))
            reasoning += [(part, piece.text) for piece in pieces if piece.is_reasoning]
        if reasoning:
            yield reasoning[0][0], "".join(text for _, text in reasoning)  # what is one text has one place for it


def _texts(update: Update) -> list[Part]:
    return [part for part in update.of(Kind.TEXT) if part.node.is_string and not part.node.is_empty]


def _snapshot_texts(updates: list[Update]) -> Iterable[list[tuple[Update, Part]]]:
    """The texts of snapshots, those together that continue each other."""
    is_stream = bool(updates) and updates[0].node.is_list  # in one piece: its documents are elements of a list
    result: dict[object, list[tuple[Update, Part]]] = {}
    for number, update in enumerate(updates):
        texts = _texts(update) if update.extent is Extent.SNAPSHOT else []
        if texts:
            result.setdefault(update.item if is_stream else number, []).extend((update, part) for part in texts)
    return result.values()
