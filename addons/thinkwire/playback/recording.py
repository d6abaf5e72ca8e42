"""The exchanges of a mitmproxy flow file or a HAR, including those that could not be replayed.

What an answer says is read in `reading.py`; exchanges for replay are read in `proxy/replay/recordings.py`.
"""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from mitmproxy import http
from mitmproxy.websocket import WebSocketMessage

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import DIALECTS, request_facts
from thinkwire.exchange.content_type import (
    body_decoder,
    content_coding,
    content_hint,
    may_have_body,
    media_type,
    stated_length,
)
from thinkwire.exchange.redactor import Redactor
from thinkwire.playback.chunk_times import CHUNKS, cut_as_noted, is_time, noted_times
from thinkwire.playback.flow_reader import read_flows
from thinkwire.rewrite.reading.event_reader import Event, FrameReader
from thinkwire.rewrite.stream.sniff import BodyFormat, ContentHint
from thinkwire.wire.json_tree import decode

_REDACTOR: Final = Redactor()


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes that arrived together."""

    time: float | None
    """Seconds since the request; None if it was not recorded."""
    raw: bytes


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The body of an answer, cut into its events."""

    events: list[Event]
    form: BodyFormat | None = None
    """What it is made of; None if it was not read."""
    damage: str = ""
    """Why it cannot be decoded to its end; empty if it can."""


@dataclass(frozen=True)
class RecordedExchange:
    """One exchange of a file."""

    number: int
    """Its place in the file, from 1."""
    flow: http.HTTPFlow

    @property
    def method(self) -> str:
        return self.flow.request.method

    @property
    def url(self) -> str:
        """Without the secrets that some APIs take in it: what is shown here is often passed on."""
        return _REDACTOR.address(self.flow.request.pretty_url)

    @property
    def status(self) -> int | None:
        """None if there was no answer."""
        return self.flow.response.status_code if self.flow.response is not None else None

    @property
    def content_type(self) -> str:
        return media_type(self.flow.response) if self.flow.response is not None else ""

    @property
    def messages(self) -> int:
        """The number of messages, from both sides, on a WebSocket; 0 if it is not one."""
        return len(self.flow.websocket.messages) if self.flow.websocket is not None else 0

    @property
    def is_kept(self) -> bool:
        """Is the answer's body in the file?"""
        return self.flow.response is not None and self.flow.response.raw_content is not None

    @property
    def failure(self) -> str:
        """Why the exchange broke off, if it did."""
        if self.flow.error is not None:
            return self.flow.error.msg
        if self.flow.response is None:
            return "there is no answer"
        stated = stated_length(self.flow.response)
        size = len(self.flow.response.raw_content or b"")
        is_short = self.is_kept and self.method != "HEAD" and stated is not None and size < stated
        return f"{size} of {stated} bytes came" if is_short and "content-encoding" not in self._headers else ""

    @property
    def broke_at(self) -> float | None:
        """Seconds from the request until it broke off; None if it did not, or if that is not known."""
        if self.flow.error is None or self.messages:
            return None
        return self._since_asked(self.flow.error.timestamp)

    @property
    def _headers(self) -> http.Headers:
        return self.flow.response.headers if self.flow.response is not None else http.Headers()

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The answer's body in the chunks in which it arrived; one without a time if they were not recorded."""
        raw = (self.flow.response.raw_content or b"") if self.flow.response is not None else b""
        times = noted_times(self.flow.metadata.get(CHUNKS))
        return [Chunk(at if times else None, piece) for at, piece in cut_as_noted(raw, times)]

    @property
    def times(self) -> list[float]:
        """When each chunk or message arrived, as far as known: seconds since the request."""
        times = [event.time for event in self.server_messages] or [chunk.time for chunk in self.chunks]
        return [time for time in times if time is not None]

    @property
    def total(self) -> float | None:
        """Seconds from the request to the end of the answer."""
        if self.times:
            return max(self.times)
        end = self.flow.response.timestamp_end if self.flow.response is not None else None
        return self._since_asked(end) if end is not None else None

    def _since_asked(self, moment: float) -> float | None:
        seconds = moment - self.flow.request.timestamp_start
        return max(0.0, seconds) if is_time(seconds) else None

    @cached_property
    def server_messages(self) -> list[Event]:
        """The texts that the server sent on a WebSocket."""
        messages = self.flow.websocket.messages if self.flow.websocket is not None else []
        texts = [one for one in messages if is_server_text(one)]
        return [self.event_of(number, one) for number, one in enumerate(texts, 1)]

    def event_of(self, number: int, message: WebSocketMessage) -> Event:
        """A message as an event; its time counts from the client's first message, if there is any."""
        seconds = message.timestamp - self._conversation_began
        return Event(number, seconds if is_time(seconds) else None, message.content, decode(message.content))

    @cached_property
    def _conversation_began(self) -> float:
        messages = self.flow.websocket.messages if self.flow.websocket is not None else []
        asked = [one for one in messages if one.from_client]
        return next((one.timestamp for one in asked or messages), 0.0)

    def facts(self, dialects: tuple[Dialect, ...] = DIALECTS, message: bytes | None = None) -> RequestFacts:
        """The request as the rules see it; on a WebSocket its body is this message, or else the client's first."""
        request = self.flow.request
        path = request.path.partition("?")[0]
        headers = request.headers.items(multi=True)
        body = request.get_content(strict=False)
        if self.flow.websocket is not None:
            body = next((one.content for one in self.flow.websocket.messages if one.from_client), body)
        return request_facts(
            request.pretty_host, path, request.method, headers, body if message is None else message, dialects
        )

    @property
    def error_text(self) -> str:
        """The text of an answer that is not a model's."""
        content = self.flow.response.get_content(strict=False) if self.flow.response is not None else b""
        return (content or b"").decode("utf-8", "replace")

    def content_hint(self, facts: RequestFacts) -> ContentHint | None:
        """How the answer is to be read; None if it is not a model's."""
        response = self.flow.response
        if response is None or not response.raw_content or not may_have_body(self.flow.request, response):
            return None
        return content_hint(response, facts)

    def answer(self, hint: ContentHint) -> RecordedAnswer:
        """The answer as the provider sent it."""
        if self.flow.response is None:
            return RecordedAnswer([])
        decoder = body_decoder(self.flow.response)
        if decoder is None:
            coding = content_coding(self.flow.response)
            return RecordedAnswer([], damage=f"content-encoding {coding} cannot be read")
        reader = FrameReader(hint, None if decoder.is_identity else decoder)
        events = [event for chunk in self.chunks for event in reader.feed(chunk.raw, chunk.time)]
        events += reader.finish()
        return RecordedAnswer(events, reader.form, reader.damage)

    def damage(self, hint: ContentHint) -> str:
        """Why the answer cannot be decoded to its end; empty if it can."""
        return self.answer(hint).damage if "content-encoding" in self._headers else ""


def is_server_text(message: WebSocketMessage) -> bool:
    """Is it a text from the server that was sent on?"""
    return not message.from_client and message.is_text and not message.dropped


@dataclass(frozen=True, slots=True)
class Recording:
    """The HTTP exchanges of a file."""

    exchanges: list[RecordedExchange] = field(default_factory=list)
    damage: str = ""
    """What is wrong after the last of them."""


def read_recording(path: Path) -> Recording:
    """All complete exchanges. Raises RecordingError if the file is not a recording."""
    found = read_flows(path)
    exchanges = [
        RecordedExchange(number, flow) for number, flow in enumerate(found.flows, 1) if isinstance(flow, http.HTTPFlow)
    ]
    return Recording(exchanges, found.damage)
