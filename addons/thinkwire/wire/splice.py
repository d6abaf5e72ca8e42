"""Edits of a JSON text by its tree: members removed, values replaced, names changed, members added.

It collects edits and returns the spans of the text that change; all other text stays. It does not choose what to edit.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from thinkwire.wire.json_tree import Node, encode


class Edit(NamedTuple):
    """`text[start:end]` becomes `new`; half-open, in characters of Latin-1 text and so in bytes."""

    start: int
    end: int
    new: str


def to_json(value: object) -> str:
    """JSON text in ASCII, which fits into Latin-1 text whatever the value holds."""
    return json.dumps(value, separators=(",", ":"))


def quote(name: str) -> str:
    """A member's name, given as document text (Latin-1 of its UTF-8 bytes), as JSON text in the same form."""
    return json.dumps(name, ensure_ascii=False)


def quote_text(text: str) -> str:
    """A text as JSON in the form of document text: UTF-8 as Latin-1, or ASCII if it holds half a surrogate pair."""
    try:
        return json.dumps(text, ensure_ascii=False).encode().decode("latin-1")
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(text)


def to_document(value: object) -> str:
    """A JSON value as document text: UTF-8 as Latin-1, or ASCII if it holds half a surrogate pair."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    try:
        return paired.encode().decode("latin-1")
    except UnicodeEncodeError:
        return to_json(value)


class Edits:
    """Edits of one document. Those inside a removed node are dropped with it."""

    __slots__ = ("_added", "_changes", "_following", "_inserted", "_removed", "_values")

    def __init__(self) -> None:
        self._changes: list[Edit] = []
        self._values: dict[Node, str] = {}
        """The replaced values; the last replacement of a node counts."""
        self._added: dict[tuple[Node, str], tuple[int, str]] = {}
        """The texts added to objects, by name: where the member goes if it is new, and its full text."""
        self._inserted: list[Node] = []
        """The elements before which others were inserted."""
        self._following: dict[Node, list[Node]] = {}
        """Numbers that are positions of elements, by list."""
        self._removed: dict[Node, None] = {}

    def __bool__(self) -> bool:
        return bool(self._changes or self._values or self._added or self._removed)

    def remove(self, node: Node) -> None:
        """Remove a member or element, with the comma that belongs to it."""
        self._removed[node] = None

    def is_removed(self, node: Node | None) -> bool:
        """Is the node, or one around it, removed?"""
        while node is not None:
            if node in self._removed:
                return True
            node = node.parent
        return False

    def replace(self, node: Node, json_text: str) -> None:
        """Replace the node's value; `json_text` is Latin-1 text or ASCII."""
        self._values[node] = json_text

    def raw(self, node: Node) -> str:
        """The node's value after the edits so far."""
        return self._values.get(node, node.raw)

    def rename(self, node: Node, key: str) -> None:
        self._changes.append(Edit(node.start, node.key_end, quote(key)))

    def insert_after(self, node: Node, key: str, json_text: str) -> None:
        """Add a member after one that stays."""
        self._changes.append(Edit(node.end, node.end, f",{quote(key)}:{json_text}"))

    def insert_before(self, element: Node, json_text: str) -> None:
        """Add an element of a list before one that stays."""
        self._changes.append(Edit(element.start, element.start, f"{json_text},"))
        self._inserted.append(element)

    def follow(self, elements: Node, numbers: list[Node]) -> None:
        """Adjust numbers that are positions in a list to what is inserted into it."""
        self._following[elements] = numbers

    def is_followed(self, elements: Node) -> bool:
        return elements in self._following

    def append(self, parent: Node, key: str, json_text: str) -> None:
        """Add a last member to an object none of whose members is removed."""
        if parent.children:
            self.insert_after(parent.children[-1], key, json_text)
        else:
            self._changes.append(Edit(parent.at + 1, parent.at + 1, f"{quote(key)}:{json_text}"))

    def add_text(self, beside: Node, key: str, text: str) -> None:
        """Append to the text of the member of that name, beside a member that stays; create it if there is none."""
        assert beside.parent is not None
        parent = beside.parent
        present = parent.child(key)
        _, before = self._added.get((parent, key), (0, parent.string(key)))
        self._added[parent, key] = beside.end, before + text
        if present is not None:
            self.replace(present, quote_text(before + text))

    def adds_text(self, parent: Node, key: str) -> bool:
        """Was text added to the member of that name?"""
        return (parent, key) in self._added

    def spans(self) -> list[Edit]:
        """The edits in text order, without overlaps; additions at one position in the order they were made."""
        result: list[Edit] = []
        done = 0
        changes = [*self._cuts(), *self._replaced(), *self._changes, *self._made(), *self._followed()]
        for edit in sorted(changes, key=_text_order):
            if edit.start >= done:
                result.append(edit)
                done = edit.end
        return result

    def _replaced(self) -> Iterable[Edit]:
        return (Edit(node.at, node.end, new) for node, new in self._values.items())

    def _made(self) -> Iterable[Edit]:
        for (parent, key), (at, text) in self._added.items():
            if parent.child(key) is None:
                yield Edit(at, at, f",{quote(key)}:{quote_text(text)}")

    def _followed(self) -> Iterable[Edit]:
        for elements, numbers in self._following.items():
            position_of = {element: position for position, element in enumerate(elements.children)}
            added = sorted(position_of[element] for element in self._inserted if element in position_of)
            for number in numbers:
                before = bisect_right(added, int(number.raw))
                if before:
                    yield Edit(number.at, number.end, str(int(number.raw) + before))

    def _cuts(self) -> Iterable[Edit]:
        parents = {node.parent: None for node in self._removed if node.parent is not None}
        for parent in parents:
            yield from self._cuts_in(parent.children)

    def _cuts_in(self, children: list[Node]) -> Iterable[Edit]:
        """A run of removed siblings extends to the next one that stays; a run at the end takes the comma before it."""
        kept_end: int | None = None
        run_start: int | None = None
        for child in children:
            if child in self._removed:
                run_start = child.start if run_start is None else run_start
            else:
                if run_start is not None:
                    yield Edit(run_start, child.start, "")
                    run_start = None
                kept_end = child.end
        if run_start is not None:
            yield Edit(run_start if kept_end is None else kept_end, children[-1].end, "")


def _text_order(edit: Edit) -> tuple[int, bool, int]:
    """By position. At the same position, additions come first, and a cut before the changes that it includes."""
    return edit.start, edit.end > edit.start, -edit.end


def splice(raw: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes after the edits, which must be in order and must not overlap."""
    whole = memoryview(raw)  # its slices are not copies; an event can be very long
    pieces: list[bytes | memoryview] = []
    done = 0
    for start, end, new in edits:
        pieces += (whole[done:start], encode(new))
        done = end
    pieces.append(whole[done:])
    return b"".join(pieces)
