"""What documents are made of: kinds of parts, the labels of a table that name them, and the updates of a document.

It reads no API and decides nothing.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from thinkwire.wire.json_tree import Node, Shape


class Kind(Enum):
    """What a part means. `ENVELOPE` means nothing by itself; `OTHER` is a member that the table does not name."""

    REASONING = "reasoning"
    OPAQUE = "opaque"
    """A signature or an encrypted form: state that the next request needs and only the provider can read."""
    TEXT = "text"
    REFUSAL = "refusal"
    TOOL_CALL = "tool call"
    ROLE = "role"
    TOKENS = "tokens"
    """Token metadata: lists the tokens of this update one by one."""
    REASONING_TOKENS = "reasoning tokens"
    """Lists only tokens of reasoning."""
    TRANSCRIPT = "transcript"
    """A raw copy of everything that was generated, reasoning included: text, token ids or the engine's state."""
    FINISH = "finish"
    USAGE = "usage"
    ERROR = "error"
    OTHER = "other"
    ENVELOPE = "envelope"
    ITEM = "owner"
    """The number of the choice, block or output item that this update is about: `owner` in a rule file."""
    REFERENCE = "reference"
    """The number of another item that this update refers to."""
    COUNTER = "counter"
    """A number that counts documents."""


UNFINISHED: Final = frozenset(("in_progress", "queued"))
"""Values of a finish part that mean that the answer goes on: in some APIs a status takes the finish reason's place."""
VISIBLE: Final = frozenset((Kind.TEXT, Kind.REFUSAL, Kind.TOOL_CALL))
_UNFINISHED: Final = frozenset(("false", '"null"'))
"""Values that mean "not finished": Ollama's and DashScope's."""
_HOLLOW: Final = frozenset((Kind.TOKENS, Kind.TOOL_CALL))
"""Kinds whose containers may hold nothing: `{"content": [], "refusal": null}`."""


class Extent(Enum):
    """Does an update add to what came before, or repeat all of it?"""

    DELTA = "delta"
    SNAPSHOT = "snapshot"


class CountOf(Enum):
    """What the numbers of a space count, and so what has to be removed before they close a gap."""

    ITEMS = "items"
    DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """The label of a member that holds a part."""

    kind: Kind
    rank: int | None = None
    """For texts that rename may read: which one wins if two differ, lowest first."""
    splits: bool = False
    """If the value is a list or an object that was read, the parts inside take its place."""
    text_only: bool = False
    """Applies to a string only: a value of another type is an unknown member."""
    tags: tuple[str, str] | None = None
    """For TEXT: what opens and closes reasoning in it, if a flag says that there is any."""
    is_flag: bool = False
    """For REASONING: the value `true` is such a flag, for the texts of its update."""
    space: str = ""
    """For ITEM, REFERENCE and COUNTER: the numbers that are counted together. Empty: the number never changes."""
    is_name: bool = False
    """For ITEM: it names the item if there is no number."""


@dataclass(frozen=True, slots=True)
class Level:
    """The label of an object or list on the path: what is different for the parts inside."""

    opens: bool = False
    """Each such object is about one item: an update of its own. At the root: the API has one item, without a number."""
    space: str = ""
    """For items without a number of their own: their positions in the list are numbers of this space."""
    extent: Extent | None = None
    """Whether the object is a delta or a snapshot of its item; None: like the one around it."""
    allows_rename: bool = False
    """Rename acts in this object."""
    is_copy: bool = False
    """The object repeats members of the one around it; a missing name is added to the latter."""
    blocks: bool = False
    """A list of reasoning blocks, or one such block: a single part, whose leaves are its texts and signatures."""
    filler: str = ""
    """For a list: JSON text of the element that remains if all are removed, for clients that count on one."""
    is_reasoning: bool = False
    """The item is nothing but reasoning and is removed as a whole."""
    is_quote: bool = False
    """For reasoning: does it only quote other reasoning? Then it is removed together with that."""
    has_state: bool = True
    """For reasoning: may a signature or an encrypted form belong to it? If not, the next request needs none of it."""
    begins: bool = False
    """The item begins here. If its number was that of reasoning, this is another item: some gateways give all their
    blocks the same number."""
    resets: tuple[str, ...] = ()
    """Spaces whose numbers start again with this document."""


@dataclass(frozen=True, slots=True)
class ItemKey:
    """Identifies an item: a choice, a content block or an output item."""

    space: str
    number: int | str
    """A string if the API's number is not a number; such an item can be recognised but not renumbered."""


@dataclass(slots=True)
class Part:
    """A member of a document that means something; `node` is that member."""

    kind: Kind
    node: Node
    spec: FieldSpec | None
    leaves: list["Part"] = field(default_factory=list)
    """For reasoning blocks: their texts and opaque values."""
    shown: str | None = None
    """For a text that held tagged reasoning: the visible rest; None if all of it is visible."""
    rest: str | None = None
    """For reasoning inside a text: JSON text of what remains of the member without it."""

    @property
    def is_meaningful(self) -> bool:
        """Does it hold anything but an empty value?"""
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
        """Can it flag the texts of its update as reasoning?"""
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
        """Is it a list of reasoning blocks, or a single one, whose leaves were read?"""
        return self.spec is None and bool(self.node.children)

    @property
    def blocks(self) -> list[Node]:
        """The reasoning blocks in it."""
        if not self.is_blocks:
            return []
        return self.node.children if self.node.is_list else [self.node]


@dataclass(slots=True)
class Update:
    """Everything that one document says about one item."""

    node: Node
    """The object that is about this item: an element of a list, or the whole document."""
    extent: Extent
    item: ItemKey | None = None
    """None for what is outside of any choice, block or output item."""
    parts: list[Part] = field(default_factory=list)
    about: list[ItemKey] = field(default_factory=list)
    """Other items that it refers to."""
    counters: list[tuple[CountOf, str, Node]] = field(default_factory=list)
    is_reasoning: bool = False
    is_quote: bool = False
    had_tags: bool = False
    """Was tagged reasoning, or its markup, extracted from the texts?"""
    has_state: bool = True
    begins: bool = False
    resets: tuple[str, ...] = ()

    def of(self, *kinds: Kind) -> list[Part]:
        return [part for part in self.parts if part.kind in kinds]


def level_of(node: Node) -> Level | None:
    """The level that the table gives an object or list, if any."""
    label = node.label
    return label.label if type(label) is Shape and type(label.label) is Level else None


def text_of_blocks(value: object) -> str:
    """The text of a parsed block of text, or of a list of them; empty if it is something else."""
    match value:
        case {"text": str() as text}:
            return text
        case list():
            return "".join(map(text_of_blocks, value))
        case _:
            return ""
