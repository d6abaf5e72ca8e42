"""A client that asks a replay what was asked when it was recorded, and keeps what comes as a recording does."""

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
from thinkwire.proxy.replay.recordings import ReplayExchange

__all__ = ["ReplayClient"]

_ITS_CONNECTION: Final = {
    b"connection",
    b"content-length",
    b"expect",
    b"host",
    b"keep-alive",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
}
"""Headers that speak of the recorded connection; this one has its own."""
_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(rb"[^\x00-\x08\x0a-\x1f\x7f]*")
_AT_ONCE: Final = 65_536
"""Bytes that are read at once; mitmproxy does not send more, either."""
_LARGEST_HEAD: Final = 1 << 20
"""Bytes of an answer's headers."""


class ReplayClient:
    """An addon that asks for each exchange once, in their order, and ends mitmproxy after the last."""

    def __init__(
        self,
        exchanges: Sequence[ReplayExchange],
        begin: Callable[[ReplayExchange], None],
        end: Callable[[ReplayExchange, RecordedExchange], None],
    ) -> None:
        """`begin` is told each exchange before it is asked for; `end` also the same one as a client has seen it."""
        self._exchanges = exchanges
        self._begin = begin
        self._end = end
        self._asking: asyncio.Task[None] | None = None

    def running(self) -> None:
        addresses = ctx.master.addons.get("proxyserver").listen_addrs()
        if addresses:  # else mitmproxy has said why it cannot listen, and ends
            self._asking = asyncio.create_task(self._ask_all(addresses[0][1]))

    async def _ask_all(self, port: int) -> None:
        try:
            for recorded in self._exchanges:
                self._begin(recorded)
                hearing = _Hearing(recorded.flow)
                await hearing.ask(port)
                self._end(recorded, RecordedExchange(recorded.number, hearing.flow))
        finally:
            ctx.master.shutdown()

    def result(self) -> None:
        """Called when mitmproxy has ended. Raises what has stopped the questions; KeyboardInterrupt for who did."""
        if self._asking is None:
            return
        try:
            self._asking.result()
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


class _Hearing:
    """One request and what is heard of its answer."""

    def __init__(self, recorded: http.HTTPFlow) -> None:
        self.flow = recorded.copy()
        """The same exchange, as it is now."""
        self.flow.response = self.flow.error = None
        self.flow.metadata = {}
        self._chunks: list[tuple[float, bytes]] = []

    async def ask(self, port: int) -> None:
        """Ask, and hear to the end, whichever it is."""
        request = self.flow.request
        request.timestamp_start = request.timestamp_end = time.time()
        try:
            await self._talk(port)
        except (OSError, h11.ProtocolError) as error:  # it broke off, or is no HTTP
            self.flow.error = Error(str(error) or type(error).__name__)
        self._keep()

    async def _talk(self, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            machine = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LARGEST_HEAD)
            for event in _question(self.flow.request):
                writer.write(machine.send(event) or b"")
            await writer.drain()
            while True:
                match machine.next_event():
                    case h11.NEED_DATA:
                        machine.receive_data(await reader.read(_AT_ONCE))
                    case h11.Response() as head:
                        self._hear_head(head)
                    case h11.Data() as piece:
                        self._chunks.append((time.time() - self.flow.request.timestamp_start, bytes(piece.data)))
                    case h11.EndOfMessage() | h11.ConnectionClosed() | h11.PAUSED:
                        return
        finally:
            writer.close()

    def _hear_head(self, head: h11.Response) -> None:
        self.flow.response = http.Response.make(head.status_code)
        self.flow.response.headers = http.Headers(head.headers.raw_items())
        self.flow.response.reason = head.reason.decode("latin-1")
        self.flow.response.timestamp_start = time.time()

    def _keep(self) -> None:
        if self.flow.response is not None:
            self.flow.response.raw_content = b"".join(chunk for _, chunk in self._chunks)
            self.flow.response.timestamp_end = time.time()
            self.flow.metadata[CHUNKS] = [[at, len(chunk)] for at, chunk in self._chunks]


def _question(request: http.Request) -> Iterator[h11.Event]:
    """The request as a proxy gets it, which is told the host of each: the file may hold exchanges with several."""
    body = request.raw_content or b""
    host = request.host_header or (f"[{request.host}]" if ":" in request.host else request.host)
    target = quote(f"{request.scheme}://{host}{request.path}", safe=string.punctuation, errors="surrogateescape")
    fields = [(b"host", quote(host, safe=string.punctuation).encode()), (b"content-length", str(len(body)).encode())]
    yield h11.Request(method=request.method, target=target, headers=[*fields, *_fields(request.headers)])
    yield h11.Data(data=body)
    yield h11.EndOfMessage()


def _fields(headers: http.Headers) -> Iterator[tuple[bytes, bytes]]:
    """Those that can be sent: recordings from elsewhere hold others, too."""
    for name, value in headers.fields:
        if name.lower() not in _ITS_CONNECTION and _NAME.fullmatch(name) and _VALUE.fullmatch(value):
            yield name, value.strip()
