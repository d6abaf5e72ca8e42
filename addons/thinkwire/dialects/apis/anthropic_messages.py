"""Anthropic Messages: content blocks, streamed block by block (docs/apis.md, "Anthropic Messages").

The tables read like that section. Blocks, deltas and events of a type that is not named here are not reasoning
(results of server tools, compactions, ...): they stay, and their numbers close the gaps that reasoning leaves.
"""

import re
from typing import Any, Final
from urllib.parse import unquote

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.insertion import around, as_element
from thinkwire.dialects.core.parts import Extent, FieldSpec, ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts, model_in_body, stream_in_body
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

# --- a block ----------------------------------------------------------------------------------------------------

_BLOCK: Final = FieldSpec(Kind.ITEM, space="block")


def _block(*, opens: bool) -> Shape:
    """A block by its type; in a reasoning block, everything besides text and signature counts as reasoning."""
    # The type is meaningful: an event that opens a block is sent although the block is empty.
    reasoning = Level(opens=opens, is_reasoning=True)
    return open_shape(
        switch="type",
        cases={
            "thinking": reasoning_shape(
                {"type": fields.OTHER, "thinking": fields.REASONING, "signature": fields.OPAQUE}, label=reasoning
            ),
            "redacted_thinking": reasoning_shape({"type": fields.OTHER, "data": fields.OPAQUE}, label=reasoning),
            "text": open_shape({"type": fields.OTHER, "text": fields.TEXT}, label=Level(opens=opens)),
            "tool_use": Shape(members={"type": fields.OTHER}, other=fields.TOOL_CALL, label=Level(opens=opens)),
        },
        label=Level(opens=opens),
    )


_DELTA: Final = open_shape(
    switch="type",
    cases={
        "thinking_delta": reasoning_shape({"type": fields.ENVELOPE, "thinking": fields.REASONING}),
        "signature_delta": Shape(members={"type": fields.ENVELOPE, "signature": fields.OPAQUE}, other=fields.OPAQUE),
        "text_delta": open_shape({"type": fields.ENVELOPE, "text": fields.TEXT}),
        "input_json_delta": open_shape({"type": fields.ENVELOPE, "partial_json": fields.TOOL_CALL}),
    },
)


# --- the documents ----------------------------------------------------------------------------------------------

_MESSAGE_MEMBERS: Final[dict[str, Any]] = {
    "type": fields.ENVELOPE,
    "role": fields.ROLE,
    "content": Shape(elements=_block(opens=True)),
    "stop_reason": fields.FINISH,
    "stop_sequence": fields.ENVELOPE,
    "usage": fields.USAGE,
}
_MESSAGE: Final = open_shape(_MESSAGE_MEMBERS, label=Level(extent=Extent.SNAPSHOT))
_EVENT_MEMBERS: Final[dict[str, Any]] = {"type": fields.ENVELOPE, "index": _BLOCK, "error": fields.ERROR}

_DOCUMENT: Final = open_shape(
    switch="type",
    cases={
        # A second one comes if a gateway asked again in the middle of a stream.
        "message_start": open_shape(_EVENT_MEMBERS | {"message": _MESSAGE}, label=Level(resets=("block",))),
        "content_block_start": open_shape(
            _EVENT_MEMBERS | {"content_block": _block(opens=False)}, label=Level(begins=True)
        ),
        "content_block_delta": open_shape(_EVENT_MEMBERS | {"delta": _DELTA}),
        "message_delta": open_shape(
            {
                "type": fields.ENVELOPE,
                "delta": open_shape({"stop_reason": fields.FINISH, "stop_sequence": fields.ENVELOPE}),
                "usage": fields.USAGE,
            }
        ),
        "message": open_shape(_MESSAGE_MEMBERS),
    },
    # Some servers name an event only on its `event:` line, and a message not at all; its members say what it is.
    members=_EVENT_MEMBERS
    | _MESSAGE_MEMBERS
    | {"message": _MESSAGE, "content_block": _block(opens=False), "delta": _DELTA},
)
_REASONING_TYPES: Final = frozenset(("thinking", "redacted_thinking"))
_EVENTS: Final = frozenset(
    (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    )
)


# --- the dialect ------------------------------------------------------------------------------------------------

_PATH: Final = re.compile(r"/(?:v1|anthropic)/messages/?\Z")
_VERTEX: Final = re.compile(r"/publishers/anthropic/models/(?!count-tokens:)([^/:]+):(stream)?[rR]awPredict\Z")


def _vertex(path: str) -> re.Match[str] | None:
    return _VERTEX.search(unquote(path))


def _matches_path(path: str) -> bool:
    return _PATH.search(path) is not None or _vertex(path) is not None


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and isinstance(body.get("messages"), list) and "anthropic_version" in body


def _model(request: RequestFacts) -> str | None:
    vertex = _vertex(request.path)
    return model_in_body(request) or (vertex[1] if vertex else None)


def _wants_stream(request: RequestFacts) -> bool:
    vertex = _vertex(request.path)
    return stream_in_body(request) or (vertex is not None and vertex[2] is not None)


def _matches_document(root: Node) -> bool:
    if root.child("type") is None:
        return _is_untyped(root)
    name = root.string("type")
    if name == "message":
        return root.child("content") is not None and any(root.child(key) for key in ("usage", "stop_reason", "model"))
    # `ping` and `error` are events of other APIs, too.
    return name in _EVENTS


def _is_untyped(root: Node) -> bool:
    """Is it an event or a message whose own type is missing? A delta or a reasoning block in it has one."""
    content = root.child("content")
    blocks = [root.child("content_block"), *(content.children if content is not None else ())]
    types = {block.string("type") for block in blocks if block is not None}
    delta = root.child("delta")
    return (delta is not None and delta.string("type") in _DELTA.cases) or not types.isdisjoint(_REASONING_TYPES)


_WRITTEN: Final = {
    Kind.REASONING: ({"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking"),
    Kind.TEXT: ({"type": "text", "text": ""}, "text_delta", "text"),
}


def _write(kind: Kind, text: str, item: ItemKey, _like: Node) -> list[str]:
    block, delta, member = _WRITTEN.get(kind, _WRITTEN[Kind.TEXT])
    index = item.number
    documents: tuple[dict[str, Any], ...] = (
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_delta", "index": index, "delta": {"type": delta, member: text}},
        {"type": "content_block_stop", "index": index},
    )
    return [to_json(document) for document in documents]


_ERRORS: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _error(status: int, message: str) -> str:
    kind = _ERRORS.get(status, "invalid_request_error" if status < 500 else "api_error")
    return to_json({"type": "error", "error": {"type": kind, "message": message}})


ANTHROPIC_MESSAGES: Final = Dialect(
    name="anthropic-messages",
    handling=Handling(
        strip="blocks of type thinking and redacted_thinking with all their events; later blocks close the gap",
        sent_back="the blocks of the last turn before its tool calls, unchanged and with their signatures",
    ),
    matches_path=_matches_path,
    matches_body=_matches_body,
    model=_model,
    wants_stream=_wants_stream,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_element("content", around('{"type":"thinking","thinking":', ',"signature":""}')),
    text_element=around('{"type":"text","text":', "}"),
    has_blocks=True,
    error=_error,
    needs_signatures=True,
)
