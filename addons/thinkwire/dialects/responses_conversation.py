"""Earlier turns in OpenAI Responses: reasoning items, each in front of what it belongs to (dialects.md section 4)."""

from collections.abc import Iterable
from typing import Any, Final

from thinkwire.dialects.chat_conversation import visible_text
from thinkwire.dialects.conversation import Conversation, Sink, Thought, Turn, call_key, said_by, text_key
from thinkwire.dialects.parts import Extent, Update
from thinkwire.dialects.pieces import UNHEARD
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import Edits

__all__ = ["RESPONSES_CONVERSATION"]

_ITEM: Final = Shape(members={})


def _is_thought(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") == "reasoning"


def _keys(item: Any) -> tuple[str, ...]:
    """What an item of the assistant's is known by; nothing for others."""
    if not isinstance(item, dict):
        return ()
    if "call_id" in item and not str(item.get("type", "")).endswith("_output"):
        return (call_key(item.get("name"), item.get("arguments"), item["call_id"]),)
    if item.get("role") != "assistant":
        return ()
    content = item.get("content")
    parts = (
        [{"text": part.get("text")} for part in content if isinstance(part, dict)]
        if isinstance(content, list)
        else content
    )
    text = visible_text(parts)
    return (text_key(text),) if text.strip() else ()


def _turns(root: Node, _updates: list[Update]) -> Iterable[Turn]:
    items = root.child("input")
    user, follows_thought, is_first = "", False, True
    for node in items.children if items is not None else ():
        item = node.value
        if keys := _keys(item):
            yield Turn(keys, user, node, None, not follows_thought, is_first)
        elif isinstance(item, dict) and item.get("role") == "user":
            user = said_by(item.get("content"))
        follows_thought, is_first = _is_thought(item), not keys


def _last_user(body: object) -> str:
    items = body.get("input") if isinstance(body, dict) else None
    if isinstance(items, str):
        return items
    users = (one for one in reversed(items or ()) if isinstance(one, dict) and one.get("role") == "user")
    return said_by(next(users, {}).get("content"))


class _ResponsesListener:
    """Hears the items of a response as they are done, or all of them in a body."""

    def __init__(self) -> None:
        self._items: list[Node] = []
        self.is_due = False

    def hear(self, updates: list[Update], extent: Extent) -> Sink | None:
        root = updates[0].node
        type_ = root.child("type")
        known = len(self._items)
        if extent is Extent.WHOLE:
            self._items = _elements(root.child("output"))
        elif (
            type_ is not None
            and type_.raw == '"response.output_item.done"'
            and (item := root.child("item")) is not None
        ):
            self._items.append(item)
        elif type_ is not None and type_.raw == '"response.completed"' and not self._items:
            response = root.child("response")
            self._items = _elements(response.child("output") if response is not None else None)
        self.is_due = len(self._items) > known
        return UNHEARD

    def turns(self) -> Iterable[Turn]:
        thoughts: list[tuple[int, str]] = []
        for node in self._items:
            item = node.value
            if _is_thought(item):
                thoughts.append((0, node.raw))
            else:
                if thoughts and (keys := _keys(item)):
                    yield Turn(keys, thought=Thought(blocks=tuple(thoughts)))
                thoughts = []


def _elements(node: Node | None) -> list[Node]:
    return node.children if node is not None and node.is_list else []


def _put_back(turn: Turn, thought: Thought, edits: Edits) -> None:
    for _, block in thought.blocks:
        if turn.node is not None:
            edits.insert_before(turn.node, block)


RESPONSES_CONVERSATION: Final = Conversation(
    table=Shape(members={"input": Shape(elements=_ITEM)}),
    turns=_turns,
    last_user=_last_user,
    listener=lambda _tell_apart: _ResponsesListener(),
    put_back=_put_back,
)
