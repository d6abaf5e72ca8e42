"""The bytes of a streamed answer: chunks in, chunks out.

It undoes the coding and finds out what the bytes are: events, one JSON text, or not ours to read. It has no socket, no
clock and no log: time comes with each chunk.

The contract of `feed(chunk, now)` and `finish()`: a list of chunks to send, none of them empty; never an exception.
An event is handed on as soon as it is complete, and the output does not depend on how the input was cut (comments
that keep a connection alive aside).
"""

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.stream.aws import Messages
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.json_lines import Lines, ListElements
from thinkwire.rewrite.stream.sniff import BodyFormat, ContentHint, Sniffer
from thinkwire.rewrite.stream.sse import Events
from thinkwire.wire.codings import CodingError, Decoder
from thinkwire.wire.json_tree import encode
from thinkwire.wire.sse import comment


class Content(Protocol):
    """One way to read the decoded bytes; what it hands on holds no empty piece."""

    def feed(self, chunk: bytes) -> Iterable[bytes]: ...

    def finish(self) -> Iterable[bytes]: ...


class _Raw:
    """Bytes that are not ours to read."""

    def __init__(self, _answer: AnswerRewriter) -> None:
        pass

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
            # Not readable, or our own bug: nothing may escape, and what cannot be judged is not shown under strip.
            self._answer.tally.saw_unreadable(str(error) or type(error).__name__)
            if not self._answer.drops_unreadable:
                return (raw,)
            # Too late for another status: the headers are gone.
            return (encode(self._answer.error_text(502, "thinkwire could not read the answer and withheld it")),)


_CONTENTS: Final[dict[BodyFormat, Callable[[AnswerRewriter], Content]]] = {
    BodyFormat.EVENTS: Events,
    BodyFormat.LINES: Lines,
    BodyFormat.LIST: ListElements,
    BodyFormat.MESSAGES: Messages,
    BodyFormat.BODY: _Body,
    BodyFormat.RAW: _Raw,
}

type MakeContent = Callable[[BodyFormat, AnswerRewriter], Content]


def content_of(form: BodyFormat, answer: AnswerRewriter) -> Content:
    """The rewriting of a body that is made of this."""
    return _CONTENTS[form](answer)


class StreamRewriter:
    """Rewrites one streamed body; see the module's contract."""

    def __init__(
        self,
        answer: AnswerRewriter,
        hint: ContentHint,
        decoder: Decoder | None,
        keepalive: float,
        now: float,
        make_content: MakeContent = content_of,
    ) -> None:
        """`make_content` may put something around what `content_of` makes, to see each piece before and after."""
        self._answer = answer
        self._decoder = decoder
        self._sniffer = Sniffer(hint)
        self._make_content = make_content
        self._content: Content | None = None
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
        blanks, form, held = self._sniffer.feed(chunk)
        if form is not None:
            self._content = self._make_content(form, self._answer)
        sent = self._content.feed(held) if self._content is not None and held else ()
        return (blanks, *sent) if blanks else sent

    def finish(self) -> list[bytes]:
        if self._decoder is not None and not self._decoder.is_complete and not self._failed:
            self._answer.tally.saw_unreadable("the compressed body ends too early")
        if self._content is not None:
            return list(self._content.finish())
        form, held = self._sniffer.finish()
        content = self._make_content(form, self._answer)
        return [*content.feed(held), *content.finish()] if held else []

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
