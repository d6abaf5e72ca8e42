"""What every dialect must define for its API; the files in `apis/` fill it in, mostly with tables."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts, model_in_body, stream_in_body
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import Edits

_LEVEL: Final = Shape(members={})
_DOCUMENT: Final = Shape(members={}, other=Shape(members={}, other=_LEVEL, elements=_LEVEL))
GLANCE: Final = Shape(members=_DOCUMENT.members, other=_DOCUMENT.other, elements=_DOCUMENT)
"""A table that reads a document two levels deep, through objects and lists: enough to recognise its API. A list of
documents is read the same way."""


@dataclass(frozen=True, slots=True)
class Handling:
    """How reasoning is handled in an API, one phrase per column of the README's table."""

    strip: str
    """What strip removes, and what it keeps."""
    sent_back: str
    """How the next request sends the reasoning back."""
    rename: str = "nothing: the API has one name for it"
    """What rename does."""


class Phase(Enum):
    """What a WebSocket message from either side means for the request that it belongs to."""

    ASKED = "the client asks"
    BEGAN = "an answer begins"
    ENDED = "the answer is complete"
    REFUSED = "there is no answer, or no more of it"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One API's way of carrying reasoning."""

    name: str
    handling: Handling
    matches_path: Callable[[str], bool]
    """Is a request to this path (without its query) one of this API's?"""
    table: Callable[[RequestFacts], Shape]
    """Where the parts of an answer are; the request can decide what is a delta and what a snapshot."""
    matches_document: Callable[[Node], bool]
    """Is this document, read by GLANCE or by this dialect's own table, one of this API's?

    Both tables must give the same answer."""
    write: Callable[[Kind, str, ItemKey, Node], list[str]]
    """JSON texts, in ASCII, of the documents that carry a text of that kind for that item, in the order to send
    them. They repeat the envelope of the given document, which is one of the same stream."""
    error: Callable[[int, str], str]
    """The JSON text of an error body, given the HTTP status and a sentence."""
    matches_body: Callable[[object], bool] = lambda _body: False
    """Does a parsed request body have this API's shape? Called only if no path decides."""
    model: Callable[[RequestFacts], str | None] = model_in_body
    """The model that a request names in its body or path."""
    wants_stream: Callable[[RequestFacts], bool] = stream_in_body
    """Does a request ask for a stream, by its body, its path, a header, or by default?"""
    error_event: Callable[[int, str, int], str] | None = None
    """The same for an error in the middle of a stream, given how many events came before it; None if it looks like an
    error body."""
    insert: Callable[[str, Node, Sequence[str], Edits], None] | None = None
    """Puts reasoning that was extracted from a text into a snapshot, given the text's node and the names that rename
    asks for. None if the API has no place for it."""
    event_name: Callable[[str], str] = lambda _document: ""
    """The name of the event that carries a document (its text), if no member of the document says it."""
    text_element: Callable[[str, Node], str] | None = None
    """Makes a quoted text a list element of its own (JSON text), if the API has such elements; given the element that
    it replaces or goes beside."""
    text_member: tuple[str, str, str] | None = None
    """If a message can lack a text: the name of the text's member, and the JSON text before and after the text."""
    has_blocks: bool = False
    """Is an answer a list of blocks, each opened and closed by documents of its own in a stream?"""
    streams_a_list: bool = False
    """Is a stream with a JSON content type a list that is sent element by element?"""
    takes_precedence: bool = False
    """Was it declared in the rule file? Then all answers to its paths are its own, whatever they look like, and it is
    tried before the built-in APIs for all other answers."""
    end_mark: str = ""
    """The data of the last server-sent event of a stream, which is not a document, if clients count on it."""
    needs_signatures: bool = False
    """Does the next request fail if a reasoning block has no signature?"""
    answer_id: Callable[[Node], str | None] = lambda _message: None
    """On a WebSocket: the id of the answer that a message, read by GLANCE, belongs to, as JSON; None if it has none."""
    phase: Callable[[Node], Phase | None] = lambda _message: None
    """On a WebSocket: what a message, read by GLANCE, means for its request; None if nothing."""


def at_path(pattern: str) -> Callable[[str], bool]:
    """For `matches_path`: is the pattern found in the path?"""
    found = re.compile(pattern).search
    return lambda path: found(path) is not None


def handling_table(dialects: Iterable[Dialect]) -> str:
    """How each API's reasoning is handled, as a Markdown table for the README."""
    lines = ["| API | strip removes | rename | sent back |", "| --- | --- | --- | --- |"]
    for dialect in dialects:
        handling = dialect.handling
        cells = (f"`{dialect.name}`", handling.strip, handling.rename, handling.sent_back)
        lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(lines) + "\n"
