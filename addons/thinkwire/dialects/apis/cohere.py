"""Cohere's chat, version 2, also as vLLM serves it (docs/apis.md, "Cohere").

Reasoning is a content block, or from older models a plan before tool calls. Reasoning and texts share one sequence of
numbers; tool calls and citations have sequences of their own, and a citation names the block that it is about.
"""

import re
from dataclasses import replace
from typing import Any, Final

from thinkwire.dialects.core.dialect import Dialect, Handling
from thinkwire.dialects.core.insertion import around, as_element
from thinkwire.dialects.core.parts import (
    ENVELOPE,
    ERROR,
    FINISH,
    OTHER,
    REASONING,
    ROLE,
    TEXT,
    TOKENS,
    TOOL_CALL,
    USAGE,
    FieldSpec,
    ItemKey,
    Kind,
    Level,
)
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

__all__ = ["COHERE"]

_CONTENT: Final = "content"
_CITATION: Final = "citation"
_TOOL_CALL: Final = "tool call"


# --- a message ---------------------------------------------------------------------------------------------------

_SPOKEN: Final[dict[str, Any]] = {"type": ENVELOPE, "text": TEXT, "thinking": REASONING}


def _block(label: Level | None, reasoning: Level) -> Shape:
    """A content block: in a list, or as it begins in a stream."""
    return Shape(
        switch="type",
        cases={"thinking": Shape(members={"type": ENVELOPE}, other=REASONING, label=reasoning)},
        members=_SPOKEN,
        other=OTHER,
        label=label,
    )


# A citation in reasoning or in a plan is reasoning, with everything in it.
def _citation(label: Level | None, reasoning: Level) -> Shape:
    quoted = Shape(members={"type": ENVELOPE, "content_index": ENVELOPE}, other=REASONING, label=reasoning)
    return Shape(
        switch="type",
        cases={"THINKING_CONTENT": quoted, "PLAN": quoted},
        members={"type": ENVELOPE, "content_index": FieldSpec(Kind.REFERENCE, space=_CONTENT)},
        other=OTHER,
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


_MESSAGE: Final = Shape(
    members={
        "role": ROLE,
        "content": Shape(elements=_block(**_in_list(_CONTENT))),
        "tool_plan": REASONING,
        "tool_calls": TOOL_CALL,
        "citations": Shape(elements=_citation(Level(opens=True, space=_CITATION), _LISTED_QUOTE)),
    },
    other=OTHER,
)


# --- the events of a stream --------------------------------------------------------------------------------------


def _event(members: dict[str, Any], space: str = "", message: Shape | None = None, **level: Any) -> Shape:
    """An event about the item that its `index` names, or about the answer; `message` is what it adds."""
    index = FieldSpec(Kind.ITEM, space=space) if space else OTHER
    if message is not None:
        members = {"delta": Shape(members={"message": message}, other=OTHER), **members}
    return Shape(members={"type": ENVELOPE, "index": index, **members}, other=OTHER, label=Level(opens=True, **level))


def _delta(**members: Any) -> Shape:
    return Shape(members=members, other=OTHER)


_CALLS: Final = _delta(tool_calls=TOOL_CALL)
_EVENTS: Final[dict[str, Shape]] = {
    "message-start": _event({"id": ENVELOPE}, message=_MESSAGE, resets=(_CONTENT, _CITATION, _TOOL_CALL)),
    "content-start": _event({}, _CONTENT, _delta(content=_block(None, _REASONING_BLOCK)), begins=True),
    "content-delta": _event({"logprobs": TOKENS}, _CONTENT, _delta(content=Shape(members=_SPOKEN, other=OTHER))),
    "content-end": _event({}, _CONTENT),
    "tool-plan-delta": _event({}, message=_delta(tool_plan=REASONING)),
    "tool-call-start": _event({}, _TOOL_CALL, _CALLS),
    "tool-call-delta": _event({}, _TOOL_CALL, _CALLS),
    "tool-call-end": _event({}, _TOOL_CALL),
    "citation-start": _event({}, _CITATION, _delta(citations=_citation(None, _QUOTE))),
    "citation-end": _event({}, _CITATION),
    "message-end": _event(
        {
            "id": ENVELOPE,
            "delta": Shape(members={"finish_reason": FINISH, "usage": USAGE, "error": ERROR}, other=OTHER),
        }
    ),
    "debug": _event({"prompt": OTHER}),
}
_DOCUMENT: Final = Shape(
    switch="type",
    cases=_EVENTS,
    # The body of an answer that is not streamed; or an error, whose `message` is a text.
    members={
        "id": ENVELOPE,
        "message": _MESSAGE,
        "finish_reason": FINISH,
        "usage": USAGE,
        "logprobs": TOKENS,
    },
    other=OTHER,
)


# --- the dialect -------------------------------------------------------------------------------------------------

_PATH: Final = re.compile(r"/v2/chat/?\Z")


def _matches_document(root: Node) -> bool:
    kind = root.child("type")
    if kind is not None:
        return kind.is_string and kind.value in _EVENTS
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
    matches_path=lambda path: _PATH.search(path) is not None,
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
