"""DashScope's own API for Qwen and other models (docs/apis.md, "DashScope"); its compatible mode is chat completions.

Its frames repeat the text from the start unless the request asks for increments, so the request decides the extent.
"""

from typing import Any, Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape
from thinkwire.dialects.core.insertion import as_member
from thinkwire.dialects.core.parts import Extent, FieldSpec, ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

_MEDIA: Final = ("image", "audio", "video")
_CHOICE: Final = open_shape(
    {
        "index": FieldSpec(Kind.ITEM),
        "message": open_shape(
            {
                "role": fields.ROLE,
                # A list of `{text}` from vision models.
                "content": Shape(
                    elements=Shape(
                        members={"text": fields.TEXT, **dict.fromkeys(_MEDIA, fields.OTHER)}, other=fields.TEXT
                    ),
                    label=FieldSpec(Kind.TEXT, splits=True),
                ),
                "reasoning_content": fields.REASONING,
                "tool_calls": fields.TOOL_CALL,
                "function_call": fields.TOOL_CALL,
            }
        ),
        "finish_reason": fields.FINISH,
        "logprobs": fields.TOKENS,
    },
    label=Level(opens=True),
)
_MEMBERS: Final[dict[str, Any]] = {
    "output": open_shape(
        {
            "choices": Shape(elements=_CHOICE),
            "text": fields.TEXT,  # without `result_format: message`
            "thoughts": fields.REASONING,  # from an application, on request
            "finish_reason": fields.FINISH,
            "session_id": fields.ENVELOPE,
        }
    ),
    "usage": fields.USAGE,
    "request_id": fields.ENVELOPE,
    "status_code": fields.ENVELOPE,
    "code": fields.ERROR,
    "message": fields.ERROR,
}
_INCREMENTS: Final = open_shape(_MEMBERS)
_SNAPSHOTS: Final = open_shape(_MEMBERS, label=Level(extent=Extent.SNAPSHOT))


def _parameters(request: RequestFacts) -> dict[str, Any]:
    parameters = request.body.get("parameters") if isinstance(request.body, dict) else None
    return parameters if isinstance(parameters, dict) else {}


def _is_incremental(request: RequestFacts) -> bool:
    """Does each frame hold only new text? The request says so; if it does not, thinking models send increments."""
    parameters = _parameters(request)
    incremental = parameters.get("incremental_output")
    return incremental is True or (incremental is None and parameters.get("enable_thinking") is True)


def _wants_stream(request: RequestFacts) -> bool:
    return any(name == "x-dashscope-sse" and value.strip().lower() == "enable" for name, value in request.headers)


# --- the dialect -------------------------------------------------------------------------------------------------


def _matches_body(body: object) -> bool:
    given = body.get("input") if isinstance(body, dict) else None
    return isinstance(given, dict) and ("messages" in given or "prompt" in given)


def _matches_document(root: Node) -> bool:
    output = root.child("output")
    if output is None:
        return False
    if output.child("thoughts") is not None:
        return True
    is_answer = output.child("choices") is not None or output.child("text") is not None
    return is_answer and root.child("request_id") is not None


_COPIED: Final = ("request_id",)


def _write(kind: Kind, text: str, item: ItemKey, like: Node) -> list[str]:
    texts = {"content": "", "reasoning_content": text} if kind is Kind.REASONING else {"content": text}
    choice = {"index": item.number, "message": {"role": "assistant", **texts}, "finish_reason": "null"}
    members = [f'"output":{to_json({"choices": [choice]})}']
    members += like.texts_of(_COPIED)
    return [f"{{{','.join(members)}}}"]


def _error(status: int, message: str) -> str:
    code = "InvalidParameter" if status < 500 else "InternalError"
    return to_json({"code": code, "message": message})


DASHSCOPE: Final = Dialect(
    name="dashscope",
    handling=Handling(
        strip="reasoning_content of each message, in deltas and snapshots, and token metadata that covers it",
        sent_back="not at all: the API does not ask for it",
    ),
    matches_path=at_path(r"/api/v1/(?:services/aigc/[^/]+/generation|apps/[^/]+/completion)/?\Z"),
    matches_body=_matches_body,
    wants_stream=_wants_stream,
    table=lambda request: _INCREMENTS if _is_incremental(request) else _SNAPSHOTS,
    matches_document=_matches_document,
    write=_write,
    insert=as_member("reasoning_content"),
    text_member=("content", "", ""),
    error=_error,
)
