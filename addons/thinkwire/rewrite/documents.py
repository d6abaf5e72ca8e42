"""The documents of a stream, however they are framed: each is rewritten, dropped, or known from an earlier one.

It is handed frames; it does not cut the stream into them and does not decide about a document itself (`answer.py`).
"""

from collections.abc import Iterable
from typing import Protocol, Self

from thinkwire.dialects.parts import Extent
from thinkwire.rewrite.answer import AnswerRewriter, Outcome
from thinkwire.rewrite.repeat import LONGEST, Repeats, gaps_in
from thinkwire.wire.json_tree import decode
from thinkwire.wire.splice import Edit

__all__ = ["Documents", "Framed"]


class Framed(Protocol):
    """One document in its frame, as raw bytes."""

    raw: bytes

    @property
    def data(self) -> bytes | None:
        """The document's bytes."""

    def with_data(self, edits: Iterable[Edit]) -> bytes:
        """The frame after edits of its document."""

    def raw_at(self, position: int) -> int | None:
        """Where a position of the document stands in the frame; None where it does not stand there as it is."""

    @classmethod
    def from_raw(cls, raw: bytes) -> Self:
        """A frame of other bytes, in the same form."""


class Documents:
    """Rewrites the framed documents of one stream, in order. What is not sent comes out as empty bytes."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._answer = answer
        self._repeats = Repeats()

    @property
    def drops_unreadable(self) -> bool:
        return self._answer.drops_unreadable

    def repeat(self, raw: bytes) -> bytes | None:
        """What is sent for a frame that is like an earlier one; None where it has to be read."""
        found = self._repeats.find(raw, self._answer.generation)
        if found is None:
            return None
        effect, sent = found
        self._answer.tally.effects[effect] += 1
        return sent

    def read(self, frame: Framed, text: str) -> bytes:
        """What is sent for a frame whose document is `text`. Raises Unreadable."""
        generation = self._answer.generation
        outcome = self._answer.rewrite(text, Extent.DELTA)
        sent = _framed(frame, outcome)
        if sent and outcome.edits:
            self._answer.tally.note_change(frame.raw, sent)
        if generation == self._answer.generation and len(frame.raw) <= LONGEST:
            self._learn(frame, outcome)
        return sent

    def fail(self, error: Exception, raw: bytes) -> bytes:
        """What is sent for a frame that could not be read, for whatever reason."""
        self._answer.tally.saw_unreadable(str(error) or type(error).__name__)
        return b"" if self._answer.drops_unreadable else raw

    def _learn(self, frame: Framed, outcome: Outcome) -> None:
        gaps = gaps_in(outcome.updates)
        moved = gaps.shifted(frame.raw_at) if gaps is not None else None
        if moved is not None:
            self._repeats.learn(frame.raw, moved, self._answer.generation, lambda raw: self._probe(frame, raw))

    def _probe(self, like: Framed, raw: bytes) -> tuple[bytes, str]:
        """Rewrite an event that did not come, without counting it; it changes nothing that is looked at later."""
        frame = like.from_raw(raw)
        outcome = self._answer.probe(decode(frame.data or b""), Extent.DELTA)
        return _framed(frame, outcome), outcome.effect


def _framed(frame: Framed, outcome: Outcome) -> bytes:
    if not outcome.is_sent:
        return b""
    return frame.with_data(outcome.edits) if outcome.edits else frame.raw
