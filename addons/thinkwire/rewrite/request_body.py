"""A request body's edits: members removed, members set; all else stays byte for byte."""

from collections.abc import Callable

from thinkwire.rewrite.plan import JSONPath, RequestPlan
from thinkwire.wire.json_tree import Node, Shape, decode, read
from thinkwire.wire.splice import Edits, quote, splice


def rewrite_request(raw: bytes, plan: RequestPlan) -> bytes:
    """The body after the plan's edits; the same bytes if nothing is to change. Raises Unreadable."""
    for path in plan.remove:
        raw = _edit(raw, path, _remove)
    for path, json_text in plan.set:
        raw = _edit(raw, path, _setter(json_text))
    return raw


def _edit(raw: bytes, path: JSONPath, edit: Callable[[Node, JSONPath, Edits], None]) -> bytes:
    shape: Shape | None = None
    names = tuple(_latin(name) for name in path)
    for name in reversed(names):
        shape = Shape(members={name: shape})
    root = read(decode(raw), shape)
    if root.text[root.at] != "{":
        return raw
    edits = Edits()
    edit(root, names, edits)
    return splice(raw, edits.spans()) if edits else raw


def _remove(node: Node, path: JSONPath, edits: Edits) -> None:
    for child in node.children:
        if child.key == path[0]:
            if len(path) == 1:
                edits.remove(child)
            else:
                _remove(child, path[1:], edits)


def _setter(json_text: str) -> Callable[[Node, JSONPath, Edits], None]:
    text = _latin(json_text)

    def set_member(node: Node, path: JSONPath, edits: Edits) -> None:
        child = node.child(path[0])
        if child is None:
            edits.append(node, path[0], _nested(path[1:], text))
        elif len(path) > 1 and child.text[child.at] == "{":
            set_member(child, path[1:], edits)
        elif len(path) > 1 or child.raw != text:
            edits.replace(child, _nested(path[1:], text))

    return set_member


def _nested(path: JSONPath, text: str) -> str:
    for name in reversed(path):
        text = f"{{{quote(name)}:{text}}}"
    return text


def _latin(text: str) -> str:
    """Text of our own in the form of document text: Latin-1 of its UTF-8 bytes."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")
