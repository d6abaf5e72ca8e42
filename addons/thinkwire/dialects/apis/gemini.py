"""Gemini's own API, at Google AI, Vertex AI and Code Assist (docs/apis.md, "Gemini").

A stream is events, or a list sent element by element if the request does not ask for events. The Interactions API has
a file of its own; the OpenAI-compatible form is chat completions.
"""

import re
from typing import Any, Final
from urllib.parse import unquote

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.insertion import around, as_element
from thinkwire.dialects.core.parts import FieldSpec, ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts, model_in_body
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

# --- content ----------------------------------------------------------------------------------------------------

# Gemini 3 may mark a call as a thought, too, and needs it back with its signature.
_THOUGHT_PART: Final = reasoning_shape(
    {
        "thought": fields.ENVELOPE,
        "text": fields.REASONING,
        "thoughtSignature": fields.OPAQUE,
        "functionCall": fields.TOOL_CALL,
    },
    label=Level(blocks=True),
)
# A signature beside a text or a call does not make it a thought; the next request needs it where it is.
_PART: Final = open_shape(
    switch="thought",
    cases={"true": _THOUGHT_PART},
    members={
        "thought": fields.ENVELOPE,
        **dict.fromkeys(("text", "inlineData", "fileData", "executableCode", "codeExecutionResult"), fields.TEXT),
        "functionCall": fields.TOOL_CALL,
        "thoughtSignature": fields.OTHER,
    },
)
# Without any part, Google's clients consider the whole turn invalid and omit it from the next request.
_PARTS: Final = Shape(elements=_PART, label=Level(filler='{"text":""}'))
_CONTENT: Final = open_shape({"parts": _PARTS, "role": fields.ENVELOPE})  # each chunk repeats the role


# --- the document -----------------------------------------------------------------------------------------------

_CANDIDATE: Final = open_shape(
    {
        "index": FieldSpec(Kind.ITEM),
        "content": _CONTENT,
        "finishReason": fields.FINISH,
        "tokenCount": fields.USAGE,
        "safetyRatings": fields.ENVELOPE,
        "avgLogprobs": fields.TOKENS,
        "logprobsResult": fields.TOKENS,
    },
    label=Level(opens=True),
)
_MEMBERS: Final[dict[str, Any]] = {
    "candidates": Shape(elements=_CANDIDATE),
    "usageMetadata": fields.USAGE,
    "promptFeedback": fields.OTHER,
    **dict.fromkeys(("modelVersion", "responseId", "createTime"), fields.ENVELOPE),
    "error": fields.ERROR,
}
_ANSWER: Final = open_shape(
    {
        **_MEMBERS,
        "response": open_shape(_MEMBERS),  # Code Assist wraps the document
        "traceId": fields.ENVELOPE,
    }
)
# A list in one piece: a stream that the path of the request did not ask for.
_DOCUMENT: Final = Shape(members=_ANSWER.members, other=_ANSWER.other, elements=_ANSWER)


# --- the dialect ------------------------------------------------------------------------------------------------

_PATH: Final = re.compile(r":(?P<streams>streamG|g)enerateContent/?\Z")
_MODEL: Final = re.compile(r"/(?:models|tunedModels|endpoints)/([^/:]+):\w+/?\Z")


def _matches_path(path: str) -> bool:
    return _PATH.search(unquote(path)) is not None


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and isinstance(body.get("contents"), list)


def _model(request: RequestFacts) -> str | None:
    named = _MODEL.search(unquote(request.path))
    return named[1] if named else model_in_body(request)


def _wants_stream(request: RequestFacts) -> bool:
    asked = _PATH.search(unquote(request.path))
    return asked is not None and asked["streams"] == "streamG"


def _matches_document(root: Node) -> bool:
    answers = root.children if root.is_list else [root]
    return any(_is_answer(answer) or _is_answer(_unwrapped(answer)) for answer in answers)


def _is_answer(node: Node) -> bool:
    candidates = node.child("candidates")
    if candidates is not None and candidates.children:
        return True
    # A document that is empty, or only metadata, and has a type is an event of another API.
    return node.child("type") is None and any(
        node.child(name) is not None for name in ("candidates", "usageMetadata", "promptFeedback")
    )


def _unwrapped(root: Node) -> Node:
    return root.child("response") or root


_COPIED: Final = ("modelVersion", "responseId", "createTime")


def _write(kind: Kind, text: str, item: ItemKey, like: Node) -> list[str]:
    answer = _unwrapped(like)
    part = {"text": text} | ({"thought": True} if kind is Kind.REASONING else {})
    candidate = {"content": {"parts": [part], "role": "model"}, "index": item.number}
    kept = answer.texts_of(_COPIED)
    document = f"{{{','.join([f'"candidates":[{to_json(candidate)}]', *kept])}}}"
    return [document if answer is like else f'{{"response":{document}}}']


_STATUS: Final = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 502: "UNAVAILABLE", 503: "UNAVAILABLE"}


def _error(status: int, message: str) -> str:
    return to_json({"error": {"code": status, "message": message, "status": _STATUS.get(status, "INTERNAL")}})


GEMINI: Final = Dialect(
    name="gemini",
    handling=Handling(
        strip="parts with `thought: true`, and token metadata that covers them; signatures on texts and calls stay",
        sent_back="signatures on the parts of the next request; the reasoning itself is not needed",
    ),
    matches_path=_matches_path,
    matches_body=_matches_body,
    model=_model,
    wants_stream=_wants_stream,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_element("parts", around('{"text":', ',"thought":true}')),
    text_element=around('{"text":', "}"),
    error=_error,
    streams_a_list=True,
)
