"""Inline in snapshots: a body, a last event that repeats the answer.

The reasoning goes in front of the text beside it; if reasoning and texts are elements of one list, each stretch of
reasoning becomes a text in its place.
"""

from dataclasses import replace
from typing import Final

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.insertion import insert_element
from thinkwire.dialects.core.parts import Kind, Part, Update
from thinkwire.rewrite.plan import Opaque
from thinkwire.rewrite.reasoning_text import carriers_of, reasoning_of, text_of
from thinkwire.rewrite.removal import remove_reasoning
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, quote_text

type Tags = tuple[str, str]
"""What opens reasoning in the text, and what closes it."""
_NO_TEXT: Final = frozenset(("null", "[]"))
"""Values that mean that there is no text."""


def inline_snapshot(update: Update, tags: Tags, dialect: Dialect, edits: Edits) -> None:
    """Collect the edits that put the reasoning of one update into its text."""
    if dialect.has_blocks and update.node.parent is not None and update.node.parent.is_list:
        _inline_block(update, tags, dialect, edits)
        return
    stretches = _stretches_of(update)
    if stretches and dialect.text_element is not None:
        for first, *others in stretches:
            inlined = "".join(map(text_of, (first, *others))).join(tags)
            edits.replace(first.node, dialect.text_element(quote_text(inlined), first.node))
            for part in others:
                edits.remove(part.node)
    elif reasoning := reasoning_of(update):
        _inline_members(update, reasoning.join(tags), dialect, edits)


def _inline_members(update: Update, inlined: str, dialect: Dialect, edits: Edits) -> None:
    """The reasoning goes in front of the text beside it, or is the text if there is none."""
    texts = update.of(Kind.TEXT)
    text = next((part for part in texts if part.node.is_string), None)
    text = text or next((part for part in texts if part.node.raw in _NO_TEXT), None)
    if text is not None:
        shown = (text.node.value if text.shown is None else text.shown) or ""
        edits.replace(text.node, quote_text(f"{inlined}{shown}"))
        remove_reasoning(update, Opaque.KEEP, edits)
    elif dialect.text_member is not None:
        _add_text(update, inlined, dialect, edits)


def _add_text(update: Update, inlined: str, dialect: Dialect, edits: Edits) -> None:
    """The reasoning becomes the text of a message that has none, only calls or the like."""
    assert dialect.text_member is not None
    name, before, after = dialect.text_member
    member = min(carriers_of(update), key=lambda part: part.node.depth)  # a message's own one, not a copy of it
    content = member.node.parent.child(name) if member.node.parent is not None else None
    if content is None:
        edits.rename(member.node, name)
        edits.replace(member.node, f"{before}{quote_text(inlined)}{after}")
        update = replace(update, parts=[part for part in update.parts if part is not member])
    elif content.children and dialect.text_element is not None:
        first = content.children[0]
        insert_element(first, dialect.text_element(quote_text(inlined), first), edits)
    else:
        edits.replace(content, f"{before}{quote_text(inlined)}{after}")
    remove_reasoning(update, Opaque.KEEP, edits)


def _inline_block(update: Update, tags: Tags, dialect: Dialect, edits: Edits) -> None:
    """A block of reasoning becomes one of text, or falls out if there is nothing to show."""
    reasoning = reasoning_of(update)
    text = any(part.node.is_string for part in update.of(Kind.TEXT))
    if text and reasoning:
        _inline_members(update, reasoning.join(tags), dialect, edits)
    elif reasoning and dialect.text_element is not None:
        edits.replace(update.node, dialect.text_element(quote_text(reasoning.join(tags)), update.node))
    elif update.is_reasoning:
        edits.remove(update.node)


def _stretches_of(update: Update) -> list[list[Part]]:
    """The reasoning that is elements of a list beside the texts, what follows each other together.

    Nothing if a member holds the reasoning as a text: such elements are a copy of it. What has no word that can be
    read does not count.
    """
    carriers = [part for part in carriers_of(update) if text_of(part)]
    nodes = {part.node for part in carriers}
    elements = [
        part for part in carriers if part.rest is None and _is_element(part.node) and part.node.parent not in nodes
    ]
    if len(elements) < len(carriers):
        return []
    stretches: list[list[Part]] = []
    for part in elements:
        siblings = part.node.parent.children if part.node.parent is not None else []
        at = siblings.index(part.node)
        if stretches and at and siblings[at - 1] is stretches[-1][-1].node:
            stretches[-1].append(part)
        else:
            stretches.append([part])
    return stretches


def _is_element(node: Node) -> bool:
    return node.parent is not None and node.parent.is_list
