"""Earlier turns in OpenAI Responses: reasoning items, each before the item that it belongs to (docs/apis.md,
"OpenAI Responses")."""

from collections.abc import Iterable
from typing import Any, Final

from thinkwire.dialects.core.parts import Extent, Update
from thinkwire.dialects.history.base import DISCARD, Conversation, TextSink, Turn, TurnReasoning, item_key
from thinkwire.wire.json_tree import Node, Shape, read
from thinkwire.wire.splice import Edits

_ITEM: Final = Shape(members={})


def _is_reasoning(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") == "reasoning"


def _keys(item: Any) -> tuple[str, ...]:
    """An item is identified by its id, as is a reference to it; one without an id needs no reasoning before it."""
    if not isinstance(item, dict) or item.get("role", "assistant") != "assistant" or _is_reasoning(item):
        return ()
    identity = item.get("id")
    return (item_key(identity),) if isinstance(identity, str) and identity else ()


def _turns(root: Node, _updates: list[Update]) -> Iterable[Turn]:
    items = root.child("input")
    follows_thought, is_first = False, True
    for node in items.children if items is not None else ():
        item = node.value
        keys = _keys(item)
        if keys:
            yield Turn(keys, "", node, None, not follows_thought, is_first)
        follows_thought, is_first = _is_reasoning(item), not keys


class _ResponsesTurnCollector:
    """Hears the items of a response as they are done, or all of them in a body."""

    def __init__(self) -> None:
        self._items: list[Node] = []
        self.is_due = False

    def collect(self, updates: list[Update], extent: Extent) -> TextSink | None:
        root = updates[0].node
        type_ = root.string("type")
        known = len(self._items)
        if extent is Extent.SNAPSHOT:
            self._items = _elements(root.child("output"))
        elif type_ == "response.output_item.done" and (item := root.child("item")) is not None:
            self._items.append(item)
        elif type_ == "response.completed" and not self._items:
            response = root.child("response")
            self._items = _elements(response.child("output") if response is not None else None)
        self.is_due = len(self._items) > known
        return DISCARD

    def turns(self) -> Iterable[Turn]:
        reasoning: list[tuple[int, str]] = []
        for node in self._items:
            item = node.value
            if _is_reasoning(item):
                reasoning.append((0, node.raw))
            else:
                if reasoning and (keys := _keys(item)):
                    yield Turn(keys, reasoning=TurnReasoning(blocks=tuple(reasoning)))
                reasoning = []


def _elements(node: Node | None) -> list[Node]:
    return node.children if node is not None and node.is_list else []


def _put_back(turn: Turn, remembered: TurnReasoning, edits: Edits) -> bool:
    """Before the item. What the provider has not stored, it can read only if it is encrypted."""
    node = turn.node
    if node is None or node.parent is None or node.parent.parent is None:
        return False
    store = node.parent.parent.child("store")
    is_stored = store is None or store.raw != "false"
    blocks = [block for _, block in remembered.blocks if is_stored or read(block, _ITEM).string("encrypted_content")]
    for block in blocks:
        edits.insert_before(node, block)
    return bool(blocks)


RESPONSES_CONVERSATION: Final = Conversation(
    table=Shape(members={"input": Shape(elements=_ITEM)}),
    turns=_turns,
    last_user=lambda _body: "",  # ids are enough
    collector=lambda _split_tags: _ResponsesTurnCollector(),
    put_back=_put_back,
)
