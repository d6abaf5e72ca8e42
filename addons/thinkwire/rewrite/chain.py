"""Two actions in a row: the second acts on what the first leaves of a document, and on the documents that it adds."""

from collections.abc import Callable, Sequence

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent
from thinkwire.rewrite.action import Action, Document, Outcome, is_anything_left
from thinkwire.wire.json_tree import Node, decode, encode
from thinkwire.wire.splice import Edits, splice


class Chain(Action):
    """One action that is made of two."""

    __slots__ = ("_first", "_read", "_second", "marker_prefixes")

    adds_documents = True

    def __init__(self, first: Action, second: Action, read: Callable[[str], Node]) -> None:
        self._first = first
        self._second = second
        self._read = read
        """Reads a document of this answer once more, after edits, or one that was added."""
        self.marker_prefixes = first.marker_prefixes

    def apply(self, document: Document, edits: Edits) -> Outcome:
        first = self._first.apply(document, edits)
        self._second.expect(document.updates)
        before = self._added(first.before, document.dialect)
        second = self._apply_second(first, document, edits)
        after = self._added(first.after, document.dialect)
        if second.is_sent and not edits and not before and not after:
            return second  # a document like most: the first action has left it alone
        return second._replace(
            effect=second.effect or first.effect,
            before=[*before, *second.before],
            after=[*second.after, *after],
        )

    def finish(self, dialect: Dialect) -> Sequence[str]:
        self._second.expect_end()
        added = self._added(self._first.finish(dialect), dialect)
        return [*added, *self._second.finish(dialect)]

    def _apply_second(self, first: Outcome, document: Document, edits: Edits) -> Outcome:
        if not self._second.reads_edits or (first.is_sent and not edits):
            second = self._second.apply(document, edits)
            return second if _is_left(first, document, edits) else second._replace(is_sent=False)
        return self._apply_to_rest(document, edits) if _is_left(first, document, edits) else Outcome(is_sent=False)

    def _apply_to_rest(self, document: Document, edits: Edits) -> Outcome:
        """Let the second action decide about the document as the first one leaves it."""
        rest = splice(encode(document.root.text), edits.spans())
        root = self._read(decode(rest))
        edits = Edits()
        second = self._second.apply(document._replace(root=root, updates=locate(root, document.extent)), edits)
        return second._replace(text=decode(splice(rest, edits.spans())))

    def _added(self, documents: Sequence[str], dialect: Dialect) -> Sequence[str]:
        """What the second action makes of documents that the first one has added."""
        result: list[str] = []
        for text in documents:
            root, edits = self._read(text), Edits()
            added = Document(root, locate(root, Extent.DELTA), Extent.DELTA, dialect, is_added=True)
            outcome = self._second.apply(added, edits)
            result += outcome.before
            if outcome.is_sent:
                result.append(decode(splice(encode(text), edits.spans())))
            result += outcome.after
        return result


def _is_left(first: Outcome, document: Document, edits: Edits) -> bool:
    """Is a document still to be sent after the first action? An emptied body is."""
    if not first.is_sent:
        return False
    is_emptied = first.is_emptied and document.extent is Extent.DELTA and bool(edits)
    return not is_emptied or is_anything_left(document.updates, edits)
