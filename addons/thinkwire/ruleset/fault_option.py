"""Faults as texts of a command line or an option, such as `cut-after=20` -> what the plan says.

The texts say what a rule's `fault` says; only `live` has no meaning here.
"""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Final

from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First, Stall
from thinkwire.ruleset.field_types import HIGHEST_STATUS, LOWEST_STATUS
from thinkwire.ruleset.settings.fault import contradiction


class FaultError(ValueError):
    """A text does not name a fault; the message says what to write."""


def parse_faults(texts: Iterable[str]) -> Fault | None:
    """What `cut-after=20`, `stall=5:3` and the like ask for; None if there are no texts. Raises FaultError."""
    found: dict[str, Fault | First | Stall | int | bool] = {}
    given = [text.strip() for text in texts]
    if given == ["none"]:
        return NO_FAULT
    for text in given:
        name, equals, value = text.partition("=")
        member = name.replace("-", "_")
        if member not in _FAULTS:
            raise FaultError(_unknown(name))
        if member in found:
            raise FaultError(f"the fault {name} is given twice")
        found[member] = _FAULTS[member](name, value if equals else None)
    if not found:
        return None
    fault = Fault(**found)  # type: ignore[arg-type]
    clash = contradiction(fault.error_after, fault.cut_after, fault.stall.after if fault.stall else None)
    if clash is not None:
        raise FaultError(clash[1].replace("`", "").replace("_", "-"))
    return fault


def _unknown(name: str) -> str:
    names = [name.replace("_", "-") for name in _FAULTS]
    if name == "live":
        return "live is for rule files: faults that are asked for here apply to the replay alone"
    if name == "none":
        return "none must be the only one: it turns off the faults of the rule file"
    close = get_close_matches(name, names, n=1)
    return f"there is no fault {name!r}: " + (f"did you mean {close[0]}?" if close else f"write {', '.join(names)}")


_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?|\.[0-9]{1,9}")


def _count(least: int, example: str) -> Callable[[str, str | None], int]:
    def parse(name: str, value: str | None) -> int:
        if value is None or not _WHOLE.fullmatch(value) or int(value) < least:
            raise FaultError(f"{name} needs a whole number of at least {least}: {name}={example}")
        return int(value)

    return parse


def _parse_stall(name: str, value: str | None) -> Stall:
    after, _, seconds = (value or "").partition(":")
    if not _WHOLE.fullmatch(after) or not _SECONDS.fullmatch(seconds) or not float(seconds):
        raise FaultError(f"{name} needs a number of events and how many seconds it lasts: {name}=5:3")
    return Stall(int(after), float(seconds))


def _parse_first(name: str, value: str | None) -> First:
    status, colon, times = (value or "").partition(":")
    is_status = _WHOLE.fullmatch(status) and LOWEST_STATUS <= int(status) <= HIGHEST_STATUS
    if not is_status or (colon and not (_WHOLE.fullmatch(times) and int(times))):
        raise FaultError(
            f"{name} needs the status of an error, from {LOWEST_STATUS} to {HIGHEST_STATUS}, and may say how often: "
            f"{name}=429 or {name}=429:2"
        )
    return First(int(status), int(times) if colon else 1)


def _parse_flag(name: str, value: str | None) -> bool:
    if value is not None:
        raise FaultError(f"{name} takes no value")
    return True


_FAULTS: Final[dict[str, Callable[[str, str | None], First | Stall | int | bool]]] = {
    "status_first": _parse_first,
    "stall": _parse_stall,
    "error_after": _count(0, "10"),
    "cut_after": _count(0, "20"),
    "drop_done": _parse_flag,
    "split": _count(1, "7"),
}
