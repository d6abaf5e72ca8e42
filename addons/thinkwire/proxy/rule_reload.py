"""The rules in force: read from the rule file, and read again when it changes."""

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mitmproxy import ctx

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.registry import DIALECTS
from thinkwire.proxy.flow_filter import compile_filter
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.load import folder as shipped_folder
from thinkwire.ruleset.load import load
from thinkwire.ruleset.problem import render

logger = logging.getLogger(__name__)

_EVERY: Final = 0.5
"""Seconds between two looks at the files; mitmproxy itself only watches the script."""


class RulesInForce:
    """The rules of the last file that was good."""

    def __init__(self) -> None:
        self.ruleset: Ruleset | None = None
        """None as long as no file was good."""
        self._watch: Watch | None = None

    @property
    def dialects(self) -> tuple[Dialect, ...]:
        return self.ruleset.dialects if self.ruleset is not None else DIALECTS

    def read(self) -> str:
        """Read the rule file. Returns what is wrong with it if it cannot be used, else nothing; warnings are logged."""
        loaded = load(_rule_file(), shipped=shipped_folder(), compile_filter=compile_filter)
        self._watch = Watch(loaded.files)
        if loaded.ruleset is None:
            return "\n".join(map(render, loaded.problems))
        self.ruleset = loaded.ruleset
        for problem in loaded.problems:
            logger.warning("%s", render(problem))
        return ""

    def reload(self) -> None:
        """Read it again, and log whether the rules have changed."""
        if report := self.read():
            logger.error("The rule file has errors, the old rules stay in force:\n%s", report)
        else:
            logger.info("The rules were read again from %s", _rule_file())

    async def watch(self) -> None:
        """Read the file again whenever it, or one that it includes, has changed."""
        while True:
            await asyncio.sleep(_EVERY)
            if self._watch is not None and self._watch.has_changed():
                self.reload()


def _rule_file() -> Path:
    named = ctx.options.thinkwire_rules
    return Path(named).expanduser() if named else shipped_folder() / "default.yaml"


class Watch:
    """Notices changes of files, from when it was made. A file that is missing may appear, and one may vanish."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._stamps = {file: _stamp(file) for file in files}

    def has_changed(self) -> bool:
        """Has any file changed since this was last asked?"""
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
