"""`thinkwire show --diff`: the events that rules change, before and after, cut to what changed."""

from collections.abc import Iterator
from typing import Final

from thinkwire.cli_colour import Colours
from thinkwire.proxy.reading import Change, rerun
from thinkwire.proxy.recording import Session
from thinkwire.proxy.report import log_line
from thinkwire.proxy.wording import printable
from thinkwire.ruleset.choose import Ruleset

__all__ = ["diff_lines"]

_AROUND: Final = 60
"""Characters shown on either side of what changed."""
_LONGEST: Final = 400
"""Characters shown of a document that is sent or not sent as a whole."""


def diff_lines(recorded: Session, ruleset: Ruleset, colours: Colours) -> Iterator[str]:
    run = rerun(recorded, ruleset)
    for change in run.changes:
        where = f"event {change.event.number}" if change.event is not None else "after the last event"
        yield colours.dim(f"  {where if run.noun == 'event' else 'body'}")
        yield from (f"  {line}" for line in _change_lines(change, colours))
    notes = [run.damage] if run.damage else []
    if not run.choice.rules:
        yield "  no rule decides about this exchange"
    else:
        yield f"  {printable(log_line(run.choice, run.tally, run.noun, notes, False))}"


def _change_lines(change: Change, colours: Colours) -> Iterator[str]:
    before = _shown(change.before)
    after = [_shown(text) for text in change.after]
    if before and len(after) == 1:
        yield from _beside(before, after[0], colours)
        return
    if before:
        yield colours.red(f"- {_cut(before)}")
    for text in after:
        yield colours.green(f"+ {_cut(text)}")


def _beside(before: str, after: str, colours: Colours) -> Iterator[str]:
    """Two texts, of which only what differs is in colour, and not much around it is shown."""
    start = _alike(before, after)
    end = _alike(before[start:][::-1], after[start:][::-1])
    for sign, text, colour in (("-", before, colours.red), ("+", after, colours.green)):
        until = len(text) - end
        first, last = max(0, start - _AROUND), min(len(text), until + _AROUND)
        head = ("..." if first else "") + text[first:start]
        tail = text[until:last] + ("..." if last < len(text) else "")
        yield f"{colour(sign)} {head}{colour(_cut(text[start:until]))}{tail}"


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common, from the first on."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _shown(document: str) -> str:
    """Document text as a line."""
    text = document.encode("latin-1", "replace").decode("utf-8", "replace").strip()
    return printable(text).replace("\n", "\\n")
