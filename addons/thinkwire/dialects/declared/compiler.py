"""An API that was declared by its places -> its dialect, with a table like those of the built-in ones.

    Declaration("talkative", ..., places=(Placed(Kind.REASONING, parse_path("choices[*].delta.thoughts")), ...))

It knows paths and tables, not how a declaration is written down. What is not declared is unknown: it stays, and a
document that holds it is worth sending.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import product
from typing import Final

from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.core.dialect import Dialect, Handling
from thinkwire.dialects.core.parts import ENVELOPE, OTHER, REASONING, FieldSpec, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.declared.documents import shows, write
from thinkwire.dialects.declared.paths import Chosen, EachElement, Name, Path, Step, in_document
from thinkwire.wire.json_tree import Shape

__all__ = ["Clash", "Declaration", "DeclaredField", "Why", "clashes", "compile_dialect"]


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """One path, and what is found there."""

    kind: Kind
    path: Path
    is_reasoning: bool = False
    """The object there makes its owner one of reasoning alone; all that is about that owner goes."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What somebody says of an API."""

    name: str
    matches_path: Callable[[str], bool]
    marks: tuple[Path, ...]
    """Any of these in a document shows that it is this API's."""
    places: tuple[DeclaredField, ...]
    """Without clashes."""
    model: tuple[str, ...] = ("model",)
    """Where the request's body names the model."""
    stream: tuple[str, ...] = ("stream",)
    """Where the request's body asks for a stream, by `true`."""


class Why(Enum):
    """Why a place cannot be meant as it stands."""

    TWICE = "the same path again"
    INSIDE = "inside of what an earlier place takes as a whole"
    AROUND = "around an earlier place, and takes it along"
    TWO_MEMBERS = "chooses by another member than an earlier place"
    NO_MEMBER = "an owner's number that is no member"
    NO_OWNER = "a thought that has no owner"
    IN_A_LIST = "a thought in a list, of which the owner holds more than one element"


@dataclass(frozen=True, slots=True)
class Clash:
    """A place that cannot be meant, and the one that it contradicts, by their positions in the declaration."""

    second: int
    why: Why
    first: int | None = None


def clashes(places: Sequence[DeclaredField]) -> list[Clash]:
    """All that is wrong with the places of a declaration."""
    root, found = _grow(places)
    found += _lost_thoughts(places)
    if not found:
        try:
            _table(root, places)
        except _ClashError as error:
            found.append(error.clash)
    return found


def compile_dialect(declaration: Declaration) -> Dialect:
    """The dialect of a declaration that has no clashes; its table is made here, once."""
    places = [(placed.kind, placed.path) for placed in declaration.places if not placed.is_reasoning]
    table = _table(_grow(declaration.places)[0], declaration.places)
    return Dialect(
        name=declaration.name,
        handling=Handling(
            strip="what the declaration calls reasoning or opaque, and token metadata that covers it",
            rename="nothing: the API has one name",
            sent_back="as the client does it; the declaration does not say",
        ),
        matches_path=declaration.matches_path,
        matches_body=lambda _body: False,
        model=lambda request: _text(_member(request, declaration.model)),
        wants_stream=lambda request: _member(request, declaration.stream) is True,
        table=lambda _request: table,
        matches_document=lambda root: any(shows(root, mark) for mark in declaration.marks),
        write=lambda kind, text, owner, like: write(places, kind, text, owner, like),
        error=CHAT_COMPLETIONS.error,
        has_blocks=any(placed.is_reasoning for placed in declaration.places),
        takes_precedence=True,
    )


def _member(request: RequestFacts, path: tuple[str, ...]) -> object:
    value = request.body
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


# --- places as a tree -------------------------------------------------------------------------------------------

_MAY_HOLD: Final[dict[Kind, frozenset[Kind]]] = {
    # A signature in a thought; a thought in a list that is the content; a copy of it in a tool call or an error.
    Kind.REASONING: frozenset((Kind.OPAQUE, Kind.ENVELOPE)),
    Kind.TEXT: frozenset(
        (
            Kind.REASONING,
            Kind.OPAQUE,
            Kind.REFUSAL,
            Kind.TOOL_CALL,
            Kind.TOKENS,
            Kind.REASONING_TOKENS,
            Kind.TRANSCRIPT,
            Kind.ENVELOPE,
        )
    ),
    Kind.TOOL_CALL: frozenset((Kind.REASONING, Kind.OPAQUE, Kind.TOKENS, Kind.REASONING_TOKENS, Kind.TRANSCRIPT)),
    Kind.TOKENS: frozenset((Kind.REASONING_TOKENS,)),
    Kind.ERROR: frozenset((Kind.REASONING, Kind.OPAQUE, Kind.TRANSCRIPT)),
}
"""What may be declared inside of a place that is taken as a whole."""


@dataclass(slots=True, eq=False)
class _Spot:
    """One step on the way: what was declared to be there, and what inside of it."""

    kind: Kind | None = None
    is_reasoning: bool = False
    opens: bool = False
    """Does it hold the number that says whose update it is?"""
    position: int = 0
    """The place that said what is here."""
    members: dict[str, "_Spot"] = field(default_factory=dict)
    elements: "_Spot | None" = None
    switch: str = ""
    switch_position: int = 0
    cases: dict[str, "_Spot"] = field(default_factory=dict)

    def inside(self) -> Iterator["_Spot"]:
        """All spots inside, at any depth."""
        for spot in (*self.members.values(), *self.cases.values(), *([self.elements] if self.elements else [])):
            yield spot
            yield from spot.inside()


def _may_hold(whole: Kind | None, kind: Kind) -> bool:
    return whole is None or kind in _MAY_HOLD.get(whole, ())


class _ClashError(Exception):
    def __init__(self, second: int, why: Why, first: int | None = None) -> None:
        super().__init__(why)
        self.clash = Clash(second, why, first)


def _grow(places: Sequence[DeclaredField]) -> tuple[_Spot, list[Clash]]:
    root, found = _Spot(), []
    for position, placed in enumerate(places):
        try:
            for path in _forms(placed, position):
                _plant(root, path, placed, position)
        except _ClashError as error:
            found.append(error.clash)
    return root, found


def _forms(placed: DeclaredField, position: int) -> Iterator[Path]:
    """The path through objects, and through lists, for each `[member=value]` that stands behind a name."""
    path = placed.path
    if placed.kind is Kind.OWNER and not isinstance(path[-1], Name):
        raise _ClashError(position, Why.NO_MEMBER)
    unsure = [at for at in range(1, len(path)) if isinstance(path[at], Chosen) and isinstance(path[at - 1], Name)]
    for lists in product((False, True), repeat=0 if placed.is_reasoning else len(unsure)):
        in_lists = {at for at, is_list in zip(unsure, lists, strict=False) if is_list}
        pieces: list[Path] = [(EachElement(), step) if at in in_lists else (step,) for at, step in enumerate(path)]
        yield tuple(step for piece in pieces for step in piece)


def _plant(root: _Spot, path: Path, placed: DeclaredField, position: int) -> None:
    around = spot = root
    for step in path:
        if not _may_hold(spot.kind, placed.kind):
            raise _ClashError(position, Why.INSIDE, spot.position)
        around, spot = spot, _next(spot, step, position)
    if spot.kind is not None:
        raise _ClashError(position, Why.TWICE, spot.position)
    spot.kind, spot.is_reasoning, spot.position = placed.kind, placed.is_reasoning, position
    around.opens = around.opens or placed.kind is Kind.OWNER
    for inner in spot.inside():
        if inner.kind is not None and not _may_hold(spot.kind, inner.kind):
            raise _ClashError(position, Why.AROUND, inner.position)


def _next(spot: _Spot, step: Step, position: int) -> _Spot:
    match step:
        case Name(text):
            return spot.members.setdefault(in_document(text), _Spot())
        case EachElement():
            spot.elements = spot.elements or _Spot()
            return spot.elements
    name = in_document(step.member)
    if spot.switch not in ("", name):
        raise _ClashError(position, Why.TWO_MEMBERS, spot.switch_position)
    if not spot.switch:
        spot.switch, spot.switch_position = name, position
    return spot.cases.setdefault(step.value, _Spot())


def _lost_thoughts(places: Sequence[DeclaredField]) -> list[Clash]:
    """Thoughts of which nobody could say whose they are."""
    owners = [placed.path[:-1] for placed in places if placed.kind is Kind.OWNER]
    found = []
    for position, placed in enumerate(places):
        if placed.is_reasoning:
            around = [owner for owner in owners if placed.path[: len(owner)] == owner]
            if not around:
                found.append(Clash(position, Why.NO_OWNER))
            elif EachElement() in placed.path[max(map(len, around)) :]:
                found.append(Clash(position, Why.IN_A_LIST))
    return found


def _merged(general: _Spot, special: _Spot) -> _Spot:
    """What holds of a chosen object: what was declared of it, and beside that what was declared of all such objects."""
    if special.kind is not None:
        owners = {name: spot for name, spot in general.members.items() if spot.kind is Kind.OWNER}
        return replace(special, opens=special.opens or general.opens, members=owners | special.members)
    if general.switch and special.switch and general.switch != special.switch:
        raise _ClashError(special.switch_position, Why.TWO_MEMBERS, general.switch_position)
    for inner in special.inside():
        if inner.kind is not None and not _may_hold(general.kind, inner.kind):
            raise _ClashError(inner.position, Why.INSIDE, general.position)
    return _Spot(
        kind=general.kind,
        is_reasoning=general.is_reasoning,
        opens=general.opens or special.opens,
        members=_merged_all(general.members, special.members),
        elements=_merged(general.elements, special.elements)
        if general.elements and special.elements
        else general.elements or special.elements,
        switch=general.switch or special.switch,
        cases=_merged_all(general.cases, special.cases),
    )


def _merged_all(general: dict[str, _Spot], special: dict[str, _Spot]) -> dict[str, _Spot]:
    both = {name: _merged(general[name], special[name]) for name in general.keys() & special.keys()}
    return general | special | both


# --- the tree as a table ----------------------------------------------------------------------------------------

_UNDECLARED: Final[dict[Kind | None, FieldSpec]] = {
    None: OTHER,
    # What else is in a thought is of the thought, and what else is in the content is content.
    Kind.REASONING: REASONING,
    Kind.TEXT: FieldSpec(Kind.TEXT),
}
"""What a member is that was not declared, by the whole that it stands in; in others it is a piece of the whole."""


def _table(root: _Spot, places: Sequence[DeclaredField]) -> Shape:
    # With no owner further in, the API has only one, or names it at the root.
    deeper = (spot for top in (root, *root.cases.values()) for spot in top.inside() if spot not in root.cases.values())
    root.opens = root.opens or not any(spot.opens for spot in deeper)
    space = "owner" if any(placed.is_reasoning for placed in places) else ""
    has_state = any(placed.kind is Kind.OPAQUE for placed in places)
    return _Tables(FieldSpec(Kind.OWNER, space=space), has_state).level(root, None, is_root=True)


@dataclass(frozen=True, slots=True)
class _Tables:
    """Makes tables of spots."""

    owner: FieldSpec
    has_state: bool
    """Is anything opaque, which may then be of any thought, also where it comes in a document of its own?"""

    def label(self, spot: _Spot, around: Kind | None) -> FieldSpec | Shape:
        """What stands in a table for a spot; `around` is the whole that it is inside of."""
        is_leaf = not (spot.members or spot.elements or spot.cases or spot.is_reasoning)
        if is_leaf and spot.kind is not None:
            return self.owner if spot.kind is Kind.OWNER else FieldSpec(spot.kind)
        return self.level(spot, around)

    def level(self, spot: _Spot, around: Kind | None, *, is_root: bool = False) -> Shape:
        """The shape for a spot, also where nothing was declared inside of it."""
        whole = spot.kind or around
        members = {name: self.label(inner, whole) for name, inner in spot.members.items()}
        general = replace(spot, switch="", cases={}, elements=None)  # a chosen object is no list
        return Shape(
            members=({spot.switch: ENVELOPE} if spot.switch else {}) | members,
            other=FieldSpec(spot.kind) if spot.kind and (is_root or spot.opens) else _UNDECLARED.get(whole),
            elements=self.label(spot.elements, whole) if spot.elements else None,
            switch=spot.switch,
            cases={
                value: self._case(spot.switch, _merged(general, case), around, is_root=is_root)
                for value, case in spot.cases.items()
            },
            label=self._level_label(spot, around, is_root=is_root),
        )

    def _case(self, switch: str, spot: _Spot, around: Kind | None, *, is_root: bool) -> Shape:
        spot.members.setdefault(switch, _Spot(Kind.ENVELOPE))
        return self.level(spot, around, is_root=is_root)

    def _level_label(self, spot: _Spot, around: Kind | None, *, is_root: bool) -> FieldSpec | Level | None:
        is_reasoning = spot.kind is Kind.REASONING
        if is_root or spot.opens or spot.is_reasoning:
            has_state = self.has_state or not is_reasoning
            return Level(opens=spot.opens, is_reasoning=is_reasoning, has_state=has_state)
        if is_reasoning:
            return Level(blocks=True)
        place = _UNDECLARED.get(around) if spot.kind is None else FieldSpec(spot.kind)
        return replace(place, splits=True) if place in (OTHER, _UNDECLARED[Kind.TEXT]) else place
