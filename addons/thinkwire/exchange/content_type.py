"""What the headers of an answer say about its body: the type, the content coding, the length."""

import re
from typing import Final

from mitmproxy import http

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import streams_a_list
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.codings import Decoder, decoder_for

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
"""Parameters follow, or another type: some gateways add a second header to that of the provider."""


def media_type(message: http.Message) -> str:
    return _END_OF_TYPE.split(str(message.headers.get("content-type", "")), maxsplit=1)[0].strip().lower()


def content_coding(message: http.Message) -> str:
    return str(message.headers.get("content-encoding", ""))


def body_decoder(message: http.Message) -> Decoder | None:
    """A new decoder for the body; None if its content coding is not known."""
    return decoder_for(content_coding(message))


def stated_length(message: http.Message) -> int | None:
    """What content-length states; None if it is missing or cannot be true."""
    stated = message.headers.get_all("content-length")
    value = str(stated[0]).strip() if stated else ""
    return int(value) if value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS else None


def is_streaming(response: http.Response, request: RequestFacts) -> bool:
    """Is it of a type that is read piece by piece? Then it must never be buffered whole."""
    return media_type(response) in _STREAMING or (streams_a_list(request) and is_json(response))


def is_json(message: http.Message) -> bool:
    kind = media_type(message)
    return kind == "application/json" or kind.endswith("+json") or kind == "text/json"


def is_websocket(request: http.Request) -> bool:
    """Does it ask for an upgrade to a WebSocket?"""
    return str(request.headers.get("upgrade", "")).lower() == "websocket"


def may_have_body(request: http.Request, response: http.Response) -> bool:
    """Is this a successful answer with a body? All others pass as they are."""
    status = response.status_code
    return request.method != "HEAD" and 200 <= status < 300 and status not in (204, 205)


def content_hint(response: http.Response, request: RequestFacts) -> ContentHint | None:
    """How to read the body; None if no API would answer with such a body."""
    kind = media_type(response)
    if kind in _STREAMING:
        return _STREAMING[kind]
    if is_json(response):
        return ContentHint.LIST if streams_a_list(request) else ContentHint.JSON
    if request.stream and kind in ("", "text/plain"):
        return ContentHint.UNSURE
    return None
