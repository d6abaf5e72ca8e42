"""A case file -> what to ask, what the upstream answers, and what the client must see.

The format is described in README.md beside this file. What it cannot run it refuses, so that no check is skipped
in silence. The pauses of a case become gates: a pause that something must have arrived before is opened by the
client that has read it, the others do not wait at all.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import brotli
from ruamel.yaml import YAML

from tests.e2e.upstream import Answer, Gate

RESPONSES = {
    "keep": "keep",
    "to_reasoning": {"rename": "reasoning"},
    "to_reasoning_content": {"rename": "reasoning_content"},
    "strip": "strip",
}
HISTORIES = {
    "history_to_reasoning_content": {"to": "reasoning_content"},
    "history_to_reasoning": {"to": "reasoning"},
    "history_drop": {"to": "drop"},
    "history_drop_unsigned": {"unsigned": "drop"},
}
NEVER_SENT = 100
"""Bytes that a content-length announces and an upstream that breaks off does not write."""

ESCAPE = re.compile(r"\\(?:([\\nrt])|x([0-9A-Fa-f]{2}))")
PLAIN = {"\\": b"\\", "n": b"\n", "r": b"\r", "t": b"\t"}


@dataclass(frozen=True)
class Case:
    id: str
    rule: dict[str, Any]
    request: dict[str, Any]
    request_body: bytes
    answer: Answer
    original: bytes
    """The upstream's body without its content coding."""
    target: str | None
    """The member that reasoning is renamed to."""
    handshakes: list[tuple[bytes, Gate]]
    """What the client must have read before the upstream goes on."""
    close_after: bytes | None
    expect: dict[str, Any]


def load_case(path: Path) -> Case:
    data = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    mode = data["mode"]
    assert mode.keys() <= {"response", "extract_tags", "guard", "request", "fill_missing"}, f"{path}: unknown mode"
    response = RESPONSES[mode.get("response", "keep")]
    upstream, expect = data["upstream"], data["expect"]
    early = {item["pause"]: item["contains"].encode() for item in expect.pop("early", [])}
    close_after = data.get("client", {}).get("close_after", "").encode() or None
    expect.pop("completes_within_ms", None)  # the client waits a few seconds for a byte and no longer, in every case
    if close_after:
        assert expect.keys() == {"upstream_closed_within_ms"}, f"{path}: a client that left sees nothing"
    pieces, handshakes = _pieces(upstream["chunks"], early, close_after)
    original = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    return Case(
        id=data["id"],
        rule={
            "id": f"case-{data['id'].lower()}",
            "when": {"header": {"x-case": data["id"]}},
            "response": {"reasoning": response, **_extract(mode)},
            **_history(mode),
        },
        request=data["request"],
        request_body=_request_body(data["request"]),
        answer=_answer(upstream, pieces, close_after),
        original=original,
        target=next(iter(response.values())) if isinstance(response, dict) else None,
        handshakes=handshakes,
        close_after=close_after,
        expect={name: _unquote(want) for name, want in expect.items()},
    )


def _extract(mode: dict[str, Any]) -> dict[str, Any]:
    if "guard" in mode:
        return {"extract": mode["guard"]}
    if "extract_tags" in mode:
        tags = mode["extract_tags"]
        return {"extract": {"tags": tags["pairs"], "where": tags["where"], "starts_inside": tags["starts_inside"]}}
    return {}


def _history(mode: dict[str, Any]) -> dict[str, Any]:
    if "request" not in mode:
        return {}
    fill = {"fill": mode["fill_missing"]} if "fill_missing" in mode else {}
    return {"request": {"history": HISTORIES[mode["request"]] | fill}}


def _request_body(request: dict[str, Any]) -> bytes:
    if "raw" in request:
        body = wire_bytes(request["raw"])
    else:
        body = json.dumps(request["json"], separators=(",", ":")).encode()
    if coding := request.get("encode"):
        request["headers"]["content-encoding"] = coding
        write, _, finish = CODERS[coding]()
        return write(body) + finish()
    return body


def _pieces(
    chunks: list[Any], early: dict[int, bytes], close_after: bytes | None
) -> tuple[list[bytes | Gate], list[tuple[bytes, Gate]]]:
    pieces: list[bytes | Gate] = []
    handshakes = []
    pauses = 0
    for chunk in chunks:
        if isinstance(chunk, str):
            pieces.append(wire_bytes(chunk))
        elif "repeat" in chunk:
            pieces.append(wire_bytes(chunk["repeat"]) * chunk["times"])
        elif "pause_ms" in chunk:
            if pauses in early:
                gate = Gate()
                pieces.append(gate)
                handshakes.append((early[pauses], gate))
            pauses += 1
        if close_after and isinstance(chunk, str) and close_after in wire_bytes(chunk):
            break
    return pieces, handshakes


def _answer(upstream: dict[str, Any], pieces: list[bytes | Gate], close_after: bytes | None) -> Answer:
    headers = [(name.lower(), value) for name, value in upstream["headers"].items()]
    if coding := upstream.get("encode"):
        headers.append(("content-encoding", coding))
        pieces = list(_encode(pieces, coding))
    is_stream = "event-stream" in dict(headers).get("content-type", "").lower()
    breaks_off = upstream.get("ending") == "abort"
    length = sum(len(piece) for piece in pieces if isinstance(piece, bytes))
    return Answer(
        pieces,
        status=upstream["status"],
        headers=headers,
        framing=upstream.get("framing", "chunked" if is_stream or len(pieces) != 1 else "length"),
        length=length + (NEVER_SENT if breaks_off else 0),
        ending="left" if close_after else "cut" if breaks_off else "clean",
    )


def wire_bytes(text: str) -> bytes:
    """Wire text -> bytes: `\\\\ \\n \\r \\t \\xHH` are escapes, everything else is UTF-8."""
    out, position = b"", 0
    for match in ESCAPE.finditer(text):
        out += text[position : match.start()].encode()
        out += PLAIN[match[1]] if match[1] else bytes.fromhex(match[2])
        position = match.end()
    return out + text[position:].encode()


def _encode(pieces: list[bytes | Gate], coding: str) -> Iterator[bytes | Gate]:
    """One compressed stream, flushed after each write."""
    write, flush, finish = CODERS[coding]()
    for piece in pieces:
        yield piece if isinstance(piece, Gate) else write(piece) + flush()
    yield finish()


def _gzip() -> tuple[Callable[[bytes], bytes], Callable[[], bytes], Callable[[], bytes]]:
    packer = zlib.compressobj(wbits=31)
    return packer.compress, lambda: packer.flush(zlib.Z_SYNC_FLUSH), packer.flush


def _brotli() -> tuple[Callable[[bytes], bytes], Callable[[], bytes], Callable[[], bytes]]:
    packer = brotli.Compressor()
    return packer.process, packer.flush, packer.finish


CODERS = {"gzip": _gzip, "br": _brotli}


def _unquote(value: Any) -> Any:
    """`{"json": "<JSON string literal>"}` -> that string; YAML itself cannot spell every string."""
    if isinstance(value, list):
        return [_unquote(item) for item in value]
    if isinstance(value, dict) and value.keys() == {"json"} and isinstance(value["json"], str):
        return json.loads(value["json"])
    return value
