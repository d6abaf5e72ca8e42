"""Documents of declared APIs: does one have a path, and which one carries a given text?

It follows paths; `compiler.py` knows declarations.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from thinkwire.dialects.core.fields import ENVELOPE
from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.declared.paths import Chosen, EachElement, Name, Path, in_document
from thinkwire.wire.json_tree import Node, Shape, encode, read
from thinkwire.wire.splice import to_json

_LOOK: Final = Shape(members={}, elements=ENVELOPE)


def has_path(node: Node, path: Path) -> bool:
    """Does the path lead to anything in a document, whichever table it was read by?"""
    if not path:
        return True
    step, rest = path[0], path[1:]
    children = _children(node)
    match step:
        case Name(text):
            name = in_document(text)
            return any(child.key == name and has_path(child, rest) for child in children if _opens_with(node, "{"))
        case EachElement():
            return any(has_path(child, rest) for child in children if _opens_with(node, "["))
    candidates = children if _opens_with(node, "[") else [node]
    return any(_is_chosen(candidate, step) and has_path(candidate, rest) for candidate in candidates)


def _children(node: Node) -> list[Node]:
    """The members or elements, even if the table did not lead into them."""
    if node.children or not _opens_with(node, "{["):
        return node.children
    return read(node.raw, _LOOK).children


def _is_chosen(node: Node, chosen: Chosen) -> bool:
    name = in_document(chosen.member)
    member = next((child for child in reversed(_children(node)) if child.key == name), None)
    return member is not None and (member.value if member.is_string else member.raw) == chosen.value


def _opens_with(node: Node, brackets: str) -> bool:
    return node.text[node.at] in brackets


# --- writing ----------------------------------------------------------------------------------------------------


def write(fields: Sequence[tuple[Kind, Path]], kind: Kind, text: str, item: ItemKey, like: Node) -> list[str]:
    """The document that carries a text in the first field of that kind; none if the API has no such field.

    It repeats the envelope of `like`, and names the item as the declaration says.
    """
    path = next((path for of_kind, path in fields if of_kind is kind), None)
    if path is None:
        return []
    item_paths = [item_path for of_kind, item_path in fields if of_kind is Kind.ITEM]
    document = _nested(path, 0, text, item_paths, item)
    if isinstance(document, dict):
        document = _envelope(fields, like) | document
    return [to_json(document)]


def _envelope(fields: Sequence[tuple[Kind, Path]], like: Node) -> dict[str, Any]:
    """The members of a document that mean nothing by themselves."""
    names = {
        path[0].text for kind, path in fields if kind is Kind.ENVELOPE and len(path) == 1 and type(path[0]) is Name
    }
    members = {name: like.child(in_document(name)) for name in sorted(names)}
    return {name: member.value for name, member in members.items() if member is not None}


def _nested(path: Path, at: int, text: str, item_paths: list[Path], item: ItemKey) -> Any:
    """The value to which the first `at` steps of the path lead."""
    if at == len(path):
        return text
    value, step = _nested(path, at + 1, text, item_paths, item), path[at]
    if isinstance(step, EachElement):
        return [value]
    if isinstance(step, Name):
        value = {step.text: value}
    else:
        value = {step.member: _as_value(step.value)} | (value if isinstance(value, dict) else {"text": value})
    for item_path in item_paths:
        if item_path[:-1] == path[:at] and isinstance(item_path[-1], Name):
            return {item_path[-1].text: _number(item)} | value
    return value


def _as_value(wanted: str) -> Any:
    """A value as written in a path: numbers, `true` and `false` are such, everything else is text."""
    try:
        return json.loads(wanted) if wanted in ("true", "false") or wanted.isdecimal() else wanted
    except ValueError:
        return wanted


def _number(item: ItemKey) -> Any:
    return json.loads(encode(item.number)) if isinstance(item.number, str) else item.number
