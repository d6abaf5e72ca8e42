"""LM Studio's own API, `/api/v1/chat` (docs/apis.md, "LM Studio").

Named events, the last of which repeats the whole answer; a body that is not streamed is what that event holds.
Reasoning is just text here: there are no signatures, and no numbers to adjust. LM Studio's compatible endpoints belong
to other APIs.
"""

import re
from typing import Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.insertion import around, as_element
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Level
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

_REASONING: Final = Level(opens=True, is_reasoning=True, has_state=False)


def _block(space: str, *, begins: bool = False, is_reasoning: bool = False) -> Level:
    """The level of an event about the open block of that kind; there is one at a time, without a number."""
    return Level(opens=True, space=space, begins=begins, is_reasoning=is_reasoning, has_state=not is_reasoning)


# --- the whole answer: a body, and `result` of the last event --------------------------------------------------------

_CALL_MEMBERS: Final = {"type": fields.ENVELOPE, "arguments": fields.TOOL_CALL, "tool": fields.TOOL_CALL}
_OUTPUT: Final = Shape(
    elements=open_shape(
        switch="type",
        cases={
            "reasoning": reasoning_shape({"type": fields.ENVELOPE, "content": fields.REASONING}, label=_REASONING),
            "message": open_shape({"type": fields.ENVELOPE, "content": fields.TEXT}, label=Level(opens=True)),
            "tool_call": open_shape(_CALL_MEMBERS, label=Level(opens=True)),
        },
    )
)
_RESULT_MEMBERS: Final = {
    "model_instance_id": fields.ENVELOPE,
    "output": _OUTPUT,
    "stats": fields.USAGE,
    "response_id": fields.ENVELOPE,
}

# --- the events -------------------------------------------------------------------------------------------------

_STATES: Final = ("start", "delta", "end")
_EVENTS: Final = {
    **{
        f"reasoning.{state}": reasoning_shape(
            {"type": fields.ENVELOPE, "content": fields.REASONING},
            label=_block("reasoning", begins=state == "start", is_reasoning=True),
        )
        for state in _STATES
    },
    **{
        f"message.{state}": open_shape(
            {"type": fields.ENVELOPE, "content": fields.TEXT}, label=_block("message", begins=state == "start")
        )
        for state in _STATES
    },
    **{
        f"tool_call.{state}": open_shape(_CALL_MEMBERS, label=Level(opens=True))
        for state in ("start", "arguments", "success", "failure")
    },
    "chat.end": open_shape(
        {"type": fields.ENVELOPE, "result": open_shape(_RESULT_MEMBERS)}, label=Level(extent=Extent.SNAPSHOT)
    ),
}
_DOCUMENT: Final = open_shape(
    switch="type", cases=_EVENTS, members={"type": fields.ENVELOPE, "error": fields.ERROR, **_RESULT_MEMBERS}
)

_EVENT_NAME: Final = re.compile(
    r"chat\.(?:start|end)|(?:model_load|prompt_processing)\.(?:start|progress|end)"
    r"|(?:reasoning|message)\.(?:start|delta|end)|tool_call\.(?:start|arguments|success|failure)"
)
_OWN_SETTINGS: Final = frozenset(("system_prompt", "integrations", "context_length"))


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and "input" in body and not _OWN_SETTINGS.isdisjoint(body)


def _matches_document(root: Node) -> bool:
    kind = root.child("type")
    if kind is not None and kind.is_string:
        return _EVENT_NAME.fullmatch(kind.value) is not None
    return root.child("model_instance_id") is not None and root.child("output") is not None


def _write(kind: Kind, text: str, _item: ItemKey, _like: Node) -> list[str]:
    block = "reasoning" if kind is Kind.REASONING else "message"
    return [
        to_json({"type": f"{block}.start"}),
        to_json({"type": f"{block}.delta", "content": text}),
        to_json({"type": f"{block}.end"}),
    ]


def _error(status: int, message: str) -> str:
    kind = "invalid_request" if status < 500 else "internal_error"
    return to_json({"error": {"type": kind, "message": message}})


LM_STUDIO: Final = Dialect(
    name="lm-studio",
    handling=Handling(
        strip="events `reasoning.*`, and items of type `reasoning` in snapshots; counts in `stats` stay",
        sent_back="not at all: the server remembers it under `previous_response_id`",
    ),
    matches_path=at_path(r"/api/v1/chat/?\Z"),
    matches_body=_matches_body,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_element("output", around('{"type":"reasoning","content":', "}")),
    text_element=around('{"type":"message","content":', "}"),
    has_blocks=True,
    error=_error,
    error_event=lambda status, message, _number: f'{{"type":"error",{_error(status, message)[1:]}',
)
