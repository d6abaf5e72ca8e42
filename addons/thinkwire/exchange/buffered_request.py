"""Requests that `stream_large_bodies` would take past us: collected whole, and sent on once they have been read.

mitmproxy looks at the size once more with every piece of a body, so resetting `request.stream` is not enough. A
callable of our own is: it keeps the pieces and hands on the edited body at the end. The headers have left by then, and
so must not state a length.
"""

import logging
from collections.abc import Callable

from mitmproxy import http

__all__ = ["collect"]

logger = logging.getLogger(__name__)


def collect(flow: http.HTTPFlow, when_whole: Callable[[http.HTTPFlow], None]) -> None:
    """Collect the request's body from now on; `when_whole` may then edit it as if it had never been streamed."""
    headers = flow.request.headers
    headers.pop("content-length", None)
    headers["transfer-encoding"] = "chunked"
    headers["accept-encoding"] = "identity"  # whether the answer is to be read is only known at the end
    flow.request.stream = _Collector(flow, when_whole)


class _Collector:
    """The callable that mitmproxy hands each piece of the body, and an empty one at its end."""

    def __init__(self, flow: http.HTTPFlow, when_whole: Callable[[http.HTTPFlow], None]) -> None:
        self._flow = flow
        self._when_whole = when_whole
        self._pieces: list[bytes] = []

    def __call__(self, piece: bytes) -> list[bytes]:
        if piece:
            self._pieces.append(piece)
            return []
        body = b"".join(self._pieces)
        self._pieces.clear()
        return [body] if (body := self._edited(body)) else []

    def _edited(self, body: bytes) -> bytes:
        request = self._flow.request
        request.raw_content = body
        try:
            self._when_whole(self._flow)
            return request.raw_content or b""
        except Exception:
            logger.exception("thinkwire failed on a request, please report this")
            return body
        finally:
            request.raw_content = None  # as for every streamed body
