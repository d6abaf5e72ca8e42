"""Recorded flows, made up."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mitmproxy import flow, http, io
from mitmproxy.connection import Client, Server
from mitmproxy.test import tflow
from mitmproxy.websocket import WebSocketData, WebSocketMessage
from wsproto.frame_protocol import Opcode

from thinkwire.playback.chunk_times import CHUNKS

START = 1700000000.0
CHAT = "/v1/chat/completions"
CHAT_URL = f"http://provider.test{CHAT}"
SSE = "text/event-stream"
QUESTION = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Why?"}]}


def recorded_flow(
    document: Any = None,
    *,
    method: str = "POST",
    url: str = f"http://127.0.0.1:8080{CHAT}",
    chunks: Sequence[tuple[float, bytes]] = ((0.0, b"{}"),),
    status: int = 200,
    headers: Sequence[tuple[str, str]] = (("content-type", "application/json"),),
    error: str = "",
    timed: bool = True,
) -> http.HTTPFlow:
    """An exchange as it is recorded: `chunks` are seconds since the request, and what came then."""
    nowhere = ("127.0.0.1", 1)
    made = http.HTTPFlow(Client(peername=nowhere, sockname=nowhere, timestamp_start=START), Server(address=nowhere))
    made.request = http.Request.make(method, url, b"" if document is None else json.dumps(document).encode())
    made.response = http.Response.make(status, b"".join(chunk for _, chunk in chunks))
    made.response.headers = http.Headers([(name.encode(), value.encode()) for name, value in headers])
    made.request.timestamp_start = made.request.timestamp_end = START
    made.response.timestamp_start = START + min((at for at, _ in chunks), default=0.0)
    made.response.timestamp_end = START + max((at for at, _ in chunks), default=0.0)
    if timed:
        made.metadata[CHUNKS] = [[at, len(chunk)] for at, chunk in chunks]
    if error:
        made.error = flow.Error(error, made.response.timestamp_end)
    return made


def exchange(
    *pieces: bytes,
    times: Sequence[float] | None = None,
    kind: str = SSE,
    question: Any = QUESTION,
    url: str = CHAT_URL,
    status: int = 200,
    headers: Iterable[tuple[str, str]] = (),
    error: str = "",
) -> http.HTTPFlow:
    """One exchange; `times` are those of the pieces, in seconds since the request."""
    made = tflow.tflow(resp=True)
    asked = http.Headers([(b"content-type", b"application/json")])
    made.request = http.Request.make("POST", url, json.dumps(question).encode(), asked)
    made.response = http.Response.make(status, b"".join(pieces), {"content-type": kind})
    for name, value in headers:
        made.response.headers[name] = value
    end = max(times) if times else 2.5
    made.request.timestamp_start = made.request.timestamp_end = made.response.timestamp_start = 1000.0
    made.response.timestamp_end = 1000.0 + end
    if times is not None:
        made.metadata[CHUNKS] = [[time, len(piece)] for time, piece in zip(times, pieces, strict=True)]
    if error:
        made.error = flow.Error(error)
    return made


def write_flows(path: Path, *flows: flow.Flow) -> Path:
    with path.open("wb") as file:
        writer = io.FlowWriter(file)  # type: ignore[no-untyped-call]
        for one in flows:
            writer.add(one)
    return path


def spoken(*said: tuple[bool, Any], every: float = 0.5) -> http.HTTPFlow:
    """A WebSocket: what the client (true) and the server said, a message every so many seconds."""
    made = exchange(url="http://h/v1/responses", status=101)
    made.websocket = WebSocketData(
        messages=[
            WebSocketMessage(Opcode.TEXT, from_client, json.dumps(one).encode(), timestamp=1000.0 + at * every)
            for at, (from_client, one) in enumerate(said)
        ]
    )
    return made


def har(url: str, question: str, answer: str, headers: Iterable[tuple[str, str]] = ()) -> str:
    """A HAR file of one exchange, as browsers save it: the answer is decoded, whatever its headers say."""
    fields = [{"name": name, "value": value} for name, value in headers]
    content = {"size": len(answer), "mimeType": SSE, "text": answer}
    request = {"method": "POST", "url": url, "httpVersion": "HTTP/2", "headers": []}
    sent: dict[str, Any] = {**request, "postData": {"mimeType": "application/json", "text": question}}
    response = {"status": 200, "statusText": "", "httpVersion": "HTTP/2", "headers": fields, "content": content}
    entry = {"startedDateTime": "2026-01-01T00:00:00Z", "time": 900, "request": sent, "response": response}
    return json.dumps({"log": {"entries": [entry]}})
