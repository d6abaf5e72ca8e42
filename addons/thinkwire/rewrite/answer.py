"""One answer, document by document: recognise the API, locate the parts, decide, and hand back the edits.

It knows documents, not how they are framed on the wire; `stream.py` and `body.py` do.
"""

from enum import Enum
from typing import Final

from thinkwire.dialects.dialect import Dialect
from thinkwire.dialects.locate import locate
from thinkwire.dialects.parts import Extent
from thinkwire.dialects.registry import DIALECTS
from thinkwire.dialects.request import RequestFacts
from thinkwire.rewrite.plan import Keep, Rename, ResponsePlan, Strip
from thinkwire.rewrite.rename import rename
from thinkwire.rewrite.strip import Stripper
from thinkwire.rewrite.tally import Tally
from thinkwire.wire.json_tree import Node, read
from thinkwire.wire.splice import Edit, Edits

__all__ = ["GONE", "AnswerRewriter", "Gone"]


class Gone(Enum):
    """Stands for a document of which nothing is left."""

    GONE = "gone"


GONE: Final = Gone.GONE


class AnswerRewriter:
    """Rewrites the documents of one answer, in order, as its plan says."""

    __slots__ = ("_dialect", "_dialects", "_plan", "_request", "_stripper", "tally")

    def __init__(
        self, plan: ResponsePlan, request: RequestFacts, dialects: tuple[Dialect, ...] = DIALECTS
    ) -> None:
        self.tally = Tally()
        self._plan = plan
        self._request = request
        self._dialects = dialects
        self._dialect = next((dialect for dialect in dialects if dialect.name == request.dialect), None)
        """The answer's API: a guess from the request until a document shows it."""
        self._stripper = Stripper(plan.reasoning, self.tally) if isinstance(plan.reasoning, Strip) else None

    @property
    def drops_unreadable(self) -> bool:
        return self._plan.on_error.value == "drop"

    def error_text(self, status: int, message: str) -> str:
        """The JSON text of an error in this answer's API, or the most common one where it has none."""
        return (self._dialect or self._dialects[0]).error(status, message)

    def rewrite(self, text: str, extent: Extent) -> list[Edit] | Gone:
        """The edits of one document (an empty list leaves it as it is), or GONE.

        `text` is Latin-1 of the bytes; `extent` is WHOLE for a body and DELTA in a stream. Raises Unreadable.
        """
        root = self._read(text)
        self.tally.events += 1
        if root is None or isinstance(self._plan.reasoning, Keep):
            return []
        updates = locate(root, extent)
        edits = Edits()
        if self._stripper is not None:
            if not self._stripper.strip(updates, extent, edits):
                self.tally.dropped += 1
                return GONE
            self.tally.stripped += bool(edits)
        elif isinstance(self._plan.reasoning, Rename):
            conflicts = [rename(update, self._plan.reasoning.names, edits) for update in updates]
            self.tally.conflicts += any(conflicts)
            self.tally.renamed += bool(edits)
        return edits.spans() if edits else []

    def _read(self, text: str) -> Node | None:
        """The document's tree by the table of its API; None where it is no API's that we know."""
        expected = self._dialect
        first = read(text, expected.table(self._request) if expected else None)
        if expected is not None and expected.knows(first):
            return first
        for dialect in self._dialects:
            if dialect is not expected and dialect.knows(root := read(text, dialect.table(self._request))):
                self._dialect = dialect
                return root
        # Errors and the like have no marks of their own: in an answer that is some API's, they are that API's.
        return first if expected is not None else None
