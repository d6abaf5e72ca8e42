"""A document's tree -> its updates, by the labels that the dialect's table gave its nodes.

One reader for all dialects: it knows labels, not APIs.
"""

from thinkwire.dialects.core.flagged_text import split_flagged_texts
from thinkwire.dialects.core.parts import CountOf, Extent, FieldSpec, ItemKey, Kind, Level, Part, Update, level_of
from thinkwire.wire.json_tree import Node, Shape


def locate(root: Node, extent: Extent) -> list[Update]:
    """The updates in a document; the first is the document's own, which has no item unless the table says so.

    `extent` is that of the document unless its table says otherwise: DELTA in a stream, SNAPSHOT for a body.
    """
    level = level_of(root)
    own = Update(root, level.extent if level is not None and level.extent is not None else extent)
    found = [own]
    _collect(root, own, found)
    if level is not None and level.opens and own.item is None:
        own.item = ItemKey(level.space, 0)
    for update in found:
        split_flagged_texts(update)
    return found


def _collect(node: Node, update: Update, found: list[Update]) -> None:
    level = level_of(node)
    if level is not None:
        update.is_reasoning = update.is_reasoning or level.is_reasoning
        update.is_quote = update.is_quote or level.is_quote
        update.has_state = update.has_state and level.has_state
        update.begins = update.begins or level.begins
        update.resets += level.resets
    for position, child in enumerate(node.children):
        label = child.label
        if type(label) is FieldSpec:
            _add(update, label, child)
        elif type(label) is Shape:
            if type(label.label) is Level:
                _enter(child, label.label, position, update, found)
            else:
                if type(label.label) is FieldSpec and not (label.label.splits and child.children):
                    _add(update, label.label, child)
                _collect(child, update, found)


def _add(update: Update, spec: FieldSpec, node: Node) -> None:
    kind = spec.kind
    if kind is Kind.ENVELOPE:
        return
    if kind is Kind.ITEM or kind is Kind.REFERENCE or kind is Kind.COUNTER:
        _count(update, spec, node)
    elif spec.text_only and not node.is_string:
        update.parts.append(Part(Kind.OTHER, node, None))
    else:
        update.parts.append(Part(kind, node, spec))


def _count(update: Update, spec: FieldSpec, node: Node) -> None:
    if node.is_empty:
        return
    number = number_at(node)
    item = ItemKey(spec.space, node.raw if number is None else number)
    if spec.kind is Kind.ITEM:
        if not spec.is_name or update.item is None:
            update.item = item
    elif spec.kind is Kind.REFERENCE:
        update.about.append(item)
    if spec.space and number is not None:
        count_of = CountOf.DOCUMENTS if spec.kind is Kind.COUNTER else CountOf.ITEMS
        update.counters.append((count_of, spec.space, node))


def number_at(node: Node) -> int | None:
    """The value of a node that is a natural number of at most 18 digits; None for any other."""
    raw = node.raw
    return int(raw) if raw.isdecimal() and len(raw) < 19 else None


def _enter(node: Node, level: Level, position: int, update: Update, found: list[Update]) -> None:
    if level.opens:
        _open(node, ItemKey(level.space, position), update, found)
    elif level.blocks:
        update.parts.append(Part(Kind.REASONING, node, None, _leaves(node)))
    elif level.extent is not None and level.extent is not update.extent and update.extent is Extent.DELTA:
        # A whole message beside a delta: an update of its own, whose item `_open` fills in.
        snapshot = Update(update.node, Extent.SNAPSHOT)
        found.append(snapshot)
        _collect(node, snapshot, found)
    else:
        _collect(node, update, found)


def _open(node: Node, by_position: ItemKey, around: Update, found: list[Update]) -> None:
    inside = {level.extent for child in node.children if (level := level_of(child)) and child.children}
    # A choice with a message and no delta is a snapshot, even in a stream.
    update = Update(node, Extent.SNAPSHOT if inside == {Extent.SNAPSHOT} else around.extent)
    begin = len(found)
    found.append(update)
    _collect(node, update, found)
    item = update.item or by_position
    for found_inside in found[begin:]:
        if found_inside.node is node:
            found_inside.item = item


def _leaves(node: Node) -> list[Part]:
    """The texts and opaque values in a list of reasoning blocks."""
    result: list[Part] = []
    for child in node.children:
        label = child.label
        spec = label.label if type(label) is Shape and not child.children else label
        if type(spec) is not FieldSpec:
            result += _leaves(child)
        elif spec.kind is not Kind.ENVELOPE:
            result.append(Part(spec.kind, child, spec))
    return result
