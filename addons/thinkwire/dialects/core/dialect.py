"""What every dialect must say of its API; the files beside this one fill it in, mostly with tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import Edits

__all__ = ["GLANCE", "Dialect", "Handling", "Phase"]

_LEVEL: Final = Shape(members={})
_DOCUMENT: Final = Shape(members={}, other=Shape(members={}, other=_LEVEL, elements=_LEVEL))
GLANCE: Final = Shape(members=_DOCUMENT.members, other=_DOCUMENT.other, elements=_DOCUMENT)
"""A table that looks at the members of a document, and at the members of objects in it, once more into these and
into lists: enough to tell whose document it is. A list of documents is looked at likewise."""


@dataclass(frozen=True, slots=True)
class Handling:
    """What becomes of reasoning in an API, in a sentence each; the documents show them."""

    strip: str
    """What strip takes away, and what it keeps."""
    rename: str
    """What rename does."""
    sent_back: str
    """How the next request carries the reasoning back."""


class Phase(Enum):
    """What a message on a WebSocket, of either side, means for the request that it belongs to."""

    ASKED = "the client asks"
    BEGAN = "an answer begins"
    ENDED = "the answer has come to its end"
    REFUSED = "there is no answer, or no more of it"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One API's way of carrying reasoning."""

    name: str
    handling: Handling
    matches_path: Callable[[str], bool]
    """Is a request to this path (without its query) one of this API?"""
    matches_body: Callable[[object], bool]
    """Has a parsed request body this API's shape? Asked only where no path decides."""
    model: Callable[[RequestFacts], str | None]
    """The model that a request names, in its body or its path."""
    wants_stream: Callable[[RequestFacts], bool]
    """Does a request ask for a stream, by its body, its path, a header, or by default?"""
    table: Callable[[RequestFacts], Shape]
    """Where an answer keeps its parts; the request can decide what is a delta and what a whole."""
    matches_document: Callable[[Node], bool]
    """Is this document, read by GLANCE or by this dialect's own table, one of this API's?"""
    write: Callable[[Kind, str, ItemKey, Node], list[str]]
    """JSON texts, in ASCII, of the documents that carry a text of that kind for that owner, in the order to send
    them; made in the likeness of a document of the same stream, whose envelope they repeat."""
    error: Callable[[int, str], str]
    """The JSON text of an error body: HTTP status and a sentence."""
    error_event: Callable[[int, str, int], str] | None = None
    """The same for an error in the middle of a stream, given how many events came before it; None where both look
    alike."""
    insert: Callable[[str, Node, Sequence[str], Edits], None] | None = None
    """Puts reasoning that was told apart from a text into a whole, given the text's node and the names that rename
    asks for. None where the API has no such place yet."""
    event_name: Callable[[str], str] = lambda _document: ""
    """The name of the event that carries a document (its text), where no member of the document says it."""
    text_element: Callable[[str, Node], str] | None = None
    """Makes a quoted text an element of its own (JSON text), where thoughts and texts are such; given the element that
    it stands for, or beside."""
    text_member: tuple[str, str, str] | None = None
    """Where a message need not have a text: the name of the member that is one, and the JSON text around it."""
    has_blocks: bool = False
    """Is an answer a row of blocks, each of which documents of its own open and close in a stream?"""
    streams_a_list: bool = False
    """Is a stream that is labelled as JSON a list, sent element by element?"""
    takes_precedence: bool = False
    """Was it named by whoever wrote the rules? Then all answers to its paths are its own, whatever they look like, and
    it is asked about all other answers before the APIs that are known to everybody."""
    end_mark: str = ""
    """What the last event of a stream of server-sent events holds instead of a document, if clients count on it."""
    needs_signatures: bool = False
    """Does the next request fail where a block of reasoning has no signature?"""
    phase: Callable[[Node], Phase | None] = lambda _message: None
    """On a WebSocket: what a message, read by GLANCE, means for its request; None where it decides nothing."""


def handling_table(dialects: Iterable[Dialect]) -> str:
    """What becomes of reasoning in each API, as a Markdown table for the README."""
    lines = ["| API | strip takes away | rename | sent back |", "| --- | --- | --- | --- |"]
    for dialect in dialects:
        handling = dialect.handling
        cells = (f"`{dialect.name}`", handling.strip, handling.rename, handling.sent_back)
        lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(lines) + "\n"
