"""A flow file that grows flow by flow, and holds only complete ones whatever happens to the process or the disk."""

import io
import logging
import os
import re
import stat
from pathlib import Path
from typing import BinaryIO, Final

from mitmproxy import http
from mitmproxy.io import FlowWriter

logger = logging.getLogger(__name__)

_LENGTH: Final = re.compile(rb"(\d{1,12}):")
_BEGINNING_OF_LENGTH: Final = re.compile(rb"\d{1,12}")


class NotAFlowFile(ValueError):
    """The file exists, and is something else."""


class FlowFile:
    """Appends to a file, which it creates if there is none. Raises OSError and NotAFlowFile."""

    def __init__(self, path: Path) -> None:
        self._file = io.FileIO(path, "ab", opener=_open_at_once)
        try:
            if stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
                self._cut_torn_end(path)
        except BaseException:
            self._file.close()
            raise

    def _cut_torn_end(self, path: Path) -> None:
        """A process that was killed while it wrote may have left half a flow, after which nothing can be read."""
        with path.open("rb") as file:
            end = _end_of_whole_flows(file)
            torn = file.seek(0, os.SEEK_END) - end
        if torn:
            logger.warning("%s: its last flow was never written to its end, and is removed (%d bytes)", path, torn)
            self._file.truncate(end)

    def append(self, flow: http.HTTPFlow) -> None:
        """Hand a flow to the operating system, which keeps it even if this process is killed. Raises OSError."""
        written = io.BytesIO()
        FlowWriter(written).add(flow)
        start = os.fstat(self._file.fileno()).st_size
        try:
            rest = written.getbuffer()
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._cut_back(start)
            raise

    def _cut_back(self, start: int) -> None:
        try:
            self._file.truncate(start)
        except OSError:
            logger.debug("The file cannot be cut back to its last whole flow", exc_info=True)

    def close(self) -> None:
        self._file.close()


def _open_at_once(path: str, flags: int) -> int:
    """A pipe without a reader is an error; without this flag, mitmproxy would wait until there is one."""
    at_once = getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | at_once, 0o666)
    if at_once:
        os.set_blocking(descriptor, True)
    return descriptor


def _end_of_whole_flows(file: BinaryIO) -> int:
    """Flows are netstrings, each a mapping: a length, a colon, as many bytes, a brace. Raises NotAFlowFile."""
    end = 0
    while head := file.read(13):
        length = _LENGTH.match(head)
        if length is None:
            if len(head) < 13 and _BEGINNING_OF_LENGTH.fullmatch(head):
                break
            raise NotAFlowFile("it is not a flow file")
        after = end + length.end() + int(length[1])
        file.seek(after)
        kind = file.read(1)
        if not kind:
            break
        if kind != b"}":
            raise NotAFlowFile("it is not a flow file")
        end = after + 1
    return end
