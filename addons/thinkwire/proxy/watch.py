"""Has one of a set of files changed? By their stamps, as mitmproxy does for scripts."""

from collections.abc import Iterable
from pathlib import Path

__all__ = ["Watch"]


class Watch:
    """Compares files with what they were when it was made. A file that is missing may come, and one may go."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._stamps = {file: _stamp(file) for file in files}

    def has_changed(self) -> bool:
        """True where any file differs from the last time that this was asked."""
        now = {file: _stamp(file) for file in self._stamps}
        changed = now != self._stamps
        self._stamps = now
        return changed


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
