"""Headers of an answer whose body changes: what they state must stay true, and a broken end must look broken."""

from typing import Final

from mitmproxy import http

_STALE: Final = ("content-length", "content-encoding", "etag", "digest", "content-digest", "repr-digest", "content-md5")
"""Headers that are wrong once the body has changed."""


def drop_stale(response: http.Response) -> None:
    for name in _STALE:
        response.headers.pop(name, None)


def frame_stream(request: http.Request, response: http.Response) -> None:
    """Frame a streamed body without a stated length so that a broken end can be distinguished from a good one.

    HTTP/2 has frames of its own, and HTTP/1.0 has no chunks: its only sign is the connection, see `sockets.py`.
    """
    if "content-length" in response.headers:
        return
    if request.http_version == "HTTP/1.1":
        response.headers["transfer-encoding"] = "chunked"
        if response.http_version == "HTTP/1.0":
            response.http_version = "HTTP/1.1"
    else:
        response.headers.pop("transfer-encoding", None)


def replace_body(request: http.Request, response: http.Response, body: bytes) -> None:
    """Replace a body that was buffered by another one, which has no content coding."""
    drop_stale(response)
    response.raw_content = body
    if request.http_version != "HTTP/1.1":
        response.headers.pop("transfer-encoding", None)
    if "transfer-encoding" not in response.headers:
        response.headers["content-length"] = str(len(body))


def make_error(response: http.Response, body: bytes) -> None:
    """Make it a 502 with a JSON body."""
    drop_stale(response)
    response.status_code, response.reason = 502, "Bad Gateway"
    response.headers["content-type"] = "application/json"
    response.headers.pop("transfer-encoding", None)
    response.headers["content-length"] = str(len(body))
    response.raw_content = body
