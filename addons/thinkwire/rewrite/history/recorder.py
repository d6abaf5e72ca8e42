"""Captures the reasoning of one answer and remembers it for the requests that follow."""

from dataclasses import replace

from thinkwire.dialects.core.parts import Extent, Kind, Update
from thinkwire.dialects.history.base import Conversation, TextSink
from thinkwire.rewrite.extract.tag_reader import TagReader
from thinkwire.rewrite.history.memory import Memory, MemoryEntry
from thinkwire.rewrite.plan import Extract


class ReasoningCapture:
    """The reasoning of one answer, as the provider sent it."""

    def __init__(
        self, memory: Memory, caller: bytes, conversation: Conversation, user: str, extract: Extract | None
    ) -> None:
        self._memory = memory
        self._caller = caller
        self._user = user
        self._extract = extract
        self._collector = conversation.collector(self._split_tags)
        self._entries: dict[int, MemoryEntry | None] = {}
        """What was remembered so far, by its position in the answer."""

    def hear(self, updates: list[Update], extent: Extent) -> TextSink | None:
        """Read a document. Returns where the texts of events of the same form go; None if each has to be read."""
        sink = self._collector.collect(updates, extent)
        # A client may send the next request once it has seen a call, or the finish, before the answer has ended.
        finishes = any(part.is_meaningful for update in updates for part in update.of(Kind.FINISH))
        if finishes or extent is Extent.SNAPSHOT or self._collector.is_due:
            self.remember()
        return sink

    def remember(self) -> None:
        """Remember what was captured so far."""
        for position, turn in enumerate(self._collector.turns()):
            if turn.keys and (turn.reasoning.text or turn.reasoning.blocks):
                known = self._entries.get(position)
                self._entries[position] = self._memory.remember(
                    self._caller, replace(turn, user=self._user), instead_of=known
                )

    def _split_tags(self, text: str) -> tuple[str, str]:
        if self._extract is None:
            return "", text
        reader = TagReader(self._extract.family, starts_inside=self._extract.starts_inside)
        pieces = [*reader.feed(text), *reader.finish()]
        reasoning = "".join(piece.text for piece in pieces if piece.is_reasoning)
        return reasoning, "".join(piece.text for piece in pieces if not piece.is_reasoning)
