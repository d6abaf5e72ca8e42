"""Faults as one writes them: the `fault` of a rule, and the texts of a command line -> what the plan says, and back.

What can be said of a fault in both ways is said here once: what contradicts itself, and how a fault is spelled.
"""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Final

from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First, Stall
from thinkwire.ruleset.field_types import HIGHEST_STATUS, LOWEST_STATUS
from thinkwire.ruleset.model.rule import FaultOptions, FirstOptions

__all__ = ["FaultError", "compile_fault", "contradiction", "parse_faults", "spell_fault"]


class FaultError(ValueError):
    """A text names no fault; it says what to write."""


def compile_fault(value: str | FaultOptions) -> Fault:
    """A rule's `fault`; the text is `none`."""
    if isinstance(value, str):
        return NO_FAULT
    given = value.model_fields_set
    return Fault(
        status_first=_first(value.status_first) if "status_first" in given else None,
        stall=Stall(value.stall.after, value.stall.seconds) if "stall" in given else None,
        error_after=value.error_after if "error_after" in given else None,
        cut_after=value.cut_after if "cut_after" in given else None,
        drop_done=value.drop_done,
        split=value.split if "split" in given else None,
        live=value.live,
    )


def _first(value: int | FirstOptions) -> First:
    return First(value) if isinstance(value, int) else First(value.status, value.times)


def spell_fault(fault: Fault) -> str:
    """As one writes it in a rule file."""
    members = []
    if (first := fault.status_first) is not None:
        long = f"{{status: {first.status}, times: {first.times}}}"
        members.append(f"status_first: {first.status if first.times == 1 else long}")
    if fault.stall is not None:
        members.append(f"stall: {{after: {fault.stall.after}, seconds: {fault.stall.seconds:.15g}}}")
    for name in ("error_after", "cut_after", "split"):
        if (number := getattr(fault, name)) is not None:
            members.append(f"{name}: {number}")
    members += [f"{name}: true" for name in ("drop_done", "live") if getattr(fault, name)]
    return f"{{{', '.join(members)}}}" if members else "none"


def contradiction(error_after: int | None, cut_after: int | None, stall_after: int | None) -> tuple[str, str] | None:
    """The names of two faults of which one leaves no room for the other, and why; None where all can happen."""
    if error_after is not None and cut_after is not None:
        return "cut_after", "`error_after` and `cut_after` cannot be done at once: each of them ends the answer"
    end = cut_after if error_after is None else error_after
    if end is not None and stall_after is not None and stall_after > end:
        name = "cut_after" if error_after is None else "error_after"
        return "stall", f"a `stall` after {stall_after} never comes: `{name}` ends the answer after {end}"
    return None


# --- the command line ---------------------------------------------------------------------------------------------


def parse_faults(texts: Iterable[str]) -> Fault | None:
    """What `cut-after=20`, `stall=5:3` and the like ask for; None where nothing is said. Raises FaultError."""
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
        return "live is for rule files; what is asked for here is for the replay alone"
    if name == "none":
        return "none stands alone: it takes away the faults of the rule file"
    close = get_close_matches(name, names, n=1)
    return f"there is no fault {name!r}: " + (f"did you mean {close[0]}?" if close else f"write {', '.join(names)}")


_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_SECONDS: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?|\.[0-9]{1,9}")


def _count(least: int, example: str) -> Callable[[str, str | None], int]:
    def parse(name: str, value: str | None) -> int:
        if value is None or not _WHOLE.fullmatch(value) or int(value) < least:
            raise FaultError(f"{name} needs a whole number from {least} on: {name}={example}")
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
        raise FaultError(f"{name} stands alone, without a value")
    return True


_FAULTS: Final[dict[str, Callable[[str, str | None], First | Stall | int | bool]]] = {
    "status_first": _parse_first,
    "stall": _parse_stall,
    "error_after": _count(0, "10"),
    "cut_after": _count(0, "20"),
    "drop_done": _parse_flag,
    "split": _count(1, "7"),
}
