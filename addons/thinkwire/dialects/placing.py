"""Ways to put a thought that was told apart from a text into a whole document; dialects choose the one that fits."""

from collections.abc import Callable, Sequence

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
    """As a member of that name behind the text."""

    def place(reasoning: str, node: Node, _names: Sequence[str], edits: Edits) -> None:
        edits.insert_after(node, name, quote_text(reasoning))

    return place
