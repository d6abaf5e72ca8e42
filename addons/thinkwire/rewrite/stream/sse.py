"""The events of a stream: bytes in, frames out. What the bytes are has been decided before (`sniff.py`)."""

import re
from collections.abc import Iterable
from typing import Final

from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.stream.documents import Documents, rewrite_body
from thinkwire.wire.json_tree import decode
from thinkwire.wire.sse import Frame, FrameSplitter

_BEFORE_JSON: Final = "\xef\xbb\xbf \t\r\n"
_END_MARK: Final = re.compile(r"\s*(?:\[\s*[A-Za-z_]+\s*\]\s*)+\Z")


class Events:
    """Rewrites server-sent events; `feed` and `finish` hand on no empty piece."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._answer = answer
        self._documents = Documents(answer)
        self._splitter = FrameSplitter()
        self._sent_last = True
        """Was the frame before sent? An LF that belongs to it shares its fate."""
        self._is_broken = False
        """Was the last document not readable? Frames without data are likely its rest, torn off by a raw line end."""

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        looked_up = b""
        if self._splitter.is_between_frames:
            if (sent := self._repeat(chunk)) is not None:
                return (sent,) if sent else ()
            looked_up = chunk
        return [sent for frame in self._splitter.feed(chunk) if (sent := self._rewrite(frame, looked_up))]

    def finish(self) -> Iterable[bytes]:
        last = [self._rewrite(frame) for frame in self._splitter.finish()]
        return [sent for sent in (*last, self._documents.finish()) if sent]

    def _repeat(self, raw: bytes) -> bytes | None:
        sent = self._documents.repeat(raw)
        if sent is not None:
            self._sent_last = bool(sent)
            self._is_broken = False
        return sent

    def _rewrite(self, frame: Frame, looked_up: bytes = b"") -> bytes:
        """The frame as it is to be sent, empty if it is not; `looked_up` is the one that the fast path has missed."""
        if frame.is_line_feed:
            return frame.raw if self._sent_last else b""
        sent = self._repeat(frame.raw) if frame.raw != looked_up else None
        if sent is None:
            try:
                sent = self._read(frame)
            except Exception as error:
                # Whatever it was: an exception would lose the chunk or leave the client waiting for ever.
                self._is_broken = True
                sent = self._documents.fail(error, frame.raw)
            self._sent_last = bool(sent)
        return sent

    def _read(self, frame: Frame) -> bytes:
        text = None if frame.data is None else decode(frame.data)
        if text is None:
            return self._read_without_data(frame)
        if self._answer.drops_unreadable:
            frame = Frame(frame.without_bare_json())
        if not is_document(text):
            # An end mark, most often: what is still held back has to be there before it.
            return self._documents.finish() + frame.raw
        sent = self._documents.read(frame, text)
        self._is_broken = False
        return sent

    def _read_without_data(self, frame: Frame) -> bytes:
        """Comments and fields; or a text that is no event, most often a gateway's error. People need to see it."""
        if frame.is_foreign and is_document(decode(frame.raw)):
            return rewrite_body(frame.raw, self._answer)
        if not self._answer.drops_unreadable:
            return frame.raw
        return b"" if self._is_broken else frame.without_bare_json()


def is_document(text: str) -> bool:
    """Is this meant to be JSON? `[DONE]` and its like, and other text, are not."""
    return text.lstrip(_BEFORE_JSON)[:1] in ("{", "[") and not _END_MARK.match(text)
