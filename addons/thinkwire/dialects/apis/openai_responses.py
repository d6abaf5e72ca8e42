"""OpenAI Responses, and what other servers offer under that name (docs/apis.md, "OpenAI Responses").

The tables read like that section: a response is a list of items, reasoning is an item of its own, and a stream sends
the items event by event. Compaction items hold the provider's state and are not reasoning: they stay.
"""

from collections.abc import Mapping
from typing import Any, Final

from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, Phase, at_path
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.insertion import ElementMaker, as_element
from thinkwire.dialects.core.parts import Extent, FieldSpec, ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts, stream_in_body
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

_OUTPUT: Final = "output"
"""The space of `output_index`, which takes precedence: Copilot gives an item another `id` in each event."""

_NAME: Final = FieldSpec(Kind.ITEM, space=_OUTPUT, is_name=True)
"""The item's `id`: llama.cpp sends no `output_index`."""

# --- parts of a message -----------------------------------------------------------------------------------------

_REASONING_TYPES: Final = ("reasoning_text", "summary_text", "reasoning", "thinking", "redacted_thinking")
# The type is meaningful: a part opens and closes even if its text is empty.
_TEXT_PART: Final = open_shape({"type": fields.OTHER, "text": fields.TEXT, "logprobs": fields.TOKENS})
_PART: Final = Shape(
    switch="type",
    cases=dict.fromkeys(_REASONING_TYPES, Shape(members={}, label=fields.REASONING))
    | {
        "output_text": _TEXT_PART,
        "text": _TEXT_PART,
        "refusal": open_shape({"type": fields.OTHER, "refusal": fields.REFUSAL}),
    },
    members={"type": fields.OTHER},
    other=fields.TEXT,
)
_PARTS: Final = Shape(elements=_PART, label=FieldSpec(Kind.TEXT, splits=True))

# --- items ------------------------------------------------------------------------------------------------------

_REASONING_LIST: Final = Shape(elements=fields.REASONING, label=FieldSpec(Kind.REASONING, splits=True))
_REASONING_ITEM: Final[dict[str, Any]] = {
    "type": fields.OTHER,
    "status": fields.ENVELOPE,
    "format": fields.ENVELOPE,  # OpenRouter
    "summary": _REASONING_LIST,
    "content": _REASONING_LIST,
    "encrypted_content": fields.OPAQUE,
    "signature": fields.OPAQUE,  # OpenRouter
}
_MESSAGE: Final[dict[str, Any]] = {
    "type": fields.OTHER,
    "status": fields.ENVELOPE,
    "role": fields.ROLE,
    "content": _PARTS,
    "reasoning": FieldSpec(Kind.REASONING, text_only=True),
    "reasoning_content": fields.REASONING,
    "reasoning_details": fields.REASONING,
}
_CALLS: Final = ("function_call", "custom_tool_call", "mcp_call")


def _item(opens: bool) -> Shape:
    """An item; in a list it identifies itself, in an event the event identifies it."""
    level = Level(opens=True) if opens else None
    name = {"id": fields.ENVELOPE if opens else _NAME}
    call = open_shape(
        {"type": fields.OTHER, **name, "arguments": fields.TOOL_CALL, "input": fields.TOOL_CALL}, label=level
    )
    reasoning = Level(opens=opens, is_reasoning=True)
    return open_shape(
        switch="type",
        cases={
            "reasoning": reasoning_shape(_REASONING_ITEM | name, label=reasoning),
            "message": open_shape(_MESSAGE | name, label=level),
            **dict.fromkeys(_CALLS, call),
        },
        members=name,
        label=level,
    )


_ITEMS: Final = Shape(elements=_item(opens=True))

# --- the response -----------------------------------------------------------------------------------------------

# `reasoning` and `text` are echoed settings of the request here; but mistral.rs puts its reasoning into the first.
_RESPONSE: Final[dict[str, Any]] = {
    "output": _ITEMS,
    "input": _ITEMS,
    "output_text": fields.TEXT,
    "reasoning": FieldSpec(Kind.REASONING, text_only=True),
    "status": fields.FINISH,
    "usage": fields.USAGE,
    "error": fields.ERROR,
    "input_messages": fields.TRANSCRIPT,  # vLLM: what the model read and wrote, with markers and ids
    "output_messages": fields.TRANSCRIPT,
}

# --- events -----------------------------------------------------------------------------------------------------

_EVENT: Final[dict[str, Any]] = {
    "type": fields.ENVELOPE,
    "sequence_number": FieldSpec(Kind.COUNTER, space="sequence"),
    "output_index": FieldSpec(Kind.ITEM, space=_OUTPUT),
    "item_id": _NAME,
    **dict.fromkeys(("content_index", "summary_index", "obfuscation"), fields.ENVELOPE),
    "item": _item(opens=False),
    "part": _PART,
    "response": open_shape(_RESPONSE),
}


def _event(
    members: Mapping[str, Any] | None = None, *, other: FieldSpec = fields.OTHER, label: Level | None = None
) -> Shape:
    return Shape(members=_EVENT | dict(members or {}), other=other, label=label)


_SNAPSHOT: Final = Level(extent=Extent.SNAPSHOT)


def _pair(event: str, delta: FieldSpec, done: str) -> dict[str, Shape]:
    """The event of a piece, and the one that repeats all pieces. The latter is meaningful even if the text is empty."""
    return {
        f"response.{event}.delta": _event({"delta": delta, "logprobs": fields.TOKENS}),
        f"response.{event}.done": _event(
            {"type": fields.OTHER, done: delta, "logprobs": fields.TOKENS}, label=_SNAPSHOT
        ),
    }


def _reasoning(event: str) -> dict[str, Shape]:
    hidden = {"part": fields.REASONING, "logprobs": fields.REASONING_TOKENS}
    return {
        f"response.{event}.added": _event(hidden, other=fields.REASONING),
        f"response.{event}.delta": _event(hidden, other=fields.REASONING),
        f"response.{event}.done": _event(hidden, other=fields.REASONING, label=_SNAPSHOT),
    }


_EVENTS: Final[dict[str, Shape]] = {
    # A second `response.created` begins another response, whose numbers start again.
    "response.created": _event(label=Level(extent=Extent.SNAPSHOT, resets=(_OUTPUT, "sequence"))),
    **dict.fromkeys(
        [f"response.{state}" for state in ("queued", "in_progress", "completed", "incomplete", "failed", "cancelled")],
        _event(label=_SNAPSHOT),
    ),
    "response.output_item.added": _event(label=Level(begins=True)),
    "response.output_item.done": _event(label=_SNAPSHOT),
    "response.content_part.done": _event(label=_SNAPSHOT),
    **_pair("output_text", fields.TEXT, "text"),
    **_pair("refusal", fields.REFUSAL, "refusal"),
    **_pair("function_call_arguments", fields.TOOL_CALL, "arguments"),
    **_pair("custom_tool_call_input", fields.TOOL_CALL, "input"),
    **_pair("mcp_call_arguments", fields.TOOL_CALL, "arguments"),
    **_reasoning("reasoning_summary_part"),
    **_reasoning("reasoning_summary_text"),
    **_reasoning("reasoning_summary"),
    **_reasoning("reasoning_part"),  # vLLM
    **_reasoning("reasoning_text"),
    **_reasoning("reasoning"),
    "error": _event(dict.fromkeys(("code", "message", "param", "error"), fields.ERROR)),
}

# Without a type it is a body: a response, or (from `input_items`) a list.
_DOCUMENT: Final = open_shape(switch="type", cases=_EVENTS, members=_EVENT | _RESPONSE | {"data": _ITEMS})


# --- the dialect ------------------------------------------------------------------------------------------------

_OPTIONS: Final = ("instructions", "reasoning", "max_output_tokens", "store", "include", "previous_response_id")
_INPUT_TYPES: Final = ("message", "reasoning", "function_call", "function_call_output")


def _matches_body(body: object) -> bool:
    """Embeddings and moderations also have an `input`, but no items in it."""
    match body:
        case {"messages": _}:
            return False
        case {"type": "response.create", **others}:
            return "response" not in others  # the Realtime API nests it
        case {"input": [*items]}:
            return any(map(_is_item, items))
        case {"input": str(), **others}:
            return not others.keys().isdisjoint(_OPTIONS)
        case _:
            return False


def _is_item(value: object) -> bool:
    return isinstance(value, dict) and ("role" in value or value.get("type") in _INPUT_TYPES)


def _wants_stream(request: RequestFacts) -> bool:
    return stream_in_body(request) or (isinstance(request.body, dict) and request.body.get("type") == "response.create")


def _matches_document(root: Node) -> bool:
    return root.string("type").startswith("response.") or root.string("object") in ("response", "response.compaction")


_PHASES: Final = {
    "response.create": Phase.ASKED,
    "response.created": Phase.BEGAN,
    "response.completed": Phase.ENDED,
    "response.incomplete": Phase.ENDED,
    "response.failed": Phase.ENDED,
    "response.cancelled": Phase.ENDED,
    "error": Phase.REFUSED,
}


def _phase(root: Node) -> Phase | None:
    return _PHASES.get(root.string("type"))


def _answer_id(root: Node) -> str | None:
    response = root.child("response")
    identity = response.child("id") if response is not None else None
    return identity.raw if identity is not None and identity.is_string else None


# --- writing ----------------------------------------------------------------------------------------------------

_PART_OF_KIND: Final = {Kind.TEXT: ("output_text", "text"), Kind.REFUSAL: ("refusal", "refusal")}


def _write(kind: Kind, text: str, item: ItemKey, like: Node) -> list[str]:
    """A whole item, from its opening to its end; all its events have the sequence number of the given document."""
    open_item = like.child("item")
    name = (open_item.string("id") if open_item is not None else like.string("item_id")) or _unnamed(item.number)
    if kind is Kind.REASONING:
        events = _write_reasoning(text, f"rs_{name}")
    else:
        events = _write_message(text, f"msg_{name}", *_PART_OF_KIND[kind])
    sequence = like.child("sequence_number")
    counter = f'"sequence_number":{sequence.raw},' if sequence is not None else ""
    index = f'"output_index":{item.number},' if isinstance(item.number, int) else ""
    return [f'{{"type":"response.{name}",{counter}{index}{to_json(members)[1:]}' for name, members in events]


def _unnamed(number: int | str) -> str:
    """The base of a written item's id if no item beside it has one."""
    return f"thinkwire_{number}"


def _write_reasoning(text: str, item_id: str) -> list[tuple[str, dict[str, Any]]]:
    item = {"id": item_id, "type": "reasoning", "summary": []}
    part_of = {"item_id": item_id, "summary_index": 0}
    return [
        ("output_item.added", {"item": item}),
        ("reasoning_summary_part.added", part_of | {"part": {"type": "summary_text", "text": ""}}),
        ("reasoning_summary_text.delta", part_of | {"delta": text}),
        ("reasoning_summary_text.done", part_of | {"text": text}),
        ("reasoning_summary_part.done", part_of | {"part": {"type": "summary_text", "text": text}}),
        ("output_item.done", {"item": item | {"summary": [{"type": "summary_text", "text": text}]}}),
    ]


def _write_message(text: str, item_id: str, type_: str, member: str) -> list[tuple[str, dict[str, Any]]]:
    item = {"id": item_id, "type": "message", "role": "assistant"}
    part_of = {"item_id": item_id, "content_index": 0}
    annotations: dict[str, Any] = {"annotations": []} if type_ == "output_text" else {}
    part = {"type": type_, member: text} | annotations
    return [
        ("output_item.added", {"item": item | {"status": "in_progress", "content": []}}),
        ("content_part.added", part_of | {"part": part | {member: ""}}),
        (f"{type_}.delta", part_of | {"delta": text}),
        (f"{type_}.done", part_of | {member: text}),
        ("content_part.done", part_of | {"part": part}),
        ("output_item.done", {"item": item | {"status": "completed", "content": [part]}}),
    ]


def _item_around(prefix: str, before: str, after: str) -> ElementMaker:
    """An item of a whole response, with an id made from that of the item that it replaces or goes beside, as in the
    stream."""

    def element(quoted: str, beside: Node) -> str:
        siblings = beside.parent.children if beside.parent is not None else []
        name = beside.string("id") or _unnamed(siblings.index(beside))
        return f'{{"id":{to_json(f"{prefix}_{name}")},{before}{quoted}{after}'

    return element


def _error_event(status: int, message: str, number: int) -> str:
    code = "invalid_request" if status < 500 else "server_error"
    return to_json({"type": "error", "code": code, "message": message, "param": None, "sequence_number": number})


OPENAI_RESPONSES: Final = Dialect(
    name="openai-responses",
    handling=Handling(
        strip="reasoning items with all their events, also in the response that repeats them; numbers close the gap",
        sent_back="the reasoning items, unchanged, each before the item that it belongs to",
    ),
    matches_path=at_path(r"/responses(?:/[^/]+(?:/input_items|/cancel)?)?/?\Z"),
    matches_body=_matches_body,
    wants_stream=_wants_stream,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_element(
        "output", _item_around("rs", '"type":"reasoning","summary":[{"type":"summary_text","text":', "}]}")
    ),
    text_element=_item_around(
        "msg",
        '"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":',
        ',"annotations":[]}]}',
    ),
    has_blocks=True,
    error=CHAT_COMPLETIONS.error,
    error_event=_error_event,
    answer_id=_answer_id,
    phase=_phase,
)
