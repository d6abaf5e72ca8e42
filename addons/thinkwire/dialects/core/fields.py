"""The fields that most tables name: `fields.TEXT` is the label of a member that holds a text."""

from collections.abc import Mapping
from typing import Any, Final

from thinkwire.dialects.core.parts import FieldSpec, Kind
from thinkwire.wire.json_tree import Shape

ENVELOPE: Final = FieldSpec(Kind.ENVELOPE)
ROLE: Final = FieldSpec(Kind.ROLE)
TEXT: Final = FieldSpec(Kind.TEXT)
REFUSAL: Final = FieldSpec(Kind.REFUSAL)
TOOL_CALL: Final = FieldSpec(Kind.TOOL_CALL)
REASONING: Final = FieldSpec(Kind.REASONING)
OPAQUE: Final = FieldSpec(Kind.OPAQUE)
TOKENS: Final = FieldSpec(Kind.TOKENS)
REASONING_TOKENS: Final = FieldSpec(Kind.REASONING_TOKENS)
TRANSCRIPT: Final = FieldSpec(Kind.TRANSCRIPT)
FINISH: Final = FieldSpec(Kind.FINISH)
USAGE: Final = FieldSpec(Kind.USAGE)
ERROR: Final = FieldSpec(Kind.ERROR)
OTHER: Final = FieldSpec(Kind.OTHER)


def open_shape(members: Mapping[str, Any] | None = None, **more: Any) -> Shape:
    """A shape that does not name all members: the others are unknown and stay. `more` is as for Shape."""
    return Shape(members, other=OTHER, **more)


def reasoning_shape(members: Mapping[str, Any] | None = None, **more: Any) -> Shape:
    """A shape of reasoning: so are the members that it does not name. `more` is as for Shape."""
    return Shape(members, other=REASONING, **more)
