"""Faults that a provider is to show, so that one can see what a client makes of them.

Plain values; what becomes of a body under them is in `injection.py`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class First:
    """The first requests are refused."""

    status: int
    times: int = 1


@dataclass(frozen=True, slots=True)
class Stall:
    """The answer falls silent."""

    after: int
    """After how many events."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Fault:
    """All that goes wrong with one answer. Events are those that the provider sends, the end mark included."""

    status_first: First | None = None
    stall: Stall | None = None
    error_after: int | None = None
    """After how many events an error comes, and the answer ends."""
    cut_after: int | None = None
    """After how many events the connection breaks."""
    drop_done: bool = False
    """Is the end mark left out?"""
    split: int | None = None
    """Bytes of the pieces in which the answer reaches the client."""
    live: bool = False
    """Does it hold outside of a replay, too?"""

    @property
    def is_any(self) -> bool:
        return self.status_first is not None or self.touches_body

    @property
    def touches_body(self) -> bool:
        return self.touches_events or self.split is not None

    @property
    def touches_events(self) -> bool:
        """Must the events of the answer be known?"""
        return self.stall is not None or self.end is not None or self.drop_done

    @property
    def end(self) -> int | None:
        """After how many events the answer ends before its time; None if it does not."""
        return self.cut_after if self.error_after is None else self.error_after

    @property
    def reach(self) -> int:
        """How many events there must be for everything to happen."""
        return max(self.end or 0, self.stall.after if self.stall is not None else 0)


NO_FAULT = Fault()
