"""What each action of the rules does with the documents of one answer: the seam between them and their caller.

An action decides about located documents and collects edits. What it knows of earlier documents, and what decides about
later ones, it keeps in the containers of `versioned.py`.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import Extent, Update
from thinkwire.rewrite.tally import Effect
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits


class Document(NamedTuple):
    """One document, located."""

    root: Node
    updates: list[Update]
    extent: Extent
    """SNAPSHOT for a body, DELTA in a stream."""
    dialect: Dialect
    is_added: bool = False
    """Was it made by an earlier action, beside those of the provider?"""


class Outcome(NamedTuple):
    """What becomes of one document, beside the edits that were collected."""

    effect: Effect = Effect.NONE
    is_sent: bool = True
    is_emptied: bool = False
    """Was text taken from it? Then it is dropped if nothing meaningful remains in it."""
    text: str | None = None
    """Document text that takes its place, instead of the edits."""
    lost: Sequence[str] = ()
    """The names of the token metadata that went, each once."""
    conflicts: bool = False
    """Did two names hold different texts?"""
    before: Sequence[str] = ()
    """Documents to send before this one, as document text."""
    after: Sequence[str] = ()
    """Documents to send after it."""


class Action:
    """One action on the documents of one answer, in order; this one leaves all as they are."""

    __slots__ = ()

    adds_documents: bool = False
    """May it add documents beside those that come?"""
    reads_edits: bool = False
    """Does it have to see a document as earlier actions leave it, not as it came?"""
    marker_prefixes: re.Pattern[bytes] | None = None
    """A text that holds one of these decides by itself, so its document has to be read; None if no text does."""

    def expect(self, updates: list[Update]) -> None:
        """Take note of the next document that came, before those that are added before it."""

    def expect_end(self) -> None:
        """Take note that no more documents come; some may still be added."""

    def apply(self, document: Document, edits: Edits) -> Outcome:
        """Decide about one document, and collect its edits; there may be some of earlier actions."""
        return Outcome()

    def finish(self, dialect: Dialect) -> Sequence[str]:
        """The documents that are still to be sent when the answer ends."""
        return ()


def is_anything_left(updates: list[Update], edits: Edits) -> bool:
    """Does anything meaningful remain in a document from which text was taken?"""
    return any(part.is_meaningful and not edits.is_removed(part.node) for update in updates for part in update.parts)
