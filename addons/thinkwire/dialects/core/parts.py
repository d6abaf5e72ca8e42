"""What a document can be made of: kinds of parts, their places in a table, and the updates found in a document.

It does not read any API and does not decide anything.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from thinkwire.wire.json_tree import Node, Shape

__all__ = [
    "ENVELOPE",
    "ERROR",
    "FINISH",
    "OPAQUE",
    "OTHER",
    "REASONING",
    "REASONING_TOKENS",
    "REFUSAL",
    "ROLE",
    "TEXT",
    "TOKENS",
    "TOOL_CALL",
    "TRANSCRIPT",
    "USAGE",
    "VISIBLE",
    "CountOf",
    "Extent",
    "FieldSpec",
    "ItemKey",
    "Kind",
    "Level",
    "Part",
    "Update",
    "level_of",
]


class Kind(Enum):
    """What a part means. `ENVELOPE` says nothing by itself; `OTHER` is a member that the table does not know."""

    REASONING = "reasoning"
    OPAQUE = "opaque"
    """A signature or an encrypted form: state for the next turn that nobody can read."""
    TEXT = "text"
    REFUSAL = "refusal"
    TOOL_CALL = "tool call"
    ROLE = "role"
    TOKENS = "tokens"
    """Lists the tokens of this update one by one."""
    REASONING_TOKENS = "reasoning tokens"
    """Lists tokens of reasoning alone."""
    TRANSCRIPT = "transcript"
    """A raw copy of all that was generated, thought included, as text, ids or state of the engine."""
    FINISH = "finish"
    USAGE = "usage"
    ERROR = "error"
    OTHER = "other"
    ENVELOPE = "envelope"
    OWNER = "owner"
    """The number that says whose update this is."""
    REFERENCE = "reference"
    """The number of another owner, which this one is about."""
    COUNTER = "counter"
    """A number that counts documents."""


VISIBLE: Final = frozenset((Kind.TEXT, Kind.REFUSAL, Kind.TOOL_CALL))


_UNFINISHED: Final = frozenset(("false", '"null"'))
"""What stands for no finish reason where one could be: Ollama's, and DashScope's."""
_HOLLOW: Final = frozenset((Kind.TOKENS, Kind.TOOL_CALL))
"""Kinds that come as containers of nothing: `{"content": [], "refusal": null}`."""


class Extent(Enum):
    """Does a part add to what came before, or repeat it as a whole?"""

    DELTA = "delta"
    SNAPSHOT = "snapshot"


class CountOf(Enum):
    """What the numbers of a space count, and so when one of them falls out."""

    OWNERS = "owners"
    DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """The label of a member that holds a part."""

    kind: Kind
    rank: int | None = None
    """For texts that rename may read: which one wins where two differ, lowest first."""
    splits: bool = False
    """Where the value is a list or object that was looked into, the parts inside stand for it."""
    text_only: bool = False
    """Only a text is meant: a value of another type is an unknown member."""
    tags: tuple[str, str] | None = None
    """For TEXT: what opens and closes a thought in it, where a mark says that there is one."""
    is_flag: bool = False
    """For REASONING: the value `true` is such a mark, for the texts of its update."""
    space: str = ""
    """For OWNER, REFERENCE and COUNTER: the numbers that are counted together. Empty: an owner's number is never
    changed."""
    is_name: bool = False
    """For OWNER: it names the owner where no number does."""


@dataclass(frozen=True, slots=True)
class Level:
    """The label of an object or list on the way: what changes for the parts inside."""

    opens: bool = False
    """Each such object is about one owner: an update of its own. At the root: the API has one owner, and no number."""
    space: str = ""
    """For owners that have no number of their own: their places in the list are numbers of this space."""
    extent: Extent | None = None
    """The object is this much of its owner's text; None: as the one around it."""
    allows_rename: bool = False
    """Rename acts in this object."""
    is_copy: bool = False
    """The object repeats names of the one around it, which is where a missing name is added."""
    blocks: bool = False
    """A list of reasoning blocks, or one such block: one part, with the texts and signatures in it as leaves."""
    filler: str = ""
    """For a list: JSON text of the element that is left when all have gone, for readers that count on one."""
    is_reasoning: bool = False
    """The owner is made of reasoning alone and goes as a whole."""
    is_quote: bool = False
    """For a thought: does it only say once more what another one said? It goes with that."""
    has_state: bool = True
    """For a thought: may a signature or an encrypted form belong to it? Without, it has nothing that is worth keeping
    for the next turn."""
    begins: bool = False
    """The owner begins here. Where its number was that of a thought, it is another owner: some gateways number all
    their blocks alike."""
    resets: tuple[str, ...] = ()
    """Spaces of numbers that begin anew with this document."""


@dataclass(frozen=True, slots=True)
class ItemKey:
    """Whose text it is: a choice, a block, an item."""

    space: str
    number: int | str
    """Text where the API's number is no number; such an owner can be told apart, but not counted by."""


@dataclass(slots=True)
class Part:
    """A place in a document that means something; `node` is the member that holds it."""

    kind: Kind
    node: Node
    spec: FieldSpec | None
    leaves: list["Part"] = field(default_factory=list)
    """For reasoning blocks: the texts and the opaque values in them."""
    shown: str | None = None
    """For a text that held tagged reasoning: what is visible of it; None where all of it is."""
    rest: str | None = None
    """For a thought that is a piece of a text: JSON text of what is left of its member without it."""

    @property
    def is_meaningful(self) -> bool:
        if self.shown is not None:
            return bool(self.shown)
        if self.is_blocks:
            return any(leaf.is_meaningful for leaf in self.leaves)
        if self.kind in _HOLLOW and self.node.children:
            return any(not child.is_empty for child in self.node.children)
        if (self.kind is Kind.FINISH or self.is_flag) and self.node.raw in _UNFINISHED:
            return False
        return not self.node.is_empty

    @property
    def is_flag(self) -> bool:
        """May it say of the texts in its update that they hold a thought?"""
        return self.spec is not None and self.spec.is_flag

    @property
    def is_named(self) -> bool:
        """Is it a text under one of the names that rename knows?"""
        return self.spec is not None and self.spec.rank is not None

    @property
    def rank(self) -> int:
        """Which of several texts wins, lowest first."""
        return self.spec.rank if self.spec is not None and self.spec.rank is not None else 0

    @property
    def is_blocks(self) -> bool:
        """Is it a list of reasoning blocks, or one block, that was looked into?"""
        return self.spec is None and bool(self.node.children)

    @property
    def blocks(self) -> list[Node]:
        """The reasoning blocks that it is made of."""
        if not self.is_blocks:
            return []
        return self.node.children if self.node.is_list else [self.node]


@dataclass(slots=True)
class Update:
    """Everything that one document says about one owner."""

    node: Node
    """The object that is about this owner: an element of a list, or the whole document."""
    extent: Extent
    item: ItemKey | None = None
    """None for what a document says outside of any choice or block."""
    parts: list[Part] = field(default_factory=list)
    about: list[ItemKey] = field(default_factory=list)
    """The other owners that it refers to."""
    counters: list[tuple[CountOf, str, Node]] = field(default_factory=list)
    is_reasoning: bool = False
    is_quote: bool = False
    had_tags: bool = False
    """Was tagged reasoning, or markup of it, told apart from its texts?"""
    has_state: bool = True
    begins: bool = False
    resets: tuple[str, ...] = ()

    def of(self, *kinds: Kind) -> list[Part]:
        return [part for part in self.parts if part.kind in kinds]


def level_of(node: Node) -> Level | None:
    """What the table says of an object or list on the way."""
    label = node.label
    return label.label if type(label) is Shape and type(label.label) is Level else None


# --- the labels that most tables use -------------------------------------------------------------------------------

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
