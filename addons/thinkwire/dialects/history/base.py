"""What an API's requests hold of earlier turns, and what of an answer the next request has to bring back.

Each API that takes reasoning back has a file beside this one. They read and write; what is done, and what is remembered
for how long, is decided in `rewrite/`.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from thinkwire.dialects.core.parts import Extent, Update
from thinkwire.dialects.history.provider_forms import HistoryForm
from thinkwire.wire.json_tree import Node, Shape, encode
from thinkwire.wire.splice import Edits

__all__ = [
    "BY_ID",
    "DISCARD",
    "Conversation",
    "Pieces",
    "SplitTags",
    "TextSink",
    "Thought",
    "Turn",
    "TurnCollector",
    "call_key",
    "item_key",
    "said_by",
    "since",
    "text_key",
]

BY_ID: Final = "id"
"""How keys begin that are the same whatever was said before."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What is remembered of the reasoning of one turn."""

    text: str = ""
    blocks: tuple[tuple[int, str], ...] = ()
    """The API's own blocks, as JSON in the form of document text, each with the number of visible blocks before it."""
    visible: int = 0
    """How many visible blocks the turn had; 0 where it is not made of blocks."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A place in a request or an answer that reasoning belongs to: a message, an item, a call."""

    keys: tuple[str, ...]
    """What it is known by: the ids of its tool calls, else its text."""
    user: str = ""
    """What the user said before it, and how many turns there were since."""
    node: Node | None = None
    update: Update | None = None
    lacks_thought: bool = True
    is_first: bool = True
    """Is it the first of its step? The later ones of several at once have no thought of their own."""
    thought: Thought = Thought()
    """In an answer: what to remember."""


class TextSink(Protocol):
    """Takes the text of events that are like one that was heard: the inside of a JSON string, as raw bytes."""

    def append(self, text: bytes, /) -> None: ...


type SplitTags = Callable[[str], tuple[str, str]]
"""A text of the answer -> the tagged thought in it, and what the client sees of it."""


class TurnCollector(Protocol):
    """Hears the documents of one answer, as the provider sent them."""

    def hear(self, updates: list[Update], extent: Extent) -> TextSink | None:
        """Take note of a document. Returns where the texts of events like this one go; None where each has to be
        heard."""

    @property
    def is_due(self) -> bool:
        """Did the last document complete something that a client may act upon before the answer ends?"""

    def turns(self) -> Iterable[Turn]:
        """What was said so far, turn by turn."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """How one API's requests keep earlier turns."""

    table: Shape
    """Where a request keeps the assistant's messages, each of which is an owner of its own."""
    turns: Callable[[Node, list[Update]], Iterable[Turn]]
    """The assistant's turns in a request, given its tree and the updates in it."""
    last_user: Callable[[object], str]
    """What `Turn.user` is for the answer to a request, given its parsed body."""
    listener: Callable[[SplitTags], TurnCollector]
    put_back: Callable[[Turn, Thought, Edits], bool] | None = None
    """Puts the API's own blocks back into a turn that lacks them; returns whether it could. None where a form of
    `history` is written."""
    forms: Mapping[HistoryForm, str] = field(default_factory=dict)
    """The forms that `history` can ask for here, with the name of the member where it is one; none where only
    memory acts."""


def call_key(name: object, arguments: object, identity: object = None) -> str:
    """The key of a tool call: what it asks for, with its id where it has one.

    Some count their calls anew in each conversation, so that an id alone says little.
    """
    if isinstance(arguments, str):
        with suppress(ValueError):
            arguments = json.loads(arguments)
    asked = f"{name} {json.dumps(_canonical(arguments), sort_keys=True)}"
    return f"{BY_ID} {identity} {asked}" if isinstance(identity, str) and identity else f"called {asked}"


def item_key(identity: str) -> str:
    """The key of what a provider has given a name of its own."""
    return f"{BY_ID} {identity}"


def _canonical(value: Any) -> Any:
    """The value with numbers as numbers: clients write 1 for 1.0."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_canonical(one) for one in value]
        case dict():
            return {name: _canonical(one) for name, one in value.items()}
        case _:
            return value


def text_key(text: str) -> str:
    """The key of a turn without calls; clients may cut white space around it."""
    return f"text {text.strip()}"


def said_by(content: Any) -> str:
    """What a message says, however its content is written; marks such as `cache_control` move, and are none of it."""
    match content:
        case str():
            return content
        case {"text": str() as text}:
            return text
        case {"tool_use_id": str() as identity} | {"call_id": str() as identity}:
            return f"\0{identity}"
        case {"functionResponse": _}:  # what a call has brought
            return ""
        case {"type": str() as kind}:
            return f"\0{kind}"
        case list():
            return "".join(map(said_by, content))
        case _:
            return ""


def since(user: str, steps: int) -> str:
    """What the user said, and how many turns there were since: the same call may be made again and again."""
    return f"{user}\0{steps}" if steps else user


DISCARD: Final[deque[bytes]] = deque(maxlen=0)
"""Takes texts that nobody needs."""


class Pieces(list[bytes]):
    """The pieces of one text; reading them once costs less than reading each."""

    def take(self, node: Node) -> None:
        """Add the text of a string."""
        self.append(encode(node.raw[1:-1]))

    def add(self, text: str) -> None:
        """Add a text that was read."""
        self.append(json.dumps(text)[1:-1].encode())

    @property
    def text(self) -> str:
        joined = b'"' + b"".join(self) + b'"'
        return str(json.loads(joined.decode("utf-8", "surrogateescape"), strict=False))
