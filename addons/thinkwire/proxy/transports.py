"""The sockets of mitmproxy's connections, which addons are not handed; None where a connection is gone already."""

from mitmproxy import connection, ctx
from mitmproxy.proxy.server import ConnectionIO

__all__ = ["transport_of"]


def transport_of(client: connection.Client, of: connection.Connection) -> ConnectionIO | None:
    """The transport of a client's connection, or of one to a server that was made for this client."""
    server = ctx.master.addons.get("proxyserver")
    handler = server.connections.get(client.id) if server is not None else None
    return handler.transports.get(of) if handler is not None else None
