"""Extract: tagged text of an answer is told apart into reasoning and visible text, before anything else is decided.

It reads text, choice by choice, and edits what is visible; what becomes of the reasoning is decided elsewhere. Only
visible text is read, never tool arguments.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from thinkwire.dialects.parts import Extent, Kind, Owner, Part, Update
from thinkwire.rewrite.plan import Extract
from thinkwire.rewrite.tags import Piece, TagReader, first_signs
from thinkwire.wire.splice import Edits, quote_text

__all__ = ["Extracted", "Extractor", "Told"]


class Extracted(NamedTuple):
    """What a document's text has become, beside what is left in it."""

    before: list[tuple[Owner | None, Piece]]
    """Pieces to send before the document, each as one of its own."""
    after: list[tuple[Owner | None, Piece]]
    """Pieces to send behind it: it carries the role, which clients want first."""
    wholes: list[tuple[Part, str]]
    """The reasoning of texts that came whole, each with the part that it stood in."""


class Told(NamedTuple):
    """What the text of one delta has become."""

    pieces: list[Piece]
    is_left: bool
    """Is it all visible text as it came, with nothing held back?"""


class Extractor:
    """Reads the texts of one answer, in order."""

    __slots__ = ("_extract", "_readers", "_selects", "changes", "signs")

    def __init__(self, extract: Extract, selects: Callable[[Update], bool]) -> None:
        self._extract = extract
        self._selects = selects
        """Is there a place for what is told apart from this update's texts? Others are left alone."""
        self._readers: dict[Owner | None, TagReader] = {}
        self.changes = 0
        """How often something changed that decides about later documents."""
        self.signs = first_signs(extract.family)
        """What a text must hold, in its bytes as JSON, to hold a marker or the beginning of one."""

    def extract(self, updates: list[Update], edits: Edits) -> Extracted:
        result = Extracted([], [], [])
        for update in filter(self._selects, updates):
            if update.extent is Extent.WHOLE:
                result.before.extend((update.owner, piece) for piece in self.flush(update.owner))
                result.wholes.extend(self._read_whole(update, edits))
            else:
                self._read_delta(update, edits, result)
        return result

    def finish(self) -> list[tuple[Owner | None, Piece]]:
        """What is still held back when the answer ends."""
        return [(owner, piece) for owner, reader in self._readers.items() for piece in reader.finish()]

    def _reader(self) -> TagReader:
        return TagReader(self._extract.family, starts_inside=self._extract.starts_inside)

    # --- blocks -------------------------------------------------------------------------------------------------

    def told_of(self, update: Update) -> Told | None:
        """What the text of a delta has become; None where it has none."""
        texts = _texts(update) if update.extent is Extent.DELTA else []
        if not texts:
            return None
        reader = self._readers.get(update.owner)
        if reader is None:
            reader = self._readers[update.owner] = self._reader()
        before = reader.mark
        values = [part.node.value for part in texts]
        pieces = [piece for value in values for piece in reader.feed(value)]
        is_left = pieces == [Piece(False, "".join(values))]
        self.changes += reader.mark != before or reader.is_at_beginning or not is_left
        return Told(pieces, is_left)

    def forget(self) -> list[tuple[Owner | None, Piece]]:
        """What is held back, where another answer begins in the same stream."""
        pieces = self.finish()
        self.changes += bool(self._readers)
        self._readers.clear()
        return pieces

    def end(self, owner: Owner) -> list[tuple[Owner | None, Piece]]:
        """What is held back of an owner's text, which another one follows under the same number."""
        reader = self._readers.pop(owner, None)
        self.changes += reader is not None
        return [(owner, piece) for piece in reader.finish()] if reader is not None else []

    def has_read(self, owner: Owner | None) -> bool:
        return owner in self._readers

    def flush(self, owner: Owner | None) -> list[Piece]:
        """What is held back of an owner's text, where that is at its end."""
        reader = self._readers.get(owner)
        return reader.finish() if reader is not None else []

    def wholes_of(self, updates: list[Update], edits: Edits) -> Iterable[tuple[Part, str]]:
        """The reasoning of the texts that came whole, which the edits leave without it."""
        for update in updates:
            if update.extent is Extent.WHOLE:
                yield from self._read_whole(update, edits)

    # --- deltas -------------------------------------------------------------------------------------------------

    def _read_delta(self, update: Update, edits: Edits, result: Extracted) -> None:
        texts = _texts(update)
        ends = any(part.says_something for part in update.of(Kind.FINISH))
        ends_block = update.owner is not None and update.owner.space != "" and not update.of(Kind.TEXT)
        goes_on = ends_block or any(part.says_something for part in update.of(Kind.TOOL_CALL, Kind.REFUSAL))
        reader = self._readers.get(update.owner)
        if not texts and (reader is None or not (ends or goes_on)):
            return
        if reader is None:
            reader = self._readers[update.owner] = self._reader()
        before = reader.mark
        pieces: list[Piece] = []
        for part in texts:
            pieces += self._left_in(part, reader.feed(part.node.value), edits, update)
        if ends or goes_on:
            pieces += reader.finish()
        self._place(update, texts, pieces, edits, result, has_ended=ends)
        self.changes += reader.mark != before or reader.is_at_beginning

    def _left_in(self, part: Part, pieces: list[Piece], edits: Edits, update: Update) -> list[Piece]:
        """Leave a text of which nothing has to be told apart; else empty it and hand on its pieces."""
        if pieces == [Piece(False, part.node.value)]:
            return []
        update.held_thought = True
        part.shown = ""
        return pieces

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
        """One visible piece stays in the document; the others stand before it, or behind it."""
        emptied = next((part for part in texts if part.shown is not None), None)
        if emptied is None:
            result.before.extend((update.owner, piece) for piece in pieces)
            return
        goes_first = not has_ended and any(part.says_something for part in update.of(Kind.ROLE))
        stays = pieces[:1] if goes_first else pieces[-1:]
        others = pieces[1:] if goes_first else pieces[:-1]
        if stays and stays[0].is_reasoning:
            stays, others = [], pieces
        emptied.shown = stays[0].text if stays else ""
        for part in texts:
            if part.shown is not None:
                edits.replace(part.node, quote_text(part.shown))
        (result.after if goes_first else result.before).extend((update.owner, piece) for piece in others)

    # --- wholes -------------------------------------------------------------------------------------------------

    def _read_whole(self, update: Update, edits: Edits) -> Iterable[tuple[Part, str]]:
        for part in _texts(update):
            reader = self._reader()
            pieces = [*reader.feed(part.node.value), *reader.finish()]
            if pieces == [Piece(False, part.node.value)]:
                continue
            update.held_thought = True
            part.shown = "".join(piece.text for piece in pieces if not piece.is_reasoning)
            edits.replace(part.node, quote_text(part.shown))
            reasoning = "".join(piece.text for piece in pieces if piece.is_reasoning)
            if reasoning:
                yield part, reasoning


def _texts(update: Update) -> list[Part]:
    return [part for part in update.of(Kind.TEXT) if part.node.is_string and not part.node.is_empty]
