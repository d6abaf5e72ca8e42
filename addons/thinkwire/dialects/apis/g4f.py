"""g4f's event stream, `/backend-api/v2/conversation` (docs/apis.md, "g4f").

Every document has a `type`, and usually a member with that name. All of a `reasoning` document is reasoning: `token` is
its text, `status` and `label` say what is going on (an empty `status` marks the end), `is_thinking` its phase. g4f's
OpenAI-compatible endpoints are chat completions.
"""

from typing import Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.parts import ItemKey, Kind, Level
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import to_json

_FIELDS: Final = {
    "content": fields.TEXT,
    "tool_calls": fields.TOOL_CALL,
    "finish": fields.FINISH,
    "usage": fields.USAGE,
    "error": fields.ERROR,
    "response": fields.TRANSCRIPT,  # what the provider sent, unchanged
}
_DOCUMENT: Final = open_shape(
    switch="type",
    cases={
        "reasoning": reasoning_shape(
            {"type": fields.ENVELOPE}, label=Level(opens=True, is_reasoning=True, has_state=False)
        ),
        **{
            name: open_shape({"type": fields.ENVELOPE, name: spec}, label=Level(opens=True))
            for name, spec in _FIELDS.items()
        },
    },
)

_REASONING_MEMBERS: Final = ("token", "status", "label", "is_thinking")
_TYPES: Final = frozenset(
    (
        "content", "conversation", "finish", "log", "login", "parameters", "preview", "provider", "request",
        "response", "suggestions", "synthesize", "title", "tool_calls", "usage", "variant",
    )
)  # fmt: skip
"""Types whose documents have a member of that name; not `error`, which other APIs have in the same form."""


def _matches_document(root: Node) -> bool:
    name = root.string("type")
    if name == "reasoning":
        return all(child.key in ("type", *_REASONING_MEMBERS) for child in root.children) and len(root.children) > 1
    return name in _TYPES and root.child(name) is not None


def _write(kind: Kind, text: str, _item: ItemKey, _like: Node) -> list[str]:
    if kind is Kind.REASONING:
        return [to_json({"type": "reasoning", "token": text}), to_json({"type": "reasoning", "status": ""})]
    return [to_json({"type": "content", "content": text})]


G4F: Final = Dialect(
    name="g4f",
    handling=Handling(
        strip="every `reasoning` document, including labels and states, and the provider's raw answer",
        sent_back="not at all: only messages go back",
    ),
    matches_path=at_path(r"/backend-api/v2/conversation/?\Z"),
    matches_body=lambda _body: False,  # its body looks like chat completions
    wants_stream=lambda _request: True,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    error=lambda _status, message: to_json({"type": "error", "error": "ProxyError", "message": message}),
)
