"""JSON text -> a tree of spans, directed by a table; nothing outside of the table's paths is read.

It builds no values and does not interpret what it finds: labels come from the table and are passed on unchanged.

Text is *Latin-1 of the bytes* (`decode(raw)`): one character per byte, so that a span in the text is a span in the
bytes, any bytes survive, and the standard library's scanners, which need `str`, can be used. JSON's structure is ASCII
and looks the same; a value whose meaning matters is read with `Node.value`.

    tree = read('{"a": {"b": 1.0}}', Shape(members={"a": Shape(members={"b": "found"})}))
    tree.children[0].children[0].label == "found"
"""

import json
import re
from collections.abc import Container, Iterator, Mapping
from json.decoder import JSONDecodeError
from typing import Any, Final


class Unreadable(ValueError):
    """The text is not JSON; the message says where and why."""


def decode(raw: bytes) -> str:
    return raw.decode("latin-1")


def encode(text: str) -> bytes:
    """The bytes of a text that came from `decode`; any other text must be made ASCII first."""
    return text.encode("latin-1")


class Shape:
    """One level of a table: what the members of an object, or the elements of a list, are.

    A label is anything that is not a Shape; it becomes `Node.label` unchanged. A Shape in its place says how to go on
    inside, and is the label itself. If the value is of another type than the Shape describes, the node stays a leaf.
    """

    __slots__ = ("cases", "elements", "label", "members", "other", "switch")

    def __init__(
        self,
        members: Mapping[str, Any] | None = None,
        *,
        other: Any = None,
        elements: Any = None,
        switch: str = "",
        cases: Mapping[str, "Shape"] | None = None,
        label: Any = None,
    ) -> None:
        self.members = members
        """Name -> label or Shape, for objects."""
        self.other = other
        """The label of members that the table does not name, and of elements of a switch without a matching case."""
        self.elements = elements
        """Label or Shape of each element, for lists."""
        self.switch = switch
        """The name of the member whose text (or `true`, or a number as it is written) chooses one of `cases`; without
        a matching case, this Shape itself applies."""
        self.cases = cases or {}
        self.label = label
        """Whatever the table's author wants to find here."""


class Node:
    """A member of an object, an element of a list, or the document itself (the latter two with an empty `key`).

    `start` is where the member begins (the quote of its name), `at` where its value begins; both end at `end`.
    """

    __slots__ = ("at", "children", "end", "key", "key_end", "label", "parent", "start", "text")

    def __init__(
        self, text: str, parent: "Node | None", key: str, start: int, key_end: int, at: int, end: int, label: Any
    ) -> None:
        self.text = text
        self.parent = parent
        self.key = key
        self.start = start
        self.key_end = key_end
        self.at = at
        self.end = end
        self.label = label
        self.children: list[Node] = []

    @property
    def raw(self) -> str:
        """The value's text as it is written, in Latin-1."""
        return self.text[self.at : self.end]

    @property
    def value(self) -> Any:
        """The parsed value, read as UTF-8; bytes that are not UTF-8 become lone surrogates."""
        raw = self.raw
        if raw[0] == '"' and raw.isascii() and "\\" not in raw:
            return raw[1:-1]  # most texts are like this, and need no decoder
        return _DECODER.decode(encode(raw).decode("utf-8", "surrogateescape"))

    @property
    def depth(self) -> int:
        """How many objects and lists are around it."""
        return sum(1 for _ in self.path()) - 1

    def path(self) -> "Iterator[Node]":
        """The node and the objects and lists around it, innermost first."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    @property
    def is_string(self) -> bool:
        return self.text[self.at] == '"'

    @property
    def is_list(self) -> bool:
        return self.text[self.at] == "["

    @property
    def is_empty(self) -> bool:
        """Is it `null`, `""`, `[]` or `{}`, the values that mean nothing?"""
        first = self.text[self.at]
        if first == '"':
            return self.end - self.at == 2
        if first in "[{":
            return not self.children and not self.text[self.at + 1 : self.end - 1].strip(_BLANK)
        return first == "n"

    def texts_of(self, keys: Container[str]) -> list[str]:
        """The members of these names, each with its name, as they are written and in their order."""
        return [self.text[node.start : node.end] for node in self.children if node.key in keys]

    def child(self, key: str) -> "Node | None":
        """The last member of that name, which is the one that JSON parsers take."""
        return next((node for node in reversed(self.children) if node.key == key), None)

    def string(self, key: str) -> str:
        """The text of the member of that name; empty if there is none, or if it is not a string."""
        child = self.child(key)
        return str(child.value) if child is not None and child.is_string else ""


_BLANK: Final = " \t\n\r"
_WS: Final = r"[ \t\n\r]*+"
STRING: Final = r'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_ATOM: Final = r"(?:null|true|false|-?(?:(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][-+]?\d++)?|Infinity)|NaN)"

# One match takes a whole member whose value is a string or an atom, with the comma or brace after it. Containers leave
# group 2 empty; a name that contains an escape does not match and takes the slow path.
_MEMBER: Final = re.compile(rf'{_WS}"([^"\\]*+)"{_WS}:{_WS}({STRING}|{_ATOM})?({_WS}[,}}])?')
_NAME: Final = re.compile(rf"{_WS}({STRING}){_WS}:{_WS}")
_ELEMENT: Final = re.compile(rf"{_WS}({STRING}|{_ATOM})?")
_AFTER_MEMBER: Final = re.compile(rf"{_WS}([,}}])")
_AFTER_ELEMENT: Final = re.compile(rf"{_WS}([,\]])")
_EMPTY_OBJECT: Final = re.compile(rf"\{{{_WS}\}}")
_EMPTY_LIST: Final = re.compile(rf"\[{_WS}\]")
_LEAD: Final = re.compile(rf"(?:\xef\xbb\xbf)?{_WS}")
_TAIL: Final = re.compile(rf"{_WS}\Z")
_VALUE: Final = re.compile(rf"{STRING}|{_ATOM}")


def _int(digits: str) -> int | str:
    """Python refuses to convert more than 4,300 digits to a number; such a number stays text."""
    return int(digits) if len(digits) < 4000 else digits


_DECODER: Final = json.JSONDecoder(strict=False, parse_int=_int)

# Only the end of a value is of interest; its numbers stay text, since Python refuses those of more than 4,300 digits.
_scan = json.JSONDecoder(strict=False, parse_int=str).scan_once  # type: ignore[attr-defined]  # not in the stubs


def read(text: str, shape: Any) -> Node:
    """The document's root node. `text` must be one JSON text; only white space and a byte order mark may surround it.

    Raises Unreadable. NaN, Infinity and control characters inside strings are accepted, as by most clients.
    """
    at = _match_end(_LEAD, text, 0)
    if at == len(text):
        raise Unreadable("no JSON text")
    root = Node(text, None, "", at, at, at, at, shape)
    try:
        root.end = _walk(root, shape)
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    if not _TAIL.match(text, root.end):
        raise Unreadable(f"something follows the JSON text at {root.end}")
    return root


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    if match is None:  # pragma: no cover - only for patterns that match the empty text
        raise Unreadable(f"unexpected text at {at}")
    return match.end()


def _walk(node: Node, shape: Any) -> int:
    """Fill in the node's children as far as the shape goes; returns where its value ends."""
    if isinstance(shape, Shape):
        first = node.text[node.at : node.at + 1]
        if first == "{" and (shape.members is not None or shape.switch):
            return _walk_switch(node, shape) if shape.switch else _walk_object(node, shape)
        if first == "[" and shape.elements is not None:
            return _walk_list(node, shape)
    return _skip(node.text, node.at)


def _walk_object(node: Node, shape: Shape) -> int:
    text, children, members, other = node.text, node.children, shape.members or {}, shape.other
    at = node.at + 1
    if empty := _EMPTY_OBJECT.match(text, node.at):
        return empty.end()
    while True:
        match = _MEMBER.match(text, at)
        if match is None:
            child = _escaped_member(node, at)
        else:
            key, start = match[1], match.start(1) - 1
            value_at, end = match.span(2)
            child = Node(text, node, key, start, match.end(1) + 1, value_at, end, None)
            if value_at < 0:
                child.at = match.end(0)
                if match[3] is not None:
                    raise Unreadable(f"a value is missing at {child.at - 1}")
        label = child.label = members.get(child.key, other)
        children.append(child)
        if child.end < 0:
            child.end = _walk(child, label)
            match = None
        if match is None or match[3] is None:
            match = _AFTER_MEMBER.match(text, child.end)
            if match is None:
                raise Unreadable(f"a comma or the end of an object is missing at {child.end}")
        at = match.end(0)
        if text[at - 1] == "}":
            return at


def _escaped_member(node: Node, at: int) -> Node:
    match = _NAME.match(node.text, at)
    if match is None:
        raise Unreadable(f"a member's name is missing at {at}")
    name = json.loads(encode(match[1]).decode("utf-8", "surrogateescape"), strict=False)
    key = name.encode("utf-8", "surrogatepass").decode("latin-1")  # as if it had been written without escapes
    return Node(node.text, node, key, match.start(1), match.end(1), match.end(0), -1, None)


def _walk_list(node: Node, shape: Shape) -> int:
    text, children, label = node.text, node.children, shape.elements
    at = node.at + 1
    if empty := _EMPTY_LIST.match(text, node.at):
        return empty.end()
    while True:
        match = _ELEMENT.match(text, at)
        assert match is not None  # it matches the empty text
        value_at, end = match.span(1)
        child = Node(text, node, "", value_at, value_at, value_at, end, label)
        children.append(child)
        if value_at < 0:
            child.start = child.key_end = child.at = match.end(0)
            child.end = _walk(child, label)
        match = _AFTER_ELEMENT.match(text, child.end)
        if match is None:
            raise Unreadable(f"a comma or the end of a list is missing at {child.end}")
        at = match.end(0)
        if match[1] == "]":
            return at


def _walk_switch(node: Node, shape: Shape) -> int:
    """The deciding member may be anywhere: first the spans of all members, then what is inside."""
    end = _walk_object(node, _LEAVES)
    chosen = node.child(shape.switch)
    name = "" if chosen is None else chosen.value if chosen.is_string else chosen.raw
    case = node.label = shape.cases.get(name, shape)
    members = case.members or {}
    for child in node.children:
        child.label = members.get(child.key, case.other)
        if isinstance(child.label, Shape):
            _walk(child, child.label)
    return end


_LEAVES: Final = Shape(members={})


def _skip(text: str, at: int) -> int:
    """Where the value that begins at `at` ends."""
    if match := _VALUE.match(text, at):
        return match.end()
    if text[at : at + 1] not in ("{", "["):
        raise Unreadable(f"a value is missing at {at}")
    try:
        return int(_scan(text, at)[1])
    except StopIteration as stop:
        raise Unreadable(f"a value is missing at {stop.value}") from None
    except JSONDecodeError as error:
        raise Unreadable(str(error)) from None
