"""Ways to put reasoning that was extracted from a text into a snapshot; each dialect chooses the one that fits."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from thinkwire.dialects.core.locate import number_at
from thinkwire.dialects.core.parts import FieldSpec, Kind, level_of
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text

DEFAULT_NAMES: Final = ("reasoning",)
"""The names of extracted reasoning if no rule gives others: the one that new clients read."""

type Insertion = Callable[[str, Node, Sequence[str], Edits], None]
"""Given the reasoning, the text's node, the names that rename asks for, and the edits to add to."""
type ElementMaker = Callable[[str, Node], str]
"""Makes a quoted text an element of a list, as JSON text, given the element that it replaces or goes beside."""


def around(before: str, after: str) -> ElementMaker:
    """An element made of JSON text around the quoted text, whatever it goes beside."""
    return lambda quoted, _beside: f"{before}{quoted}{after}"


def as_element(list_name: str, element_of: ElementMaker) -> Insertion:
    """As an element of the list of that name, before the element that holds the text.

    A document without such a list is left as it is: the reasoning has its place in another one.
    """

    def insert(reasoning: str, node: Node, _names: Sequence[str], edits: Edits) -> None:
        element: Node | None = node
        while element is not None and not (element.parent is not None and element.parent.key == list_name):
            element = element.parent
        if element is not None and element.parent is not None and element.parent.is_list:
            insert_element(element, element_of(quote_text(reasoning), element), edits)

    return insert


def insert_element(element: Node, json_text: str, edits: Edits) -> None:
    """Insert an element before another; numbers that refer to elements of the list are adjusted."""
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
    """As a member of that name after the text, or added to the member if there is one.

    If the text is in an element of a content list, it is a member of the message that has the list.
    """

    def insert(reasoning: str, node: Node, _names: Sequence[str], edits: Edits) -> None:
        member = node
        while (holder := member.parent) is not None and _is_piece(holder):
            member = holder
        edits.add_text(member, name, reasoning)

    return insert


def _is_piece(node: Node) -> bool:
    """Is this a list, or an element of one that is not an item of its own?"""
    level = level_of(node)
    is_element = node.parent is not None and node.parent.is_list
    return node.is_list or (is_element and not (level is not None and level.opens))
