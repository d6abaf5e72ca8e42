"""A document of text with a gap instead of its text, as the model for documents of other texts."""

from collections.abc import Iterable
from typing import NamedTuple

from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, Kind, Update
from thinkwire.wire.json_tree import Node, Shape, decode, encode, read
from thinkwire.wire.splice import Edits, quote_text, splice


class DocumentTemplate(NamedTuple):
    """Document text on both sides of the gap."""

    before: str
    after: str

    def with_text(self, text: str) -> str:
        return f"{self.before}{quote_text(text)}{self.after}"


def carries(document: str, kind: Kind, text: str, table: Shape) -> bool:
    """Does a document add just this text?"""
    # Halves of one character from two deltas are read back as that character.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    deltas = (update for update in locate(read(document, table), Extent.DELTA) if update.extent is Extent.DELTA)
    parts = (part for update in deltas for part in update.of(kind))
    return any(part.node.is_string and part.node.value == text for part in parts)


def template_of(update: Update, updates: Iterable[Update] = ()) -> DocumentTemplate | None:
    """The document of an update with no other text in it; None if it carries none.

    If `updates` are all that the document holds, nothing of it is left but the envelope: the rest is sent once.
    """
    texts = [part.node for part in update.of(Kind.TEXT) if part.node.is_string and not part.node.is_empty]
    if not texts:
        return None
    first, *others = texts
    edits = Edits()
    for node in others:
        edits.replace(node, '""')
    holders: set[Node | None] = {*first.path(), None}
    for one in updates:
        for node in (one.node, *(part.node for part in one.parts)):
            if node not in holders:
                edits.remove(next(largest for largest in node.path() if largest.parent in holders))
    raw, spans = encode(first.text), edits.spans()
    before = splice(raw[: first.at], [edit for edit in spans if edit.end <= first.at])
    following = [edit._replace(start=edit.start - first.end, end=edit.end - first.end) for edit in spans]
    after = splice(raw[first.end :], [edit for edit in following if edit.start >= 0])
    return DocumentTemplate(decode(before), decode(after))
