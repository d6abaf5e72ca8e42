"""Resets a client's connection, for an HTTP/1.0 client knows no other sign that an answer broke off."""

import socket
import struct
from typing import Any, Final

from mitmproxy import connection

from thinkwire.proxy.transports import transport_of

__all__ = ["reset_on_close"]

_NO_LINGER: Final = struct.pack("ii", 1, 0)


def reset_on_close(client: connection.Client) -> None:
    """Make the coming close of the connection a reset; does nothing where the connection is gone already."""
    transport = transport_of(client, client)
    writer: Any = transport.writer if transport is not None else None
    its_socket = writer.get_extra_info("socket") if writer is not None else None
    if its_socket is not None:
        its_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
