"""The same client for HTTP/2 over TLS: one request, one answer, and whether its stream ended or was torn off."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Mapping

import h2.config
import h2.connection
import h2.events

from .client import CHAT, Document, Ending, Reply
from .upstream import LIMIT

STREAM = 1


def ask_http2(port: int, document: Document, *, path: str = CHAT, headers: Mapping[str, str] | None = None) -> Reply:
    """Send a request and read the answer until its stream is over, one way or the other."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection(("127.0.0.1", port), LIMIT) as connection,
        context.wrap_socket(connection) as secured,
    ):
        assert secured.selected_alpn_protocol() == "h2"
        return _talk(secured, port, json.dumps(document).encode(), path, headers or {})


def _talk(secured: ssl.SSLSocket, port: int, body: bytes, path: str, headers: Mapping[str, str]) -> Reply:
    protocol = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    protocol.initiate_connection()
    pseudo = {":method": "POST", ":scheme": "https", ":authority": f"127.0.0.1:{port}", ":path": path}
    fields = {"content-type": "application/json", "content-length": str(len(body)), **headers}
    protocol.send_headers(STREAM, [*pseudo.items(), *fields.items()])
    protocol.send_data(STREAM, body, end_stream=True)

    answered: dict[str, str] = {}
    frames: list[bytes] = []
    ending: Ending | None = None
    while ending is None:
        secured.sendall(protocol.data_to_send())
        data = secured.recv(65536)
        if not data:
            ending = "broken"
        for event in protocol.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                answered = {str(name): str(value) for name, value in event.headers}
            elif isinstance(event, h2.events.DataReceived):
                frames.append(event.data)
                protocol.acknowledge_received_data(event.flow_controlled_length, STREAM)
            elif isinstance(event, h2.events.StreamEnded):
                ending = "clean"
            elif isinstance(event, h2.events.StreamReset | h2.events.ConnectionTerminated):
                ending = ending or "broken"
    status = int(answered.pop(":status"))
    return Reply(status, list(answered.items()), b"".join(frames), ending, frames)
