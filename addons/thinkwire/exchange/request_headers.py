"""Request headers that thinkwire itself acts on: AWS SigV4 signatures, and the control header `x-thinkwire`.

A signature is in a header or in the query. It covers the body and the headers that it names, which must reach the
provider unchanged. The control header is never passed on.
"""

import re
from typing import Final

from mitmproxy import http

_SCHEME: Final = re.compile(r"AWS4-[A-Z0-9-]+\s")
_NAMES: Final = re.compile(r"SignedHeaders=([^,\s]*)")


def is_signed(request: http.Request) -> bool:
    """Is the body covered by a signature?"""
    return _SCHEME.match(_authorization(request)) is not None or "X-Amz-Signature" in request.query


def signs_header(request: http.Request, name: str) -> bool:
    """Does the signature cover this header, given in lower case?"""
    if not is_signed(request):
        return False
    in_header = _NAMES.search(_authorization(request))
    names = in_header[1] if in_header else str(request.query.get("X-Amz-SignedHeaders", ""))
    return name in names.lower().split(";")


def ask_for_identity(request: http.Request) -> None:
    """Ask for an answer without a content coding; if the header is signed, the answer is decoded as it comes."""
    if not signs_header(request, "accept-encoding"):
        request.headers["accept-encoding"] = "identity"


def _authorization(request: http.Request) -> str:
    return str(request.headers.get("authorization", ""))


_NAME: Final = "x-thinkwire"


def take_control_header(request: http.Request) -> tuple[tuple[str, str], ...]:
    """Remove it from a request, and return it for the rules to see; if it is signed, it stays."""
    if _NAME not in request.headers or signs_header(request, _NAME):
        return ()
    taken = tuple((_NAME, str(value)) for value in request.headers.get_all(_NAME))
    del request.headers[_NAME]
    return taken
