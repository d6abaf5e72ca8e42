"""Who asks: a digest of whichever credential a request carries, else of the client's address.

What is remembered for one caller is never seen by another. The credential itself is never kept, and the digest means
nothing in another run.
"""

import secrets
from hashlib import blake2b
from typing import Final

from mitmproxy import http

__all__ = ["caller_of"]

_HEADERS: Final = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
_SECRET: Final = secrets.token_bytes(32)


def caller_of(flow: http.HTTPFlow) -> bytes:
    """The caller's digest; the same for all requests with the same credential."""
    request = flow.request
    credentials = ((name, request.headers.get(name)) for name in _HEADERS)
    kind, value = next(((name, value) for name, value in credentials if value), ("key", request.query.get("key")))
    if not value:
        address = flow.client_conn.peername
        kind, value = "address", address[0] if address else ""
    return blake2b(f"{kind}\0{value}".encode("utf-8", "surrogateescape"), key=_SECRET, digest_size=16).digest()
