"""The callables that mitmproxy hands each chunk of a streamed body, and an empty one at its end.

What they return never holds an empty piece, which mitmproxy would frame as the end of the body; and nothing may escape
them, for an exception loses the chunk or leaves the client waiting for ever.
"""

import logging
import time

from thinkwire.rewrite.stream import StreamRewriter

__all__ = ["ReplacingTap", "RewritingTap", "pass_on"]

logger = logging.getLogger(__name__)


class RewritingTap:
    """Sends what a rewriter makes of a body; or only watches it."""

    def __init__(self, rewriter: StreamRewriter, *, observes: bool, drops_unreadable: bool) -> None:
        self._rewriter = rewriter
        self._observes = observes
        self._drops_unreadable = drops_unreadable
        self.was_called = False

    def __call__(self, chunk: bytes) -> list[bytes]:
        self.was_called = True
        try:
            sent = self._rewriter.feed(chunk, time.monotonic()) if chunk else self._rewriter.finish()
        except Exception:
            logger.exception("thinkwire failed on a chunk, please report this")
            sent = [] if self._drops_unreadable else pass_on(chunk)
        return pass_on(chunk) if self._observes else sent


def pass_on(chunk: bytes) -> list[bytes]:
    """Hand a chunk on. Not `stream = True`: an empty DATA frame of HTTP/2 would end a chunked body."""
    return [chunk] if chunk else []


class ReplacingTap:
    """Sends another body, whatever comes."""

    def __init__(self, body: bytes) -> None:
        self._pieces = [body]

    def __call__(self, _chunk: bytes) -> list[bytes]:
        pieces, self._pieces = self._pieces, []
        return pieces
