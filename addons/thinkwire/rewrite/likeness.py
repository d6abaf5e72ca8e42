"""A document of text with a gap where its text was: other texts leave in its likeness."""

from collections.abc import Iterable
from typing import NamedTuple

from thinkwire.dialects.parts import Kind, Update
from thinkwire.wire.json_tree import Node, decode, encode
from thinkwire.wire.splice import Edits, quote_text, splice

__all__ = ["Likeness", "likeness_of"]


class Likeness(NamedTuple):
    """Document text on both sides of the gap."""

    before: str
    after: str

    def saying(self, text: str) -> str:
        return f"{self.before}{quote_text(text)}{self.after}"


def likeness_of(update: Update, without: Iterable[Node] = ()) -> Likeness | None:
    """The document of an update without some of its members; None where it carries no text."""
    texts = [part.node for part in update.of(Kind.TEXT) if part.node.is_string and not part.node.is_empty]
    if not texts:
        return None
    first, *others = texts
    edits = Edits()
    for node in others:
        edits.replace(node, '""')
    for node in without:
        edits.remove(node)
    raw, spans = encode(first.text), edits.spans()
    before = splice(raw[: first.at], [edit for edit in spans if edit.end <= first.at])
    behind = [edit._replace(start=edit.start - first.end, end=edit.end - first.end) for edit in spans]
    after = splice(raw[first.end :], [edit for edit in behind if edit.start >= 0])
    return Likeness(decode(before), decode(after))
