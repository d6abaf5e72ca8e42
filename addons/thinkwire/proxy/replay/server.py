"""Serves recorded answers on the loopback interface, chunk for chunk, at the times at which they came.

mitmproxy connects to it as to any provider, so that an answer goes the way of a live one. A request gets an answer only
with its token.
"""

import asyncio
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, cast

from tornado import httpserver, httputil, iostream, netutil
from tornado.http1connection import HTTP1Connection

from thinkwire.proxy.replay.recordings import ReplayAnswer

logger = logging.getLogger(__name__)

TOKEN_HEADER: Final = "x-thinkwire-replay"
_HOST: Final = "127.0.0.1"
_NO_BODY: Final = (204, 304)
_LARGEST: Final = 1 << 40
"""Bytes of a request: practically no limit."""
_PASSES: Final = 4
"""Turns of the event loop in which mitmproxy, which runs in the same one, has read a chunk and sent it on."""


@dataclass(frozen=True, slots=True)
class ScheduledAnswer:
    """One answer as it is to be sent for one request."""

    answer: ReplayAnswer | None
    """None: the connection breaks before there is one."""
    ended: float
    breaks_off: bool
    started: float
    """When the request was complete, by the clock of the event loop."""

    async def wait_until(self, seconds: float) -> None:
        """Wait until so many seconds after the start. All waits count from there, so that delays do not add up."""
        left = self.started + seconds - asyncio.get_running_loop().time()
        if left > 0:
            await asyncio.sleep(left)


class ReplayServer(httputil.HTTPServerConnectionDelegate):
    """The server; it listens from the first request on, at a port that the system picks."""

    def __init__(self) -> None:
        self._server: httpserver.HTTPServer | None = None
        self._port = 0
        self._expected: dict[str, ScheduledAnswer] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> tuple[str, int]:
        if self._server is None:
            self._server = httpserver.HTTPServer(self, max_body_size=_LARGEST)
            sockets = netutil.bind_sockets(0, _HOST)
            self._port = sockets[0].getsockname()[1]
            self._server.add_sockets(sockets)
        return _HOST, self._port

    def is_at(self, address: object) -> bool:
        return self._server is not None and address == (_HOST, self._port)

    def expect(self, scheduled: ScheduledAnswer) -> str:
        """The token with which a request gets this answer, once."""
        token = secrets.token_urlsafe(32)
        self._expected[token] = scheduled
        return token

    def forget(self, token: str) -> None:
        self._expected.pop(token, None)

    def stop(self) -> None:
        if self._server is not None:
            self._server.stop()
        for task in self._tasks:
            task.cancel()

    def start_request(self, server_conn: object, request_conn: httputil.HTTPConnection) -> httputil.HTTPMessageDelegate:
        return _Request(self, cast(HTTP1Connection, request_conn))

    def serve(self, token: str, method: str, connection: HTTP1Connection) -> None:
        scheduled = self._expected.pop(token, None)
        if scheduled is None:
            connection.close()
            return
        task = asyncio.create_task(_serve(scheduled, method, connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def leave() -> None:
            task.cancel()

        connection.set_close_callback(leave)


class _Request(httputil.HTTPMessageDelegate):
    """A request as it arrives; only its token is of interest."""

    def __init__(self, server: ReplayServer, connection: HTTP1Connection) -> None:
        self._server = server
        self._connection = connection
        self._method = self._token = ""

    def headers_received(
        self, start_line: httputil.RequestStartLine | httputil.ResponseStartLine, headers: httputil.HTTPHeaders
    ) -> None:
        self._method = cast(httputil.RequestStartLine, start_line).method
        self._token = headers.get(TOKEN_HEADER, "")

    def finish(self) -> None:
        self._server.serve(self._token, self._method, self._connection)


class _Headers(httputil.HTTPHeaders):
    """Headers in their recorded order and spelling; tornado adds those that frame the body."""

    def __init__(self, answer: ReplayAnswer) -> None:
        super().__init__()
        self._recorded = answer.fields
        if answer.length is not None:
            self["Content-Length"] = str(answer.length)

    def get_all(self) -> Iterable[tuple[str, str]]:
        yield from self._recorded
        for name, value in super().get_all():
            yield name.lower(), value


async def _serve(scheduled: ScheduledAnswer, method: str, connection: HTTP1Connection) -> None:
    try:
        await _send(scheduled, method, connection)
    except iostream.StreamClosedError:
        pass  # the client has left
    except Exception:
        logger.exception("thinkwire failed on a recorded answer, please report this")
        connection.close()


async def _send(scheduled: ScheduledAnswer, method: str, connection: HTTP1Connection) -> None:
    answer = scheduled.answer
    if answer is not None:
        connection.stream.set_nodelay(True)
        await scheduled.wait_until(answer.began)
        start_line = httputil.ResponseStartLine("HTTP/1.1", answer.status, answer.reason)
        await connection.write_headers(start_line, _Headers(answer))
        if method != "HEAD" and answer.status not in _NO_BODY:
            for seconds, chunk in answer.chunks:
                await scheduled.wait_until(seconds)
                await connection.write(chunk)
                for _ in range(_PASSES):
                    await asyncio.sleep(0)
    await scheduled.wait_until(scheduled.ended)
    if scheduled.breaks_off:
        connection.close()
    else:
        connection.finish()
