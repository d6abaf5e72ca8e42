"""The documents of a stream, however they are framed: each is rewritten, dropped, or known from an earlier one.

It is handed frames; it does not cut the stream into them and does not decide about a document itself (`answer.py`).
"""

from collections.abc import Iterable
from typing import Final, Protocol, Self

from thinkwire.dialects.core.parts import Extent, Kind
from thinkwire.rewrite.answer import AnswerRewriter, Rewritten
from thinkwire.rewrite.stream.fast_path import LONGEST, FastPath, gaps_in
from thinkwire.rewrite.tally import Effect
from thinkwire.wire.json_tree import Shape, decode, read
from thinkwire.wire.splice import Edit, splice


class Framed(Protocol):
    """One document in its frame, as raw bytes."""

    raw: bytes
    separator: bytes
    """What is written between two frames."""

    @property
    def data(self) -> bytes | None:
        """The document's bytes."""

    def with_data(self, edits: Iterable[Edit]) -> bytes:
        """The frame after edits of its document."""

    def raw_at(self, position: int) -> int | None:
        """The position in the frame of one in the document; None if the frame spells it otherwise."""

    @property
    def event(self) -> str:
        """The name that the frame gives its document, or nothing."""

    def like(self, text: str, name: str) -> bytes:
        """A frame of another document, which is document text, with that name if this frame has one."""

    @classmethod
    def from_raw(cls, raw: bytes) -> Self:
        """A frame of other bytes, in the same form."""


class Documents:
    """Rewrites the framed documents of one stream, in order. What is not sent comes out as empty bytes."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._answer = answer
        self._version = answer.version
        self._fast_path = FastPath(answer.marker_prefixes)
        self._text_frame: Framed | None = None
        """The last frame with text, if documents may have to be added: the model for their frames."""

    @property
    def drops_unreadable(self) -> bool:
        return self._answer.drops_unreadable

    def repeat(self, raw: bytes) -> bytes | None:
        """What is sent for a frame that is like an earlier one; None if it has to be read."""
        found = self._fast_path.find(raw, self._version.number)
        if found is None:
            return None
        effect, sent = found
        self._answer.tally.effects[effect] += 1
        return sent

    def read(self, frame: Framed, text: str) -> bytes:
        """What is sent for a frame whose document is `text`. Raises Unreadable."""
        version = self._version.number
        rewritten = self._answer.rewrite(text, Extent.DELTA, frame.event)
        sent = _framed(frame, rewritten)
        if sent and rewritten.edits:
            self._answer.tally.note_change(frame.raw, sent)
        if self._answer.adds_documents:
            sent = self._with_added(frame, sent, rewritten)
        if version == self._version.number and len(frame.raw) <= LONGEST:
            self._learn(frame, rewritten)
        return sent

    def _with_added(self, frame: Framed, sent: bytes, rewritten: Rewritten) -> bytes:
        """The frame with the documents that were added before and after it."""
        if self._text_frame is None or any(update.of(Kind.TEXT) for update in rewritten.updates):
            self._text_frame = frame
        before, after = rewritten.outcome.before, rewritten.outcome.after
        if not before and not after:
            return sent
        return frame.separator.join(filter(None, [*self._made(before), sent, *self._made(after)]))

    def finish(self) -> bytes:
        """What is still to be sent when the answer ends."""
        try:
            made = list(self._made(self._answer.finish()))
            return self._text_frame.separator.join(made) if made and self._text_frame is not None else b""
        except Exception as error:
            return self.fail(error, b"")  # an exception would keep the end of the answer from the client

    def _made(self, documents: Iterable[str]) -> Iterable[bytes]:
        frame = self._text_frame
        if frame is None:
            return []
        return [
            frame.like(text, self._answer.event_name(text) or name_like(frame, text, frame.event)) for text in documents
        ]

    def fail(self, error: Exception, raw: bytes) -> bytes:
        """What is sent for a frame that could not be read, for whatever reason."""
        self._answer.tally.saw_unreadable(str(error) or type(error).__name__)
        return b"" if self._answer.drops_unreadable else raw

    def _learn(self, frame: Framed, rewritten: Rewritten) -> None:
        sink, outcome = self._answer.sink, rewritten.outcome
        if sink is None or outcome.before or outcome.after:
            return  # a text that moves to an added document is written anew
        gaps = gaps_in(rewritten.updates)
        moved = gaps.shifted(frame.raw_at) if gaps is not None else None
        if moved is not None:
            self._fast_path.learn(frame.raw, moved, self._version.number, lambda raw: self._probe(frame, raw), sink)

    def _probe(self, like: Framed, raw: bytes) -> tuple[bytes, Effect]:
        """Rewrite an event that did not come, without counting it; it changes nothing that is looked at later."""
        frame = like.from_raw(raw)
        rewritten = self._answer.probe(decode(frame.data or b""), Extent.DELTA, frame.event)
        return _framed(frame, rewritten), rewritten.outcome.effect


_MEMBERS: Final = Shape(members={})


def name_like(like: Framed, text: str, otherwise: str) -> str:
    """The name of a document that is framed like another one, if a member of both holds the name."""
    if not like.event:
        return ""
    document = read(text, _MEMBERS)
    for node in read(decode(like.data or b""), _MEMBERS).children:
        named = document.child(node.key)
        if node.is_string and node.value == like.event and named is not None and named.is_string:
            return str(named.value)
    return otherwise


def _framed(frame: Framed, rewritten: Rewritten) -> bytes:
    if not rewritten.outcome.is_sent:
        return b""
    return frame.with_data(rewritten.edits) if rewritten.edits else frame.raw


def rewrite_body(raw: bytes, answer: AnswerRewriter) -> bytes:
    """The body after its edits; the same bytes if nothing changes. Raises Unreadable."""
    edits = answer.rewrite(decode(raw), Extent.SNAPSHOT).edits
    if not edits:
        return raw
    after = splice(raw, edits)
    answer.tally.note_change(raw, after)
    return after
