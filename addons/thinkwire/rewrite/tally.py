"""What was done to one answer, counted; the shell makes its log line of it. It does not log."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum


class Effect(StrEnum):
    """What was done to one event: all there is, in the order of the log, each by its word there.

    Texts, because their hashes are C's: one is counted for every event.
    """

    NONE = ""
    RENAMED = "renamed"
    EXTRACTED = "extracted"
    INLINED = "inlined"
    STRIPPED = "stripped"
    """It lost something, and was sent."""
    DROPPED = "dropped"
    """Nothing meaningful remained in it."""


@dataclass(slots=True)
class Tally:
    """Counts of one answer. An *event* is a document of a stream, or the whole body."""

    effects: dict[Effect, int] = field(default_factory=lambda: dict.fromkeys(Effect, 0))
    """Events by what was done to them."""
    metadata: Counter[str] = field(default_factory=Counter)
    """Events that lost token metadata, by the member's name."""
    conflicts: int = 0
    """Events whose names held different texts."""
    unreadable: int = 0
    first_problem: str = ""
    """What was wrong with the first event that could not be read."""
    forgotten: str = ""
    """Why the answer cannot be remembered; empty if it can."""
    first_change: tuple[bytes, bytes] | None = None
    """The first changed event, before and after."""

    @property
    def events(self) -> int:
        return sum(self.effects.values())

    def note_change(self, before: bytes, after: bytes) -> None:
        self.first_change = self.first_change or (before, after)

    def saw_unreadable(self, why: str) -> None:
        self.unreadable += 1
        self.first_problem = self.first_problem or why

    def summary(self, noun: str) -> str:
        """The counts as a phrase: "41 events renamed, 3 dropped, logprobs removed from 12"; `noun` is "event"."""
        phrases = [f"{count} {effect}" for effect, count in self.effects.items() if effect and count]
        if phrases:
            count, _, verb = phrases[0].partition(" ")
            phrases[0] = f"{count} {noun if count == '1' else noun + 's'} {verb}"
        phrases += [f"{name} removed from {count}" for name, count in self.metadata.items()]
        if self.unreadable:
            phrases.append(f"{self.unreadable} not readable ({self.first_problem})")
        if self.forgotten:
            phrases.append(f"not remembered ({self.forgotten})")
        return ", ".join(phrases) or "nothing to change"
