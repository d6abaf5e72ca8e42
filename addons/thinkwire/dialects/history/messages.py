"""Earlier turns in Anthropic Messages: content blocks, reasoning with its signatures (docs/apis.md,
"Anthropic Messages").

In a tool loop the provider wants the reasoning blocks of the current turn back unchanged and in their places.
"""

from collections.abc import Iterable
from typing import Any, Final

from thinkwire.dialects.core.parts import Extent, Kind, Update
from thinkwire.dialects.history.base import (
    DISCARD,
    Conversation,
    Pieces,
    TextSink,
    Turn,
    TurnReasoning,
    call_key,
    content_text,
    text_keys,
    turn_position,
)
from thinkwire.dialects.history.chat import CONTENT, assistant_table, last_user, visible_text
from thinkwire.dialects.history.provider_forms import HistoryForm
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits, to_document

_REASONING_TYPES: Final = frozenset(("thinking", "redacted_thinking"))

# --- a request ---------------------------------------------------------------------------------------------------


def _turns(root: Node, updates: list[Update]) -> Iterable[Turn]:
    by_node = {update.node: update for update in updates}
    messages = root.child("messages")
    user, steps = "", 0
    for node in messages.children if messages is not None else ():
        content = node.child("content")
        value = content.value if content is not None else None
        if (update := by_node.get(node)) is None:
            user, steps = content_text(value), 0
            continue
        blocks = value if isinstance(value, list) else []
        lacks = not any(_type(block) in _REASONING_TYPES for block in blocks)
        yield Turn(_keys(blocks, visible_text(value)), turn_position(user, steps), node, update, lacks)
        steps += 1


def _keys(blocks: Iterable[Any], text: str) -> tuple[str, ...]:
    calls = [block for block in blocks if _type(block) == "tool_use"]
    keys = tuple(call_key(call.get("name"), call.get("input"), call.get("id")) for call in calls)
    return keys or text_keys(text)


def _type(block: Any) -> object:
    return block.get("type") if isinstance(block, dict) else None


def _put_back(turn: Turn, remembered: TurnReasoning, edits: Edits) -> bool:
    """The blocks in their places; before all others if the client has left some out."""
    content = turn.node.child("content") if turn.node is not None else None
    if content is None or not remembered.blocks:
        return False
    if content.is_string:
        text = f'{{"type":"text","text":{content.raw}}}' if not content.is_empty else ""
        edits.replace(content, f"[{','.join(filter(None, [*(block for _, block in remembered.blocks), text]))}]")
        return True
    remaining = [block for block in content.children if not edits.is_removed(block)]
    for position, block in remembered.blocks:
        at = min(position, len(remaining) - 1) if len(remaining) == remembered.visible else 0
        if remaining:
            edits.insert_before(remaining[at], block)
    return bool(remaining)


# --- an answer ---------------------------------------------------------------------------------------------------


class _Block:
    """One block of a streamed message."""

    def __init__(self, begun: Any) -> None:
        self.begun: dict[str, Any] = begun if isinstance(begun, dict) else {}
        self.pieces: dict[str, Pieces] = {}

    def piece(self, name: str) -> Pieces:
        return self.pieces.setdefault(name, Pieces())

    @property
    def whole(self) -> dict[str, Any]:
        texts = {name: pieces.text for name, pieces in self.pieces.items()}
        arguments = texts.pop("partial_json", None)
        whole = self.begun | {name: str(self.begun.get(name) or "") + text for name, text in texts.items()}
        return whole if arguments is None else whole | {"input": arguments}


class _MessagesTurnCollector:
    """Collects a message, block by block."""

    def __init__(self) -> None:
        self._blocks: dict[object, _Block] = {}
        self._body: list[Any] = []
        self.is_due = False

    def collect(self, updates: list[Update], extent: Extent) -> TextSink | None:
        own = updates[0]
        self.is_due = False
        if own.resets:
            self._blocks.clear()
        if extent is Extent.SNAPSHOT:
            content = own.node.child("content")
            self._body = content.value if content is not None and isinstance(content.value, list) else []
        elif own.item is not None:
            return self._collect_block(own, own.item)
        return DISCARD

    def _collect_block(self, update: Update, item: object) -> TextSink | None:
        begun, delta = update.node.child("content_block"), update.node.child("delta")
        if begun is not None:
            self._blocks[item] = _Block(begun.value)
        elif delta is not None:
            block = self._blocks.setdefault(item, _Block(None))
            kinds = update.of(Kind.REASONING, Kind.OPAQUE, Kind.TEXT, Kind.TOOL_CALL)
            texts = [part.node for part in kinds if part.node.is_string and part.is_meaningful]
            for node in texts:
                block.piece(node.key).take(node)
            return block.piece(texts[0].key) if len(texts) == 1 else DISCARD
        else:
            self.is_due = True
        return DISCARD

    def turns(self) -> Iterable[Turn]:
        blocks = self._body or [block.whole for block in self._blocks.values()]
        visible = [block for block in blocks if _type(block) not in _REASONING_TYPES]
        hidden: list[tuple[int, str]] = []
        before = 0
        for block in blocks:
            if _type(block) in _REASONING_TYPES:
                hidden.append((before, to_document(block)))
            else:
                before += 1
        text = "".join(str(block.get("thinking", "")) for block in blocks if _type(block) == "thinking")
        yield Turn(_keys(blocks, visible_text(visible)), reasoning=TurnReasoning(text, tuple(hidden), len(visible)))


MESSAGES_CONVERSATION: Final = Conversation(
    table=assistant_table({"content": CONTENT}),
    turns=_turns,
    last_user=last_user,
    collector=lambda _split_tags: _MessagesTurnCollector(),
    put_back=_put_back,
    forms={HistoryForm.BLOCKS: "", HistoryForm.INLINE: "", HistoryForm.DROP: ""},
)
