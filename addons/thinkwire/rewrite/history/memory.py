"""What was thought in earlier turns, remembered for the next requests of the same caller; bounded in bytes and in age.

A thought is known by its turn: by the ids of its tool calls, and by all its keys together with what the user said
before. Where two different thoughts have one key, that key tells nothing.
"""

import json
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from thinkwire.dialects.history.base import BY_ID, Thought, Turn

__all__ = ["Memory", "MemoryEntry"]

_RECORD: Final = 420
"""Bytes that a record needs beside its text."""
_KEY: Final = 300
"""Bytes that one of its keys needs."""


class MemoryEntry:
    """One thought that is remembered."""

    __slots__ = ("keys", "packed", "seen")

    def __init__(self, packed: bytes, keys: tuple[bytes, ...], seen: float) -> None:
        self.packed = packed
        self.keys = keys
        self.seen = seen
        """When it was remembered, or used last."""

    @property
    def size(self) -> int:
        return _RECORD + len(self.packed) + _KEY * len(self.keys)


class Memory:
    """The thoughts of all callers; each sees only its own."""

    def __init__(self, most_bytes: int, longest: float, clock: Callable[[], float]) -> None:
        self.most_bytes = most_bytes
        self.longest = longest
        """Seconds after which a thought that nobody asked for is forgotten."""
        self._clock = clock
        self._records: dict[MemoryEntry, None] = {}
        """The one that was used longest ago first."""
        self._by_key: dict[bytes, tuple[MemoryEntry, ...]] = {}
        self.size = 0
        """Bytes, roughly."""

    def __len__(self) -> int:
        return len(self._records)

    def remember(self, caller: bytes, turn: Turn, instead_of: MemoryEntry | None = None) -> MemoryEntry | None:
        """Remember the thought of a turn; `instead_of` is what was remembered of it while it was going on.

        `caller` is the digest of a secret, never the secret.
        """
        if instead_of is not None and instead_of in self._records:
            self._forget(instead_of)
        packed = _pack(turn.thought)
        record = MemoryEntry(packed, tuple(dict.fromkeys(_digests(caller, turn))), self._clock())
        if record.size > self.most_bytes or not record.keys:
            return None
        self._records[record] = None
        self.size += record.size
        for key in record.keys:
            # Of signatures without a word that can be read, the last one is the one that is asked for.
            known = self._by_key.get(key, ()) if turn.thought.text else ()
            others = [one for one in known if one.packed != packed]
            self._by_key[key] = (*others[-1:], record)  # one that differs is enough to tell nothing
        self._tidy()
        return record

    def recall(self, caller: bytes, turn: Turn) -> Thought | None:
        """The thought of a turn; None where nothing is remembered of it, or different things are."""
        self._tidy()
        for key in _digests(caller, turn):
            found = self._by_key.get(key, ())
            if len(found) == 1:
                (record,) = found
                del self._records[record]
                self._records[record] = None
                record.seen = self._clock()
                return _unpack(record.packed)
        return None

    def _tidy(self) -> None:
        """Forget what is too old, and what was used longest ago while there is too much."""
        oldest = self._clock() - self.longest
        while self._records:
            record = next(iter(self._records))
            if record.seen >= oldest and self.size <= self.most_bytes:
                return
            self._forget(record)

    def _forget(self, record: MemoryEntry) -> None:
        del self._records[record]
        self.size -= record.size
        for key in record.keys:
            left = tuple(one for one in self._by_key.get(key, ()) if one is not record)
            if left:
                self._by_key[key] = left
            else:
                self._by_key.pop(key, None)


def _digests(caller: bytes, turn: Turn) -> list[bytes]:
    """The keys of a turn, those that say most first."""
    exact = [_digest(caller, turn.user, key) for key in turn.keys]
    return exact + [_digest(caller, key) for key in turn.keys if key.startswith(f"{BY_ID} ")]


def _digest(caller: bytes, *words: str) -> bytes:
    digest = blake2b(caller, digest_size=16)
    for word in words:
        raw = word.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8))
        digest.update(raw)
    return digest.digest()


def _pack(thought: Thought) -> bytes:
    return json.dumps([thought.text, thought.blocks, thought.visible], ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )


def _unpack(packed: bytes) -> Thought:
    text, blocks, visible = json.loads(packed.decode("utf-8", "surrogatepass"))
    return Thought(text, tuple((place, block) for place, block in blocks), visible)
