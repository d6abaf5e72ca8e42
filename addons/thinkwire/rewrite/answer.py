"""One answer, document by document: recognise the API, locate the parts, decide, and hand back the edits.

It knows documents, not how they are framed on the wire; `stream.py` and `body.py` do.
"""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from thinkwire.dialects.core.dialect import GLANCE, Dialect
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.history.base import DISCARD, TextSink
from thinkwire.dialects.registry import DIALECTS
from thinkwire.rewrite.extract.extractor import Extraction, ExtractResult, says_something
from thinkwire.rewrite.history.recorder import ReasoningCapture
from thinkwire.rewrite.inline.inliner import Inliner
from thinkwire.rewrite.plan import Inline, Rename, ResponsePlan, Strip
from thinkwire.rewrite.rename import rename
from thinkwire.rewrite.strip.stripper import Stripper
from thinkwire.rewrite.tally import Effect, Tally
from thinkwire.wire.json_tree import Node, Shape, decode, encode, read
from thinkwire.wire.splice import Edit, Edits, splice

__all__ = ["AnswerRewriter", "Outcome"]


class Outcome(NamedTuple):
    """What becomes of one document."""

    is_sent: bool
    edits: list[Edit]
    """In order; none leaves the document as it is."""
    updates: list[Update]
    """What was found in it; nothing where it is no API's that we know."""
    effect: Effect
    lost: Set[str] = frozenset()
    """The names of the token metadata that went."""
    conflicts: bool = False
    """Did two names hold different texts?"""
    before: Sequence[str] = ()
    """Documents to send before this one, as document text."""
    after: Sequence[str] = ()
    """Documents to send behind it."""


class AnswerRewriter:
    """Rewrites the documents of one answer, in order, as its plan says."""

    __slots__ = (
        "_dialect",
        "_dialects",
        "_extraction",
        "_hearing",
        "_inliner",
        "_is_settled",
        "_marked",
        "_plan",
        "_preceding",
        "_request",
        "_stripper",
        "_tables",
        "generation",
        "sink",
        "tally",
    )

    def __init__(
        self,
        plan: ResponsePlan,
        request: RequestFacts,
        dialects: tuple[Dialect, ...] = DIALECTS,
        hearing: ReasoningCapture | None = None,
    ) -> None:
        self.tally = Tally()
        self._plan = plan
        self._request = request
        self._dialects = dialects
        self._hearing = hearing
        """Remembers what was thought, where the rules want it back in the next request."""
        self.sink: TextSink | None = DISCARD
        """Where the texts of documents like the last one go; None where each has to be heard."""
        self._dialect = next((dialect for dialect in dialects if dialect.name == request.dialect), None)
        """The answer's API: a guess from the request until a document shows it."""
        self._preceding = tuple(dialect for dialect in dialects if dialect.takes_precedence)
        self._is_settled = self._dialect in self._preceding
        """Is the answer's API known for good, whatever its documents look like?"""
        self._marked: Dialect | None = None
        """The declared API whose mark was last seen; documents with reasoning in its places are its own, too."""
        self._tables: dict[tuple[str, str], Shape] = {}
        """The tables of named events, by the API and the name; they are made once for each."""
        self.generation = 0
        """Another number after anything has changed that decides about later documents."""
        self._stripper = Stripper(plan.reasoning) if isinstance(plan.reasoning, Strip) else None
        self._extraction = Extraction(plan.extract, plan.reasoning, request) if plan.extract is not None else None
        self._inliner = Inliner(plan.reasoning, request) if isinstance(plan.reasoning, Inline) else None

    @property
    def dialect_name(self) -> str | None:
        """The API that the answer was recognised as, or else the one that the request was for."""
        return self._dialect.name if self._dialect else None

    @property
    def drops_unreadable(self) -> bool:
        return self._plan.drops_unreadable

    def error_text(self, status: int, message: str) -> str:
        """The JSON text of an error in this answer's API, or the most common one where it has none."""
        return (self._dialect or self._dialects[0]).error(status, message)

    def event_name(self, document: str) -> str:
        """The name of the event for a document of ours; nothing where the document says it, or needs none."""
        return self._dialect.event_name(document) if self._dialect is not None else ""

    @property
    def dialect(self) -> Dialect | None:
        """The API of the answer, as far as it is known."""
        return self._dialect

    def updates(self, text: str, extent: Extent, event: str = "") -> list[Update]:
        """What one document says, as it stands; nothing where it is no API's that we know. Raises Unreadable."""
        root = self._read(text, event)
        return locate(root, extent) if root is not None else []

    def rewrite(self, text: str, extent: Extent, event: str = "") -> Outcome:
        """Decide about one document, and count it. Raises Unreadable.

        `text` is Latin-1 of the bytes; `extent` is WHOLE for a body and DELTA in a stream; `event` is the name that its
        frame gives it.
        """
        outcome = self._judge(text, extent, event, self._hearing)
        self.tally.effects[outcome.effect] += 1
        self.tally.metadata.update(outcome.lost)
        self.tally.conflicts += outcome.conflicts
        return outcome

    def probe(self, text: str, extent: Extent, event: str = "") -> Outcome:
        """Decide about one document without counting it, or hearing what it says."""
        return self._judge(text, extent, event, None)

    def _judge(self, text: str, extent: Extent, event: str, hearing: ReasoningCapture | None) -> Outcome:
        root = self._read(text, event)
        if root is None or self._dialect is None or not (self._plan.changes or self._hearing is not None):
            return Outcome(True, [], [], Effect.NONE)
        edits, updates = Edits(), locate(root, extent)
        if hearing is not None and self._dialect.name == self._request.dialect:
            self._hear(hearing, updates, extent)
            self.generation += updates[0].begins or bool(updates[0].resets)  # the texts of another block go elsewhere
        if self._extraction is None:
            return self._decide(updates, extent, edits)
        changes = self._extraction.changes
        told_apart = self._extraction.read(updates, self._dialect, edits)
        self.generation += self._extraction.changes - changes
        if self._stripper is not None:
            self._stripper.note(updates)
        before = self._ours(told_apart.before)
        if self._inliner is not None and (edits or not told_apart.is_sent):
            is_left = _is_left(told_apart, updates, extent, edits)
            again = self._decide_again(text, root, edits, extent) if is_left else None
            outcome = again or Outcome(False, [], updates, Effect.NONE)
        else:
            outcome = self._decide(updates, extent, edits)
            if not _is_left(told_apart, updates, extent, edits):
                outcome = outcome._replace(is_sent=False)
        after = self._ours(told_apart.after)
        if outcome.is_sent and not edits and not before and not after:
            return outcome  # a document like most: nothing was told apart
        effect = outcome.effect or Effect.EXTRACTED
        return outcome._replace(effect=effect, before=[*before, *outcome.before], after=[*outcome.after, *after])

    def _decide_again(self, text: str, root: Node, edits: Edits, extent: Extent) -> Outcome:
        """Decide about a document as it is after it was told apart: what was found a place goes back into the text."""
        told_apart = splice(encode(text), edits.spans())
        again = self._read(decode(told_apart))
        assert again is not None  # what is edited stays an answer of its API
        outcome = self._decide(locate(again, extent), extent, Edits())
        whole = decode(splice(told_apart, outcome.edits))
        return outcome._replace(edits=[Edit(root.start, root.end, whole)] if whole != text else [])

    def remember(self) -> None:
        """Remember what was thought so far: the answer is at its end, or broke off."""
        if self._hearing is not None:
            try:
                self._hearing.remember()
            except Exception as error:
                self._stop_hearing(error)

    def _hear(self, hearing: ReasoningCapture, updates: list[Update], extent: Extent) -> None:
        try:
            self.sink = hearing.hear(updates, extent)
        except Exception as error:
            self._stop_hearing(error)

    def _stop_hearing(self, error: Exception) -> None:
        """Whatever it was (nesting, most likely): the answer goes on, and is not remembered."""
        self._hearing, self.sink = None, DISCARD
        self.tally.forgotten = str(error) or type(error).__name__

    def finish(self) -> Sequence[str]:
        """The documents that are still to be sent when the answer ends."""
        self.remember()
        if self._dialect is None:
            return ()
        if self._stripper is not None:
            self._stripper.end()
        held_back = self._extraction.finish(self._dialect) if self._extraction is not None else ()
        unclosed = self._inliner.finish(self._dialect) if self._inliner is not None else ()
        return [*self._ours(held_back), *unclosed]

    def _ours(self, documents: Sequence[str]) -> Sequence[str]:
        """Documents that we have made, after what the rules do with reasoning."""
        result: list[str] = []
        for document in documents:
            root = self._read(document)
            assert root is not None  # it is in the likeness of one that was known
            updates, edits = locate(root, Extent.DELTA), Edits()
            outcome = self._decide(updates, Extent.DELTA, edits, is_ours=True)
            result += outcome.before
            if outcome.is_sent:
                result.append(decode(splice(encode(document), outcome.edits)))
            result += outcome.after
        return result

    @property
    def signs(self) -> re.Pattern[bytes] | None:
        """What must not stand in a text of a document that is not read; None where all may."""
        return self._extraction.signs if self._extraction is not None else None

    @property
    def adds_documents(self) -> bool:
        """May documents of our own have to be sent beside those that come?"""
        return self._extraction is not None or self._inliner is not None

    def _decide(self, updates: list[Update], extent: Extent, edits: Edits, *, is_ours: bool = False) -> Outcome:
        if self._inliner is not None:
            return self._inline(updates, extent, edits, self._inliner)
        if self._stripper is not None:
            before = self._stripper.changes
            lost: Set[str] = frozenset()
            if is_ours:
                is_sent = self._stripper.number(updates, edits)
            else:
                is_sent, lost = self._stripper.strip(updates, extent, edits)
            self.generation += self._stripper.changes - before
            if not is_sent:
                return Outcome(False, [], updates, Effect.DROPPED)
            return Outcome(True, edits.spans(), updates, Effect.STRIPPED if edits else Effect.NONE, lost)
        if not isinstance(self._plan.reasoning, Rename):
            return Outcome(True, edits.spans(), updates, Effect.NONE)
        conflicts = [rename(update, self._plan.reasoning.names, edits) for update in updates]
        return Outcome(True, edits.spans(), updates, Effect.RENAMED if edits else Effect.NONE, conflicts=any(conflicts))

    def _inline(self, updates: list[Update], extent: Extent, edits: Edits, inliner: Inliner) -> Outcome:
        assert self._dialect is not None
        changes = inliner.changes
        inlined = inliner.inline(updates, self._dialect, edits)
        self.generation += inliner.changes - changes
        has_lost_text = any(update.of(Kind.REASONING) for update in updates)
        is_sent = inlined.is_sent and (not has_lost_text or extent is Extent.SNAPSHOT or says_something(updates, edits))
        effect = Effect.INLINED if edits or inlined.before or not is_sent or inlined.after else Effect.NONE
        return Outcome(is_sent, edits.spans(), updates, effect, before=inlined.before, after=inlined.after)

    def _read(self, text: str, event: str = "") -> Node | None:
        """The document's tree by the table of its API; None where it is no API's that we know."""
        expected = self._dialect
        first = read(text, GLANCE if expected is None else self._table(expected, event))
        if self._is_settled:
            return first
        for dialect in self._preceding:
            if dialect.matches_document(first):
                self._marked = dialect
                return self._read_as(dialect, text, event)
        if self._marked is not None and _has_reasoning(read(text, self._table(self._marked, event))):
            return self._read_as(self._marked, text, event)
        if expected is not None and expected.matches_document(first):
            return first
        glance = first if expected is None else read(text, GLANCE)
        for dialect in self._dialects:
            if dialect is not expected and dialect.matches_document(glance):
                return self._read_as(dialect, text, event)
        # Errors and the like have no marks of their own: in an answer that is some API's, they are that API's.
        return first if expected is not None else None

    def _read_as(self, dialect: Dialect, text: str, event: str) -> Node:
        """The tree by the table of an API that a document has just shown."""
        self.generation += dialect is not self._dialect
        self._dialect = dialect
        return read(text, self._table(dialect, event))

    def _table(self, dialect: Dialect, event: str) -> Shape:
        """The API's table; where a document does not say its type, the name of its event does."""
        key = dialect.name, event
        table = self._tables.get(key)
        if table is None:
            table = dialect.table(self._request)
            named = table.cases.get(event)
            if named is None:
                return table  # a name that is none of the API's is not kept: there may be any number of them
            table = Shape(named.members, other=named.other, switch=table.switch, cases=table.cases, label=named.label)
            self._tables[key] = table
        return table


def _has_reasoning(root: Node) -> bool:
    return any(update.is_reasoning or update.of(Kind.REASONING) for update in locate(root, Extent.DELTA))


def _is_left(told_apart: ExtractResult, updates: list[Update], extent: Extent, edits: Edits) -> bool:
    """Is a document still to be sent after text was told apart from it? An emptied body is."""
    if not told_apart.is_sent:
        return False
    is_emptied = told_apart.is_something and extent is Extent.DELTA and bool(edits)
    return not is_emptied or says_something(updates, edits)
