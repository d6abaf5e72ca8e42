"""The sockets of mitmproxy's connections, which addons do not get from mitmproxy, and how to reset one.

A reset is the only sign of a broken answer that an HTTP/1.0 client understands.
"""

import asyncio
import socket
import struct
from typing import Any, Final

from mitmproxy import connection, ctx
from mitmproxy.proxy.server import ConnectionIO


def transport_of(client: connection.Client, of: connection.Connection) -> ConnectionIO | None:
    """The transport of a client's connection, or of one to a server that was made for this client."""
    server = ctx.master.addons.get("proxyserver")
    handler = server.connections.get(client.id) if server is not None else None
    return handler.transports.get(of) if handler is not None else None


def has_left(transport: ConnectionIO) -> bool:
    """Has the peer closed its side, or is the connection gone? mitmproxy treats both alike."""
    reader, writer = transport.reader, transport.writer
    is_gone = writer is None or writer.is_closing()
    return is_gone or (isinstance(reader, asyncio.StreamReader) and reader.at_eof())


_NO_LINGER: Final = struct.pack("ii", 1, 0)


def reset_on_close(client: connection.Client) -> None:
    """Make the next close of the connection a reset; does nothing if the connection is gone already."""
    transport = transport_of(client, client)
    writer: Any = transport.writer if transport is not None else None
    its_socket = writer.get_extra_info("socket") if writer is not None else None
    if its_socket is not None:
        its_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
