"""Ways to put a thought that was told apart from a text into a whole document; dialects choose the one that fits."""

from collections.abc import Callable, Sequence

from thinkwire.dialects.parts import level_of
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text

__all__ = ["as_element", "as_member"]

type Placing = Callable[[str, Node, Sequence[str], Edits], None]


def as_element(list_name: str, before: str, after: str) -> Placing:
    """As an element of the list of that name, before the one that the text stands in.

    `before` and `after` are the element's JSON text around the quoted thought. A document without such a list shows
    its thought elsewhere; it is left without.
    """

    def place(reasoning: str, node: Node, _names: Sequence[str], edits: Edits) -> None:
        element: Node | None = node
        while element is not None and not (element.parent is not None and element.parent.key == list_name):
            element = element.parent
        if element is not None and element.parent is not None and element.parent.is_list:
            edits.insert_before(element, f"{before}{quote_text(reasoning)}{after}")

    return place


def as_member(name: str) -> Placing:
    """As a member of that name behind the text, or what stands there already.

    Where the text is in an element of a list of content, it is a member of the message that has the list.
    """

    def place(reasoning: str, node: Node, _names: Sequence[str], edits: Edits) -> None:
        member = node
        while (holder := member.parent) is not None and _is_piece(holder):
            member = holder
        edits.add_text(member, name, reasoning)

    return place


def _is_piece(node: Node) -> bool:
    """Is this a list, or an element of one that is about no choice or block of its own?"""
    level = level_of(node)
    is_element = node.parent is not None and node.parent.is_list
    return node.is_list or (is_element and not (level is not None and level.opens))
