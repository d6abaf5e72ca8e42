"""Cohere's chat, version 2, also as vLLM serves it (docs/apis.md, "Cohere").

Reasoning is a content block, or from older models a plan before tool calls. Reasoning and texts share one sequence of
numbers; tool calls and citations have sequences of their own, and a citation names the block that it is about.
"""

from dataclasses import replace
from typing import Any, Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.insertion import around, as_element
from thinkwire.dialects.core.parts import FieldSpec, ItemKey, Kind, Level
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

_CONTENT: Final = "content"
_CITATION: Final = "citation"
_TOOL_CALL: Final = "tool call"


# --- a message ---------------------------------------------------------------------------------------------------

_SPOKEN: Final[dict[str, Any]] = {"type": fields.ENVELOPE, "text": fields.TEXT, "thinking": fields.REASONING}


def _block(label: Level | None, reasoning: Level) -> Shape:
    """A content block: in a list, or as it begins in a stream."""
    return open_shape(
        switch="type",
        cases={"thinking": reasoning_shape({"type": fields.ENVELOPE}, label=reasoning)},
        members=_SPOKEN,
        label=label,
    )


# A citation in reasoning or in a plan is reasoning, with everything in it.
def _citation(label: Level | None, reasoning: Level) -> Shape:
    quoted = reasoning_shape({"type": fields.ENVELOPE, "content_index": fields.ENVELOPE}, label=reasoning)
    return open_shape(
        switch="type",
        cases={"THINKING_CONTENT": quoted, "PLAN": quoted},
        members={"type": fields.ENVELOPE, "content_index": FieldSpec(Kind.REFERENCE, space=_CONTENT)},
        label=label,
    )


_REASONING_BLOCK: Final = Level(is_reasoning=True, has_state=False)
_QUOTE: Final = replace(_REASONING_BLOCK, is_quote=True)
_LISTED_QUOTE: Final = replace(_QUOTE, opens=True, space=_CITATION)


def _in_list(space: str) -> dict[str, Level]:
    return {
        "label": Level(opens=True, space=space),
        "reasoning": replace(_REASONING_BLOCK, opens=True, space=space),
    }


_MESSAGE: Final = open_shape(
    {
        "role": fields.ROLE,
        "content": Shape(elements=_block(**_in_list(_CONTENT))),
        "tool_plan": fields.REASONING,
        "tool_calls": fields.TOOL_CALL,
        "citations": Shape(elements=_citation(Level(opens=True, space=_CITATION), _LISTED_QUOTE)),
    }
)


# --- the events of a stream --------------------------------------------------------------------------------------


def _event(members: dict[str, Any], space: str = "", message: Shape | None = None, **level: Any) -> Shape:
    """An event about the item that its `index` names, or about the answer; `message` is what it adds."""
    index = FieldSpec(Kind.ITEM, space=space) if space else fields.OTHER
    if message is not None:
        members = {"delta": open_shape({"message": message}), **members}
    return open_shape({"type": fields.ENVELOPE, "index": index, **members}, label=Level(opens=True, **level))


def _delta(**members: Any) -> Shape:
    return open_shape(members)


_CALLS: Final = _delta(tool_calls=fields.TOOL_CALL)
_EVENTS: Final[dict[str, Shape]] = {
    "message-start": _event({"id": fields.ENVELOPE}, message=_MESSAGE, resets=(_CONTENT, _CITATION, _TOOL_CALL)),
    "content-start": _event({}, _CONTENT, _delta(content=_block(None, _REASONING_BLOCK)), begins=True),
    "content-delta": _event({"logprobs": fields.TOKENS}, _CONTENT, _delta(content=open_shape(_SPOKEN))),
    "content-end": _event({}, _CONTENT),
    "tool-plan-delta": _event({}, message=_delta(tool_plan=fields.REASONING)),
    "tool-call-start": _event({}, _TOOL_CALL, _CALLS),
    "tool-call-delta": _event({}, _TOOL_CALL, _CALLS),
    "tool-call-end": _event({}, _TOOL_CALL),
    "citation-start": _event({}, _CITATION, _delta(citations=_citation(None, _QUOTE))),
    "citation-end": _event({}, _CITATION),
    "message-end": _event(
        {
            "id": fields.ENVELOPE,
            "delta": open_shape({"finish_reason": fields.FINISH, "usage": fields.USAGE, "error": fields.ERROR}),
        }
    ),
    "debug": _event({"prompt": fields.OTHER}),
}
_DOCUMENT: Final = open_shape(
    switch="type",
    cases=_EVENTS,
    # The body of an answer that is not streamed; or an error, whose `message` is a text.
    members={
        "id": fields.ENVELOPE,
        "message": _MESSAGE,
        "finish_reason": fields.FINISH,
        "usage": fields.USAGE,
        "logprobs": fields.TOKENS,
    },
)


# --- the dialect -------------------------------------------------------------------------------------------------


def _matches_document(root: Node) -> bool:
    if root.child("type") is not None:
        return root.string("type") in _EVENTS
    message = root.child("message")
    is_answer = message is not None and message.child("role") is not None and root.child("finish_reason") is not None
    return is_answer and not any(root.child(name) for name in ("choices", "done", "object"))


def _write(kind: Kind, text: str, item: ItemKey, _like: Node) -> list[str]:
    name = "thinking" if kind is Kind.REASONING else "text"

    def event(type_: str, content: dict[str, str] | None) -> str:
        delta = {} if content is None else {"delta": {"message": {"content": content}}}
        return to_json({"type": type_, "index": item.number, **delta})

    return [
        event("content-start", {"type": name, name: ""}),
        event("content-delta", {name: text}),
        event("content-end", None),
    ]


COHERE: Final = Dialect(
    name="cohere",
    handling=Handling(
        strip="thinking blocks, plans before tool calls, and citations in both; later blocks are renumbered",
        sent_back="a thinking block in the assistant message, or its tool_plan",
    ),
    matches_path=at_path(r"/v2/chat/?\Z"),
    matches_body=lambda _body: False,  # a request looks like one for chat completions
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_element("content", around('{"type":"thinking","thinking":', "}")),
    text_element=around('{"type":"text","text":', "}"),
    text_member=("content", '[{"type":"text","text":', "}]"),
    has_blocks=True,
    error=lambda _status, message: to_json({"message": message}),
)
