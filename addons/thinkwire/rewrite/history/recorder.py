"""Hears one answer and remembers what was thought in it, for the requests that follow."""

from dataclasses import replace

from thinkwire.dialects.core.parts import Extent, Kind, Update
from thinkwire.dialects.history.base import Conversation, TextSink
from thinkwire.rewrite.extract.tag_reader import TagReader
from thinkwire.rewrite.history.memory import Memory, MemoryEntry
from thinkwire.rewrite.plan import Extract

__all__ = ["ReasoningCapture"]


class ReasoningCapture:
    """What one answer says, as the provider sent it."""

    def __init__(
        self, memory: Memory, caller: bytes, conversation: Conversation, user: str, extract: Extract | None
    ) -> None:
        self._memory = memory
        self._caller = caller
        self._user = user
        self._extract = extract
        self._listener = conversation.listener(self._tell_apart)
        self._records: dict[int, MemoryEntry | None] = {}
        """What was remembered so far, by its place in the answer."""

    def hear(self, updates: list[Update], extent: Extent) -> TextSink | None:
        """Take note of a document. Returns where the texts of events like it go; None where each must be heard."""
        sink = self._listener.hear(updates, extent)
        # A client may ask the next thing once it has seen a call, or the finish, before the answer's end has come.
        finishes = any(part.is_meaningful for update in updates for part in update.of(Kind.FINISH))
        if finishes or extent is Extent.SNAPSHOT or self._listener.is_due:
            self.remember()
        return sink

    def remember(self) -> None:
        """Remember what was said so far."""
        for place, turn in enumerate(self._listener.turns()):
            if turn.keys and (turn.thought.text or turn.thought.blocks):
                known = self._records.get(place)
                self._records[place] = self._memory.remember(
                    self._caller, replace(turn, user=self._user), instead_of=known
                )

    def _tell_apart(self, text: str) -> tuple[str, str]:
        if self._extract is None:
            return "", text
        reader = TagReader(self._extract.family, starts_inside=self._extract.starts_inside)
        pieces = [*reader.feed(text), *reader.finish()]
        thought = "".join(piece.text for piece in pieces if piece.is_reasoning)
        return thought, "".join(piece.text for piece in pieces if not piece.is_reasoning)
