"""Mistral's conversations and agents (docs/apis.md, "Mistral Conversations").

Messages are among the other outputs of a conversation. Their content is that of chat completions: a text, or a list
with reasoning in it, and in a stream also one part of such a list. Mistral's other API is chat completions.
"""

from typing import Any, Final

from thinkwire.dialects.apis.chat_completions import CONTENT
from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape
from thinkwire.dialects.core.insertion import around
from thinkwire.dialects.core.parts import ItemKey, Kind, Level
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

# `role` means nothing: it is the same in each message and in each piece of one. `content_index` stays as it is: it is
# not known whether reasoning and texts share one sequence of numbers.
_HEAD: Final[dict[str, Any]] = dict.fromkeys(
    (
        "type",
        "object",
        "id",
        "created_at",
        "completed_at",
        "output_index",
        "content_index",
        "model",
        "agent_id",
        "role",
    ),
    fields.ENVELOPE,
)


def _event(**members: Any) -> Shape:
    return open_shape(_HEAD | members, label=Level(opens=True))


_EVENTS: Final[dict[str, Shape]] = {
    "conversation.response.started": _event(),
    "conversation.response.done": _event(usage=fields.USAGE),
    "conversation.response.error": _event(message=fields.ERROR, code=fields.ERROR),
    "message.output.delta": _event(content=CONTENT),
    "function.call.delta": _event(name=fields.TOOL_CALL, arguments=fields.TOOL_CALL, tool_call_id=fields.ENVELOPE),
    "tool.execution.started": _event(),
    "tool.execution.delta": _event(),
    "tool.execution.done": _event(),
    "agent.handoff.started": _event(),
    "agent.handoff.done": _event(),
}
_ENTRIES: Final = Shape(
    elements=open_shape(_HEAD | {"content": CONTENT}, label=Level(opens=True)),
)
_LISTS: Final = {
    "conversation.response": "outputs",
    "conversation.history": "entries",
    "conversation.messages": "messages",
}
"""The bodies of this API by their `object`, with the name of the list of entries in each."""
_DOCUMENT: Final = open_shape(
    switch="type",
    cases=_EVENTS,
    members={
        "object": fields.ENVELOPE,
        "conversation_id": fields.ENVELOPE,
        "usage": fields.USAGE,
        **dict.fromkeys(_LISTS.values(), _ENTRIES),
    },
)


# --- the dialect -------------------------------------------------------------------------------------------------


def _matches_document(root: Node) -> bool:
    if root.child("type") is not None:
        return root.string("type") in _EVENTS
    return root.string("object") in _LISTS


_COPIED: Final = ("created_at", "output_index", "id", "model", "agent_id")


def _write(kind: Kind, text: str, _item: ItemKey, like: Node) -> list[str]:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
    content = thinking if kind is Kind.REASONING else text
    kept = like.texts_of(_COPIED)
    members = ['"type":"message.output.delta"', *kept, '"role":"assistant"', f'"content":{to_json(content)}']
    return [f"{{{','.join(members)}}}"]


MISTRAL_CONVERSATIONS: Final = Dialect(
    name="mistral-conversations",
    handling=Handling(
        strip="`thinking` parts of the content; a list of nothing else becomes an empty text",
        sent_back="not at all: the provider keeps the conversation; or the parts, unchanged",
    ),
    matches_path=at_path(r"/v1/conversations(?:/[^/]+(?:/(?:history|messages|restart))?)?/?\Z"),
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    text_element=around('{"type":"text","text":', "}"),
    error=lambda _status, message: to_json({"detail": message}),
    error_event=lambda status, message, _number: to_json(
        {"type": "conversation.response.error", "message": message, "code": status}
    ),
)
