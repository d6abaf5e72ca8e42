"""The request header that is addressed to thinkwire; it never travels on."""

from typing import Final

from mitmproxy import http

from thinkwire.proxy.signature import signs_header

__all__ = ["take_our_header"]

_NAME: Final = "x-thinkwire"


def take_our_header(request: http.Request) -> tuple[tuple[str, str], ...]:
    """Take it out of a request, and answer it for the rules to see; a signed one stays."""
    if _NAME not in request.headers or signs_header(request, _NAME):
        return ()
    taken = tuple((_NAME, str(value)) for value in request.headers.get_all(_NAME))
    del request.headers[_NAME]
    return taken
