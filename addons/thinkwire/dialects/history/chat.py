"""Earlier turns in the requests of chat completions and similar APIs: Ollama, Anthropic Messages.

Clients keep reasoning as a member of the message under any name, as a list of blocks beside the content, as parts of
the content, or as tagged text before it (docs/apis.md, "Earlier reasoning in requests").
"""

from collections.abc import Iterable
from typing import Any, Final

from thinkwire.dialects.apis.chat_completions import CONTENT_PART, MESSAGE_MEMBERS
from thinkwire.dialects.core.fields import OTHER, REASONING, ROLE, TOOL_CALL
from thinkwire.dialects.core.parts import Kind, Level, Part, Update
from thinkwire.dialects.history.base import (
    Conversation,
    Turn,
    call_key,
    content_text,
    text_keys,
    turn_position,
)
from thinkwire.dialects.history.chat_collector import ChatTurnCollector
from thinkwire.dialects.history.provider_forms import HistoryForm
from thinkwire.wire.json_tree import Node, Shape

# --- a request ---------------------------------------------------------------------------------------------------

CONTENT: Final = Shape(elements=CONTENT_PART, label=Level(filler='{"type":"text","text":""}'))
"""A content list; unlike that of an answer, it stays a list when it has lost all its parts."""


def assistant_table(members: dict[str, Any]) -> Shape:
    """The table of a request with a list of messages; the assistant's have these members."""
    assistant = Shape(members={"role": ROLE, **members}, other=OTHER, label=Level(opens=True, allows_rename=True))
    message = Shape(switch="role", cases={"assistant": assistant}, members={})
    return Shape(members={"messages": Shape(elements=message)}, other=OTHER)


def _turns(root: Node, updates: list[Update]) -> Iterable[Turn]:
    by_node = {update.node: update for update in updates}
    messages = root.child("messages")
    user, steps = "", 0
    for node in messages.children if messages is not None else ():
        role = node.child("role")
        if role is not None and role.raw == '"user"':
            content = node.child("content")
            user, steps = content_text(content.value) if content is not None else "", 0
        elif (update := by_node.get(node)) is not None:
            lacks = not any(_holds_reasoning(part) for part in update.parts)
            yield Turn(_keys(node.value), turn_position(user, steps), node, update, lacks)
            steps += 1


def _holds_reasoning(part: Part) -> bool:
    return part.kind in (Kind.REASONING, Kind.OPAQUE) and part.is_meaningful and not part.is_flag


def _keys(message: Any) -> tuple[str, ...]:
    calls = message.get("tool_calls")
    keys = [_key_of_call(call) for call in calls] if isinstance(calls, list) else []
    text = visible_text(message.get("content"))
    return tuple(filter(None, keys)) or text_keys(text)


def _key_of_call(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return ""
    return call_key(function.get("name"), function.get("arguments"), call.get("id"))


def visible_text(content: Any) -> str:
    """The text of a message's content, without reasoning."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, dict) and part.get("type", "text") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def last_user(body: object) -> str:
    messages = body.get("messages") if isinstance(body, dict) else None
    user, steps = "", 0
    for message in messages if isinstance(messages, list) else ():
        role = message.get("role") if isinstance(message, dict) else None
        if role == "user":
            user, steps = content_text(message.get("content")), 0
        steps += role == "assistant"
    return turn_position(user, steps)


# --- the conversations -----------------------------------------------------------------------------------------------

CHAT_CONVERSATION: Final = Conversation(
    table=assistant_table(MESSAGE_MEMBERS | {"content": CONTENT}),
    turns=_turns,
    last_user=last_user,
    collector=ChatTurnCollector,
    forms={
        HistoryForm.REASONING_CONTENT: "reasoning_content",
        HistoryForm.REASONING: "reasoning",
        HistoryForm.DETAILS: "",
        HistoryForm.CONTENT_LIST: "",
        HistoryForm.INLINE: "",
        HistoryForm.DROP: "",
    },
)
OLLAMA_CONVERSATION: Final = Conversation(
    table=assistant_table({"thinking": REASONING, "content": CONTENT, "tool_calls": TOOL_CALL}),
    turns=_turns,
    last_user=last_user,
    collector=ChatTurnCollector,
    forms={HistoryForm.THINKING: "thinking", HistoryForm.INLINE: "", HistoryForm.DROP: ""},
)
