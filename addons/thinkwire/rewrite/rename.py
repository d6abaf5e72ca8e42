"""Rename: the reasoning of a message or delta gets the names that the client reads, and only these.

It edits names and copies text as it is, escapes and all; it removes no event and hides nothing.
"""

from thinkwire.dialects.core.parts import Kind, Part, Update, level_of
from thinkwire.rewrite.action import Action, Document, Outcome
from thinkwire.rewrite.plan import Rename
from thinkwire.rewrite.tally import Effect
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits


class Renamer(Action):
    """Renames the reasoning of one answer; no document decides about another one."""

    __slots__ = ("_names",)

    def __init__(self, setting: Rename) -> None:
        self._names = setting.names

    def apply(self, document: Document, edits: Edits) -> Outcome:
        conflicts = [_rename(update, self._names, edits) for update in document.updates]
        return Outcome(Effect.RENAMED if edits else Effect.NONE, conflicts=any(conflicts))


def _rename(update: Update, names: tuple[str, ...], edits: Edits) -> bool:
    """Collect the edits that give the update's reasoning these names.

    Returns whether two names held different texts, one of which is then lost.
    """
    conflict = False
    for bearer, parts in _bearers(update).items():
        named = [part for part in parts if part.is_named]
        texts = [part for part in named if part.is_meaningful and part.node.text[part.node.at] in '"[{']
        if texts:
            conflict |= _write_names(named, texts, names, edits)
        else:
            _write_from_blocks(bearer, parts, named, names, edits)
    return conflict


def _bearers(update: Update) -> dict[Node, list[Part]]:
    """The objects in which rename acts, each with the reasoning that is directly in it."""
    bearers: dict[Node, list[Part]] = {}
    for part in update.of(Kind.REASONING):
        bearer = _member_of(part).parent
        level = level_of(bearer) if bearer is not None else None
        if bearer is not None and level is not None and level.allows_rename:
            bearers.setdefault(bearer, []).append(part)
    return bearers


def _member_of(part: Part) -> Node:
    """The member that holds the part: itself, or the list of content that a block of reasoning is an element of."""
    parent = part.node.parent
    is_element = part.is_blocks and parent is not None and parent.is_list
    return parent if is_element and parent is not None else part.node


def _write_names(named: list[Part], texts: list[Part], names: tuple[str, ...], edits: Edits) -> bool:
    # Of two members of one name the last counts, as it does for JSON readers.
    winner = min(reversed(texts), key=lambda part: part.rank)
    anchor = _place_names(winner, named, names, edits)
    for part in named:
        if part.node not in anchor:
            edits.remove(part.node)
    return any(not _same_text(part.node, winner.node) for part in texts)


def _place_names(winner: Part, named: list[Part], names: tuple[str, ...], edits: Edits) -> set[Node]:
    """Write each name once, with the winner's text; returns the members that stay."""
    last_of = {part.node.key: part.node for part in named}
    standing = {name: last_of[name] for name in names if name in last_of}
    for node in standing.values():
        if not _same_text(node, winner.node):
            edits.replace(node, edits.raw(winner.node))
    missing = [name for name in names if name not in standing]
    staying = set(standing.values())
    if missing and winner.node not in staying:
        edits.rename(winner.node, missing.pop(0))
        staying.add(winner.node)
    beside = winner.node if winner.node in staying else next(iter(staying))
    for name in missing:
        edits.insert_after(beside, name, edits.raw(winner.node))
    return staying


def _write_from_blocks(
    bearer: Node, parts: list[Part], named: list[Part], names: tuple[str, ...], edits: Edits
) -> None:
    """Where a list of blocks is the only carrier, its text is written under the names, too; the list stays."""
    level = level_of(bearer)
    blocks = next((part for part in parts if part.is_blocks and _block_text(part)), None)
    if blocks is not None and level is not None and not level.is_copy:
        member = _member_of(blocks)
        # Two lists hold the same text twice; the elements of one list continue each other.
        text = "".join(_block_text(part) for part in parts if _member_of(part) is member)
        last_of = {part.node.key: part.node for part in named}
        for name in names:
            if edits.adds_text(bearer, name):
                continue  # reasoning that was extracted from the text is there
            if name in last_of:
                edits.replace(last_of[name], f'"{text}"')
            else:
                edits.insert_after(member, name, f'"{text}"')
    for part in named:
        if part.node.key not in names and (part.node.is_empty or part.node.raw == "false"):
            edits.remove(part.node)


def _block_text(blocks: Part) -> str:
    """The texts of the blocks joined, escapes and all, as a stream of them would be joined."""
    texts = (leaf.node for leaf in blocks.leaves if leaf.is_named and leaf.node.is_string)
    return "".join(node.raw[1:-1] for node in texts)


def _same_text(one: Node, other: Node) -> bool:
    return one.raw == other.raw or one.value == other.value
