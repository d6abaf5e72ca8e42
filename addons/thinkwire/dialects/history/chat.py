"""Earlier turns in the requests of chat completions and of those that are like them: Ollama, Anthropic Messages.

Clients keep a thought as a member of the message under any name, as a list of blocks beside the content, as parts of
the content, or as tagged text in front of it (docs/apis.md, "Earlier reasoning in requests").
"""

from collections.abc import Iterable
from typing import Any, Final

from thinkwire.dialects.apis.chat_completions import CONTENT_PART, MESSAGE_MEMBERS
from thinkwire.dialects.core.parts import OTHER, REASONING, ROLE, TOOL_CALL, Kind, Level, Part, Update
from thinkwire.dialects.history.base import (
    Conversation,
    Turn,
    call_key,
    said_by,
    since,
    text_key,
)
from thinkwire.dialects.history.chat_collector import ChatListener
from thinkwire.dialects.history.provider_forms import HistoryForm
from thinkwire.wire.json_tree import Node, Shape

__all__ = ["CHAT_CONVERSATION", "OLLAMA_CONVERSATION", "assistant_table", "last_user", "visible_text"]

# --- a request ---------------------------------------------------------------------------------------------------

CONTENT: Final = Shape(elements=CONTENT_PART, label=Level(filler='{"type":"text","text":""}'))
"""A list of content; unlike that of an answer, one that has lost all its parts stays a list."""


def assistant_table(members: dict[str, Any]) -> Shape:
    """The table of a request with a list of messages, of which those of the assistant have these members."""
    said = Shape(members={"role": ROLE, **members}, other=OTHER, label=Level(opens=True, allows_rename=True))
    message = Shape(switch="role", cases={"assistant": said}, members={})
    return Shape(members={"messages": Shape(elements=message)}, other=OTHER)


def _turns(root: Node, updates: list[Update]) -> Iterable[Turn]:
    by_node = {update.node: update for update in updates}
    messages = root.child("messages")
    user, steps = "", 0
    for node in messages.children if messages is not None else ():
        role = node.child("role")
        if role is not None and role.raw == '"user"':
            content = node.child("content")
            user, steps = said_by(content.value) if content is not None else "", 0
        elif (update := by_node.get(node)) is not None:
            lacks = not any(_holds_thought(part) for part in update.parts)
            yield Turn(_keys(node.value), since(user, steps), node, update, lacks)
            steps += 1


def _holds_thought(part: Part) -> bool:
    return part.kind in (Kind.REASONING, Kind.OPAQUE) and part.is_meaningful and not part.is_flag


def _keys(message: Any) -> tuple[str, ...]:
    calls = message.get("tool_calls")
    keys = [_key_of_call(call) for call in calls] if isinstance(calls, list) else []
    text = visible_text(message.get("content"))
    return tuple(filter(None, keys)) or ((text_key(text),) if text.strip() else ())


def _key_of_call(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return ""
    return call_key(function.get("name"), function.get("arguments"), call.get("id"))


def visible_text(content: Any) -> str:
    """The text of a message's content, thoughts left out."""
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
            user, steps = said_by(message.get("content")), 0
        steps += role == "assistant"
    return since(user, steps)


# --- the conversations -----------------------------------------------------------------------------------------------

CHAT_CONVERSATION: Final = Conversation(
    table=assistant_table(MESSAGE_MEMBERS | {"content": CONTENT}),
    turns=_turns,
    last_user=last_user,
    listener=ChatListener,
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
    listener=ChatListener,
    forms={HistoryForm.THINKING: "thinking", HistoryForm.INLINE: "", HistoryForm.DROP: ""},
)
