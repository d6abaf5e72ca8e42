"""A client that sends recorded requests to a replay, and keeps the answers as a recording does."""

import asyncio
import re
import string
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from urllib.parse import quote

import h11
from mitmproxy import ctx, http
from mitmproxy.flow import Error

from thinkwire.playback.chunk_times import CHUNKS
from thinkwire.playback.recording import RecordedExchange
from thinkwire.proxy.replay.recordings import FRAMING, ReplayExchange

_ITS_CONNECTION: Final = {name.encode() for name in FRAMING | {"expect", "host"}}
"""Headers about the recorded connection; this one has its own."""
_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(rb"[^\x00-\x08\x0a-\x1f\x7f]*")
_AT_ONCE: Final = 65_536
"""Bytes that are read at once; mitmproxy does not send more at once."""
_LARGEST_HEAD: Final = 1 << 20
"""Bytes of an answer's headers."""


class ReplayClient:
    """An addon that sends the request of each exchange once, in order, and ends mitmproxy after the last."""

    def __init__(
        self,
        exchanges: Sequence[ReplayExchange],
        begin: Callable[[ReplayExchange], None],
        end: Callable[[ReplayExchange, RecordedExchange], None],
    ) -> None:
        """`begin` gets each exchange before its request is sent; `end` gets it again, and as it went now."""
        self._exchanges = exchanges
        self._begin = begin
        self._end = end
        self._task: asyncio.Task[None] | None = None

    def running(self) -> None:
        addresses = ctx.master.addons.get("proxyserver").listen_addrs()
        if addresses:  # else mitmproxy has logged why it cannot listen, and ends
            self._task = asyncio.create_task(self._send_all(addresses[0][1]))

    async def _send_all(self, port: int) -> None:
        try:
            for recorded in self._exchanges:
                self._begin(recorded)
                client = _ClientSide(recorded.flow)
                await client.send(port)
                self._end(recorded, RecordedExchange(recorded.number, client.flow))
        finally:
            ctx.master.shutdown()

    def result(self) -> None:
        """Called when mitmproxy has ended. Raises what stopped the requests; KeyboardInterrupt if that was the user."""
        if self._task is None:
            return
        try:
            self._task.result()
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


class _ClientSide:
    """One request, and what the client gets of its answer."""

    def __init__(self, recorded: http.HTTPFlow) -> None:
        self.flow = recorded.copy()
        """The same exchange, as it goes now."""
        self.flow.response = self.flow.error = None
        self.flow.metadata = {}
        self._chunks: list[tuple[float, bytes]] = []

    async def send(self, port: int) -> None:
        """Send the request, and receive the answer to its end, or until it breaks off."""
        request = self.flow.request
        request.timestamp_start = request.timestamp_end = time.time()
        try:
            await self._exchange(port)
        except (OSError, h11.ProtocolError) as error:  # it broke off, or is not HTTP
            self.flow.error = Error(str(error) or type(error).__name__)
        self._keep()

    async def _exchange(self, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            machine = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LARGEST_HEAD)
            for event in _request_events(self.flow.request):
                writer.write(machine.send(event) or b"")
            await writer.drain()
            while True:
                match machine.next_event():
                    case h11.NEED_DATA:
                        machine.receive_data(await reader.read(_AT_ONCE))
                    case h11.Response() as head:
                        self._take_head(head)
                    case h11.Data() as piece:
                        self._chunks.append((time.time() - self.flow.request.timestamp_start, bytes(piece.data)))
                    case h11.EndOfMessage() | h11.ConnectionClosed() | h11.PAUSED:
                        return
        finally:
            writer.close()

    def _take_head(self, head: h11.Response) -> None:
        self.flow.response = http.Response.make(head.status_code)
        self.flow.response.headers = http.Headers(head.headers.raw_items())
        self.flow.response.reason = head.reason.decode("latin-1")
        self.flow.response.timestamp_start = time.time()

    def _keep(self) -> None:
        if self.flow.response is not None:
            self.flow.response.raw_content = b"".join(chunk for _, chunk in self._chunks)
            self.flow.response.timestamp_end = time.time()
            self.flow.metadata[CHUNKS] = [[at, len(chunk)] for at, chunk in self._chunks]


def _request_events(request: http.Request) -> Iterator[h11.Event]:
    """The request in the form for a proxy, with its host: the file may hold exchanges with several hosts."""
    body = request.raw_content or b""
    host = request.host_header or (f"[{request.host}]" if ":" in request.host else request.host)
    target = quote(f"{request.scheme}://{host}{request.path}", safe=string.punctuation, errors="surrogateescape")
    fields = [(b"host", quote(host, safe=string.punctuation).encode()), (b"content-length", str(len(body)).encode())]
    yield h11.Request(method=request.method, target=target, headers=[*fields, *_fields(request.headers)])
    yield h11.Data(data=body)
    yield h11.EndOfMessage()


def _fields(headers: http.Headers) -> Iterator[tuple[bytes, bytes]]:
    """Those that can be sent: recordings of other tools hold others as well."""
    for name, value in headers.fields:
        if name.lower() not in _ITS_CONNECTION and _NAME.fullmatch(name) and _VALUE.fullmatch(value):
            yield name, value.strip()
