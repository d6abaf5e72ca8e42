"""Requests that `stream_large_bodies` would stream past the rules: buffered, and sent on once they have been read.

mitmproxy checks the size again with every piece of a body, so resetting `request.stream` is not enough. A callable is:
it keeps the pieces and passes on the edited body at the end. By then the headers have left, so they must not state a
length.
"""

import logging
from collections.abc import Callable

from mitmproxy import http

from thinkwire.exchange.stream_taps import pass_on

logger = logging.getLogger(__name__)


def buffer_request(flow: http.HTTPFlow, on_complete: Callable[[http.HTTPFlow], None]) -> None:
    """Buffer the request's body from now on; `on_complete` may then edit it as if it had never been streamed."""
    headers = flow.request.headers
    headers.pop("content-length", None)
    headers["transfer-encoding"] = "chunked"
    headers["accept-encoding"] = "identity"  # only at the end it is known whether the answer is to be read
    pieces: list[bytes] = []

    def buffer(piece: bytes) -> list[bytes]:
        """mitmproxy gives it each piece of the body, and an empty one at its end."""
        if piece:
            pieces.append(piece)
            return []
        body = b"".join(pieces)
        pieces.clear()
        return pass_on(_edited(flow, body, on_complete))

    flow.request.stream = buffer


def _edited(flow: http.HTTPFlow, body: bytes, on_complete: Callable[[http.HTTPFlow], None]) -> bytes:
    flow.request.raw_content = body
    try:
        on_complete(flow)
        return flow.request.raw_content or b""
    except Exception:
        logger.exception("thinkwire failed on a request, please report this")
        return body
    finally:
        flow.request.raw_content = None  # as for every streamed body
