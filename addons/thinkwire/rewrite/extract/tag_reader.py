"""Reads text by a tag family: text in, pieces of reasoning and of visible text out.

It holds back no more than what may be the beginning of a marker, and hands that on as text as soon as it is not one, or
at the end. It knows no documents.
"""

import json
import re
from collections.abc import Generator, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple, Self

from thinkwire.dialects.core.tag_families import Family, Marker, TagState

_BLANKS: Final = r"[ \t\r\n]{0,8}+"
_MOST_BLANKS: Final = 8
_IS_REASONING: Final = {
    **dict.fromkeys((TagState.BEFORE, TagState.VISIBLE, TagState.ANSWER, TagState.CHANNEL_VISIBLE), False),
    **dict.fromkeys((TagState.REASONING, TagState.INSIDE, TagState.CHANNEL_REASONING), True),
}
"""For states whose text reaches somebody; text in all others is markup."""


class Piece(NamedTuple):
    """A piece of text, never empty."""

    is_reasoning: bool
    text: str


class ReaderState(NamedTuple):
    """How far a text has been read: all that decides about what follows."""

    state: TagState
    held: str
    only_first: tuple[Marker, ...]

    @property
    def is_at_beginning(self) -> bool:
        """May the next text be one that only counts before all other?"""
        return bool(self.only_first)


class TagReader:
    """Reads the text of one choice, delta by delta."""

    __slots__ = ("_family", "_held", "_only_first", "_state")

    def __init__(self, family: Family, *, starts_inside: bool) -> None:
        self._family = family
        self._held = ""
        self._only_first: tuple[Marker, ...] = ()
        """Markers that count only before anything but white space has come."""
        if starts_inside:
            self._state = TagState.INSIDE
            self._only_first = family.opening  # the prompt opened the block; an open tag that comes again is markup
        elif TagState.BEFORE in family.states:
            self._state = TagState.BEFORE
            self._only_first = family.states[TagState.BEFORE]
        else:
            self._state = TagState.VISIBLE

    @classmethod
    def resume(cls, family: Family, reading: ReaderState) -> Self:
        """A reader that goes on after another one."""
        reader = cls(family, starts_inside=False)
        reader._state, reader._held, reader._only_first = reading
        return reader

    @property
    def reading(self) -> ReaderState:
        return ReaderState(self._state, self._held, self._only_first)

    def feed(self, text: str) -> list[Piece]:
        """The pieces that this text completes; neighbours of one kind are one."""
        text, self._held = self._held + text, ""
        return joined(self._read(text, is_last=False))

    def finish(self) -> list[Piece]:
        """What was held back, as the text that it is. A block that is still open was reasoning."""
        text, self._held = self._held, ""
        return joined(self._read(text, is_last=True))

    def _read(self, text: str, *, is_last: bool) -> Iterator[Piece]:
        at = 0
        if self._only_first:
            at = yield from self._read_first(text, is_last)
        while self._held == "" and (markers := self._family.states.get(self._state)):
            grammar = _grammar(markers)
            match = grammar.whole.search(text, at)
            held_from = len(text) if is_last else grammar.beginning_in(text, at)
            until = min(match.start() if match else len(text), held_from)
            yield from self._piece(text[at:until])
            at = until
            if match is None or match.start() >= held_from:
                self._held = text[at:]
                return
            at = match.end()
            yield from self._enter(markers[grammar.index_of(match)], match[0])
        yield from self._piece(text[at:] if self._held == "" else "")

    def _read_first(self, text: str, is_last: bool) -> Generator[Piece, None, int]:
        """Read white space and the marker after it, if it is one; returns where the rest begins."""
        grammar = _grammar(self._only_first)
        at = len(text) - len(text.lstrip())
        yield from self._piece(text[:at])
        match = grammar.whole.match(text, at)
        if not is_last and (at == len(text) or grammar.beginning.match(text, at)):
            self._held = text[at:]
            return len(text)
        if match is not None:
            marker = self._only_first[grammar.index_of(match)]
            self._only_first = ()
            yield from self._enter(marker, match[0])
            return match.end()
        self._only_first = ()
        if self._state is TagState.BEFORE:
            self._state = TagState.VISIBLE if self._family.states[TagState.VISIBLE] else TagState.ANSWER
        return at

    def _enter(self, marker: Marker, text: str) -> Iterator[Piece]:
        self._state = marker.leads_to
        if marker.stays:
            yield from self._piece(text)

    def _piece(self, text: str) -> Iterator[Piece]:
        if text and self._state in _IS_REASONING:
            yield Piece(_IS_REASONING[self._state], text)


def joined(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces, neighbours of one kind as one."""
    result: list[Piece] = []
    for piece in pieces:
        if result and result[-1].is_reasoning == piece.is_reasoning:
            result[-1] = Piece(piece.is_reasoning, result[-1].text + piece.text)
        else:
            result.append(piece)
    return result


# --- markers as patterns ----------------------------------------------------------------------------------------


class _Grammar(NamedTuple):
    """Markers, ready to be searched for."""

    whole: re.Pattern[str]
    """One group for each marker, longer ones first, as one may begin another."""
    order: tuple[int, ...]
    """The marker of each group."""
    beginning: re.Pattern[str]
    """A part of one, less its end, at the end of the text."""
    longest: int

    def index_of(self, match: re.Match[str]) -> int:
        return self.order[(match.lastindex or 1) - 1]

    def beginning_in(self, text: str, at: int) -> int:
        """Where something begins that may become a marker; the end of the text if nothing does."""
        match = self.beginning.search(text, max(at, len(text) - self.longest))
        return match.start() if match else len(text)


@lru_cache(maxsize=256)
def _any_prefix(prefixes: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(map(_whole_or_cut, prefixes)))


def _whole_or_cut(text: str) -> bytes:
    """A pattern for the text in a JSON string, or for its beginning at the end of the string."""
    pattern = b""
    for character in reversed(text):
        spelled = _spelled(character)
        pattern = b"%s(?:%s|\\Z)" % (spelled, pattern) if pattern else spelled
    return pattern


def _spelled(character: str) -> bytes:
    """A pattern for a character in a JSON string: Go, for one, writes `<` as `\\u003c`, and PHP `/` as `\\/`."""
    plain = re.escape(json.dumps(character, ensure_ascii=False)[1:-1].encode())
    units = character.encode("utf-16-be").hex().encode()
    escaped = b"".join(rb"\\u%s" % units[at : at + 4] for at in range(0, len(units), 4))
    return rb"(?:%s|(?i:%s))" % (rb"\\?/" if character == "/" else plain, escaped)


def marker_prefixes(family: Family) -> re.Pattern[bytes]:
    """Finds the first part of any marker of the family, or the beginning of one at the end, in the bytes of a JSON
    string. A text in which nothing is found holds no marker and begins none."""
    firsts = {marker.parts[0] for markers in family.states.values() for marker in markers}
    return _any_prefix(tuple(sorted(first for first in firsts if first)))


@lru_cache(maxsize=256)
def _grammar(markers: tuple[Marker, ...]) -> _Grammar:
    order = sorted(range(len(markers)), key=lambda index: -_length(markers[index]))
    wholes = ("".join(_BLANKS if part is None else re.escape(part) for part in markers[index].parts) for index in order)
    beginnings = (_beginning(_atoms(marker)[:-1]) for marker in markers)
    return _Grammar(
        re.compile("|".join(f"({whole})" for whole in wholes)),
        tuple(order),
        re.compile(f"(?:{'|'.join(filter(None, beginnings))})\\Z"),
        max(map(_length, markers)),
    )


def _atoms(marker: Marker) -> list[str]:
    return [atom for part in marker.parts for atom in ([_BLANKS] if part is None else map(re.escape, part))]


def _beginning(atoms: list[str]) -> str:
    pattern = ""
    for atom in reversed(atoms):
        pattern = f"{atom}(?:{pattern})?" if pattern else atom
    return pattern


def _length(marker: Marker) -> int:
    return sum(_MOST_BLANKS if part is None else len(part) for part in marker.parts)
