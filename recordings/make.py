"""Make mitmproxy flow files from the bodies of a folder: how the recordings beside this script came to be.

    uv run python recordings/make.py FOLDER             every recording that is kept here
    uv run python recordings/make.py FOLDER NAME ...    others of that folder

FOLDER holds, for each NAME, the body as it was sent (`NAME.sse` or `NAME.json`, without transfer coding), the body
of the request (`NAME.request.json`), and `NAME.timing.json`: method, path, status, headers, and the size of each
chunk with the seconds since the request. The folder `SOURCE-...` yields `SOURCE-NAME.flow`.

Or it holds `NAME.yaml`, a session written by hand, as the folder `composed` beside this script does: a list of
exchanges, each with the `url` and the `request` (its body), and the answer's documents under `events` (server-sent),
`named_events` (the same, each named by its `type`), `lines` (of JSON) or `body`.

Everything in a flow comes from these files, so that the same folder always gives the same bytes: identities are
digests of the name, and the clock starts at the `created` of the answer.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mitmproxy import connection, http, io
from ruamel.yaml import YAML

HERE = Path(__file__).parent
COMPOSED = HERE / "composed"
KEPT = (
    "chat-stream",
    "chat-body",
    "chat-stream-logprobs",
    "chat-stream-n2",
    "chat-stream-utf8",
    "chat-stream-cut-in-thought",
    "chat-none-tags-in-content",
    "responses-stream",
)
SERVER = ("127.0.0.1", 8080)
CLIENT = ("127.0.0.1", 50000)

CREATED = re.compile(rb'"created(?:_at)?":\s*(\d+)')
CHUNKS = "thinkwire.chunks"
"""The name in a flow's metadata under which [seconds since the request, bytes] of each chunk stand."""
PAUSE = 0.05
"""Seconds between the documents of a composed answer."""
BEGIN = 1796200000.0
"""When composed sessions begin."""

Fields = list[tuple[str, str]]
Chunk = tuple[float, int]
"""Seconds since the request, and bytes."""


@dataclass(frozen=True)
class Exchange:
    """One request and its answer, before they are a flow."""

    method: str
    url: str
    question: bytes
    status: int
    fields: Fields
    """The answer's headers."""
    body: bytes
    chunks: list[Chunk]
    start: float


def read_exchanges(folder: Path, name: str) -> list[Exchange]:
    """What the files of a folder say of one recording."""
    written = folder / f"{name}.yaml"
    return list(read_composed(written)) if written.exists() else [read_recorded(folder, name)]


# --- recorded -----------------------------------------------------------------------------------------------------


def read_recorded(folder: Path, name: str) -> Exchange:
    timing = json.loads((folder / f"{name}.timing.json").read_bytes())
    question = (folder / f"{name}.request.json").read_bytes()
    body, framing = read_body(folder, name)
    created = CREATED.search(body)
    return Exchange(
        timing["method"],
        f"http://{SERVER[0]}:{SERVER[1]}{timing['path']}",
        question,
        timing["status"],
        [*timing["headers"].items(), framing],
        body,
        [(chunk["seconds"], chunk["bytes"]) for chunk in timing["chunks"]],
        float(created[1]) if created else 0.0,
    )


def read_body(folder: Path, name: str) -> tuple[bytes, tuple[str, str]]:
    """The body, and the header field by which it was framed, which the folder does not keep."""
    if (path := folder / f"{name}.sse").exists():
        return path.read_bytes(), ("transfer-encoding", "chunked")
    body = (folder / f"{name}.json").read_bytes()
    return body, ("content-length", str(len(body)))


# --- composed -----------------------------------------------------------------------------------------------------

TYPES = {
    "events": "text/event-stream",
    "named_events": "text/event-stream",
    "lines": "application/x-ndjson",
    "body": "application/json",
}


def read_composed(path: Path) -> Iterator[Exchange]:
    start = BEGIN
    for written in YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))["exchanges"]:
        (form,) = written.keys() & TYPES
        pieces = [written_out(document, form) for document in (written[form] if form != "body" else [written[form]])]
        body = b"".join(pieces)
        framing = ("content-length", str(len(body))) if form == "body" else ("transfer-encoding", "chunked")
        chunks = [(round(PAUSE * number, 3), len(piece)) for number, piece in enumerate(pieces, start=1)]
        fields = [("content-type", TYPES[form]), framing]
        yield Exchange("POST", written["url"], to_json(written["request"]), 200, fields, body, chunks, start)
        start += chunks[-1][0] + 1.0


def written_out(document: Any, form: str) -> bytes:
    """A document with its framing; an end mark is a text."""
    text = document.encode() if isinstance(document, str) else to_json(document)
    if form == "body":
        return text
    if form == "lines":
        return text + b"\n"
    name = f"event: {document['type']}\n".encode() if form == "named_events" else b""
    return name + b"data: " + text + b"\n\n"


def to_json(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


# --- flows --------------------------------------------------------------------------------------------------------


def make_flow(exchange: Exchange, name: str) -> http.HTTPFlow:
    """One exchange as mitmproxy would have kept it."""
    start = exchange.start
    times = [seconds for seconds, _ in exchange.chunks]
    flow = http.HTTPFlow(*make_connections(name, start))
    flow.id = identity(name, "flow")
    flow.timestamp_created = start
    headers = http.Headers([(b"host", urlsplit(exchange.url).netloc.encode()), (b"content-type", b"application/json")])
    flow.request = http.Request.make(exchange.method, exchange.url, exchange.question, headers)
    flow.response = http.Response.make(exchange.status, exchange.body)
    fields = [(key.encode(), value.encode()) for key, value in exchange.fields]
    flow.response.headers = http.Headers(fields)  # `make` would add a length to them
    flow.request.timestamp_start = flow.request.timestamp_end = start
    flow.response.timestamp_start = start + min(times, default=0.0)
    flow.response.timestamp_end = start + max(times, default=0.0)
    flow.metadata[CHUNKS] = [[seconds, size] for seconds, size in exchange.chunks]
    return flow


def make_connections(name: str, start: float) -> tuple[connection.Client, connection.Server]:
    client = connection.Client(peername=CLIENT, sockname=SERVER, timestamp_start=start)
    server = connection.Server(address=SERVER, peername=SERVER, sockname=CLIENT, timestamp_start=start)
    client.id, server.id = identity(name, "client"), identity(name, "server")
    return client, server


def identity(name: str, kind: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"thinkwire:recordings/{name}/{kind}"))


def write_recording(folder: Path, name: str, target: Path) -> Path:
    """Write one flow file into the folder `target`; its path."""
    path = target / f"{folder.resolve().name.split('-')[0]}-{name}.flow"
    exchanges = read_exchanges(folder, name)
    with path.open("wb") as file:
        for number, exchange in enumerate(exchanges, start=1):
            suffix = f"/{number}" if len(exchanges) > 1 else ""
            io.FlowWriter(file).add(make_flow(exchange, name + suffix))  # type: ignore[no-untyped-call]
    return path


def names_in(folder: Path) -> Sequence[str]:
    """The recordings that are kept of a folder: what is composed is composed to be kept."""
    return sorted(path.stem for path in folder.glob("*.yaml")) or KEPT


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="recordings/make.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options: Any = parser.parse_args(arguments)
    for name in options.names or names_in(options.folder):
        try:
            path = write_recording(options.folder, name, HERE)
        except FileNotFoundError as error:
            print(f"recordings/make.py: there is no {error.filename}", file=sys.stderr)
            return 1
        print(f"{path.name}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
