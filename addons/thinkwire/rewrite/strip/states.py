"""What strip does with the token metadata of a stream: everything that changes a choice's state is in this file.

Each choice of a stream is a machine of its own. It reads what an update shows, goes to the next state, and says what
becomes of the update's token metadata. It does not look at documents and does not edit them.

The rules of the table (docs/design.md, "What strip promises"):

* An update that holds reasoning loses its metadata, whatever else it carries.
* An update that shows nothing loses it too: the first chunk of a stream often lists the first hidden token. The one
  with the finish reason may keep it, unless the choice is still hidden.
* While nothing has been hidden, a visible update keeps its metadata; but not if the listed tokens hold more than
  the text, for the rest may be the reasoning that comes next.
* After something was hidden, only a list that spells exactly the visible text is known to be free of it. Bare ids
  spell nothing: the first visible update after a hidden stretch loses them, later ones keep them.
* Some servers hang the tokens of a whole step on one of its chunks. So if reasoning came without metadata, the
  next metadata, wherever it comes, may list it (`WHEN_OWED`).
"""

from enum import Enum
from typing import Final


class StripState(Enum):
    START = "nothing hidden so far"
    HIDDEN = "reasoning was the last thing that came"
    ANSWER = "visible again after something was hidden"


class Shows(Enum):
    """What an update shows; the first that applies."""

    REASONING = "reasoning, or tokens of it"
    TEXT = "visible text or a refusal"
    CALL = "a tool call"
    END = "a finish reason and nothing visible"
    NOTHING = "nothing of these"


class MetadataAction(Enum):
    """What becomes of token metadata."""

    KEEP = "keep"
    DROP = "drop"
    KEEP_UNLESS_MORE = "keep unless it lists more than the text"
    KEEP_IF_SPELLED = "keep what spells the text"
    KEEP_IF_SPELLED_OR_BARE = "keep what spells the text, and bare ids"


TRANSITIONS: Final[dict[StripState, dict[Shows, tuple[StripState, MetadataAction]]]] = {
    StripState.START: {
        Shows.REASONING: (StripState.HIDDEN, MetadataAction.DROP),
        Shows.CALL: (StripState.START, MetadataAction.KEEP),
        Shows.TEXT: (StripState.START, MetadataAction.KEEP_UNLESS_MORE),
        Shows.END: (StripState.START, MetadataAction.KEEP),
        Shows.NOTHING: (StripState.START, MetadataAction.DROP),
    },
    StripState.HIDDEN: {
        Shows.REASONING: (StripState.HIDDEN, MetadataAction.DROP),
        Shows.CALL: (StripState.ANSWER, MetadataAction.DROP),
        Shows.TEXT: (StripState.ANSWER, MetadataAction.KEEP_IF_SPELLED),
        Shows.END: (StripState.HIDDEN, MetadataAction.DROP),
        Shows.NOTHING: (StripState.HIDDEN, MetadataAction.DROP),
    },
    StripState.ANSWER: {
        Shows.REASONING: (StripState.HIDDEN, MetadataAction.DROP),
        Shows.CALL: (StripState.ANSWER, MetadataAction.KEEP),
        Shows.TEXT: (StripState.ANSWER, MetadataAction.KEEP_IF_SPELLED_OR_BARE),
        Shows.END: (StripState.ANSWER, MetadataAction.KEEP),
        Shows.NOTHING: (StripState.ANSWER, MetadataAction.DROP),
    },
}


WHEN_OWED: Final[dict[MetadataAction, MetadataAction]] = {
    MetadataAction.KEEP: MetadataAction.DROP,
    MetadataAction.KEEP_IF_SPELLED_OR_BARE: MetadataAction.KEEP_IF_SPELLED,
}
"""The action on the first metadata after reasoning that came without any, if it differs from the table's."""


def diagram() -> str:
    """The table as a Mermaid state diagram, for the README."""
    lines = ["stateDiagram-v2", "    [*] --> START"]
    for state, row in TRANSITIONS.items():
        lines += [
            f"    {state.name} --> {following.name}: {shows.name.lower()} / {action.value}"
            for shows, (following, action) in row.items()
        ]
    return "\n".join(lines) + "\n"
