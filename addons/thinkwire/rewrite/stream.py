"""The bytes of a streamed answer: chunks in, chunks out.

It frames, and hands each document to `answer.py`. It has no socket, no clock and no log: time comes with each chunk.

The contract of `feed(chunk, now)` and `finish()`: a list of chunks to send, none of them empty; never an exception.
An event is handed on as soon as it is complete, and the output does not depend on how the input was cut (comments
that keep a connection alive aside).
"""

import re
from collections.abc import Iterable
from enum import Enum
from typing import Final, Protocol

from thinkwire.dialects.parts import Extent
from thinkwire.rewrite.answer import AnswerRewriter, Outcome
from thinkwire.rewrite.body import rewrite_body
from thinkwire.rewrite.repeat import LONGEST, Repeats, gaps_in
from thinkwire.wire.codings import CodingError, Decoder
from thinkwire.wire.json_tree import Unreadable, decode, encode
from thinkwire.wire.sse import Frame, FrameSplitter, comment

__all__ = ["Label", "StreamRewriter"]


class Label(Enum):
    """What the headers say of the body."""

    EVENTS = "events"
    UNSURE = "unsure"
    """Text of some kind, for a request that asked for a stream: the first bytes decide."""
    JSON = "json"


class _Content(Protocol):
    """One way to read the decoded bytes; what it hands on holds no empty piece."""

    def feed(self, chunk: bytes) -> Iterable[bytes]: ...

    def finish(self) -> Iterable[bytes]: ...


class _Raw:
    """Bytes that are not ours to read."""

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        return [chunk]

    def finish(self) -> Iterable[bytes]:
        return []


class _Body:
    """One JSON text, which can only be judged as a whole."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._answer = answer
        self._chunks: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        self._chunks.append(chunk)
        return ()

    def finish(self) -> Iterable[bytes]:
        raw = b"".join(self._chunks)
        self._chunks.clear()
        try:
            return [rewrite_body(raw, self._answer)]
        except Unreadable as error:
            self._answer.tally.saw_unreadable(str(error))
            if not self._answer.drops_unreadable:
                return [raw]
            # Too late for another status: the headers are gone.
            return [encode(self._answer.error_text(502, "thinkwire could not read the answer and withheld it"))]


class _Events:
    """Server-sent events."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._answer = answer
        self._splitter = FrameSplitter()
        self._repeats = Repeats()
        self._sent_last = True
        """Was the frame before sent? An LF that belongs to it shares its fate."""
        self._is_broken = False
        """Was a document not readable? What has no field then, is likely the rest of it."""

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        if self._splitter.is_between_frames and (sent := self._repeat(chunk)) is not None:
            return (sent,) if sent else ()
        return [sent for frame in self._splitter.feed(chunk) if (sent := self._rewrite(frame))]

    def finish(self) -> Iterable[bytes]:
        return [sent for frame in self._splitter.finish() if (sent := self._rewrite(frame))]

    def _repeat(self, raw: bytes) -> bytes | None:
        """What is sent for a frame that is like an earlier one; None where it has to be read."""
        found = self._repeats.find(raw, self._answer.generation)
        if found is None:
            return None
        effect, sent = found
        self._answer.tally.effects[effect] += 1
        self._sent_last = bool(sent)
        self._is_broken = False
        return sent

    def _rewrite(self, frame: Frame) -> bytes:
        """The frame as it is to be sent; empty where it is not."""
        if frame.is_line_feed:
            return frame.raw if self._sent_last else b""
        if (sent := self._repeat(frame.raw)) is not None:
            return sent
        try:
            sent = self._read(frame)
            self._is_broken = self._is_broken and frame.is_foreign
        except Exception as error:
            # Whatever it was: an exception would lose the chunk or leave the client waiting for ever.
            self._answer.tally.saw_unreadable(str(error) or type(error).__name__)
            self._is_broken = True
            sent = b"" if self._answer.drops_unreadable else frame.raw
        self._sent_last = bool(sent)
        return sent

    def _read(self, frame: Frame) -> bytes:
        raw, data = frame.raw, frame.data
        if data is None and frame.is_foreign:
            return self._read_foreign(raw)
        if data is None or not _is_document(data):
            return raw
        generation = self._answer.generation
        outcome = self._answer.rewrite(decode(data), Extent.DELTA)
        sent = _framed(frame, outcome)
        if sent and outcome.edits:
            tally = self._answer.tally
            tally.first_change = tally.first_change or (raw, sent)
        if generation == self._answer.generation and len(raw) <= LONGEST:
            self._learn(frame, outcome)
        return sent

    def _learn(self, frame: Frame, outcome: Outcome) -> None:
        gaps = gaps_in(outcome.updates)
        if gaps is not None:
            self._repeats.learn(frame.raw, gaps.shifted(frame.raw_at), self._answer.generation, self._probe)

    def _probe(self, raw: bytes) -> tuple[bytes, str]:
        """Rewrite an event that did not come, without counting it; it changes nothing that is looked at later."""
        frame = Frame(raw)
        outcome = self._answer.probe(decode(frame.data or b""), Extent.DELTA)
        return _framed(frame, outcome), outcome.effect

    def _read_foreign(self, raw: bytes) -> bytes:
        """Text that is no event: an error of a gateway, most often. Clients ignore it, people need it."""
        if _is_document(raw):
            return rewrite_body(raw, self._answer)
        return b"" if self._is_broken and self._answer.drops_unreadable else raw


def _framed(frame: Frame, outcome: Outcome) -> bytes:
    if not outcome.is_sent:
        return b""
    return frame.with_data(outcome.edits) if outcome.edits else frame.raw


def _is_document(data: bytes) -> bool:
    """Is this meant to be JSON? `[DONE]` and other text is not."""
    first = data.lstrip()[:1]
    return first == b"{" or (first == b"[" and data.strip() != b"[DONE]")


class _Undecided:
    """The first bytes, until they show what the rest is."""

    def __init__(self, label: Label, answer: AnswerRewriter) -> None:
        self._label = label
        self._answer = answer
        self._held = b""

    def choose(self, chunk: bytes) -> tuple[_Content | None, bytes]:
        """What to read the body with, and the bytes held until now; (None, nothing) while it is open."""
        self._held += chunk
        match = _BEGINNING.match(self._held)
        if match is None:
            return None, b""
        return self._content(match), self._held

    def give_up(self) -> bytes:
        return self._held

    def _content(self, match: re.Match[bytes]) -> _Content:
        if self._label is Label.JSON or match["json"]:
            return _Body(self._answer)
        if self._label is Label.EVENTS or match["field"]:
            return _Events(self._answer)
        return _Raw()


_BEGINNING: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+(?:(?P<json>[{\[])|(?P<field>:|data:|event:|id:|retry:)"
    rb"|(?!\xef(?:\xbb|\Z)|[dei][a-z]{0,4}\Z|r(?:e(?:t(?:r(?:y)?)?)?)?\Z)[^ \t\r\n])"
)
"""The first sign of what a body is; no match while the bytes could still become one of the fields."""


class StreamRewriter:
    """Rewrites one streamed body; see the module's contract."""

    __slots__ = ("_answer", "_content", "_decoder", "_failed", "_keepalive", "_last_sent", "_undecided")

    def __init__(
        self, answer: AnswerRewriter, label: Label, decoder: Decoder | None, keepalive: float, now: float
    ) -> None:
        self._answer = answer
        self._decoder = decoder
        self._undecided = _Undecided(label, answer)
        self._content: _Content | None = None
        self._keepalive = keepalive
        self._last_sent = now
        self._failed = False

    def feed(self, chunk: bytes, now: float) -> list[bytes]:
        if self._decoder is not None:
            chunk = self._decode(chunk, self._decoder)
        content = self._content
        if content is None:
            content, chunk = self._undecided.choose(chunk)
            if content is None:
                return []
            self._content = content
        sent = list(content.feed(chunk)) if chunk else []
        if sent:
            self._last_sent = now
        elif now - self._last_sent >= self._keepalive and isinstance(content, _Events):
            self._last_sent = now
            sent.append(comment("keep-alive"))
        return sent

    def finish(self) -> list[bytes]:
        if self._decoder is not None and not self._decoder.is_complete and not self._failed:
            self._answer.tally.saw_unreadable("the compressed body ends too early")
        if self._content is None:
            return [held] if (held := self._undecided.give_up()) else []
        return list(self._content.finish())

    def _decode(self, chunk: bytes, decoder: Decoder) -> bytes:
        if self._failed:
            return b""
        try:
            return decoder.decode(chunk)
        except CodingError as error:
            # What follows cannot be decoded any more, and undecoded bytes must not be mixed in.
            self._failed = True
            self._answer.tally.saw_unreadable(f"the compressed body is damaged: {error}")
            return b""
