"""A request that a recording answers, as it was before the rules edited it and before it was sent to the replay server.

A request is changed only for the moment in which it leaves: what rules, logs and saved flows show of it is what the
client sent and what the rules made of it.
"""

from typing import Any, Final

from mitmproxy import connection, http

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.proxy.replay.matcher import Asked, asked_by
from thinkwire.proxy.replay.server import TOKEN_HEADER

_CHANGED: Final = ("host", "port", "scheme", "authority", "path", "http_version", "headers")
"""What a request says otherwise while it is sent elsewhere."""


class RedirectedRequest:
    """What decides which recording answers, and what the request has to become again."""

    def __init__(self, flow: http.HTTPFlow, facts: RequestFacts) -> None:
        self.asked: Asked = asked_by(flow, facts)
        self.accepted_codings = str(flow.request.headers.get("accept-encoding", ""))
        self.token = ""
        """The replay server gives the answer for it; empty before it is asked."""
        self._original: dict[str, Any] = {}

    def send(self, flow: http.HTTPFlow, token: str, address: tuple[str, int]) -> None:
        """Send the request to the replay server at this address."""
        data = flow.request.data
        self.token = token
        self._original = {name: getattr(data, name) for name in _CHANGED}
        host, port = address
        # Set in `data`, because the properties would change the host header, too.
        data.host, data.port = host, port
        data.scheme, data.authority, data.path, data.http_version = b"http", b"", b"/", b"HTTP/1.1"
        length = str(len(flow.request.raw_content or b""))
        data.headers = http.Headers(host=f"{host}:{port}", content_length=length)
        data.headers[TOKEN_HEADER] = token
        flow.server_conn = connection.Server(address=address)  # without the proxy that upstream mode goes through

    def restore(self, flow: http.HTTPFlow) -> None:
        """The request has left, or never will; from now on it is what it was."""
        for name, value in self._original.items():
            setattr(flow.request.data, name, value)
        if self._original and self._original["http_version"] != b"HTTP/1.1" and flow.response is not None:
            flow.response.headers.pop("transfer-encoding", None)
