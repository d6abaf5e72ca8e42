"""Which API the documents of one answer are of, document by document: a guess from the request until one shows it."""

from thinkwire.dialects.core.dialect import GLANCE, Dialect
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.versioned import Version, Versioned
from thinkwire.wire.json_tree import Node, Shape, read


class DocumentReader:
    """Reads the documents of one answer by the table of their API."""

    __slots__ = ("_dialect", "_dialects", "_flagged", "_is_settled", "_preceding", "_request", "_tables")

    def __init__(self, request: RequestFacts, dialects: tuple[Dialect, ...], version: Version) -> None:
        self._request = request
        self._dialects = dialects
        expected = next((dialect for dialect in dialects if dialect.name == request.dialect), None)
        self._dialect: Versioned[Dialect | None] = Versioned(version, expected)
        self._preceding = tuple(dialect for dialect in dialects if dialect.takes_precedence)
        self._is_settled = expected in self._preceding
        """Is the answer's API known for good, whatever its documents look like?"""
        self._flagged: Versioned[Dialect | None] = Versioned(version, None)
        """The declared API whose mark was last seen; documents with reasoning in its fields are its own, too."""
        self._tables: dict[tuple[str, str], Shape] = {}
        """The tables of named events, by the API and the name; they are made once for each."""

    @property
    def dialect(self) -> Dialect | None:
        """The API of the answer, as far as it is known."""
        return self._dialect.value

    def read(self, text: str, event: str = "") -> Node | None:
        """The tree of one document, `event` being the name in its frame; None if it is of no API that we know.

        Raises Unreadable.
        """
        expected = self.dialect
        first = read(text, GLANCE if expected is None else self._table(expected, event))
        if self._is_settled:
            return first
        for dialect in self._preceding:
            if dialect.matches_document(first):
                self._flagged.value = dialect
                return self._read_as(dialect, text, event)
        flagged = self._flagged.value
        if flagged is not None and _has_reasoning(read(text, self._table(flagged, event))):
            return self._read_as(flagged, text, event)
        if expected is not None and expected.matches_document(first):
            return first
        glance = first if expected is None else read(text, GLANCE)
        for dialect in self._dialects:
            if dialect is not expected and dialect.matches_document(glance):
                return self._read_as(dialect, text, event)
        # Errors and the like have no marks of their own: in an answer that is some API's, they are that API's.
        return first if expected is not None else None

    def read_known(self, text: str) -> Node:
        """The tree of a document that was edited, or modelled on one: it stays one of its API."""
        root = self.read(text)
        assert root is not None
        return root

    def _read_as(self, dialect: Dialect, text: str, event: str) -> Node:
        """The tree by the table of an API that a document has just shown."""
        self._dialect.value = dialect
        return read(text, self._table(dialect, event))

    def _table(self, dialect: Dialect, event: str) -> Shape:
        """The API's table; if a document does not hold its type, the name of its event does."""
        key = dialect.name, event
        table = self._tables.get(key)
        if table is None:
            table = dialect.table(self._request)
            named = table.cases.get(event)
            if named is None:
                return table  # a name that the API does not have is not kept: there may be any number of them
            table = Shape(named.members, other=named.other, switch=table.switch, cases=table.cases, label=named.label)
            self._tables[key] = table
        return table


def _has_reasoning(root: Node) -> bool:
    return any(update.is_reasoning or update.of(Kind.REASONING) for update in locate(root, Extent.DELTA))
