"""State that decides what becomes of later documents: writing another value to it makes another version.

The fast path replays what was done to an event for as long as the version stays the same. So each action keeps all that
decides in these containers, and has no counter to forget. Values must be immutable, for they are compared.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, MutableMapping
from typing import Final

_ABSENT: Final = object()


class Version:
    """The version of one answer's state, which all its containers share."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0

    def advance(self) -> None:
        self.number += 1


class Versioned[T]:
    """One value."""

    __slots__ = ("_value", "_version")

    def __init__(self, version: Version, value: T) -> None:
        self._version = version
        self._value = value

    @property
    def value(self) -> T:
        return self._value

    @value.setter
    def value(self, value: T) -> None:
        if value != self._value:
            self._version.advance()
        self._value = value


class VersionedDict[K, V](MutableMapping[K, V]):
    """Values by their keys."""

    __slots__ = ("_items", "_version")

    def __init__(self, version: Version) -> None:
        self._version = version
        self._items: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __setitem__(self, key: K, value: V) -> None:
        if self._items.get(key, _ABSENT) != value:
            self._version.advance()
        self._items[key] = value

    def __delitem__(self, key: K) -> None:
        del self._items[key]
        self._version.advance()


class VersionedList[T]:
    """Values that are taken all at once."""

    __slots__ = ("_items", "_version")

    def __init__(self, version: Version) -> None:
        self._version = version
        self._items: list[T] = []

    def append(self, value: T) -> None:
        self._items.append(value)
        self._version.advance()

    def take(self) -> list[T]:
        """Take all values out."""
        if self._items:
            self._version.advance()
        items, self._items = self._items, []
        return items


class SortedNumbers:
    """Numbers of one space in their order; one may be in it several times."""

    __slots__ = ("_numbers", "_version")

    def __init__(self, version: Version) -> None:
        self._version = version
        self._numbers: list[int] = []

    def __contains__(self, number: int) -> bool:
        return self.count(number) > 0

    def below(self, number: int) -> int:
        """How many are smaller."""
        return bisect_left(self._numbers, number)

    def up_to(self, number: int) -> int:
        """How many are not larger."""
        return bisect_right(self._numbers, number)

    def count(self, number: int) -> int:
        return self.up_to(number) - self.below(number)

    def add(self, number: int) -> None:
        insort(self._numbers, number)
        self._version.advance()

    def remove(self, number: int) -> None:
        """Take out one that is in it."""
        del self._numbers[self.below(number)]
        self._version.advance()
