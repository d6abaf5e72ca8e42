"""AWS Bedrock's Converse and ConverseStream: one form for all vendors' content blocks (docs/apis.md,
"Bedrock Converse").

The type of an event is in the frame, not in the document, so documents are recognised by their members. Nova sends
the same documents through InvokeModel, each as a member named after its event.
"""

import re
from typing import Any, Final
from urllib.parse import unquote

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import GLANCE, Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.insertion import around, as_element
from thinkwire.dialects.core.parts import FieldSpec, ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.wire.json_tree import Node, Shape, read
from thinkwire.wire.splice import to_json

# --- a block ----------------------------------------------------------------------------------------------------

_REASONING_CONTENT: Final = reasoning_shape(
    {
        "text": fields.REASONING,
        "signature": fields.OPAQUE,
        "redactedContent": fields.OPAQUE,
        "reasoningText": reasoning_shape(
            {"text": fields.REASONING, "signature": fields.OPAQUE}, label=FieldSpec(Kind.REASONING, splits=True)
        ),
    },
    label=Level(is_reasoning=True),
)
_BLOCK_MEMBERS: Final[dict[str, Any]] = {
    "reasoningContent": _REASONING_CONTENT,
    "text": fields.TEXT,
    "toolUse": fields.TOOL_CALL,
}
_PIECE: Final = open_shape(_BLOCK_MEMBERS)


# --- the documents ----------------------------------------------------------------------------------------------

_MEMBERS: Final[dict[str, Any]] = {
    "p": fields.ENVELOPE,
    "role": fields.ROLE,
    "contentBlockIndex": FieldSpec(Kind.ITEM, space="block"),
    "start": open_shape(_BLOCK_MEMBERS, label=Level(begins=True)),
    "delta": _PIECE,
    "output": open_shape(
        {
            "message": open_shape(
                {
                    "role": fields.ROLE,
                    "content": Shape(
                        elements=open_shape(_BLOCK_MEMBERS, label=Level(opens=True)),
                    ),
                }
            )
        }
    ),
    "stopReason": fields.FINISH,
    # Whatever the caller asked to have copied from the model's own answer, by its path.
    "additionalModelResponseFields": Shape(
        members={"stop_sequence": fields.OTHER, "stop_reason": fields.OTHER, "usage": fields.USAGE},
        other=fields.TRANSCRIPT,
    ),
    "trace": open_shape({"guardrail": open_shape({"modelOutput": fields.TRANSCRIPT})}),
    "metrics": fields.OTHER,
    "usage": fields.USAGE,
}
_BEGINNING: Final = Level(resets=("block",))


def _event(members: dict[str, Any]) -> Shape:
    """An event; the one with a role begins a message, whose blocks are numbered from the start."""
    beginning = open_shape(members, label=_BEGINNING)
    return open_shape(switch="role", cases={"assistant": beginning}, members=members)


_EVENTS: Final = (
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
)
_DOCUMENT: Final = _event(_MEMBERS | dict.fromkeys((*_EVENTS, "metadata"), _event(_MEMBERS)))


# --- the dialect ------------------------------------------------------------------------------------------------

MODEL_PATH: Final = "/model/(arn:.+|[^/]+)/"
"""An ARN contains a slash, which not every client escapes."""
_MODEL: Final = re.compile(MODEL_PATH + r"[^/]+\Z")


def model_in_path(request: RequestFacts) -> str | None:
    """The model or its ARN, whose slashes and colons may be escaped in the path."""
    found = _MODEL.search(request.path)
    return unquote(found[1]) if found else None


_STARTS: Final = frozenset(("p", "role"))
_METADATA: Final = frozenset(("p", "usage", "metrics", "trace", "performanceConfig", "serviceTier"))


def _matches_document(root: Node) -> bool:
    names = {child.key for child in root.children}
    if names & {"contentBlockIndex", "stopReason", *_EVENTS}:
        return True
    if "role" in names or "metrics" in names:
        return names <= _STARTS or names <= _METADATA
    output = root.child("output")
    return output is not None and output.child("message") is not None


def _write(kind: Kind, text: str, item: ItemKey, _like: Node) -> list[str]:
    delta = {"reasoningContent": {"text": text}} if kind is Kind.REASONING else {"text": text}
    return [
        to_json({"contentBlockIndex": item.number, "delta": delta}),
        to_json({"contentBlockIndex": item.number}),
    ]


def _event_name(document: str) -> str:
    """Which event of a block it is: the name is outside of the document, and clients go by it."""
    root = read(document, GLANCE)
    if root.child("delta") is not None:
        return "contentBlockDelta"
    return "contentBlockStart" if root.child("start") is not None else "contentBlockStop"


_ERRORS: Final = {429: "ThrottlingException", 503: "ServiceUnavailableException"}


def aws_error(status: int, message: str) -> str:
    """An error as AWS writes it; clients read its name from the body if no header has it."""
    kind = _ERRORS.get(status, "ValidationException" if status < 500 else "InternalServerException")
    return to_json({"__type": kind, "message": message})


BEDROCK_CONVERSE: Final = Dialect(
    name="bedrock-converse",
    handling=Handling(
        strip="blocks with reasoningContent and all their events; later blocks close the gap",
        sent_back="reasoningContent blocks, unchanged and with their signatures; a signed request is never edited",
    ),
    matches_path=at_path(MODEL_PATH + r"converse(?:-stream)?\Z"),
    model=model_in_path,
    wants_stream=lambda request: request.path.endswith("-stream"),
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_element("content", around('{"reasoningContent":{"reasoningText":{"text":', "}}}")),
    text_element=around('{"text":', "}"),
    event_name=_event_name,
    has_blocks=True,
    error=aws_error,
)
