"""Recorded exchanges, read from mitmproxy flow files and HAR files: the request, the answer, and when each chunk came.

Does not know how they are chosen and served.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from mitmproxy import http
from mitmproxy.flow import Flow
from mitmproxy.net.http.status_codes import RESPONSES

from thinkwire.exchange.content_type import stated_length
from thinkwire.playback.chunk_times import CHUNKS, TimedChunk, cut_as_noted, noted_times
from thinkwire.playback.flow_reader import RecordingError, read_flows
from thinkwire.wire.codings import CodingError, decoder_for

FRAMING: Final = {
    "connection",
    "content-length",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
"""Headers about the recorded connection, not about the answer; they are made anew."""

_CONTROLS: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f]")
"""Not allowed in headers; HTTP clients fail on them, or wait for ever."""

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ReplayAnswer:
    """What the provider sent."""

    status: int
    reason: str
    fields: Fields
    """The headers in their order and spelling, without those that frame the body."""
    length: int | None
    """What content-length said, if it was there and is true, or was before the body broke off."""
    began: float
    """Seconds from the request to the headers."""
    chunks: tuple[TimedChunk, ...]

    @property
    def coding(self) -> str:
        return next((value for name, value in self.fields if name.lower() == "content-encoding"), "")

    def decoded(self) -> "ReplayAnswer":
        """The same without its content coding, chunk for chunk; unchanged if the coding cannot be undone."""
        decoder = decoder_for(self.coding)
        if decoder is None or decoder.is_identity:
            return self
        try:
            chunks = tuple((at, decoder.decode(chunk)) for at, chunk in self.chunks)
        except CodingError:
            return self
        fields = tuple((name, value) for name, value in self.fields if name.lower() != "content-encoding")
        return replace(self, fields=fields, length=None, chunks=tuple(one for one in chunks if one[1]))


@dataclass(frozen=True, slots=True)
class ReplayExchange:
    """One exchange of a recording."""

    file: str
    number: int
    """Its place among the flows of the file, from 1."""
    flow: http.HTTPFlow = field(repr=False)
    """It has the request."""
    answer: ReplayAnswer | None
    """None if the connection broke before there was one."""
    ended: float
    """Seconds from the request to the end."""
    breaks_off: bool

    def at_speed(self, speed: float) -> "ReplayExchange":
        """The same, `speed` times as fast; at 0, all at once."""

        def at(seconds: float) -> float:
            return seconds / speed if speed else 0.0

        answer = self.answer
        if answer is not None:
            chunks = tuple((at(seconds), chunk) for seconds, chunk in answer.chunks)
            answer = replace(answer, began=at(answer.began), chunks=chunks)
        return replace(self, answer=answer, ended=at(self.ended))

    def __str__(self) -> str:
        return f"number {self.number} of {self.file}"


def read_recordings(files: Sequence[str]) -> tuple[list[ReplayExchange], list[str]]:
    """The exchanges of the files that can be replayed, and warnings about the others. Raises RecordingError."""
    exchanges: list[ReplayExchange] = []
    warnings: list[str] = []
    problems: list[str] = []
    for file in files:
        try:
            found = _read(file, warnings)
        except RecordingError as error:
            problems.append(str(error))
        else:
            exchanges += found
            if not found:
                problems.append(f"{file} holds no answer that could be replayed")
    if problems:
        raise RecordingError("\n".join(problems))
    return exchanges, warnings


def parse_speed(text: str) -> float:
    """How many times as fast as recorded; 0 is without waiting. Raises RecordingError."""
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if not 0 <= speed < float("inf"):
        raise RecordingError(f"the replay speed is a number from 0 on (1: as recorded, 0: no waiting), not {text!r}")
    return speed


def _read(file: str, warnings: list[str]) -> list[ReplayExchange]:
    if Path(file).expanduser().is_fifo():
        raise RecordingError(f"cannot replay {file}: it is a pipe, and a replay reads its files more than once")
    found = read_flows(Path(file))
    if found.damage:
        warnings.append(found.damage)
    exchanges = []
    for number, flow in enumerate(found.flows, start=1):
        try:
            exchanges.append(_recorded(file, number, flow))
        except RecordingError as error:
            warnings.append(f"number {number} of {file} cannot be replayed: {error}")
    return exchanges


def _recorded(file: str, number: int, flow: Flow) -> ReplayExchange:
    if not isinstance(flow, http.HTTPFlow):
        raise RecordingError("it is not HTTP")
    if flow.websocket is not None:
        raise RecordingError("it is a WebSocket")
    response, broke = flow.response, flow.error is not None
    start = flow.request.timestamp_start
    if response is None:
        if flow.error is None:
            raise RecordingError("it has no answer")
        return ReplayExchange(file, number, flow, None, max(0.0, flow.error.timestamp - start), breaks_off=True)
    if response.status_code < 200:
        raise RecordingError(f"its answer has the status {response.status_code}")
    body = response.raw_content
    if body is None and not broke:
        raise RecordingError("its answer was recorded without the body")
    times = noted_times(flow.metadata.get(CHUNKS))
    chunks, is_timed = cut_as_noted(body or b"", times), bool(times)
    last = chunks[-1][0] if chunks else 0.0
    end = flow.error.timestamp if flow.error is not None else response.timestamp_end
    return ReplayExchange(
        file,
        number,
        flow,
        _answer(flow.request, response, chunks, is_timed=is_timed, broke=broke),
        max(last, end - start) if is_timed and end is not None else last,
        breaks_off=broke,
    )


def _answer(
    request: http.Request, response: http.Response, chunks: tuple[TimedChunk, ...], *, is_timed: bool, broke: bool
) -> ReplayAnswer:
    began = max(0.0, response.timestamp_start - request.timestamp_start) if is_timed else 0.0
    if chunks:
        began = min(began, chunks[0][0])
    status = response.status_code
    size = sum(len(chunk) for _, chunk in chunks)
    length = stated_length(response)
    if length is not None and request.method != "HEAD" and status != 304:
        # Writers of HAR files undo content codings, and may keep the old length; what broke off was to be longer.
        length = (length if length > size else None) if broke else size
    reason = response.reason or RESPONSES.get(status, "")
    return ReplayAnswer(status, reason, tuple(_fields(response.headers)), length, began, chunks)


def _fields(headers: http.Headers) -> Iterable[tuple[str, str]]:
    of_connection = {name.strip().lower() for name in str(headers.get("connection", "")).split(",")}
    for raw_name, raw_value in headers.fields:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        skipped = name.lower() in FRAMING or name.lower() in of_connection or name.startswith(":") or not name
        if not skipped and not _CONTROLS.search(name + value):
            yield name, value
