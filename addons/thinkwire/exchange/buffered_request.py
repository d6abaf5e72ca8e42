"""Requests that `stream_large_bodies` would stream past the rules: buffered, and sent on once they have been read.

mitmproxy checks the size again with every piece of a body, so resetting `request.stream` is not enough. A callable is:
it keeps the pieces and passes on the edited body at the end. By then the headers have left, so they must not state a
length.
"""

import logging
from collections.abc import Callable

from mitmproxy import http

__all__ = ["buffer_request"]

logger = logging.getLogger(__name__)


def buffer_request(flow: http.HTTPFlow, on_complete: Callable[[http.HTTPFlow], None]) -> None:
    """Buffer the request's body from now on; `on_complete` may then edit it as if it had never been streamed."""
    headers = flow.request.headers
    headers.pop("content-length", None)
    headers["transfer-encoding"] = "chunked"
    headers["accept-encoding"] = "identity"  # only at the end it is known whether the answer is to be read
    flow.request.stream = _RequestBuffer(flow, on_complete)


class _RequestBuffer:
    """The callable to which mitmproxy gives each piece of the body, and an empty one at its end."""

    def __init__(self, flow: http.HTTPFlow, on_complete: Callable[[http.HTTPFlow], None]) -> None:
        self._flow = flow
        self._on_complete = on_complete
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
            self._on_complete(self._flow)
            return request.raw_content or b""
        except Exception:
            logger.exception("thinkwire failed on a request, please report this")
            return body
        finally:
            request.raw_content = None  # as for every streamed body
