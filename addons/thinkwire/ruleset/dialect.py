"""The declaration of an API in a rule file -> its dialect, or what is wrong with it as a whole.

Knows how a declaration is written; `dialects/declared/` knows what paths and fields mean.
"""

from collections.abc import Iterator
from contextlib import suppress

from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.parts import Kind as Part
from thinkwire.dialects.declared.compiler import Clash, Declaration, DeclaredField, Why, clashes, compile_dialect
from thinkwire.dialects.declared.paths import PathError, parse_path
from thinkwire.ruleset.glob import compile_glob
from thinkwire.ruleset.model.dialect import DialectModel, Places
from thinkwire.ruleset.problem import Code, Problem, Source
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode

THOUGHT = "thought"
REASONING = frozenset(("reasoning", THOUGHT))

WORDINGS = {
    Why.TWICE: ("`{second}` is already declared as {first_kind} on line {line}", "keep one of the two"),
    Why.INSIDE: (
        "`{second}` is inside `{first}`, all of which is {first_kind} (line {line})",
        "remove one of the two, or name what else is in `{first}` member by member",
    ),
    Why.AROUND: (
        "all of `{second}` is {second_kind}, but `{first}` inside it is {first_kind} (line {line})",
        "remove one of the two, or name what else is in `{second}` member by member",
    ),
    Why.TWO_MEMBERS: (
        "`{second}` and `{first}` (line {line}) choose by different members in the same place",
        "choose by the same member in both, such as `type`",
    ),
    Why.NO_MEMBER: (
        "`{second}` does not end in a member, so it cannot be the number of an owner",
        "end the path with the name of the number, as in `choices[*].index`",
    ),
    Why.NO_ITEM: (
        "`{second}` is not in an object that has an owner",
        "add the number of the block or item under `owner`, or write this under `reasoning`",
    ),
    Why.IN_A_LIST: (
        "`{second}` is in an element of a list, and its owner may have more of those",
        "write it under `reasoning`: elements of a list are removed one by one",
    ),
}
"""Message and hint."""


def compile_declared(model: DialectModel) -> Dialect:
    """The dialect of a declaration without problems."""
    globs = list(map(compile_glob, _listed(model.path)))
    declaration = Declaration(
        name=model.id,
        matches_path=lambda path: any(fits(path) for fits in globs),
        evidence=tuple(map(parse_path, _listed(model.knows))),
        fields=tuple(
            _placed(name, path) for name in Places.model_fields for path in _listed(getattr(model.places, name))
        ),
        model=tuple(model.model.split(".")),
        stream=tuple(model.stream.split(".")),
    )
    return compile_dialect(declaration)


def _placed(name: str, path: str) -> DeclaredField:
    if name == THOUGHT:
        return DeclaredField(Part.REASONING, parse_path(path), is_reasoning=True)
    return DeclaredField(Part(name.replace("_", " ")), parse_path(path))


def _listed(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]


# --- problems ---------------------------------------------------------------------------------------------------


def declared_problems(source: Source, dialect: YamlNode) -> Iterator[Problem]:
    """What is wrong with a declaration although each value may be right; values that are wrong are skipped."""
    yield from _never_recognised(source, dialect)
    places = dialect.get("places")
    if places is None or places.kind is not NodeKind.MAPPING:
        return
    names = {key.text for key, _ in places.entries}
    if not names & REASONING and names <= Places.model_fields.keys():  # another name may be a slip of the pen
        message = "`places` does not say where the reasoning is"
        yield source.problem(Code.NO_REASONING, dialect.key("places").span, message, "add `reasoning` with its paths")
    listed = list(_places_in(places))
    for clash in clashes([placed for placed, _, _ in listed]):
        yield _clash(source, listed, clash)


def _never_recognised(source: Source, dialect: YamlNode) -> Iterator[Problem]:
    if dialect.kind is not NodeKind.MAPPING or dialect.get("knows") is not None:
        return
    path = dialect.get("path")
    if path is None:
        node = dialect.get("id") or dialect
        message = "nothing says which requests or answers belong to this API"
        hint = 'add `path: "*/v9/talk"`, or under `knows` a member that only its answers have'
        yield source.problem(Code.NEVER_RECOGNISED, node.span, message, hint)
        return
    globs = path.texts
    if globs and not any(str(node.scalar).startswith(("/", "*", "?")) for node in globs):
        word = globs[0].scalar
        hint = f"write `/{word}`, or `*/{word}` if something may come before it"
        message = f"no request has the path `{word}`: paths begin with `/`"
        yield source.problem(Code.NEVER_RECOGNISED, globs[0].span, message, hint)


type _Listed = tuple[DeclaredField, str, YamlNode]
"""A place, the key that it is listed under, and its node."""


def _places_in(places: YamlNode) -> Iterator[_Listed]:
    """All places whose kind and path are right."""
    for key, value in places.entries:
        for node in value.texts if key.text in Places.model_fields else ():
            with suppress(PathError):
                yield _placed(key.text, str(node.scalar)), key.text, node


def _clash(source: Source, listed: list[_Listed], clash: Clash) -> Problem:
    _, kind, node = listed[clash.second]
    words = {"second": node.scalar, "second_kind": kind}
    if clash.first is not None:
        _, first_kind, first = listed[clash.first]
        line = source.line_number(first.span.start)
        words |= {"first": first.scalar, "first_kind": first_kind, "line": line}
    code = Code.DUPLICATE_PLACE if clash.why is Why.TWICE else Code.CONTRADICTORY_PLACES
    message, hint = (text.format(**words) for text in WORDINGS[clash.why])
    return source.problem(code, node.span, message, hint)
