"""Made-up recordings: flows as mitmproxy keeps them, with the times of their chunks, in a file."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mitmproxy import http, io
from mitmproxy.flow import Error, Flow
from mitmproxy.test import tflow

from thinkwire.proxy.recording import CHUNKS

__all__ = ["CHAT", "SSE", "exchange", "write_flows"]

CHAT = "http://provider.test/v1/chat/completions"
SSE = "text/event-stream"
QUESTION = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Why?"}]}


def exchange(
    *pieces: bytes,
    times: Sequence[float] | None = None,
    kind: str = SSE,
    question: Any = QUESTION,
    url: str = CHAT,
    status: int = 200,
    headers: Iterable[tuple[str, str]] = (),
    error: str = "",
) -> http.HTTPFlow:
    """One exchange; `times` are those of the pieces, in seconds since the request."""
    flow = tflow.tflow(resp=True)
    asked = http.Headers([(b"content-type", b"application/json")])
    flow.request = http.Request.make("POST", url, json.dumps(question).encode(), asked)
    flow.response = http.Response.make(status, b"".join(pieces), {"content-type": kind})
    for name, value in headers:
        flow.response.headers[name] = value
    end = max(times) if times else 2.5
    flow.request.timestamp_start = flow.request.timestamp_end = flow.response.timestamp_start = 1000.0
    flow.response.timestamp_end = 1000.0 + end
    if times is not None:
        flow.metadata[CHUNKS] = [[time, len(piece)] for time, piece in zip(times, pieces, strict=True)]
    if error:
        flow.error = Error(error)
    return flow


def write_flows(path: Path, *flows: Flow) -> Path:
    with path.open("wb") as file:
        writer = io.FlowWriter(file)  # type: ignore[no-untyped-call]
        for flow in flows:
            writer.add(flow)
    return path
