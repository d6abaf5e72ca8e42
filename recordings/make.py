"""Make mitmproxy flow files from the bodies of a folder: how the recordings beside this script came to be.

    uv run python recordings/make.py FOLDER             every recording that is kept here
    uv run python recordings/make.py FOLDER NAME ...    others of that folder

FOLDER holds, for each NAME, the body as it was sent (`NAME.sse` or `NAME.json`, without transfer coding), the body
of the request (`NAME.request.json`), and `NAME.timing.json`: method, path, status, headers, and the size of each
chunk with the seconds since the request. The folder `SOURCE-...` yields `SOURCE-NAME.flow`.

Everything in a flow comes from these files, so that the same folder always gives the same bytes: identities are
digests of the name, and the clock starts at the `created` of the answer.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mitmproxy import connection, http, io

HERE = Path(__file__).parent
KEPT = (
    "chat-stream",
    "chat-body",
    "chat-stream-logprobs",
    "chat-stream-n2",
    "chat-stream-utf8",
    "chat-stream-cut-in-thought",
)
SERVER = ("127.0.0.1", 8080)
CLIENT = ("127.0.0.1", 50000)

CREATED = re.compile(rb'"created(?:_at)?":\s*(\d+)')
CHUNKS = "thinkwire.chunks"
"""The name in a flow's metadata under which [seconds since the request, bytes] of each chunk stand."""


def read_body(folder: Path, name: str) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """The body, and the header fields by which it was framed, which the folder does not keep."""
    if (path := folder / f"{name}.sse").exists():
        return path.read_bytes(), [(b"transfer-encoding", b"chunked")]
    body = (folder / f"{name}.json").read_bytes()
    return body, [(b"content-length", str(len(body)).encode())]


def make_flow(folder: Path, name: str) -> http.HTTPFlow:
    """One exchange as mitmproxy would have kept it."""
    timing = json.loads((folder / f"{name}.timing.json").read_bytes())
    question = (folder / f"{name}.request.json").read_bytes()
    body, framing = read_body(folder, name)
    created = CREATED.search(body)
    start = float(created[1]) if created else 0.0
    end = start + max((chunk["seconds"] for chunk in timing["chunks"]), default=0.0)

    flow = http.HTTPFlow(*make_connections(name, start))
    flow.id = identity(name, "flow")
    flow.timestamp_created = start
    flow.request = http.Request.make(
        timing["method"],
        f"http://{SERVER[0]}:{SERVER[1]}{timing['path']}",
        question,
        http.Headers([(b"host", b"%s:%d" % (SERVER[0].encode(), SERVER[1])), (b"content-type", b"application/json")]),
    )
    fields = [(key.encode(), value.encode()) for key, value in timing["headers"].items()]
    flow.response = http.Response.make(timing["status"], body)
    flow.response.headers = http.Headers([*fields, *framing])  # `make` would add a length to them
    flow.request.timestamp_start = flow.request.timestamp_end = start
    flow.response.timestamp_start = start + min((chunk["seconds"] for chunk in timing["chunks"]), default=0.0)
    flow.response.timestamp_end = end
    flow.metadata[CHUNKS] = [[chunk["seconds"], chunk["bytes"]] for chunk in timing["chunks"]]
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
    with path.open("wb") as file:
        io.FlowWriter(file).add(make_flow(folder, name))  # type: ignore[no-untyped-call]
    return path


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="recordings/make.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("names", nargs="*", default=KEPT, metavar="NAME")
    options: Any = parser.parse_args(arguments)
    for name in options.names:
        try:
            path = write_recording(options.folder, name, HERE)
        except FileNotFoundError as error:
            print(f"recordings/make.py: there is no {error.filename}", file=sys.stderr)
            return 1
        print(f"{path.name}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
