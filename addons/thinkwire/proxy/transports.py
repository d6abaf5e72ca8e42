"""The sockets of mitmproxy's connections, which addons are not handed; None where a connection is gone already."""

import asyncio

from mitmproxy import connection, ctx
from mitmproxy.proxy.server import ConnectionIO

__all__ = ["has_left", "transport_of"]


def transport_of(client: connection.Client, of: connection.Connection) -> ConnectionIO | None:
    """The transport of a client's connection, or of one to a server that was made for this client."""
    server = ctx.master.addons.get("proxyserver")
    handler = server.connections.get(client.id) if server is not None else None
    return handler.transports.get(of) if handler is not None else None


def has_left(transport: ConnectionIO) -> bool:
    """Has the other side closed its own, or is the connection gone? mitmproxy takes the one for the other."""
    reader, writer = transport.reader, transport.writer
    is_gone = writer is None or writer.is_closing()
    return is_gone or (isinstance(reader, asyncio.StreamReader) and reader.at_eof())
