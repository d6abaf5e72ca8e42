"""Takes the secrets out of a recorded flow: credentials, whose account it is, whose machine. Values go, names stay.

In bodies and messages a value gives way to a text of the same length, so that stated lengths and the sizes of chunks
stay true. It edits the flow that it is given, which must be a copy.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final
from urllib.parse import quote, unquote, unquote_to_bytes

from mitmproxy import http
from mitmproxy.flow import Error
from mitmproxy.net import encoding

from thinkwire.wire.codings import CodingError, decoder_for

__all__ = ["MARKER", "NAMES", "NAMES_OUTSIDE_OF_JSON", "Redactor"]

MARKER: Final = "[removed]"

NAMES: Final = (
    # Of headers, members of the query and members of JSON alike, whatever their case. `-` stands for `-`, `_` or
    # nothing, `*` for anything.
    # --- credentials
    "authorization",
    "*-authorization",
    "*-auth",
    "api-key",
    "*-api-key",
    "*-api-token",
    "*-subscription-key",
    "*-functions-key",
    "*-virtual-key",
    "*-litellm-key",
    "*-access-key",
    "*-access-key-id",
    "*-access-token",
    "*-auth-token",
    "*-id-token",
    "*-refresh-token",
    "*-security-token",
    "*-session-token",
    "*-csrf-token",
    "*-xsrf-token",
    "*-private-token",
    "*-private-key",
    "*-secret",
    "*-password",
    "cookie",
    "set-cookie",
    # --- signatures of AWS and of Google's storage
    "x-amz-content-sha256",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-region-set",
    "x-amz-signature",
    "x-goog-credential",
    "x-goog-signature",
    # --- whose account it is
    "organization",
    "*-organization",
    "*-organization-id",
    "*-org-id",
    "openai-project",
    "x-goog-user-project",
    "*-account-id",
    "*-project-id",
    "*-tenant-id",
    "*-workspace-id",
    # --- whose machine it is
    "cf-connecting-ip",
    "forwarded",
    "true-client-ip",
    "x-client-ip",
    "x-forwarded-for",
    "x-real-ip",
)
"""Whose values are no one's business."""

NAMES_OUTSIDE_OF_JSON: Final = ("key", "token", "sig", "signature")
"""Of headers and of members of the query; in JSON these are everyday words."""

_LOOKALIKES: Final = re.compile(
    rb"""(?<![A-Za-z0-9])(
        (?:sk|csk|pplx|xai|nvapi)-[\w*.-]{4,}     # OpenAI, Anthropic and those who do as they do
      | (?:gsk|hf|r8|fw|tgp_v1|ghp|gho|github_pat)_\w{8,}   # Groq, Hugging Face, Replicate, ...
      | AIza[\w-]{4,} | ya29\.[\w-]{4,}                     # Google
      | (?:AKIA|ASIA|ABSK)[A-Z0-9a-z+/=]{12,}               # AWS
      | eyJ[\w-]{8,}\.[\w-]+\.[\w-]*                        # JSON web tokens
      | (?:org|proj|user|ws|acct)[-_](?=[A-Za-z]*[0-9])[\w-]{12,}  # whose account it is
    )""",
    re.VERBOSE,
)
"""What looks like a key, wherever it stands."""
_CREDENTIALS: Final = re.compile(rb"\b((?:Bearer|Basic)\s+)([^\s\"'\\,;<>]{8,})", re.IGNORECASE)
_QUERY: Final = re.compile(rb"([?&;])([\w.%-]{2,80})=([^&;#\s\"'\\<>]+)")
_MEMBER: Final = re.compile(rb'("([\w-]{2,64}+)"\s*+:\s*+")((?:[^"\\]|\\.)*+)', re.DOTALL)
_QUOTED_MEMBER: Final = re.compile(rb'((?:\\)+"([\w-]{2,64}+)(?:\\)+"\s*+:\s*+(?:\\)+")([^"\\]*+)')
"""A member of JSON that stands in a string, as gateways quote what a provider answered."""
_ERROR: Final = re.compile(rb'"error"\s*+:\s*+[{"\[]|"type"\s*+:\s*+"error"')
"""What a line has that reports an error in an answer that began well."""

_SCHEME: Final = re.compile(rb"(?:Bearer|Basic|Digest|Token|ApiKey|Key|AWS4-[A-Z0-9-]+)\s+", re.IGNORECASE)
"""Says nothing of the credential behind it; and whether a request is signed must be seen in a recording."""
_OF_SIGNATURE: Final = re.compile(rb"\b((?:Credential|Signature)=)([^,\s]+)")
_OF_COOKIE: Final = re.compile(rb"=([^;]+)")

_SHORTEST: Final = 12
"""Bytes of a credential that is looked for in all that was said; shorter ones (`EMPTY`, `lm-studio`) are words."""
_SHORTEST_IN_ERROR: Final = 4


class Redactor:
    """Knows the names whose values are secrets: the stated ones, and those of an option."""

    def __init__(self, further: Iterable[str] = ()) -> None:
        names = (*NAMES, *further)
        self._in_json = _fits(names)
        self._outside = _fits((*names, *NAMES_OUTSIDE_OF_JSON))

    def redact(self, flow: http.HTTPFlow) -> None:
        """Take the secrets out of everything in a flow that a peer or the user has written."""
        one = _Redaction(self._in_json, self._outside, flow.request)
        one.redact_message(flow.request, is_error=False)
        flow.request.data.path = one.line(flow.request.data.path)
        if flow.response is not None:
            one.redact_message(flow.response, is_error=flow.response.status_code >= 400)
        if flow.websocket is not None:
            for message in flow.websocket.messages:
                message.content = (one.asked if message.from_client else one.answered)(message.content)
            if flow.websocket.close_reason is not None:
                flow.websocket.close_reason = one.error(flow.websocket.close_reason.encode()).decode("utf-8", "replace")
        if flow.error is not None:
            flow.error = Error(one.error(flow.error.msg.encode()).decode("utf-8", "replace"), flow.error.timestamp)


class _Redaction:
    """That of one flow, whose request says which credentials may be echoed."""

    def __init__(
        self, in_json: Callable[[bytes], bool], outside: Callable[[bytes], bool], request: http.Request
    ) -> None:
        self._in_json = in_json
        self._outside = outside
        known = set(self._credentials(request))
        self._known = _any_of(one for one in known if len(one) >= _SHORTEST)
        self._known_in_error = _any_of(one for one in known if len(one) >= _SHORTEST_IN_ERROR)

    def _credentials(self, request: http.Request) -> Iterator[bytes]:
        """What the client sent that an answer must not repeat."""
        for name, value in request.headers.fields:
            if self._outside(name):
                yield from _credentials_in(value)
        for match in _QUERY.finditer(request.data.path):
            if self._outside(match[2]):
                yield match[3]
                yield unquote_to_bytes(match[3])

    # --- messages -----------------------------------------------------------------------------------------------

    def redact_message(self, message: http.Message, *, is_error: bool) -> None:
        message.headers.fields = tuple((name, self._header(name, value)) for name, value in message.headers.fields)
        if message.trailers is not None:
            message.trailers.fields = tuple(
                (name, self._header(name, value)) for name, value in message.trailers.fields
            )
        if not message.raw_content:
            return
        edit = self.asked if isinstance(message, http.Request) else self.error if is_error else self.answered
        before = message.raw_content
        after = _within_coding(before, message.headers.get("content-encoding", ""), edit, may_pass=not is_error)
        message.raw_content = after
        if len(after) != len(before) and "content-length" in message.headers:
            message.headers["content-length"] = str(len(after))

    def _header(self, name: bytes, value: bytes) -> bytes:
        if not self._outside(name):
            return self.line(value)
        scheme = _SCHEME.match(value)
        kept, rest = (scheme[0], value[scheme.end() :]) if scheme else (b"", value)
        if kept.upper().startswith(b"AWS4"):
            return kept + _OF_SIGNATURE.sub(rb"\1" + MARKER.encode(), rest)
        return kept + MARKER.encode() if rest else value

    def line(self, text: bytes) -> bytes:
        """A path, or a header whose name says nothing; its length does not matter."""
        text = self._query(text, lambda _value: MARKER.encode())
        text = self._known.sub(MARKER.encode(), text)
        text = _CREDENTIALS.sub(rb"\1" + MARKER.encode(), text)
        return _LOOKALIKES.sub(MARKER.encode(), text)

    # --- bodies; each keeps its length --------------------------------------------------------------------------

    def asked(self, body: bytes) -> bytes:
        """What a client asks: its text is its own, but members that are named like secrets are some."""
        return self._known.sub(_blank_all, _MEMBER.sub(partial(self._member, self._in_json), body))

    def answered(self, body: bytes) -> bytes:
        """What a model says is no secret; what is said of an error may hold one."""
        body = self._known.sub(_blank_all, body)
        if not _ERROR.search(body):
            return body
        return b"\n".join(self.error(line) if _ERROR.search(line) else line for line in body.split(b"\n"))

    def error(self, body: bytes) -> bytes:
        """An error may repeat what was sent, and say whose account it was."""
        body = _MEMBER.sub(partial(self._member, self._in_json), body)
        body = _QUOTED_MEMBER.sub(partial(self._member, self._in_json), body)
        body = self._query(body, _blank)
        body = self._known_in_error.sub(_blank_all, body)
        body = _CREDENTIALS.sub(lambda match: match[1] + _blank(match[2]), body)
        return _LOOKALIKES.sub(_blank_all, body)

    def _query(self, text: bytes, instead: Callable[[bytes], bytes]) -> bytes:
        def edited(match: re.Match[bytes]) -> bytes:
            is_secret = self._outside(match[2])
            return match[1] + match[2] + b"=" + instead(match[3]) if is_secret else match[0]

        return _QUERY.sub(edited, text)

    @staticmethod
    def _member(is_secret: Callable[[bytes], bool], match: re.Match[bytes]) -> bytes:
        return match[1] + _blank(match[3]) if is_secret(match[2]) else match[0]


def _fits(names: Iterable[str]) -> Callable[[bytes], bool]:
    """A test for names."""
    pattern = re.compile("|".join(_pattern(name) for name in names if name.strip()), re.IGNORECASE)
    known: dict[bytes, bool] = {}

    def fits(name: bytes) -> bool:
        if name not in known:
            if len(known) > 1000:  # the names of members may be anything
                known.clear()
            known[name] = pattern.fullmatch(unquote(name.decode("latin-1"))) is not None
        return known[name]

    return fits


def _pattern(name: str) -> str:
    """`*-api-key` also fits `api-key`."""
    name = name.strip().lower()
    return "".join("[-_]?" if one in "-_" else r"[\w.-]*" if one == "*" else re.escape(one) for one in name)


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
    """A pattern for these texts, as they are and as JSON and addresses write them; matches nothing without any."""
    spellings: set[bytes] = set()
    for one in credentials:
        escaped = json.dumps(one.decode("utf-8", "surrogateescape"))[1:-1].encode("utf-8", "replace")
        spellings |= {one, escaped, escaped.replace(b"/", b"\\/"), quote(one, safe="").encode()}
    longest_first = sorted(spellings, key=len, reverse=True)
    return re.compile(b"|".join(map(re.escape, longest_first)) if longest_first else rb"(?!)")


def _blank(value: bytes) -> bytes:
    """A text of the same length."""
    return MARKER.encode().ljust(len(value), b"-") if len(value) >= len(MARKER) else b"-" * len(value)


def _blank_all(match: re.Match[bytes]) -> bytes:
    return _blank(match[0])


def _within_coding(body: bytes, coding: str, edit: Callable[[bytes], bytes], *, may_pass: bool) -> bytes:
    """The body after an edit of what it says, in the same coding.

    One that cannot be read holds no secret that anybody can read; where it `may_pass`, it does.
    """
    decoder = decoder_for(coding)
    if decoder is None:
        return body if may_pass else b""
    if decoder.is_identity:
        return edit(body)
    try:
        before = decoder.decode(body)
    except CodingError:
        return body if may_pass else b""
    after = edit(before)
    if after == before:
        return body
    for one in filter(None, (name.strip().lower() for name in coding.split(","))):
        after = encoding.encode(after, one.removeprefix("x-"))
    return after
