"""A headless Chromium with one page, driven over its DevTools protocol; where there is none, tests are skipped.

Nothing waits for a fixed time: what is awaited is a condition in the page.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from .upstream import LIMIT

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# It would look for updates and hints otherwise, and there is no network here.
QUIET = ("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync")


class Page:
    """The page that is open."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)

    def call(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (message := json.loads(self._connection.recv(LIMIT))).get("id") != number:
            pass  # events, which nobody asked for
        assert "error" not in message, message
        return message["result"]

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for(self, condition: str) -> Any:
        """The value of an expression as soon as it is true."""
        deadline = time.monotonic() + LIMIT
        while not (value := self.evaluate(condition)):
            assert time.monotonic() < deadline, f"never true: {condition}\n{self.evaluate('document.body.innerText')}"
            self.evaluate("new Promise(requestAnimationFrame)")
        return value

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextlib.contextmanager
def open_page(url: str, folder: Path) -> Iterator[Page]:
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        pytest.skip("there is no Chromium here")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1500,900", "--remote-debugging-port=0")
    command = [executable, *flags, *QUIET, f"--user-data-dir={folder}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = next(line for line in process.stderr if "DevTools listening on ws://" in line)
            host = line.partition("ws://")[2].partition("/")[0]
            with urllib.request.urlopen(f"http://{host}/json", timeout=LIMIT) as answer:
                pages = [one for one in json.load(answer) if one["type"] == "page"]
            with connect(pages[0]["webSocketDebuggerUrl"], max_size=None, proxy=None) as connection:
                page = Page(connection)
                page.call("Page.navigate", url=url)
                yield page
        finally:
            process.terminate()
