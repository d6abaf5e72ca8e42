"""Inline: reasoning goes into the visible text, between tags, for clients that can only show text.

A stretch of reasoning is opened once and closed once: before visible text, a tool call or the finish comes, or at the
end. It makes documents of text; it does not touch token metadata and does not know APIs.
"""

from collections.abc import Sequence

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import VISIBLE, Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.action import Action, Document, Outcome, is_anything_left
from thinkwire.rewrite.inline.blocks import InlineBlocks
from thinkwire.rewrite.inline.snapshot import inline_snapshot
from thinkwire.rewrite.plan import Inline, Opaque
from thinkwire.rewrite.reasoning_text import reasoning_of
from thinkwire.rewrite.removal import remove_reasoning
from thinkwire.rewrite.tally import Effect
from thinkwire.rewrite.versioned import Version, VersionedDict
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits


class Inliner(Action):
    """Puts the reasoning of one answer into its text, document by document."""

    __slots__ = ("_blocks", "_closes", "_is_open", "_like", "_opens", "_request", "_tags", "_version")

    adds_documents = True
    reads_edits = True

    def __init__(self, inline: Inline, request: RequestFacts, version: Version) -> None:
        self._request = request
        self._version = version
        self._tags = self._opens, self._closes = inline.family.opens, inline.family.closes
        self._blocks: InlineBlocks | None = None
        self._is_open: VersionedDict[ItemKey | None, bool] = VersionedDict(version)
        self._like: Node | None = None

    def apply(self, document: Document, edits: Edits) -> Outcome:
        updates, dialect = document.updates, document.dialect
        self._like = updates[0].node
        if self._blocks is None and dialect.has_blocks:
            self._blocks = InlineBlocks(self._tags, dialect, self._request, self._version)
        outcome = (
            self._inline_block(updates, self._blocks, dialect, edits)
            if self._blocks is not None
            else self._inline(updates, dialect, edits)
        )
        is_sent = outcome.is_sent and _is_left(document, edits)
        is_changed = edits or outcome.before or outcome.after or not is_sent
        return outcome._replace(is_sent=is_sent, effect=Effect.INLINED if is_changed else Effect.NONE)

    def finish(self, dialect: Dialect) -> Sequence[str]:
        """The documents that close what is still open when the answer ends."""
        if self._like is None:
            return ()
        if self._blocks is not None:
            return self._blocks.finish()
        opened = [item for item, is_open in self._is_open.items() if is_open and item is not None]
        self._is_open.clear()
        return [text for item in opened for text in dialect.write(Kind.TEXT, self._closes, item, self._like)]

    def _inline(self, updates: list[Update], dialect: Dialect, edits: Edits) -> Outcome:
        before: list[str] = []
        after: list[str] = []
        for update in updates:
            if update.extent is Extent.SNAPSHOT:
                inline_snapshot(update, self._tags, dialect, edits)
            elif update.item is not None:
                text = self._text_of(update)
                if text:
                    goes_first = bool(update.of(Kind.ROLE)) and not _goes_on(update)
                    documents = dialect.write(Kind.TEXT, text, update.item, updates[0].node)
                    (after if goes_first else before).extend(documents)
                    remove_reasoning(update, Opaque.KEEP, edits)
        return Outcome(before=before, after=after)

    def _inline_block(self, updates: list[Update], blocks: InlineBlocks, dialect: Dialect, edits: Edits) -> Outcome:
        own, item = updates[0], updates[0].item
        blocks.begin(updates)
        reasoning = reasoning_of(own)
        if item is not None and blocks.note(own, reasoning):
            return Outcome(is_sent=False, before=blocks.say(updates, item, reasoning))
        goes_on = item is not None or own.extent is Extent.SNAPSHOT or len(updates) > 1 or _goes_on(own)
        before = blocks.close() if goes_on else ()  # a ping is about no block
        for update in updates:
            if update.extent is Extent.SNAPSHOT:
                inline_snapshot(update, self._tags, dialect, edits)
        blocks.numbers.renumber(updates, edits)
        return Outcome(before=before)

    def _text_of(self, update: Update) -> str:
        """What the text gains by this update: its reasoning, with the tags that are due."""
        was_open = self._is_open.get(update.item, False)
        reasoning = reasoning_of(update)
        opens = self._opens if reasoning and not was_open else ""
        closes = self._closes if (reasoning or was_open) and _goes_on(update) else ""
        is_open = (was_open or bool(reasoning)) and not closes
        if is_open != was_open:
            self._is_open[update.item] = is_open
        return f"{opens}{reasoning}{closes}"


def _goes_on(update: Update) -> bool:
    """Does something come that ends a stretch of reasoning?"""
    return any(part.is_meaningful for part in update.of(*VISIBLE, Kind.FINISH))


def _is_left(document: Document, edits: Edits) -> bool:
    """Is a document still to be sent, for more than the reasoning that it had? A body is."""
    if document.extent is Extent.SNAPSHOT or not any(update.of(Kind.REASONING) for update in document.updates):
        return True
    return is_anything_left(document.updates, edits)
