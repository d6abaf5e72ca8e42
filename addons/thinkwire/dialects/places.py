"""The labels that most tables use."""

from typing import Final

from thinkwire.dialects.parts import Kind, Place

ENVELOPE: Final = Place(Kind.ENVELOPE)
ROLE: Final = Place(Kind.ROLE)
TEXT: Final = Place(Kind.TEXT)
REFUSAL: Final = Place(Kind.REFUSAL)
TOOL_CALL: Final = Place(Kind.TOOL_CALL)
REASONING: Final = Place(Kind.REASONING)
OPAQUE: Final = Place(Kind.OPAQUE)
TOKENS: Final = Place(Kind.TOKENS)
REASONING_TOKENS: Final = Place(Kind.REASONING_TOKENS)
TRANSCRIPT: Final = Place(Kind.TRANSCRIPT)
FINISH: Final = Place(Kind.FINISH)
USAGE: Final = Place(Kind.USAGE)
ERROR: Final = Place(Kind.ERROR)
OTHER: Final = Place(Kind.OTHER)
