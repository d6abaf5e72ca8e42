"""The reasoning of an update as one text, whatever members carry it.

It reads; what becomes of the reasoning is decided elsewhere.
"""

from thinkwire.dialects.core.parts import Kind, Part, Update, text_of_blocks


def carriers_of(update: Update) -> list[Part]:
    """The parts that hold reasoning; several may hold the same."""
    return [part for part in update.of(Kind.REASONING) if part.is_meaningful and not part.is_flag]


def reasoning_of(update: Update) -> str:
    """The text of an update's reasoning, once, whatever carries it; nothing if it quotes another one."""
    if update.is_quote:
        return ""
    parts = carriers_of(update)
    named = [part for part in parts if part.node.is_string]
    if named:
        return str(min(named, key=lambda part: part.rank).node.value)
    nodes = {part.node for part in parts}  # a list and its elements may both be parts
    return "".join(text_of(part) for part in parts if part.node.parent not in nodes)


def text_of(part: Part) -> str:
    """The text of reasoning: a text, a block of it, or a list of such."""
    if part.node.is_string:
        return str(part.node.value)
    leaves = [leaf for leaf in part.leaves if leaf.kind is Kind.REASONING and leaf.node.is_string]
    return "".join(leaf.node.value for leaf in leaves) if leaves else text_of_blocks(part.node.value)
