"""The bytes of a streamed answer: chunks in, chunks out.

It undoes the coding and finds out what the bytes are: events, one JSON text, or nothing of ours. It has no socket, no
clock and no log: time comes with each chunk.

The contract of `feed(chunk, now)` and `finish()`: a list of chunks to send, none of them empty; never an exception.
An event is handed on as soon as it is complete, and the output does not depend on how the input was cut (comments
that keep a connection alive aside).
"""

import re
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final, Protocol

from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.aws import Messages
from thinkwire.rewrite.body import rewrite_body
from thinkwire.rewrite.events import Events
from thinkwire.rewrite.lines import Elements, Lines
from thinkwire.wire.codings import CodingError, Decoder
from thinkwire.wire.json_tree import encode
from thinkwire.wire.sse import comment

__all__ = ["Label", "StreamRewriter"]


class Label(Enum):
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


class _Content(Protocol):
    """One way to read the decoded bytes; what it hands on holds no empty piece."""

    def feed(self, chunk: bytes) -> Iterable[bytes]: ...

    def finish(self) -> Iterable[bytes]: ...


class _Raw:
    """Bytes that are not ours to read."""

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        return (chunk,)

    def finish(self) -> Iterable[bytes]:
        return ()


class _Body:
    """One JSON text, which can only be judged as a whole."""

    def __init__(self, answer: AnswerRewriter) -> None:
        self._answer = answer
        self._chunks: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        self._chunks.append(chunk)
        return ()

    def finish(self) -> Iterable[bytes]:
        raw = b"".join(self._chunks)
        self._chunks.clear()
        if not raw:
            return ()
        try:
            return (rewrite_body(raw, self._answer),)
        except Exception as error:
            # Not readable, or a bug of ours: nothing may escape, and what cannot be judged is not shown under strip.
            self._answer.tally.saw_unreadable(str(error) or type(error).__name__)
            if not self._answer.drops_unreadable:
                return (raw,)
            # Too late for another status: the headers are gone.
            return (encode(self._answer.error_text(502, "thinkwire could not read the answer and withheld it")),)


class _Beginning:
    """The first bytes, until they show what the rest is.

    Blanks say nothing and go on at once. A text that begins as JSON does is one, unless events follow it.
    """

    def __init__(self, label: Label, answer: AnswerRewriter) -> None:
        self._label = label
        self._answer = answer
        self._held = bytearray()
        self._is_json = False
        self._searched = 0

    def feed(self, chunk: bytes) -> tuple[bytes, _Content | None, bytes]:
        """The blanks to send, what to read the body with (None while that is open), and the bytes held until then."""
        self._held += chunk
        blanks = b"" if self._is_json else self._take_blanks()
        content = self._content()
        return blanks, content, bytes(self._held) if content is not None else b""

    def finish(self) -> Iterable[bytes]:
        rest = bytes(self._held)
        self._held.clear()
        if not self._is_json:
            return (rest,) if rest else ()
        body = _Body(self._answer)
        body.feed(rest)
        return body.finish()

    def _take_blanks(self) -> bytes:
        match = _BLANKS.match(self._held)
        blanks = match[0] if match is not None else b""
        del self._held[: len(blanks)]
        return bytes(blanks)

    def _content(self) -> _Content | None:
        if self._label in _SURE:
            return _SURE[self._label](self._answer)
        if self._is_json:
            return self._what_follows_json()
        match = _SIGN.match(self._held)
        if match is None:
            return None
        if self._label is Label.LIST:
            return Elements(self._answer) if match["json"] == b"[" else _Body(self._answer)
        if match["field"] or (self._label is Label.EVENTS and not match["json"]):
            return Events(self._answer)
        if self._label is Label.LINES:
            return Lines(self._answer)
        self._is_json = bool(match["json"])
        return self._content() if self._is_json else _Raw()

    def _what_follows_json(self) -> _Content | None:
        """No JSON text goes on with a field of an event, or with another object; such a body is no single text."""
        found = _SECOND.search(self._held, self._searched)
        if found is None:
            # Blanks between two objects are searched once more with each chunk; a few suffice to tell them apart.
            self._searched = max(self._searched, len(self._held) - _LONGEST_BETWEEN)
            return None
        return Events(self._answer) if found["field"] else Lines(self._answer)


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
_SURE: Final[dict[Label, Callable[[AnswerRewriter], _Content]]] = {
    Label.JSON: _Body,
    Label.AWS: Messages,
}


class StreamRewriter:
    """Rewrites one streamed body; see the module's contract."""

    __slots__ = ("_answer", "_beginning", "_content", "_decoder", "_failed", "_keepalive", "_last_sent")

    def __init__(
        self, answer: AnswerRewriter, label: Label, decoder: Decoder | None, keepalive: float, now: float
    ) -> None:
        self._answer = answer
        self._decoder = decoder
        self._beginning = _Beginning(label, answer)
        self._content: _Content | None = None
        self._keepalive = keepalive
        self._last_sent = now
        self._failed = False

    def feed(self, chunk: bytes, now: float) -> list[bytes]:
        if self._decoder is not None:
            chunk = self._decode(chunk, self._decoder)
        sent = list(self._feed(chunk)) if chunk else []
        if sent:
            self._last_sent = now
        elif now - self._last_sent >= self._keepalive and isinstance(self._content, Events):
            self._last_sent = now
            sent.append(comment("keep-alive"))
        return sent

    def _feed(self, chunk: bytes) -> Iterable[bytes]:
        if self._content is not None:
            return self._content.feed(chunk)
        blanks, self._content, held = self._beginning.feed(chunk)
        sent = self._content.feed(held) if self._content is not None and held else ()
        return (blanks, *sent) if blanks else sent

    def finish(self) -> list[bytes]:
        if self._decoder is not None and not self._decoder.is_complete and not self._failed:
            self._answer.tally.saw_unreadable("the compressed body ends too early")
        last = self._content if self._content is not None else self._beginning
        return list(last.finish())

    def _decode(self, chunk: bytes, decoder: Decoder) -> bytes:
        if self._failed:
            return b""
        try:
            return decoder.decode(chunk)
        except CodingError as error:
            # What follows cannot be decoded any more, and undecoded bytes must not be mixed in.
            self._failed = True
            self._answer.tally.saw_unreadable(f"the compressed body is damaged: {error}")
            return b""
