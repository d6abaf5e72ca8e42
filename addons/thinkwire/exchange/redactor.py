"""Removes the secrets from a recorded flow: credentials, and what identifies an account or a machine. Names stay.

In bodies and messages a value is replaced by a text of the same length, so that stated lengths and the sizes of chunks
stay true. It edits the flow that it is given, which must be a copy.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from mitmproxy import http
from mitmproxy.flow import Error
from mitmproxy.net import encoding

from thinkwire.exchange.secret_patterns import (
    LOOKALIKES,
    NAMES,
    NAMES_IN_ERRORS,
    NAMES_OUTSIDE_OF_JSON,
    TELLTALES,
    fitting,
)
from thinkwire.wire.codings import CodingError, decoder_for

MARKER: Final = "[removed]"

_CREDENTIALS: Final = re.compile(rb"\b((?:Bearer|Basic)\s+)([^\s\"'\\,;<>]{8,})", re.IGNORECASE)
_QUERY: Final = re.compile(rb"([?&;#]|\\u0026)([\w.%-]{1,80})=([^&;#\s\"'\\<>]+)")
_URL: Final = re.compile(rb"(?:https?|wss?):(?:\\?/){2}(?:[^\s\"'\\<>]|\\/|\\u0026)+")
_OF_USER: Final = re.compile(rb"(://[^/\s:@\"'\\]{0,80}:)([^/\s@\"'\\]+)(?=@)")
"""The password before a host."""
_MEMBER: Final = re.compile(rb'("([\w.-]{1,64}+)"\s*+:\s*+(?:\{\s*+"value"\s*+:\s*+)?")((?:[^"\\]|\\.)*+)', re.DOTALL)
_LIST_MEMBER: Final = re.compile(
    rb'("([\w.-]{1,64}+)"\s*+:\s*+\[)((?:[\s,]*+"(?:[^"\\]|\\.)*+")++)(?=\s*+\])', re.DOTALL
)
_STRING: Final = re.compile(rb'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_NUMBER_MEMBER: Final = re.compile(rb'("([\w.-]{1,64}+)"\s*+:\s*+)(-?[0-9][0-9.eE+-]*+)')
_DIGIT: Final = re.compile(rb"[0-9]")
_QUOTED_MEMBER: Final = re.compile(rb'((?:\\)+"([\w-]{2,64}+)(?:\\)+"\s*+:\s*+(?:\\)+")([^"\\]*+)')
"""A member of JSON inside a string: gateways quote what a provider answered."""
_ERROR: Final = re.compile(rb'"errors?"\s*+:\s*+[{"\[]|"type"\s*+:\s*+"error"|^event:\s*+error', re.MULTILINE)
"""How an event reports an error in an answer that began well."""
_BETWEEN_EVENTS: Final = re.compile(rb"((?:\r?\n){2,})")

_SCHEME: Final = re.compile(rb"(?:Bearer|Basic|Digest|Token|ApiKey|Key|AWS4-[A-Z0-9-]+)\s+", re.IGNORECASE)
"""It reveals nothing about the credential after it, and a recording must show whether a request is signed."""
_OF_SIGNATURE: Final = re.compile(rb"\b((?:Credential|Signature)=)([^,\s]+)")
_OF_PROTOCOL: Final = re.compile(rb"((?:key|secret|token|organization|project|authorization[\w.]*)\.)([^,\s]+)")
"""Browsers cannot set headers of a WebSocket, and put credentials into the names of subprotocols instead."""
_OF_COOKIE: Final = re.compile(rb"=([^;]+)")

_SHORTEST: Final = 12
"""Bytes of a credential that is looked for everywhere; shorter ones (`EMPTY`, `lm-studio`) are words."""
_SHORTEST_IN_ERROR: Final = 4


class Redactor:
    """Knows the names whose values are secrets: those of the tables, and those of an option."""

    def __init__(self, further: Iterable[str] = ()) -> None:
        names = (*NAMES, *further)
        self.in_json = fitting(names)
        self.in_errors = fitting((*names, *NAMES_IN_ERRORS))
        self.outside = fitting((*names, *NAMES_OUTSIDE_OF_JSON))

    def redact(self, flow: http.HTTPFlow) -> None:
        """Remove the secrets from everything in a flow that a peer or the user has written."""
        one = _Redaction(self, flow.request)
        one.redact_message(flow.request, is_error=False)
        flow.request.data.path = one.line(flow.request.data.path)
        if flow.response is not None:
            one.redact_message(flow.response, is_error=flow.response.status_code >= 400)
        if flow.websocket is not None:
            for message in flow.websocket.messages:
                message.content = (one.request_body if message.from_client else one.answer_body)(message.content)
            if flow.websocket.close_reason is not None:
                flow.websocket.close_reason = one.error_text(flow.websocket.close_reason)
        if flow.error is not None:
            flow.error = Error(one.error_text(flow.error.msg), flow.error.timestamp)

    def address(self, url: str) -> str:
        """A URL without its secrets."""
        text = _without_secrets(url.encode("utf-8", "surrogateescape"), self.outside)
        return LOOKALIKES.sub(MARKER.encode(), text).decode("utf-8", "replace")


class _Redaction:
    """The redaction of one flow, whose request holds the credentials that an answer may echo."""

    def __init__(self, names: Redactor, request: http.Request) -> None:
        self._names = names
        known = set(self._credentials(request))
        self._known = _any_of(one for one in known if len(one) >= _SHORTEST)
        self._known_in_error = _any_of(one for one in known if len(one) >= _SHORTEST_IN_ERROR)

    def _credentials(self, request: http.Request) -> Iterator[bytes]:
        """What the client sent that an answer must not repeat."""
        for name, value in request.headers.fields:
            if self._names.outside(name):
                yield from _credentials_in(value)
            elif name.lower() == b"sec-websocket-protocol":
                yield from (match[2] for match in _OF_PROTOCOL.finditer(value))
        body = request.get_content(strict=False) or b""
        # Some servers repeat the tools of the request in each answer, with the credentials for them.
        for text in (request.data.path, *(match[0] for match in _URL.finditer(body))):
            yield from self._credentials_in_query(text)
        for match in _MEMBER.finditer(body):
            if self._names.in_json(match[2]):
                yield from _credentials_in(match[3])

    def _credentials_in_query(self, text: bytes) -> Iterator[bytes]:
        for match in _QUERY.finditer(text):
            if self._names.outside(match[2]):
                yield match[3]
                yield unquote_to_bytes(match[3])

    # --- messages -----------------------------------------------------------------------------------------------

    def redact_message(self, message: http.Message, *, is_error: bool) -> None:
        for headers in (message.headers, message.trailers or http.Headers()):
            headers.fields = tuple((name, self._header(name, value)) for name, value in headers.fields)
        if not message.raw_content:
            return
        edit = self.error_body if is_error else self.answer_body
        if isinstance(message, http.Request):
            edit = self.request_body
        before = message.raw_content
        after = _within_coding(before, message.headers.get("content-encoding", ""), edit, may_pass=not is_error)
        message.raw_content = after
        if len(after) != len(before) and "content-length" in message.headers:
            message.headers["content-length"] = str(len(after))

    def _header(self, name: bytes, value: bytes) -> bytes:
        if name.lower() == b"sec-websocket-protocol":
            value = _OF_PROTOCOL.sub(rb"\1" + MARKER.encode(), value)
        if not self._names.outside(name):
            return self.line(value)
        scheme = _SCHEME.match(value)
        kept, rest = (scheme[0], value[scheme.end() :]) if scheme else (b"", value)
        if kept.upper().startswith(b"AWS4"):
            return kept + _OF_SIGNATURE.sub(rb"\1" + MARKER.encode(), rest)
        return kept + MARKER.encode() if rest else value

    def line(self, text: bytes) -> bytes:
        """A path, or a header whose name is harmless; its length does not matter."""
        text = _without_secrets(text, self._names.outside)
        text = self._known.sub(MARKER.encode(), text)
        text = _CREDENTIALS.sub(rb"\1" + MARKER.encode(), text)
        return LOOKALIKES.sub(MARKER.encode(), text)

    # --- bodies; each keeps its length --------------------------------------------------------------------------

    def request_body(self, body: bytes) -> bytes:
        """A request: the user's text stays, but members that are named like secrets are taken for secrets."""
        body = _URL.sub(lambda match: self._url(match[0]), self._members(self._names.in_json, body))
        return self._known.sub(_blank_all, body)

    def _url(self, text: bytes) -> bytes:
        return _without_secrets(text, self._names.outside, _blank)

    def answer_body(self, body: bytes) -> bytes:
        """An answer: what a model says is not secret, but an error may hold a secret."""
        body = self._known.sub(_blank_all, body)
        if not _ERROR.search(body):
            return body
        return b"".join(self.error_body(one) if _ERROR.search(one) else one for one in _BETWEEN_EVENTS.split(body))

    def error_body(self, body: bytes) -> bytes:
        """An error may repeat what was sent, and name the account."""
        body = self._members(self._names.in_errors, body)
        body = _QUOTED_MEMBER.sub(partial(self._member, self._names.in_errors), body)
        body = self._url(body)
        body = self._known_in_error.sub(_blank_all, body)
        body = _CREDENTIALS.sub(lambda match: match[1] + _blank(match[2]), body)
        return TELLTALES.sub(_blank_all, LOOKALIKES.sub(_blank_all, body))

    def error_text(self, text: str) -> str:
        return self.error_body(text.encode()).decode("utf-8", "replace")

    def _members(self, is_secret: Callable[[bytes], bool], body: bytes) -> bytes:
        """Members of JSON that hold a text, an object around one, a list of texts, or a number."""
        body = _MEMBER.sub(partial(self._member, is_secret), body)
        body = _LIST_MEMBER.sub(partial(_blank_list, is_secret), body)
        return _NUMBER_MEMBER.sub(partial(_blank_number, is_secret), body)

    @staticmethod
    def _member(is_secret: Callable[[bytes], bool], match: re.Match[bytes]) -> bytes:
        return match[1] + _blank(match[3]) if is_secret(match[2]) else match[0]


def _without_secrets(
    text: bytes, is_secret: Callable[[bytes], bool], instead: Callable[[bytes], bytes] = lambda _: MARKER.encode()
) -> bytes:
    """Text without the secrets in the queries of its URLs, and without passwords before hosts."""

    def edited(match: re.Match[bytes]) -> bytes:
        return match[1] + match[2] + b"=" + instead(match[3]) if is_secret(match[2]) else match[0]

    return _OF_USER.sub(lambda match: match[1] + instead(match[2]), _QUERY.sub(edited, text))


def _credentials_in(value: bytes) -> Iterator[bytes]:
    """What is secret in the value of a header."""
    scheme = _SCHEME.match(value)
    rest = value[scheme.end() :] if scheme else value
    if scheme and scheme[0].upper().startswith(b"AWS4"):
        for match in _OF_SIGNATURE.finditer(rest):
            yield match[2]
            yield match[2].partition(b"/")[0]
        return
    yield rest
    yield from (match[1] for match in _OF_COOKIE.finditer(rest))
    if scheme and scheme[0].lower().startswith(b"basic"):
        try:
            pair = base64.b64decode(rest, validate=True)
        except binascii.Error:
            return
        yield pair
        yield pair.partition(b":")[2]


def _any_of(credentials: Iterable[bytes]) -> re.Pattern[bytes]:
    """A pattern for these texts, as they are and as JSON and URLs spell them; without any, it matches nothing."""
    spellings: set[bytes] = set()
    for one in credentials:
        escaped = json.dumps(one.decode("utf-8", "surrogateescape"))[1:-1].encode("utf-8", "replace")
        spellings |= {one, escaped, escaped.replace(b"/", b"\\/"), quote(one, safe="").encode()}
        spellings.add(base64.b64encode(one).rstrip(b"="))
    longest_first = sorted(spellings, key=len, reverse=True)
    return re.compile(b"|".join(map(re.escape, longest_first)) if longest_first else rb"(?!)")


def _blank(value: bytes) -> bytes:
    """A text of the same length."""
    return MARKER.encode().ljust(len(value), b"-") if len(value) >= len(MARKER) else b"-" * len(value)


def _blank_list(is_secret: Callable[[bytes], bool], match: re.Match[bytes]) -> bytes:
    if not is_secret(match[2]):
        return match[0]
    return match[1] + _STRING.sub(lambda text: b'"' + _blank(text[1]) + b'"', match[3])


def _blank_number(is_secret: Callable[[bytes], bool], match: re.Match[bytes]) -> bytes:
    """Digits stay digits, or it would not be JSON any more."""
    return match[1] + _DIGIT.sub(b"1", match[3]) if is_secret(match[2]) else match[0]


def _blank_all(match: re.Match[bytes]) -> bytes:
    return _blank(match[0])


def _within_coding(body: bytes, coding: str, edit: Callable[[bytes], bytes], *, may_pass: bool) -> bytes:
    """The body after an edit of its content, in the same coding.

    If it cannot be decoded and `may_pass`, its raw bytes are edited instead: the header may be wrong.
    """
    decoder = decoder_for(coding)
    if decoder is not None and decoder.is_identity:
        return edit(body)
    try:
        before = decoder.decode(body) if decoder is not None else None
    except CodingError:
        before = None
    if before is None:
        return edit(body) if may_pass else b""
    after = edit(before)
    if after == before:
        return body
    for one in filter(None, (name.strip().lower() for name in coding.split(","))):
        after = encoding.encode(after, one.removeprefix("x-"))
    return after
