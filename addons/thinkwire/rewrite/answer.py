"""One answer, document by document: recognise the API, locate the parts, run the actions, and hand back the edits.

It knows documents, not how they are framed on the wire; the modules in `stream/` do.
"""

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.history.base import DISCARD, TextSink
from thinkwire.dialects.registry import DIALECTS
from thinkwire.rewrite.action import Action, Document, Outcome
from thinkwire.rewrite.chain import Chain
from thinkwire.rewrite.extract.extractor import Extractor
from thinkwire.rewrite.history.recorder import ReasoningCapture
from thinkwire.rewrite.inline.inliner import Inliner
from thinkwire.rewrite.plan import Inline, Keep, Reasoning, Rename, ResponsePlan, Strip
from thinkwire.rewrite.recognition import DocumentReader
from thinkwire.rewrite.rename import Renamer
from thinkwire.rewrite.strip.stripper import Stripper
from thinkwire.rewrite.tally import Tally
from thinkwire.rewrite.versioned import Version
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edit, Edits


class Rewritten(NamedTuple):
    """What becomes of one document."""

    outcome: Outcome
    edits: list[Edit]
    """In order; none leaves the document as it is."""
    updates: list[Update]
    """What was found in it; nothing if it is of no API that we know."""


_UNTOUCHED = Rewritten(Outcome(), [], [])


class AnswerRewriter:
    """Rewrites the documents of one answer, in order, as its plan says."""

    def __init__(
        self,
        plan: ResponsePlan,
        request: RequestFacts,
        dialects: tuple[Dialect, ...] = DIALECTS,
        capture: ReasoningCapture | None = None,
    ) -> None:
        self.tally = Tally()
        self.version = Version()
        """Of all that decides about later documents, in every action."""
        self._plan = plan
        self._request = request
        self._dialects = dialects
        self._capture = capture
        """Remembers the reasoning, if the rules want it back in the next request."""
        self.sink: TextSink | None = DISCARD
        """Where the texts of documents like the last one go; None if each has to be heard."""
        self._reader = DocumentReader(request, dialects, self.version)
        self._action = _reasoning_action(plan.reasoning, request, self.version)
        if plan.extract is not None:
            extractor = Extractor(plan.extract, plan.reasoning, request, self.version)
            self._action = Chain(extractor, self._action, self._reader.read_known)
        self.marker_prefixes = self._action.marker_prefixes
        self.adds_documents = self._action.adds_documents

    @property
    def dialect(self) -> Dialect | None:
        """The API of the answer, as far as it is known."""
        return self._reader.dialect

    @property
    def drops_unreadable(self) -> bool:
        return self._plan.drops_unreadable

    def error_text(self, status: int, message: str) -> str:
        """The JSON text of an error in this answer's API, or the most common one if it has none."""
        return (self.dialect or self._dialects[0]).error(status, message)

    def event_name(self, document: str) -> str:
        """The name of the event for an added document; nothing if the document holds it, or needs none."""
        return self.dialect.event_name(document) if self.dialect is not None else ""

    def updates(self, text: str, extent: Extent, event: str = "") -> list[Update]:
        """What one document holds, as it is; nothing if it is of no API that we know. Raises Unreadable."""
        root = self._reader.read(text, event)
        return locate(root, extent) if root is not None else []

    def rewrite(self, text: str, extent: Extent, event: str = "") -> Rewritten:
        """Decide about one document, and count it. Raises Unreadable.

        `text` is Latin-1 of the bytes; `extent` is SNAPSHOT for a body and DELTA in a stream; `event` is the name that
        its frame gives it.
        """
        rewritten = self._rewrite(text, extent, event, self._capture)
        self.tally.effects[rewritten.outcome.effect] += 1
        self.tally.metadata.update(rewritten.outcome.lost)
        self.tally.conflicts += rewritten.outcome.conflicts
        return rewritten

    def probe(self, text: str, extent: Extent, event: str = "") -> Rewritten:
        """Decide about one document without counting it, or hearing its texts."""
        return self._rewrite(text, extent, event, None)

    def remember(self) -> None:
        """Remember the reasoning so far: the answer is at its end, or broke off."""
        if self._capture is not None:
            try:
                self._capture.remember()
            except Exception as error:
                self._stop_capture(error)

    def finish(self) -> Sequence[str]:
        """The documents that are still to be sent when the answer ends."""
        self.remember()
        return self._action.finish(self.dialect) if self.dialect is not None else ()

    def _rewrite(self, text: str, extent: Extent, event: str, capture: ReasoningCapture | None) -> Rewritten:
        root = self._reader.read(text, event)
        dialect = self.dialect
        if root is None or dialect is None or not (self._plan.changes or self._capture is not None):
            return _UNTOUCHED
        updates, edits = locate(root, extent), Edits()
        if capture is not None and dialect.name == self._request.dialect:
            self._hear(capture, updates, extent)
        outcome = self._action.apply(Document(root, updates, extent, dialect), edits)
        return Rewritten(outcome, _edits_of(outcome, root, edits), updates)

    def _hear(self, capture: ReasoningCapture, updates: list[Update], extent: Extent) -> None:
        if updates[0].begins or updates[0].resets:
            self.version.advance()  # the texts of another block go elsewhere
        try:
            self.sink = capture.hear(updates, extent)
        except Exception as error:
            self._stop_capture(error)

    def _stop_capture(self, error: Exception) -> None:
        """Whatever it was (nesting, most likely): the answer goes on, and is not remembered."""
        self._capture, self.sink = None, DISCARD
        self.tally.forgotten = str(error) or type(error).__name__


def _reasoning_action(setting: Reasoning, request: RequestFacts, version: Version) -> Action:
    match setting:
        case Keep():
            return Action()
        case Strip():
            return Stripper(setting, version)
        case Rename():
            return Renamer(setting)
        case Inline():
            return Inliner(setting, request, version)
        case _:
            assert_never(setting)


def _edits_of(outcome: Outcome, root: Node, edits: Edits) -> list[Edit]:
    if not outcome.is_sent:
        return []
    if outcome.text is None:
        return edits.spans()
    return [Edit(root.start, root.end, outcome.text)] if outcome.text != root.text else []
