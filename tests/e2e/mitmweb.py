"""One real mitmweb with the addon, and what its interface answers to a program."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .mitmdump import ADDON, EXECUTABLE, START_LIMIT, Mitmdump, reverse_arguments, start
from .upstream import LIMIT

WEB = re.compile(r"Web server listening at (http://127\.0\.0\.1:\d+/\?token=\w+)")


class Mitmweb:
    """The running process, and its flows as a browser would ask for them."""

    def __init__(self, process: Mitmdump) -> None:
        self._process = process
        process.wait_until_listening()
        self.url = process.log.wait_for(WEB, 0, START_LIMIT)[1]
        """Where people open it; the token in it is the key."""

    @property
    def port(self) -> int:
        return self._process.port

    @property
    def log(self) -> str:
        return self._process.log.text

    def get(self, path: str) -> bytes:
        token = urlsplit(self.url).query.partition("=")[2]
        asked = urllib.request.Request(
            self.url.partition("?")[0] + path, headers={"authorization": f"Bearer {token}", "accept-encoding": ""}
        )
        with urllib.request.urlopen(asked, timeout=LIMIT) as answer:
            raw = answer.read()
        assert isinstance(raw, bytes)
        return raw

    @property
    def flows(self) -> list[dict[str, Any]]:
        """In the order in which they came."""
        flows = json.loads(self.get("flows"))
        assert isinstance(flows, list)
        return flows

    def wait_for_flow(self, flow: str) -> str:
        """Return as soon as a flow is in the list; files are read while mitmweb is running already."""
        deadline = time.monotonic() + START_LIMIT
        while flow not in (one["id"] for one in self.flows):
            assert time.monotonic() < deadline, f"no flow {flow}:\n{self.log}"
        return flow

    def content(self, flow: str, view: str = "auto", message: str = "response") -> dict[str, Any]:
        """What the pane of a flow shows: `text`, `view_name`, ..."""
        shown = json.loads(self.get(f"flows/{flow}/{message}/content/{view}.json"))
        assert isinstance(shown, dict)
        return shown

    def body(self, flow: str) -> bytes:
        return self.get(f"flows/{flow}/response/content.data")


@contextlib.contextmanager
def reverse_mitmweb(
    upstream_url: str, arguments: Sequence[str], options: Mapping[str, str], confdir: Path
) -> Iterator[Mitmweb]:
    """A mitmweb that listens in front of the upstream."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]  # mitmweb does not say which port it has got, where it may choose
    settings = {"web_port": str(port), "web_open_browser": "false", "connection_strategy": "lazy", **options}
    command = ["-s", str(ADDON), *reverse_arguments(upstream_url), *arguments]
    started = start(EXECUTABLE.with_name("mitmweb"), command, settings, confdir)
    try:
        yield Mitmweb(started)
    finally:
        started.stop()
