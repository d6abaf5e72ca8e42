"""Tool calls, however an API writes them: a list of calls, one call, or a member of one.

It reads the values of parts and does not know whose answer they are in.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from thinkwire.dialects.core.parts import Part

_ARGUMENTS: Final = ("arguments", "args", "input", "parameters", "partial_json")
_NAMES: Final = ("name", "toolName")
_OTHERS: Final = ("id", "type", "call_id", "caller")
"""Texts beside a call that are neither its name nor its arguments."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a part says about one call; the arguments are JSON, or a piece of it."""

    name: str = ""
    arguments: str = ""
    number: int | str | None = None
    """Which of several calls, if the part says so."""
    is_complete: bool = False
    """Were the arguments a value, rather than pieces of its text?"""


def calls_in(part: Part) -> Iterator[ToolCall]:
    """The calls in a part; empty if it holds none."""
    value = part.node.value
    if isinstance(value, str):
        if part.node.key == "name":
            yield ToolCall(name=value)
        elif part.node.key not in _OTHERS:
            yield ToolCall(_name_beside(part), value)
        return
    if part.node.key in _ARGUMENTS:
        if value:
            yield ToolCall(_name_beside(part), json.dumps(value, ensure_ascii=False))
        return
    for position, one in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(one, dict):
            yield _read_call(one, position if isinstance(value, list) else None)


def _name_beside(part: Part) -> str:
    return part.node.parent.string("name") if part.node.parent is not None else ""


def _read_call(value: dict[str, Any], position: int | None) -> ToolCall:
    telling = ("name", *_ARGUMENTS)
    inside = (one for one in value.values() if isinstance(one, dict) and any(one.get(key) for key in telling))
    members = value if any(value.get(key) for key in telling) else value | next(inside, {})
    name = next((members[key] for key in _NAMES if members.get(key)), "")
    arguments = next((members[key] for key in _ARGUMENTS if members.get(key)), "")
    index = value.get("index")
    number = index if isinstance(index, int) else position
    if isinstance(arguments, str):
        return ToolCall(name if isinstance(name, str) else "", arguments, number)
    is_numbered = isinstance(index, int)
    return ToolCall(
        str(name), json.dumps(arguments, ensure_ascii=False), index if is_numbered else None, not is_numbered
    )
