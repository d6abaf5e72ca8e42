"""What is sent for each event of an answer, noted while an exchange rewrites it."""

from collections.abc import Iterable
from typing import NamedTuple

from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.reading.event_reader import Event, FrameReader, raw_of
from thinkwire.rewrite.stream.rewriter import Content, content_of
from thinkwire.rewrite.stream.sniff import BodyFormat


class EventPair(NamedTuple):
    """An event of the provider's, and what the client gets for it."""

    event: Event | None
    """None for what is sent between two events, or after the last one."""
    sent: list[Event]
    """Numbered as the client counts them. A copy of the event if no rule changed it; nothing if it is not sent."""


class PairRecorder:
    """Notes the pairs of one streamed body: its `content` is what the exchange reads the body with."""

    def __init__(self) -> None:
        self.pairs: list[EventPair] = []
        self.form: BodyFormat | None = None
        """What the body is made of; None until that is known."""
        self.now: float | None = None
        """When the chunk that is being rewritten came, in seconds since the request."""

    def content(self, form: BodyFormat, answer: AnswerRewriter) -> Content:
        self.form = form
        return _PairedContent(self, form, content_of(form, answer))


class _PairedContent:
    """Hands a body on part by part, so that what comes back for a part is what is sent for it."""

    def __init__(self, recorder: PairRecorder, form: BodyFormat, content: Content) -> None:
        self._recorder = recorder
        self._content = content
        self._provider, self._client = FrameReader.of(form), FrameReader.of(form)

    def feed(self, chunk: bytes) -> Iterable[bytes]:
        sent: list[bytes] = []
        for part, event in self._provider.feed_parts(chunk, self._recorder.now):
            pieces = list(self._content.feed(raw_of(part)))
            self._note(event, self._read(pieces))
            sent += pieces
        return sent

    def finish(self) -> Iterable[bytes]:
        """The last part may lack its end; what it is rewritten to comes with what is sent at the end of the answer."""
        sent: list[bytes] = []
        last: Event | None = None
        read: list[Event] = []
        for part, event in self._provider.finish_parts():
            self._note(last, read)
            pieces = list(self._content.feed(raw_of(part)))
            last, read = event, self._read(pieces)
            sent += pieces
        pieces = list(self._content.finish())
        self._note(last, [*read, *self._read(pieces), *self._client.finish()])
        return [*sent, *pieces]

    def _read(self, pieces: list[bytes]) -> list[Event]:
        return self._client.feed(b"".join(pieces), self._recorder.now) if pieces else []

    def _note(self, event: Event | None, sent: list[Event]) -> None:
        if event is not None or sent:
            self._recorder.pairs.append(EventPair(event, sent))
