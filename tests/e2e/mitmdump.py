"""One real mitmdump with the addon: started, listened to, stopped by its own pid.

It listens on a port that the system picks; the line that says so is also the sign that it is ready. Nothing
here waits for a fixed time: everything that is awaited is a line of its log, or its end.
"""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .upstream import LIMIT

PROJECT = Path(__file__).parents[2]
ADDON = PROJECT / "addons" / "addon.py"
EXECUTABLE = Path(sys.executable).with_name("mitmdump")
START_LIMIT = 60.0

LISTENING = re.compile(r"listening at 127\.0\.0\.1:(\d+)")


class Log:
    """The lines that the process has written so far; whoever waits for one is woken by it."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._ended = False

    def follow(self, lines: Iterator[str]) -> None:
        for line in lines:
            self._add(line)
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _add(self, line: str) -> None:
        with self._changed:
            self._lines.append(line)
            self._changed.notify_all()

    @property
    def text(self) -> str:
        with self._changed:
            return "".join(self._lines)

    def mark(self) -> int:
        """A place to look for later lines from."""
        with self._changed:
            return len(self._lines)

    def wait_for(self, pattern: str | re.Pattern[str], since: int, limit: float) -> re.Match[str]:
        """The first match in what was written since the mark; an `AssertionError` if none comes in time."""
        deadline = time.monotonic() + limit
        with self._changed:
            while True:
                text = "".join(self._lines[since:])
                if found := re.search(pattern, text):
                    return found
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    raise AssertionError(f"no {pattern!r} in the log:\n{text}")
                self._changed.wait(left)


class Mitmdump:
    """The running process: its port, its log, its pid."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.log = Log()
        assert process.stdout is not None
        self._follower = threading.Thread(target=self.log.follow, args=(process.stdout,))
        self._follower.start()
        self.port = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_until_listening(self) -> None:
        self.port = int(self.log.wait_for(LISTENING, 0, START_LIMIT)[1])

    def wait_for_end(self) -> int:
        """The exit status."""
        try:
            return self._process.wait(START_LIMIT)
        finally:
            self.stop()

    def interrupt(self) -> None:
        """As Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._follower.join()
        if self._process.stdout:
            self._process.stdout.close()


def start_mitmdump(
    arguments: Sequence[str], options: Mapping[str, str], confdir: Path, *, is_plain: bool = False
) -> Mitmdump:
    """A mitmdump that has just been started from the project's folder, with the addon unless it is plain."""
    script = [] if is_plain else ["-s", str(ADDON)]
    return start(EXECUTABLE, [*script, *arguments], {"flow_detail": "0", **options}, confdir)


def start(executable: Path, arguments: Sequence[str], options: Mapping[str, str], confdir: Path) -> Mitmdump:
    """The same of any of mitmproxy's programs."""
    settings = {"confdir": str(confdir), **options}
    command = [sys.executable, "-u", str(executable), *arguments]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    process = subprocess.Popen(
        command,
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="backslashreplace",
    )
    return Mitmdump(process)


def reverse_arguments(upstream_url: str) -> list[str]:
    return ["--mode", f"reverse:{upstream_url}", "--listen-host", "127.0.0.1", "--listen-port", "0"]


@contextlib.contextmanager
def reverse_mitmdump(upstream_url: str, options: Mapping[str, str], confdir: Path) -> Iterator[Mitmdump]:
    """A mitmdump that listens in front of the upstream."""
    started = start_mitmdump(reverse_arguments(upstream_url), {"connection_strategy": "lazy", **options}, confdir)
    try:
        started.wait_until_listening()
        yield started
    finally:
        started.stop()


def read_offline(arguments: Sequence[str], options: Mapping[str, str], confdir: Path, *, is_plain: bool = False) -> str:
    """Run `mitmdump -n` over recorded flows to its end; what it printed."""
    started = start_mitmdump(["-n", *arguments], options, confdir, is_plain=is_plain)
    status = started.wait_for_end()
    assert status == 0, started.log.text
    return started.log.text
