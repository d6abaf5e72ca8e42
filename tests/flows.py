"""Recorded flows, made up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mitmproxy import flow, http, io
from mitmproxy.connection import Client, Server

from thinkwire.proxy.recorded import CHUNKS

START = 1700000000.0
CHAT = "/v1/chat/completions"


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


def write_flows(path: Path, *flows: flow.Flow) -> Path:
    with path.open("wb") as file:
        writer = io.FlowWriter(file)  # type: ignore[no-untyped-call]
        for one in flows:
            writer.add(one)
    return path
