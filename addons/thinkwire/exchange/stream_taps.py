"""The callables to which mitmproxy gives each chunk of a streamed body, and an empty one at its end.

They never return an empty piece, which mitmproxy would frame as the end of the body; and they never raise, because an
exception loses the chunk or leaves the client waiting for ever.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator

from mitmproxy import http

from thinkwire.rewrite.stream.rewriter import StreamRewriter

type Tap = Callable[[bytes], Iterable[bytes] | bytes]

logger = logging.getLogger(__name__)


class RewritingTap:
    """Sends what a rewriter makes of a body; or, if it observes, the body as it came."""

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
    """Pass a chunk on. Not `stream = True`: an empty DATA frame of HTTP/2 would end a chunked body."""
    return [chunk] if chunk else []


def pieces_of(sent: Iterable[bytes] | bytes) -> Iterable[bytes]:
    """What a tap returned, piece by piece."""
    return pass_on(sent) if isinstance(sent, bytes) else sent


def replace_with(body: bytes) -> Tap:
    """Send another body, whatever comes."""
    pieces = iter([body])
    return lambda _chunk: [*pieces]


def split(tap: Tap, size: int) -> Tap:
    """Send what a tap sends, at once, in pieces of at most `size` bytes."""

    def pieces(chunk: bytes) -> Iterator[bytes]:
        for piece in pieces_of(tap(chunk)):
            yield from (piece[at : at + size] for at in range(0, len(piece), size))

    return pieces


def report_input(tap: Tap, on_chunk: Callable[[bytes], None]) -> Tap:
    """Report what comes, as it comes; the tap decides what is sent."""

    def reported(chunk: bytes) -> Iterable[bytes] | bytes:
        if chunk:
            on_chunk(chunk)
        return tap(chunk)

    return reported


def report_output(tap: Tap, on_piece: Callable[[bytes], None]) -> Tap:
    """Report what a tap sends, as it leaves: piece by piece, because there may be a fault between two."""

    def reported(chunk: bytes) -> Iterator[bytes]:
        for piece in pieces_of(tap(chunk)):
            on_piece(piece)
            yield piece

    return reported


class _TappedResponse(http.Response):
    """An answer that `stream_large_bodies` may decide to stream after its headers, when no hook is called any more."""

    _stream: Tap | bool = False
    _on_chunk: Callable[[bytes], None]

    @property
    def stream(self) -> Tap | bool:
        return self._stream

    @stream.setter
    def stream(self, value: Tap | bool) -> None:
        self._stream = report_input(value if callable(value) else pass_on, self._on_chunk) if value else False


def tap_input(response: http.Response, on_chunk: Callable[[bytes], None]) -> None:
    """Report each chunk of a body that is streamed, now or later. A body that mitmproxy buffers is not reported."""
    decided = response.stream
    response.__class__ = _TappedResponse
    assert isinstance(response, _TappedResponse)
    response._on_chunk = on_chunk
    response.stream = decided
