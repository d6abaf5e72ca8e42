"""Takes the reasoning out of an update, and leaves what belongs to the answer or to the next turn.

It edits; what becomes of token metadata, and whether the document is sent, is decided in `stripper.py`.
"""

from collections.abc import Set
from typing import Final

from thinkwire.dialects.core.encrypted_check import is_readable
from thinkwire.dialects.core.parts import VISIBLE, FieldSpec, Kind, Level, Part, Update, level_of
from thinkwire.rewrite.plan import Opaque
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import Edits

REASONING_KINDS: Final = (Kind.REASONING, Kind.OPAQUE, Kind.REASONING_TOKENS)
"""The kinds of parts that reasoning is made of."""


def remove_reasoning(update: Update, opaque: Opaque, edits: Edits) -> None:
    """Collect the edits that take the reasoning out of an update."""
    shortened: set[Node] = set()
    for part in update.of(*REASONING_KINDS):
        if _stays(update, part, opaque, edits):
            continue
        gone = _with_bare_copies(part.node) if part.is_flag else part.node
        edits.remove(gone)
        if gone.parent is not None and gone.parent.is_list:
            shortened.add(gone.parent)
    for node in shortened:
        _fill_emptied(node, edits)


def keeps_something(item: Update) -> bool:
    """Does an item of reasoning hold anything else, or state that only the provider can read?"""
    parts = [leaf for part in item.parts for leaf in part.leaves or [part]]
    return any(_is_state(part) or (part.kind not in REASONING_KINDS and part.is_meaningful) for part in parts)


def _stays(update: Update, part: Part, opaque: Opaque, edits: Edits) -> bool:
    """Does a part stay, or what is left of it after edits?"""
    keeps_opaque = opaque is Opaque.KEEP
    if part.kind is Kind.REASONING_TOKENS:
        return not part.is_meaningful
    if part.kind is Kind.OPAQUE:
        return keeps_opaque and (_is_state(part) or not part.is_meaningful)
    if _keep_visible(part, edits):
        return True
    return keeps_opaque and (_empty_text(update, part, edits) or _keep_opaque_blocks(part, edits))


def _fill_emptied(node: Node, edits: Edits) -> None:
    """Put into the place of a list that has lost all its elements what clients can read in any case.

    That is the element that the table names; or an empty text, if a text came as a list of parts.
    """
    label = node.label.label if type(node.label) is Shape else None
    if not all(map(edits.is_removed, node.children)):
        return
    if type(label) is FieldSpec and label.splits and label.kind is Kind.TEXT:
        edits.replace(node, '""')
    elif type(label) is Level and label.filler:
        edits.replace(node, f"[{label.filler}]")


def _empty_text(update: Update, part: Part, edits: Edits) -> bool:
    """Empty a text of reasoning that stays for its signature; returns False if it is not such a text."""
    if not update.is_reasoning or (part.is_meaningful and not part.node.is_string):
        return False
    if part.is_meaningful:
        edits.replace(part.node, '""')
    return True


def _keep_visible(part: Part, edits: Edits) -> bool:
    """Keep what is visible beside reasoning in one text or one block, and the signature that belongs to it.

    Returns False if nothing is visible.
    """
    if part.rest is not None:
        edits.replace(part.node, part.rest)
        return True
    if not any(leaf.kind in VISIBLE and leaf.is_meaningful for leaf in part.leaves):
        return False
    for leaf in part.leaves:
        if leaf.kind is Kind.REASONING:
            edits.remove(leaf.node)
    return True


def _with_bare_copies(node: Node) -> Node:
    """The member, or the copies around it that hold nothing else."""
    while (parent := node.parent) is not None and len(parent.children) == 1:
        level = level_of(parent)
        if level is None or not level.is_copy:
            break
        node = parent
    return node


def _keep_opaque_blocks(part: Part, edits: Edits) -> bool:
    """Empty the texts in a list of blocks and keep the blocks that have a signature or encrypted form.

    Returns False if no block has one: the whole list then goes.
    """
    blocks = frozenset(part.blocks)
    states = [leaf.node for leaf in part.leaves if _is_state(leaf)]
    signed = {next((around for around in node.path() if around in blocks), node) for node in states}
    if not signed:
        return False
    for block in blocks - signed:
        edits.remove(block)
    for leaf in part.leaves:
        if not _is_state(leaf) and leaf.is_meaningful:
            element = _element_of(leaf, blocks)
            if element is not None or not leaf.node.is_string:
                edits.remove(element or leaf.node)
            else:
                edits.replace(leaf.node, '""')
    return True


def _is_state(part: Part) -> bool:
    """Is it a value that only the provider can read?"""
    return part.kind is Kind.OPAQUE and part.node.is_string and part.is_meaningful and not is_readable(part.node.value)


def _element_of(leaf: Part, blocks: Set[Node]) -> Node | None:
    """The element of a list inside the block that holds the leaf; all of it goes, whatever else it must hold."""
    node, element = leaf.node, None
    while node not in blocks and node.parent is not None:
        element = node if node.parent.is_list else element
        node = node.parent
    return element
