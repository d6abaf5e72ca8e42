"""A whole JSON body: bytes in, bytes out."""

from thinkwire.dialects.parts import Extent
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.wire.json_tree import decode
from thinkwire.wire.splice import splice

__all__ = ["rewrite_body"]


def rewrite_body(raw: bytes, answer: AnswerRewriter) -> bytes:
    """The body after its edits; the same bytes where nothing changes. Raises Unreadable."""
    edits = answer.rewrite(decode(raw), Extent.WHOLE).edits
    if not edits:
        return raw
    after = splice(raw, edits)
    answer.tally.note_change(raw, after)
    return after
