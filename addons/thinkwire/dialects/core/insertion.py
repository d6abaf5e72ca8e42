"""Ways to put a thought that was told apart from a text into a whole document; dialects choose the one that fits."""

from collections.abc import Callable, Iterable, Sequence

from thinkwire.dialects.core.locate import number_at
from thinkwire.dialects.core.parts import FieldSpec, Kind, level_of
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text

__all__ = ["Element", "around", "as_element", "as_member", "insert_element"]

type Insertion = Callable[[str, Node, Sequence[str], Edits], None]


type Element = Callable[[str, Node], str]
"""Makes a quoted text an element of a list, as JSON text, given the element that it stands for, or beside."""


def around(before: str, after: str) -> Element:
    """An element that is JSON text around the text, whatever stands beside it."""
    return lambda quoted, _beside: f"{before}{quoted}{after}"


def as_element(list_name: str, element_of: Element) -> Insertion:
    """As an element of the list of that name, before the one that the text stands in.

    A document without such a list shows its thought elsewhere; it is left without.
    """

    def insert(reasoning: str, node: Node, _names: Sequence[str], edits: Edits) -> None:
        element: Node | None = node
        while element is not None and not (element.parent is not None and element.parent.key == list_name):
            element = element.parent
        if element is not None and element.parent is not None and element.parent.is_list:
            insert_element(element, element_of(quote_text(reasoning), element), edits)

    return insert


def insert_element(element: Node, json_text: str, edits: Edits) -> None:
    """Put another element before one; numbers that name elements of the list follow."""
    edits.insert_before(element, json_text)
    level, elements = level_of(element), element.parent
    if level is not None and level.space and elements is not None and not edits.is_followed(elements):
        root = elements
        while root.parent is not None:
            root = root.parent
        edits.follow(elements, list(_references(root, level.space)))


def _references(node: Node, space: str) -> Iterable[Node]:
    for child in node.children:
        label = child.label
        if type(label) is not FieldSpec:
            yield from _references(child, space)
        elif label.kind is Kind.REFERENCE and label.space == space and number_at(child) is not None:
            yield child


def as_member(name: str) -> Insertion:
    """As a member of that name behind the text, or what stands there already.

    Where the text is in an element of a list of content, it is a member of the message that has the list.
    """

    def insert(reasoning: str, node: Node, _names: Sequence[str], edits: Edits) -> None:
        member = node
        while (holder := member.parent) is not None and _is_piece(holder):
            member = holder
        edits.add_text(member, name, reasoning)

    return insert


def _is_piece(node: Node) -> bool:
    """Is this a list, or an element of one that is about no choice or block of its own?"""
    level = level_of(node)
    is_element = node.parent is not None and node.parent.is_list
    return node.is_list or (is_element and not (level is not None and level.opens))
