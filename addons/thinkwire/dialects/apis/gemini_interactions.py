"""Gemini's Interactions API: an interaction is made of steps, some of them reasoning (docs/apis.md,
"Gemini Interactions").

Its first version called the steps `outputs` and their events `content.*`; both are read.
"""

from typing import Any, Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.insertion import around, as_element
from thinkwire.dialects.core.parts import Extent, FieldSpec, ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts, model_in_body
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

# --- a step -----------------------------------------------------------------------------------------------------

_SUMMARY: Final = reasoning_shape({"type": fields.ENVELOPE, "text": fields.REASONING})
_THOUGHT_MEMBERS: Final[dict[str, Any]] = {
    "type": fields.ENVELOPE,
    "summary": Shape(elements=fields.REASONING, label=fields.REASONING),
    "signature": fields.OPAQUE,
}
_CONTENT: Final = open_shape({"type": fields.ENVELOPE, "text": fields.TEXT})


def _step(*, opens: bool) -> Shape:
    """A step in a list, where each is an item; or the one that an event begins."""
    others = open_shape({"type": fields.ENVELOPE, "content": Shape(elements=_CONTENT)})
    return open_shape(
        switch="type",
        cases={
            # The type is meaningful: the event that begins a thought is sent for the signature that may follow.
            "thought": reasoning_shape(
                _THOUGHT_MEMBERS | {"type": fields.OTHER}, label=Level(opens=opens, is_reasoning=True)
            ),
            "function_call": Shape(
                members={"type": fields.ENVELOPE}, other=fields.TOOL_CALL, label=Level(opens=True) if opens else None
            ),
        },
        members=others.members,
        label=Level(opens=True) if opens else None,
    )


_STEPS: Final = Shape(elements=_step(opens=True))
_DELTA: Final = open_shape(
    switch="type",
    cases={
        "thought_summary": reasoning_shape({"type": fields.ENVELOPE, "content": _SUMMARY}),
        "thought": reasoning_shape(_THOUGHT_MEMBERS | {"thought": fields.REASONING}),
        "thought_signature": Shape(members={"type": fields.ENVELOPE, "signature": fields.OPAQUE}, other=fields.OPAQUE),
        "text": open_shape({"type": fields.ENVELOPE, "text": fields.TEXT}),
        "arguments_delta": open_shape({"type": fields.ENVELOPE, "arguments": fields.TOOL_CALL}),
        "function_call": Shape(members={"type": fields.ENVELOPE}, other=fields.TOOL_CALL),
    },
    members={"type": fields.ENVELOPE},
)


# --- the document -----------------------------------------------------------------------------------------------

_INTERACTION_MEMBERS: Final[dict[str, Any]] = {
    **dict.fromkeys(("id", "object", "model", "agent", "created", "updated", "service_tier"), fields.ENVELOPE),
    "status": fields.FINISH,
    "usage": fields.USAGE,
    "steps": _STEPS,
    "outputs": _STEPS,
}
_STEP: Final = {"index": FieldSpec(Kind.ITEM, space="step")}
_MEMBERS: Final[dict[str, Any]] = {
    **_INTERACTION_MEMBERS,
    **_STEP,
    **dict.fromkeys(("event_type", "event_id", "interaction_id"), fields.ENVELOPE),
    "step": _step(opens=False),
    "content": _step(opens=False),
    "delta": _DELTA,
    "interaction": open_shape(_INTERACTION_MEMBERS, label=Level(extent=Extent.SNAPSHOT)),
    "error": fields.ERROR,
}


def _beginning(level: Level) -> Shape:
    return open_shape(_MEMBERS, label=level)


_DOCUMENT: Final = open_shape(
    switch="event_type",
    cases={
        **dict.fromkeys(("interaction.created", "interaction.start"), _beginning(Level(resets=("step",)))),
        **dict.fromkeys(("step.start", "content.start"), _beginning(Level(begins=True))),
    },
    members=_MEMBERS,
)


# --- the dialect ------------------------------------------------------------------------------------------------

_EVENTS: Final = ("interaction.", "step.", "content.")


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and "input" in body and ("agent" in body or "generation_config" in body)


def _model(request: RequestFacts) -> str | None:
    agent = request.body.get("agent") if isinstance(request.body, dict) else None
    return model_in_body(request) or (agent if isinstance(agent, str) else None)


def _matches_document(root: Node) -> bool:
    if root.child("event_type") is not None:
        return root.string("event_type").startswith(_EVENTS)
    return root.string("object") == "interaction"


def _write(kind: Kind, text: str, item: ItemKey, _like: Node) -> list[str]:
    is_reasoning = kind is Kind.REASONING
    content = {"type": "text", "text": text}
    events: tuple[dict[str, Any], ...] = (
        {"event_type": "step.start", "step": {"type": "thought" if is_reasoning else "model_output"}},
        {
            "event_type": "step.delta",
            "delta": {"type": "thought_summary", "content": content} if is_reasoning else content,
        },
        {"event_type": "step.stop"},
    )
    return [to_json({**event, "index": item.number}) for event in events]


GEMINI_INTERACTIONS: Final = Dialect(
    name="gemini-interactions",
    handling=Handling(
        strip="steps of type `thought` with all their events, summaries and signatures; later steps close the gap",
        sent_back="by the server, which keeps the interaction; or as the steps, including signatures",
    ),
    matches_path=at_path(r"/interactions(?:/[^/]+)?/?\Z"),
    matches_body=_matches_body,
    model=_model,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_element("steps", around('{"type":"thought","summary":[{"type":"text","text":', "}]}")),
    text_element=around('{"type":"model_output","content":[{"type":"text","text":', "}]}"),
    has_blocks=True,
    error=lambda status, message: to_json({"error": {"code": str(status), "message": message}}),
)
