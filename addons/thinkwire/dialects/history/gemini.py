"""Earlier turns in Gemini's API: signatures on the parts of a turn, most of all on calls (docs/apis.md, "Gemini").

The reasoning itself need not come back; the signature of a call must, if the call belongs to the current turn.
"""

from collections.abc import Iterable
from typing import Any, Final

from thinkwire.dialects.core.fields import ENVELOPE
from thinkwire.dialects.core.parts import Extent, Update
from thinkwire.dialects.history.base import (
    DISCARD,
    Conversation,
    TextSink,
    Turn,
    TurnReasoning,
    call_key,
    content_text,
    text_keys,
    turn_position,
)
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import Edits

_SIGNATURE: Final = "thoughtSignature"
_SIGNATURES: Final = frozenset((_SIGNATURE, "thought_signature"))
"""Google's clients read both spellings."""
_PART: Final = Shape(members={})
_CONTENT: Final = Shape(members={"role": ENVELOPE, "parts": Shape(elements=_PART)}, other=ENVELOPE)


def _turns(root: Node, _updates: list[Update]) -> Iterable[Turn]:
    contents = root.child("contents")
    user, steps, was_model = "", 0, False
    for content in contents.children if contents is not None else ():
        role, parts = content.child("role"), content.child("parts")
        nodes = parts.children if parts is not None else []
        if role is None or role.raw != '"model"':
            said = content_text([node.value for node in nodes])
            user, steps = (said, 0) if said else (user, steps + was_model)
            was_model = False
            continue
        is_first, was_model = not was_model, True  # a client may keep each chunk as a content of its own
        for node in nodes:
            part = node.value
            if keys := _keys(part):
                yield Turn(keys[:1], turn_position(user, steps), node, None, _SIGNATURES.isdisjoint(part), is_first)
                is_first = is_first and "functionCall" not in part


def _keys(part: Any) -> tuple[str, ...]:
    """Everything that can identify a part: few servers give calls an id, and clients lose it."""
    if not isinstance(part, dict) or part.get("thought") is True:
        return ()
    call = part.get("functionCall")
    if isinstance(call, dict):
        asked = (call.get("name"), call.get("args"))
        return tuple(dict.fromkeys((call_key(*asked, call.get("id")), call_key(*asked))))
    text = part.get("text")
    return text_keys(text) if isinstance(text, str) else ()


def _last_user(body: object) -> str:
    contents = body.get("contents") if isinstance(body, dict) else None
    user, steps, was_model = "", 0, False
    for content in contents if isinstance(contents, list) else ():
        if isinstance(content, dict) and content.get("role") == "model":
            was_model = True
        elif isinstance(content, dict):
            said = content_text(content.get("parts"))
            user, steps = (said, 0) if said else (user, steps + was_model)
            was_model = False
    return turn_position(user, steps)


class _GeminiTurnCollector:
    """Collects the parts of an answer that have a signature."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self.is_due = False

    def collect(self, updates: list[Update], extent: Extent) -> TextSink | None:
        known = len(self._turns)
        for update in updates:
            content = update.node.child("content")
            parts = content.child("parts") if content is not None else None
            if update.item is None or parts is None:
                continue
            for node in parts.children:
                part = node.value
                signature = node.child(_SIGNATURE)
                if signature is not None and (keys := _keys(part)):
                    self._turns.append(Turn(keys, reasoning=TurnReasoning(blocks=((0, signature.raw),))))
        self.is_due = len(self._turns) > known
        return DISCARD

    def turns(self) -> Iterable[Turn]:
        return self._turns


def _put_back(turn: Turn, remembered: TurnReasoning, edits: Edits) -> bool:
    if turn.node is None or not turn.node.children or not remembered.blocks:
        return False
    edits.append(turn.node, _SIGNATURE, remembered.blocks[0][1])
    return True


GEMINI_CONVERSATION: Final = Conversation(
    table=Shape(members={"contents": Shape(elements=_CONTENT)}),
    turns=_turns,
    last_user=_last_user,
    collector=lambda _split_tags: _GeminiTurnCollector(),
    put_back=_put_back,
)
