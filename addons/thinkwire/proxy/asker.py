"""A client that asks a replay what was asked when it was recorded, and keeps what comes as a recording does."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from mitmproxy import ctx, http
from mitmproxy.flow import Error
from tornado.httpclient import HTTPRequest
from tornado.httputil import HTTPHeaders, parse_response_start_line
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from thinkwire.proxy.chunks import CHUNKS
from thinkwire.proxy.recorded import Recorded
from thinkwire.proxy.recording import Session

__all__ = ["Asker"]

_ITS_CONNECTION: Final = {"connection", "content-length", "host", "keep-alive", "te", "transfer-encoding", "upgrade"}
"""Headers that speak of the recorded connection; this one has its own."""
_LARGEST: Final = 1 << 40
"""Bytes of an answer: as many as were recorded."""


class Asker:
    """An addon that asks for each exchange once, in their order, and ends mitmproxy after the last."""

    def __init__(
        self,
        exchanges: Sequence[Recorded],
        begin: Callable[[Recorded], None],
        end: Callable[[Recorded, Session], None],
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
                self._end(recorded, Session(recorded.number, hearing.flow))
        finally:
            ctx.master.shutdown()


class _Hearing:
    """One request and what is heard of its answer."""

    def __init__(self, recorded: http.HTTPFlow) -> None:
        self.flow = recorded.copy()
        """The same exchange, as it is now."""
        self.flow.response = self.flow.error = None
        self.flow.metadata = {}
        self._start = self._began = time.time()
        self._lines: list[str] = []
        self._chunks: list[tuple[float, bytes]] = []

    async def ask(self, port: int) -> None:
        """Ask, and hear to the end, whichever it is."""
        request = self.flow.request
        request.timestamp_start = request.timestamp_end = self._start = time.time()
        headers = HTTPHeaders()
        for name, value in request.headers.items(multi=True):
            if name.lower() not in _ITS_CONNECTION:
                headers.add(name, value)
        asked = HTTPRequest(
            f"http://127.0.0.1:{port}{request.path}",
            request.method,
            headers,
            request.raw_content or None,
            request_timeout=0,
            follow_redirects=False,
            header_callback=self._hear_line,
            streaming_callback=self._hear_chunk,
            decompress_response=False,
            allow_nonstandard_methods=True,
        )
        client = SimpleAsyncHTTPClient(force_instance=True, max_body_size=_LARGEST)
        try:
            await client.fetch(asked, raise_error=False)
        except Exception as error:  # it broke off, or is no HTTP
            self.flow.error = Error(str(error) or type(error).__name__)
        finally:
            client.close()
        self._keep()

    def _hear_line(self, line: str) -> None:
        self._began = time.time()
        self._lines.append(line.rstrip("\r\n"))

    def _hear_chunk(self, chunk: bytes) -> None:
        self._chunks.append((time.time() - self._start, chunk))

    def _keep(self) -> None:
        if not self._lines:
            return
        first, *fields = [line for line in self._lines if line]
        start = parse_response_start_line(first)
        pairs = [(name.encode(), value.strip().encode()) for name, _, value in (line.partition(":") for line in fields)]
        response = http.Response.make(start.code, b"".join(chunk for _, chunk in self._chunks))
        response.headers = http.Headers(pairs)
        response.reason = start.reason
        response.timestamp_start, response.timestamp_end = self._began, time.time()
        self.flow.response = response
        self.flow.metadata[CHUNKS] = [[at, len(chunk)] for at, chunk in self._chunks]
