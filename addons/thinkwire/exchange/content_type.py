"""What the headers of an answer say of its body."""

import re
from typing import Final

from mitmproxy import http

from thinkwire.rewrite.stream.rewriter import ContentHint

__all__ = [
    "is_json",
    "is_streaming",
    "is_websocket",
    "label_of",
    "may_have_body",
    "media_type",
    "stated_length",
]

_STREAMING: Final = {
    "text/event-stream": ContentHint.EVENTS,
    "application/vnd.amazon.eventstream": ContentHint.AWS,
    **dict.fromkeys(
        (
            "application/x-ndjson",
            "application/ndjson",
            "text/x-ndjson",
            "application/jsonl",
            "application/x-jsonl",
            "application/json-lines",
            "application/jsonlines",
            "application/x-jsonlines",
            "application/json-seq",
            "application/stream+json",
        ),
        ContentHint.LINES,
    ),
}
_MOST_DIGITS: Final = 18
_END_OF_TYPE: Final = re.compile("[;,]")
"""Parameters follow, or the type of another header: some gateways add one to that of the provider."""


def media_type(message: http.Message) -> str:
    return _END_OF_TYPE.split(str(message.headers.get("content-type", "")), maxsplit=1)[0].strip().lower()


def stated_length(message: http.Message) -> int | None:
    """What content-length says; None where it says nothing, or nothing that can be true."""
    stated = message.headers.get_all("content-length")
    value = str(stated[0]).strip() if stated else ""
    return int(value) if value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS else None


def is_streaming(message: http.Message, *, streams_a_list: bool) -> bool:
    """Is it of a type that is read piece by piece? Then it must never be buffered whole."""
    return media_type(message) in _STREAMING or (streams_a_list and is_json(message))


def is_json(message: http.Message) -> bool:
    kind = media_type(message)
    return kind == "application/json" or kind.endswith("+json") or kind == "text/json"


def is_websocket(request: http.Request) -> bool:
    """Does it ask for a WebSocket?"""
    return str(request.headers.get("upgrade", "")).lower() == "websocket"


def may_have_body(request: http.Request, response: http.Response) -> bool:
    """Is this a successful answer with a body? All others pass as they are."""
    status = response.status_code
    return request.method != "HEAD" and 200 <= status < 300 and status not in (204, 205)


def label_of(response: http.Response, *, asked_for_stream: bool, streams_a_list: bool) -> ContentHint | None:
    """How to read the body; None where it is not ours to read.

    `streams_a_list`: the request asks for a stream from an API that may send it as a list, labelled as JSON.
    """
    kind = media_type(response)
    if kind in _STREAMING:
        return _STREAMING[kind]
    if is_json(response):
        return ContentHint.LIST if streams_a_list else ContentHint.JSON
    if asked_for_stream and kind in ("", "text/plain"):
        return ContentHint.UNSURE
    return None
