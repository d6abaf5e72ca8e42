"""What every dialect must say of its API; the files beside this one fill it in, mostly with tables."""

from collections.abc import Callable
from dataclasses import dataclass

from thinkwire.dialects.parts import Kind, Owner
from thinkwire.dialects.request import RequestFacts
from thinkwire.wire.json_tree import Node, Shape

__all__ = ["Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One API's way of carrying reasoning."""

    name: str
    asks_by_path: Callable[[str], bool]
    """Is a request to this path (without its query) one of this API?"""
    asks_by_body: Callable[[object], bool]
    """Has a parsed request body this API's shape? Asked only where no path decides."""
    model: Callable[[str, object], str | None]
    """The model that a request (path, parsed body) names."""
    wants_stream: Callable[[str, object], bool]
    """Does a request (path, parsed body) ask for a stream?"""
    table: Callable[[RequestFacts], Shape]
    """Where an answer keeps its parts; the request can decide what is a delta and what a whole."""
    knows: Callable[[Node], bool]
    """Is this document, read by any table whose root is an object, one of this API's?"""
    write: Callable[[Kind, str, Owner, Node], list[str]]
    """JSON texts, in ASCII, of the documents that carry a text of that kind for that owner, in the order to send
    them; made in the likeness of a document of the same stream, whose envelope they repeat."""
    error: Callable[[int, str], str]
    """The JSON text of an error body: HTTP status and a sentence."""
