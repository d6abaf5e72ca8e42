"""What the log says about an exchange. Only text; it decides nothing."""

import logging
from pathlib import Path
from typing import Final

from thinkwire.rewrite.tally import Tally
from thinkwire.ruleset.choose import Selection

logger = logging.getLogger(__name__)

_SHOWN: Final = 72
"""Characters shown on either side of where an event changed."""


def log_exchange(
    selection: Selection, tally: Tally | None, noun: str, notes: list[str], observes: bool, *, live: bool
) -> None:
    """Log once what became of a request and its answer; nothing if no rule decided."""
    if not selection.rules:
        return
    line = log_line(selection, tally, noun, notes, observes)
    if not live and tally is not None and (shown := before_after(tally)):
        line = f"{line}\n{shown}"
    is_bad = tally is not None and (tally.unreadable or tally.conflicts)
    logger.log(logging.WARNING if is_bad else logging.INFO, "%s", line)


def log_line(selection: Selection, tally: Tally | None, noun: str, notes: list[str], observes: bool) -> str:
    """One line: which rules decided, and what changed. `noun` is what is counted: "event" or "body"."""
    return f"{rules_of(selection)}: {what_was_done(tally, noun, notes, observes)}"


def what_was_done(tally: Tally | None, noun: str, notes: list[str], observes: bool) -> str:
    """The same without the rules."""
    done = [*notes]
    if tally is not None:
        done.append(tally.summary(noun))
    words = ", ".join(done) or "nothing to change"
    return f"{'would change: ' if observes else ''}{words}"


def rules_of(selection: Selection) -> str:
    """The rules that decided, each with its file and line."""
    return ", ".join(f"{rule.id} ({_shown(rule.file)}:{rule.line})" for rule in selection.rules)


def _shown(file: Path) -> Path:
    """The file as one would type it here."""
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file


def before_after(tally: Tally) -> str:
    """The first event that changed, before and after, cut to where they differ; empty if none changed."""
    if tally.first_change is None:
        return ""
    before, after = (raw.decode("utf-8", "replace").strip() for raw in tally.first_change)
    differs = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return f"  - {_around(before, differs)}\n  + {_around(after, differs)}"


def _around(text: str, at: int) -> str:
    start, end = max(0, at - _SHOWN), at + _SHOWN
    cut = text[start:end].replace("\n", "\\n").replace("\r", "\\r")
    return f"{'...' if start else ''}{cut}{'...' if end < len(text) else ''}"
