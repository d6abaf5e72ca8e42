"""The first bytes of a body, until they show what it is: events, lines, a list, one JSON text, or not ours to read.

It does not read documents and does not cut the body into them.
"""

import re
from enum import Enum
from typing import Final


class ContentHint(Enum):
    """What the headers say of the body."""

    EVENTS = "events"
    UNSURE = "unsure"
    """Text of some kind, for a request that asked for a stream: the first bytes decide."""
    JSON = "json"
    LIST = "list"
    """JSON, for a request whose stream is a list that comes element by element; an error may still be an object."""
    LINES = "lines"
    AWS = "aws"
    """Frames of the AWS event stream."""


class BodyFormat(Enum):
    """What a body is made of."""

    EVENTS = "events"
    LINES = "lines"
    LIST = "list"
    MESSAGES = "messages"
    """Of the AWS event stream."""
    BODY = "body"
    """One JSON text."""
    RAW = "raw"
    """Bytes that are not ours to read."""


class Sniffer:
    """The first bytes, until they show what the rest is.

    Blanks say nothing and go on at once. A text that begins as JSON does is one, unless events follow it.
    """

    def __init__(self, hint: ContentHint) -> None:
        self._hint = hint
        self._held = bytearray()
        self._is_json = False
        self._searched = 0

    def feed(self, chunk: bytes) -> tuple[bytes, BodyFormat | None, bytes]:
        """The blanks to send, what the body is made of (None while that is open), and the bytes held until then."""
        self._held += chunk
        blanks = b"" if self._is_json else self._take_blanks()
        form = self._form()
        return blanks, form, bytes(self._held) if form is not None else b""

    def finish(self) -> tuple[BodyFormat, bytes]:
        """What a body is that ended before it showed it, and the bytes held until then."""
        rest = bytes(self._held)
        self._held.clear()
        return BodyFormat.BODY if self._is_json else BodyFormat.RAW, rest

    def _take_blanks(self) -> bytes:
        match = _BLANKS.match(self._held)
        blanks = match[0] if match is not None else b""
        del self._held[: len(blanks)]
        return bytes(blanks)

    def _form(self) -> BodyFormat | None:
        if self._hint in _SURE:
            return _SURE[self._hint]
        if self._is_json:
            return self._what_follows_json()
        match = _SIGN.match(self._held)
        if match is None:
            return None
        if self._hint is ContentHint.LIST:
            return BodyFormat.LIST if match["json"] == b"[" else BodyFormat.BODY
        if match["field"] or (self._hint is ContentHint.EVENTS and not match["json"]):
            return BodyFormat.EVENTS
        if self._hint is ContentHint.LINES:
            return BodyFormat.LINES
        self._is_json = bool(match["json"])
        return self._form() if self._is_json else BodyFormat.RAW

    def _what_follows_json(self) -> BodyFormat | None:
        """No JSON text goes on with a field of an event, or with another object; such a body is no single text."""
        found = _SECOND.search(self._held, self._searched)
        if found is None:
            # Blanks between two objects are searched once more with each chunk; a few suffice to tell them apart.
            self._searched = max(self._searched, len(self._held) - _LONGEST_BETWEEN)
            return None
        return BodyFormat.EVENTS if found["field"] else BodyFormat.LINES


_BLANKS: Final = re.compile(rb"(?:\xef\xbb\xbf)?[\x1e \t\r\n]*+")
"""A record separator, which leads the lines of some, is one, too."""
_SIGN: Final = re.compile(
    rb"(?P<json>[{\[])|(?P<field>:|data:|event:|id:|retry:)"
    rb"|(?P<other>(?!(?:d(?:a(?:ta?)?)?|e(?:v(?:e(?:nt?)?)?)?|id?|r(?:e(?:t(?:ry?)?)?)?|\xef\xbb?)\Z).)",
    re.DOTALL,
)
"""The first sign of what a body is; no match while the bytes could still become a field or a byte order mark."""
_SECOND: Final = re.compile(rb"[\r\n](?P<field>(?:data|event):)|\}[ \t\r]{0,8}\n(?:\xef\xbb\xbf|[\x1e \t\r\n]){0,8}\{")
_LONGEST_BETWEEN: Final = 36
_SURE: Final = {ContentHint.JSON: BodyFormat.BODY, ContentHint.AWS: BodyFormat.MESSAGES}
