"""An API declared by its fields -> its dialect, with a table like those of the built-in ones.

    Declaration("talkative", ..., fields=(DeclaredField(Kind.REASONING, parse_path("choices[*].delta.thoughts")), ...))

It knows paths and tables, not how a declaration is written. What is not declared is unknown: it stays, and a document
that holds it is worth sending.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import product
from typing import Final

from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.core.dialect import Dialect, Handling
from thinkwire.dialects.core.fields import ENVELOPE, OTHER, REASONING
from thinkwire.dialects.core.parts import FieldSpec, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.declared.documents import has_path, write
from thinkwire.dialects.declared.paths import Chosen, EachElement, Name, Path, PathStep, in_document
from thinkwire.wire.json_tree import Shape


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """A path, and what is there."""

    kind: Kind
    path: Path
    is_reasoning: bool = False
    """The object there makes its item nothing but reasoning: everything about that item is removed."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """An API, as a rule file declares it."""

    name: str
    matches_path: Callable[[str], bool]
    evidence: tuple[Path, ...]
    """Any of these in a document shows that it is this API's."""
    fields: tuple[DeclaredField, ...]
    """Without clashes."""
    model: tuple[str, ...] = ("model",)
    """The path in the request's body to the model."""
    stream: tuple[str, ...] = ("stream",)
    """The path in the request's body to the member that is `true` if it asks for a stream."""


class Why(Enum):
    """Why a field contradicts another one, or itself."""

    TWICE = "the same path again"
    INSIDE = "inside an earlier field that is taken as a whole"
    AROUND = "around an earlier field, which it would include"
    TWO_MEMBERS = "chooses by another member than an earlier field"
    NO_MEMBER = "an item's number that is not a member"
    NO_ITEM = "reasoning that belongs to no item"
    IN_A_LIST = "reasoning in a list, of which the item holds more than one element"


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that cannot be right, and the one that it contradicts, by their positions in the declaration."""

    second: int
    why: Why
    first: int | None = None


def clashes(fields: Sequence[DeclaredField]) -> list[Clash]:
    """Everything that is wrong with the fields of a declaration."""
    root, found = _grow(fields)
    found += _reasoning_without_item(fields)
    if not found:
        try:
            _table(root, fields)
        except _ClashError as error:
            found.append(error.clash)
    return found


def compile_dialect(declaration: Declaration) -> Dialect:
    """The dialect of a declaration without clashes; its table is made here, once."""
    fields = [(declared.kind, declared.path) for declared in declaration.fields if not declared.is_reasoning]
    table = _table(_grow(declaration.fields)[0], declaration.fields)
    return Dialect(
        name=declaration.name,
        handling=Handling(
            strip="what the declaration calls reasoning or opaque, and token metadata that covers it",
            sent_back="as the client sends it: the declaration does not say",
        ),
        matches_path=declaration.matches_path,
        model=lambda request: _text(_member(request, declaration.model)),
        wants_stream=lambda request: _member(request, declaration.stream) is True,
        table=lambda _request: table,
        matches_document=lambda root: any(has_path(root, path) for path in declaration.evidence),
        write=lambda kind, text, item, like: write(fields, kind, text, item, like),
        error=CHAT_COMPLETIONS.error,
        has_blocks=any(declared.is_reasoning for declared in declaration.fields),
        takes_precedence=True,
    )


def _member(request: RequestFacts, path: tuple[str, ...]) -> object:
    value = request.body
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


# --- the fields as a tree ---------------------------------------------------------------------------------------

_MAY_HOLD: Final[dict[Kind, frozenset[Kind]]] = {
    # A signature in reasoning; reasoning in a list that is the content; a copy of it in a tool call or an error.
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
"""What may be declared inside a field that is taken as a whole."""


@dataclass(slots=True, eq=False)
class _PathNode:
    """One step of the paths: what was declared there, and what inside it."""

    kind: Kind | None = None
    is_reasoning: bool = False
    opens: bool = False
    """Does it hold the number of the item that an update is about?"""
    position: int = 0
    """The position of the field that declared it."""
    members: dict[str, "_PathNode"] = field(default_factory=dict)
    elements: "_PathNode | None" = None
    switch: str = ""
    switch_position: int = 0
    cases: dict[str, "_PathNode"] = field(default_factory=dict)

    def inside(self) -> Iterator["_PathNode"]:
        """All nodes inside, at any depth."""
        for node in (*self.members.values(), *self.cases.values(), *([self.elements] if self.elements else [])):
            yield node
            yield from node.inside()


def _may_hold(whole: Kind | None, kind: Kind) -> bool:
    return whole is None or kind in _MAY_HOLD.get(whole, ())


class _ClashError(Exception):
    def __init__(self, second: int, why: Why, first: int | None = None) -> None:
        super().__init__(why)
        self.clash = Clash(second, why, first)


def _grow(fields: Sequence[DeclaredField]) -> tuple[_PathNode, list[Clash]]:
    root, found = _PathNode(), []
    for position, declared in enumerate(fields):
        try:
            for path in _forms(declared, position):
                _plant(root, path, declared, position)
        except _ClashError as error:
            found.append(error.clash)
    return root, found


def _forms(declared: DeclaredField, position: int) -> Iterator[Path]:
    """The path through objects, and through lists, for each `[member=value]` that follows a name."""
    path = declared.path
    if declared.kind is Kind.ITEM and not isinstance(path[-1], Name):
        raise _ClashError(position, Why.NO_MEMBER)
    unsure = [at for at in range(1, len(path)) if isinstance(path[at], Chosen) and isinstance(path[at - 1], Name)]
    for lists in product((False, True), repeat=0 if declared.is_reasoning else len(unsure)):
        in_lists = {at for at, is_list in zip(unsure, lists, strict=False) if is_list}
        pieces: list[Path] = [(EachElement(), step) if at in in_lists else (step,) for at, step in enumerate(path)]
        yield tuple(step for piece in pieces for step in piece)


def _plant(root: _PathNode, path: Path, declared: DeclaredField, position: int) -> None:
    around = node = root
    for step in path:
        if not _may_hold(node.kind, declared.kind):
            raise _ClashError(position, Why.INSIDE, node.position)
        around, node = node, _next(node, step, position)
    if node.kind is not None:
        raise _ClashError(position, Why.TWICE, node.position)
    node.kind, node.is_reasoning, node.position = declared.kind, declared.is_reasoning, position
    around.opens = around.opens or declared.kind is Kind.ITEM
    for inner in node.inside():
        if inner.kind is not None and not _may_hold(node.kind, inner.kind):
            raise _ClashError(position, Why.AROUND, inner.position)


def _next(node: _PathNode, step: PathStep, position: int) -> _PathNode:
    match step:
        case Name(text):
            return node.members.setdefault(in_document(text), _PathNode())
        case EachElement():
            node.elements = node.elements or _PathNode()
            return node.elements
    name = in_document(step.member)
    if node.switch not in ("", name):
        raise _ClashError(position, Why.TWO_MEMBERS, node.switch_position)
    if not node.switch:
        node.switch, node.switch_position = name, position
    return node.cases.setdefault(step.value, _PathNode())


def _reasoning_without_item(fields: Sequence[DeclaredField]) -> list[Clash]:
    """Reasoning that belongs to no item, or not to exactly one."""
    items = [declared.path[:-1] for declared in fields if declared.kind is Kind.ITEM]
    found = []
    for position, declared in enumerate(fields):
        if declared.is_reasoning:
            around = [item for item in items if declared.path[: len(item)] == item]
            if not around:
                found.append(Clash(position, Why.NO_ITEM))
            elif EachElement() in declared.path[max(map(len, around)) :]:
                found.append(Clash(position, Why.IN_A_LIST))
    return found


def _merged(general: _PathNode, special: _PathNode) -> _PathNode:
    """What applies to a chosen object: its own declarations, and those for all objects in its place."""
    if special.kind is not None:
        items = {name: node for name, node in general.members.items() if node.kind is Kind.ITEM}
        return replace(special, opens=special.opens or general.opens, members=items | special.members)
    if general.switch and special.switch and general.switch != special.switch:
        raise _ClashError(special.switch_position, Why.TWO_MEMBERS, general.switch_position)
    for inner in special.inside():
        if inner.kind is not None and not _may_hold(general.kind, inner.kind):
            raise _ClashError(inner.position, Why.INSIDE, general.position)
    return _PathNode(
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


def _merged_all(general: dict[str, _PathNode], special: dict[str, _PathNode]) -> dict[str, _PathNode]:
    both = {name: _merged(general[name], special[name]) for name in general.keys() & special.keys()}
    return general | special | both


# --- the tree as a table ----------------------------------------------------------------------------------------

_UNDECLARED: Final[dict[Kind | None, FieldSpec]] = {
    None: OTHER,
    # Everything else inside reasoning is reasoning, and everything else inside the content is content.
    Kind.REASONING: REASONING,
    Kind.TEXT: FieldSpec(Kind.TEXT),
}
"""What an undeclared member is, by the kind of the whole around it; inside others it is a piece of the whole."""


def _table(root: _PathNode, fields: Sequence[DeclaredField]) -> Shape:
    # With no item further in, the API has only one, or names it at the root.
    deeper = (node for top in (root, *root.cases.values()) for node in top.inside() if node not in root.cases.values())
    root.opens = root.opens or not any(node.opens for node in deeper)
    space = "item" if any(declared.is_reasoning for declared in fields) else ""
    has_state = any(declared.kind is Kind.OPAQUE for declared in fields)
    return _Tables(FieldSpec(Kind.ITEM, space=space), has_state).level(root, None, is_root=True)


@dataclass(frozen=True, slots=True)
class _Tables:
    """Makes tables of nodes."""

    item: FieldSpec
    has_state: bool
    """Is anything opaque? It may then belong to any reasoning, even in a document of its own."""

    def label(self, node: _PathNode, around: Kind | None) -> FieldSpec | Shape:
        """The table's entry for a node; `around` is the kind of the whole that it is inside."""
        is_leaf = not (node.members or node.elements or node.cases or node.is_reasoning)
        if is_leaf and node.kind is not None:
            return self.item if node.kind is Kind.ITEM else FieldSpec(node.kind)
        return self.level(node, around)

    def level(self, node: _PathNode, around: Kind | None, *, is_root: bool = False) -> Shape:
        """The shape for a node, even if nothing was declared inside it."""
        whole = node.kind or around
        members = {name: self.label(inner, whole) for name, inner in node.members.items()}
        general = replace(node, switch="", cases={}, elements=None)  # a chosen object is not a list
        return Shape(
            members=({node.switch: ENVELOPE} if node.switch else {}) | members,
            other=FieldSpec(node.kind) if node.kind and (is_root or node.opens) else _UNDECLARED.get(whole),
            elements=self.label(node.elements, whole) if node.elements else None,
            switch=node.switch,
            cases={
                value: self._case(node.switch, _merged(general, case), around, is_root=is_root)
                for value, case in node.cases.items()
            },
            label=self._level_label(node, around, is_root=is_root),
        )

    def _case(self, switch: str, node: _PathNode, around: Kind | None, *, is_root: bool) -> Shape:
        node.members.setdefault(switch, _PathNode(Kind.ENVELOPE))
        return self.level(node, around, is_root=is_root)

    def _level_label(self, node: _PathNode, around: Kind | None, *, is_root: bool) -> FieldSpec | Level | None:
        is_reasoning = node.kind is Kind.REASONING
        if is_root or node.opens or node.is_reasoning:
            has_state = self.has_state or not is_reasoning
            return Level(opens=node.opens, is_reasoning=is_reasoning, has_state=has_state)
        if is_reasoning:
            return Level(blocks=True)
        spec = _UNDECLARED.get(around) if node.kind is None else FieldSpec(node.kind)
        return replace(spec, splits=True) if spec in (OTHER, _UNDECLARED[Kind.TEXT]) else spec
