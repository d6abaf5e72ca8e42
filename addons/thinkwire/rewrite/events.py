"""The events of a stream: frames in, frames out.

It reads frames, hands their documents to `answer.py`, and knows repeated ones by `repeat.py`; what the bytes are
framed as has been decided before (`stream.py`).
"""

import re
from collections.abc import Iterable
from typing import Final

from thinkwire.dialects.parts import Extent
from thinkwire.rewrite.answer import AnswerRewriter, Outcome
from thinkwire.rewrite.body import rewrite_body
from thinkwire.rewrite.repeat import LONGEST, Repeats, gaps_in
from thinkwire.wire.json_tree import decode
from thinkwire.wire.sse import Frame, FrameSplitter

__all__ = ["Events"]

_BEFORE_JSON: Final = "\xef\xbb\xbf \t\r\n"
_END_MARK: Final = re.compile(r"\s*(?:\[\s*[A-Za-z_]+\s*\]\s*)+\Z")


class Events:
    """Rewrites server-sent events; `feed` and `finish` hand on no empty piece."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._answer = answer
        self._splitter = FrameSplitter()
        self._repeats = Repeats()
        self._sent_last = True
        """Was the frame before sent? An LF that belongs to it shares its fate."""
        self._is_broken = False
        """Was the last document not readable? Frames without data are likely its rest, torn off by a raw line end."""

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
        sent = self._repeat(frame.raw)
        if sent is None:
            try:
                sent = self._read(frame)
            except Exception as error:
                # Whatever it was: an exception would lose the chunk or leave the client waiting for ever.
                self._answer.tally.saw_unreadable(str(error) or type(error).__name__)
                self._is_broken = True
                sent = b"" if self._answer.drops_unreadable else frame.raw
            self._sent_last = bool(sent)
        return sent

    def _read(self, frame: Frame) -> bytes:
        text = None if frame.data is None else decode(frame.data)
        if text is None:
            return self._read_without_data(frame)
        if self._answer.drops_unreadable:
            frame = Frame(frame.without_bare_json())
        return self._read_document(frame, text) if _is_document(text) else frame.raw

    def _read_document(self, frame: Frame, text: str) -> bytes:
        generation = self._answer.generation
        outcome = self._answer.rewrite(text, Extent.DELTA)
        self._is_broken = False
        sent = _framed(frame, outcome)
        if sent and outcome.edits:
            self._answer.tally.note_change(frame.raw, sent)
        if generation == self._answer.generation and len(frame.raw) <= LONGEST:
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

    def _read_without_data(self, frame: Frame) -> bytes:
        """Comments and fields; or a text that is no event, most often a gateway's error. People need to see it."""
        if frame.is_foreign and _is_document(decode(frame.raw)):
            return rewrite_body(frame.raw, self._answer)
        if not self._answer.drops_unreadable:
            return frame.raw
        return b"" if self._is_broken else frame.without_bare_json()


def _framed(frame: Frame, outcome: Outcome) -> bytes:
    if not outcome.is_sent:
        return b""
    return frame.with_data(outcome.edits) if outcome.edits else frame.raw


def _is_document(text: str) -> bool:
    """Is this meant to be JSON? `[DONE]` and its like, and other text, are not."""
    return text.lstrip(_BEFORE_JSON)[:1] in ("{", "[") and not _END_MARK.match(text)
