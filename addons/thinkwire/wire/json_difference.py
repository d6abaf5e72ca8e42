"""Where two JSON texts differ, member by member.

Spelling counts (`1.0` is not `1`), white space between members does not. It compares and changes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from thinkwire.wire.json_tree import Node, Shape, encode, read


@dataclass(frozen=True, slots=True)
class Difference:
    """A member or element that differs between two texts."""

    path: str
    """The names and positions that lead to it, from the outside in: `messages.1.content`. Empty for the whole text."""
    before: str | None
    """Its value as document text; None if it was not there."""
    after: str | None
    """Likewise; None if it is no longer there."""


_EVERYTHING: Final = Shape(members={})
"""A table that leads to every member and element."""
_EVERYTHING.other = _EVERYTHING.elements = _EVERYTHING


def differences(before: str, after: str) -> list[Difference]:
    """The differences of two document texts, in their order. Raises Unreadable if one of them is not JSON."""
    try:
        return list(_compared(read(before, _EVERYTHING), read(after, _EVERYTHING), ()))
    except RecursionError:
        return [Difference("", before, after)]


type _Path = tuple[str, ...]


def _compared(before: Node, after: Node, path: _Path) -> Iterator[Difference]:
    if before.raw == after.raw:
        return
    if before.is_list and after.is_list:
        yield from _in_lists(before.children, after.children, path)
    elif _is_object(before) and _is_object(after):
        yield from _in_objects(before, after, path)
    else:
        yield Difference(_joined(path), before.raw, after.raw)


def _is_object(node: Node) -> bool:
    return node.text[node.at] == "{"


def _in_objects(before: Node, after: Node, path: _Path) -> Iterator[Difference]:
    old, new = ({child.key: child for child in node.children} for node in (before, after))
    for key in old | new:
        yield from _at(old.get(key), new.get(key), (*path, key))


def _in_lists(before: list[Node], after: list[Node], path: _Path) -> Iterator[Difference]:
    """An element added or removed in the middle does not make all those after it differ."""
    matcher = SequenceMatcher(None, [one.raw for one in before], [one.raw for one in after], autojunk=False)
    for _, start, end, new_start, new_end in matcher.get_opcodes():
        both = min(end - start, new_end - new_start)
        for offset in range(both):
            yield from _at(before[start + offset], after[new_start + offset], (*path, str(new_start + offset)))
        for position in range(start + both, end):
            yield from _at(before[position], None, (*path, str(position)))
        for position in range(new_start + both, new_end):
            yield from _at(None, after[position], (*path, str(position)))


def _at(before: Node | None, after: Node | None, path: _Path) -> Iterator[Difference]:
    if before is not None and after is not None:
        yield from _compared(before, after, path)
    else:
        yield Difference(_joined(path), before.raw if before else None, after.raw if after else None)


def _joined(path: _Path) -> str:
    return ".".join(f"'{name}'" if set(name) & set(". []'") or not name else name for name in map(_text, path))


def _text(name: str) -> str:
    return encode(name).decode("utf-8", "replace")
