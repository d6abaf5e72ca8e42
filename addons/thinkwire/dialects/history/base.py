"""What an API's requests hold of earlier turns, and what of an answer the next request has to bring back.

Each API that takes reasoning back has a file beside this one. They read and write; what is done, and what is remembered
and for how long, is decided in `rewrite/`.
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

BY_ID: Final = "id"
"""Keys with this beginning mean the same in every conversation."""


@dataclass(frozen=True, slots=True)
class TurnReasoning:
    """The reasoning of one turn, as it is remembered."""

    text: str = ""
    blocks: tuple[tuple[int, str], ...] = ()
    """The API's own blocks, each as JSON document text, with the number of visible blocks before it."""
    visible: int = 0
    """How many visible blocks the turn had; 0 if it does not consist of blocks."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A place in a request or an answer that reasoning belongs to: a message, an item, a call."""

    keys: tuple[str, ...]
    """What identifies it: the ids of its tool calls, else its text."""
    user: str = ""
    """What the user said before it, and how many turns there were since."""
    node: Node | None = None
    update: Update | None = None
    lacks_reasoning: bool = True
    is_first: bool = True
    """Is it the first of its step? The later ones of several parallel calls have no reasoning of their own."""
    reasoning: TurnReasoning = TurnReasoning()
    """In an answer: what to remember."""


class TextSink(Protocol):
    """Takes the text of events that have the form of one that was collected: the inside of a JSON string, as bytes."""

    def append(self, text: bytes, /) -> None: ...


type SplitTags = Callable[[str], tuple[str, str]]
"""A text of the answer -> the tagged reasoning in it, and the visible rest."""


class TurnCollector(Protocol):
    """Collects the turns of one answer from its documents, as the provider sent them."""

    def collect(self, updates: list[Update], extent: Extent) -> TextSink | None:
        """Read a document. Returns where the texts of events of the same form go; None if each has to be read."""

    @property
    def is_due(self) -> bool:
        """Did the last document complete something that a client may act on before the answer ends?"""

    def turns(self) -> Iterable[Turn]:
        """The turns so far."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """How one API's requests keep earlier turns."""

    table: Shape
    """Where a request keeps the assistant's messages, each of which is an item of its own."""
    turns: Callable[[Node, list[Update]], Iterable[Turn]]
    """The assistant's turns in a request, given its tree and the updates in it."""
    last_user: Callable[[object], str]
    """What `Turn.user` is for the answer to a request, given its parsed body."""
    collector: Callable[[SplitTags], TurnCollector]
    put_back: Callable[[Turn, TurnReasoning, Edits], bool] | None = None
    """Puts the API's own blocks back into a turn that lacks them; returns whether it could. None if a form of
    `history` is written instead."""
    forms: Mapping[HistoryForm, str] = field(default_factory=dict)
    """The forms that `history` can ask for, each with the name of its member if it is one; empty if only `restore`
    acts."""


def call_key(name: object, arguments: object, identity: object = None) -> str:
    """The key of a tool call: its name and arguments, and its id if it has one.

    Some providers count their calls from 1 in each conversation, so an id alone does not identify a call.
    """
    if isinstance(arguments, str):
        with suppress(ValueError):
            arguments = json.loads(arguments)
    asked = f"{name} {json.dumps(_canonical(arguments), sort_keys=True)}"
    return f"{BY_ID} {identity} {asked}" if isinstance(identity, str) and identity else f"called {asked}"


def item_key(identity: str) -> str:
    """The key of an item with an id that the provider made."""
    return f"{BY_ID} {identity}"


def _canonical(value: Any) -> Any:
    """The value with numbers compared as numbers: clients write 1 for 1.0."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_canonical(one) for one in value]
        case dict():
            return {name: _canonical(one) for name, one in value.items()}
        case _:
            return value


def text_keys(text: str) -> tuple[str, ...]:
    """The key of a turn without calls, if it has a text; clients may trim its white space."""
    return (f"text {text.strip()}",) if text.strip() else ()


def content_text(content: Any) -> str:
    """The text of a message's content, in whichever form; markers such as `cache_control` move, and are left out."""
    match content:
        case str():
            return content
        case {"text": str() as text}:
            return text
        case {"tool_use_id": str() as identity} | {"call_id": str() as identity}:
            return f"\0{identity}"
        case {"functionResponse": _}:  # the result of a call
            return ""
        case {"type": str() as kind}:
            return f"\0{kind}"
        case list():
            return "".join(map(content_text, content))
        case _:
            return ""


def turn_position(user: str, steps: int) -> str:
    """The user's words and the number of turns since: the same call may be made again and again."""
    return f"{user}\0{steps}" if steps else user


DISCARD: Final[deque[bytes]] = deque(maxlen=0)
"""Takes texts that are not needed."""


class Pieces(list[bytes]):
    """The pieces of one text; decoding them once costs less than decoding each."""

    def take(self, node: Node) -> None:
        """Add the text of a string."""
        self.append(encode(node.raw[1:-1]))

    def add(self, text: str) -> None:
        """Add a decoded text."""
        self.append(json.dumps(text)[1:-1].encode())

    @property
    def text(self) -> str:
        joined = b'"' + b"".join(self) + b'"'
        return str(json.loads(joined.decode("utf-8", "surrogateescape"), strict=False))
