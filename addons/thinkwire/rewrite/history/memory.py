"""The reasoning of earlier turns, remembered for the next requests of the same caller; bounded in bytes and in age.

Reasoning is found by its turn: by the ids of its tool calls, and by all its keys together with the user's words before
it. If two different turns have one key, that key finds nothing.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from thinkwire.dialects.history.base import BY_ID, Turn, TurnReasoning

_ENTRY: Final = 420
"""Bytes that an entry needs besides its text."""
_KEY: Final = 300
"""Bytes that one of its keys needs."""


@dataclass(eq=False, slots=True)
class MemoryEntry:
    """The reasoning of one turn."""

    packed: bytes
    keys: tuple[bytes, ...]
    seen: float
    """When it was remembered, or last used."""

    @property
    def size(self) -> int:
        return _ENTRY + len(self.packed) + _KEY * len(self.keys)


class Memory:
    """The reasoning of all callers; each sees only its own."""

    def __init__(self, most_bytes: int, longest: float, clock: Callable[[], float]) -> None:
        self.most_bytes = most_bytes
        self.longest = longest
        """Seconds after which reasoning that was not asked for is forgotten."""
        self._clock = clock
        self._entries: dict[MemoryEntry, None] = {}
        """The least recently used first."""
        self._by_key: dict[bytes, tuple[MemoryEntry, ...]] = {}
        self.size = 0
        """Bytes, roughly."""

    def __len__(self) -> int:
        return len(self._entries)

    def remember(self, caller: bytes, turn: Turn, instead_of: MemoryEntry | None = None) -> MemoryEntry | None:
        """Remember the reasoning of a turn; `instead_of` is what was remembered of it while it was still coming.

        `caller` is the digest of a secret, never the secret.
        """
        if instead_of is not None and instead_of in self._entries:
            self._forget(instead_of)
        packed = _pack(turn.reasoning)
        entry = MemoryEntry(packed, tuple(dict.fromkeys(_digests(caller, turn))), self._clock())
        if entry.size > self.most_bytes or not entry.keys:
            return None
        self._entries[entry] = None
        self.size += entry.size
        for key in entry.keys:
            # Of signatures without readable text, the last is the one that is asked for.
            known = self._by_key.get(key, ()) if turn.reasoning.text else ()
            others = [one for one in known if one.packed != packed]
            self._by_key[key] = (*others[-1:], entry)  # one that differs is enough to find nothing
        self._tidy()
        return entry

    def recall(self, caller: bytes, turn: Turn) -> TurnReasoning | None:
        """The reasoning of a turn; None if nothing is remembered of it, or different things are."""
        self._tidy()
        for key in _digests(caller, turn):
            found = self._by_key.get(key, ())
            if len(found) == 1:
                (entry,) = found
                del self._entries[entry]
                self._entries[entry] = None
                entry.seen = self._clock()
                return _unpack(entry.packed)
        return None

    def _tidy(self) -> None:
        """Forget what is too old, and the least recently used while there is too much."""
        oldest = self._clock() - self.longest
        while self._entries:
            entry = next(iter(self._entries))
            if entry.seen >= oldest and self.size <= self.most_bytes:
                return
            self._forget(entry)

    def _forget(self, entry: MemoryEntry) -> None:
        del self._entries[entry]
        self.size -= entry.size
        for key in entry.keys:
            left = tuple(one for one in self._by_key.get(key, ()) if one is not entry)
            if left:
                self._by_key[key] = left
            else:
                self._by_key.pop(key, None)


def _digests(caller: bytes, turn: Turn) -> list[bytes]:
    """The keys of a turn, the most specific first."""
    exact = [_digest(caller, turn.user, key) for key in turn.keys]
    return exact + [_digest(caller, key) for key in turn.keys if key.startswith(f"{BY_ID} ")]


def _digest(caller: bytes, *words: str) -> bytes:
    digest = blake2b(caller, digest_size=16)
    for word in words:
        raw = word.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8))
        digest.update(raw)
    return digest.digest()


def _pack(reasoning: TurnReasoning) -> bytes:
    return json.dumps([reasoning.text, reasoning.blocks, reasoning.visible], ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def _unpack(packed: bytes) -> TurnReasoning:
    text, blocks, visible = json.loads(packed.decode("utf-8", "surrogatepass"))
    return TurnReasoning(text, tuple((place, block) for place, block in blocks), visible)
