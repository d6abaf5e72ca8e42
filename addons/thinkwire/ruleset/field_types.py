"""The types of values that a rule file's keys take, each with its check and its JSON Schema.

Knows pydantic; does not know which key takes which type. A check that fails raises a PydanticCustomError whose type is
one of ours, so that no wording of pydantic's is ever needed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    PlainValidator,
    Tag,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError

from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.dialects.declared.paths import PathError, parse_path

type Compiled = Callable[[object], bool]

ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
PATH = re.compile(r"[^.\s]+(\.[^.\s]+)*")
NAMES = re.compile(r"[^.\s*?\[\]]+(\.[^.\s*?\[\]]+)*")
"""A path in which globs have no meaning: one would never match anything, and nobody would be told."""
HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


MOST = 10**9
"""Events, bytes or requests: more than any answer has."""
LOWEST_STATUS, HIGHEST_STATUS = 400, 599
"""Of errors."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter expression and what it was compiled to."""

    text: str
    holds: Compiled


SCALARS = (str, bool, int, float, NoneType)


@dataclass(frozen=True, slots=True)
class ByType:
    """Chooses a union's member by the type of the value, so that an error is about that member alone.

    Tags of members appear between keys in an error's `loc`. They begin with NUL because no key can.
    """

    expected: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        tags = {kind: f"\0{_types(member)[0].__name__}" for member in get_args(source) for kind in _types(member)}
        members = tuple(Annotated[member, Tag(tags[_types(member)[0]])] for member in get_args(source))
        # The words are the message itself: a context is a dict, and Python 3.12.3 hashes what is in a union.
        choose = Discriminator(
            lambda value: tags.get(type(value)), custom_error_type="wrong-kind", custom_error_message=self.expected
        )
        return handler.generate_schema(Annotated[Union[members], choose])  # noqa: UP007  # made here


def _types(annotation: Any) -> tuple[type, ...]:
    """Python's types of what a rule file can say for a member of a union."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _types(arguments[0])
    if origin in (Union, UnionType):
        return tuple(kind for argument in arguments for kind in _types(argument))
    if origin is not None:
        return (origin,)
    if annotation is Any:
        return SCALARS
    if issubclass(annotation, BaseModel):
        return (dict,)
    return (annotation if annotation in SCALARS else str,)


def _matching(pattern: re.Pattern[str], code: str) -> AfterValidator:
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise PydanticCustomError("malformed", "{code}", {"code": code})
        return text

    return AfterValidator(check)


def _pattern(pattern: re.Pattern[str]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern.pattern}$"})


def one_of(*choices: str) -> tuple[AfterValidator, WithJsonSchema]:
    """The check that a text is one of these."""

    def check(text: str) -> str:
        if text not in choices:
            raise PydanticCustomError("not-a-choice", "{choices}", {"choices": list(choices)})
        return text

    return AfterValidator(check), WithJsonSchema({"type": "string", "enum": list(choices)})


def member_of(choices: type[Enum]) -> tuple[AfterValidator, WithJsonSchema]:
    """The check that a text is the value of one of these."""
    return one_of(*(choice.value for choice in choices))


def _check_version(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("wrong-kind", "{expected}", {"expected": "the number 1"})
    if value != 1:
        raise PydanticCustomError("version", "version")
    return 1


def _check_number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("wrong-kind", "{expected}", {"expected": "a number"})
    return value


def _check_seconds(value: object) -> float:
    number = _check_number(value)
    if number <= 0:
        raise PydanticCustomError("not-positive", "not positive")
    return float(number)


def _whole_number(least: int, most: int, expected: str) -> tuple[PlainValidator, WithJsonSchema]:
    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise PydanticCustomError("wrong-kind", "{expected}", {"expected": "a whole number"})
        if not least <= value <= most:
            fitting = f"a whole number up to {MOST}" if value > most == MOST else expected
            raise PydanticCustomError("out-of-range", "{expected}", {"expected": fitting})
        return value

    bounds = {"minimum": least} if most == MOST else {"minimum": least, "maximum": most}
    return PlainValidator(check), WithJsonSchema({"type": "integer", **bounds})


def _check_place(text: str) -> str:
    try:
        parse_path(text)
    except PathError as error:
        raise PydanticCustomError("not-a-place", "{hint}", {"hint": str(error)}) from error
    return text


def _compile_filter(text: object, info: ValidationInfo) -> Filter:
    if not isinstance(text, str):
        raise PydanticCustomError("wrong-kind", "{expected}", {"expected": "text"})
    compile_filter: Callable[[str], Compiled] = cast(Any, info.context)
    try:
        return Filter(text, compile_filter(text))
    except ValueError as error:
        raise PydanticCustomError("filter", "{reason}", {"reason": str(error)}) from error


def a_list(expected: str) -> BeforeValidator:
    """For lists whose elements have to be explained if there is no list at all."""

    def check(value: object) -> object:
        if not isinstance(value, list):
            raise PydanticCustomError("wrong-kind", "{expected}", {"expected": expected})
        return value

    return BeforeValidator(check)


def _check_once_each(names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise PydanticCustomError("repeated", "{name}", {"name": name})
    return names


once_each = AfterValidator(_check_once_each)
Version = Annotated[int, PlainValidator(_check_version), WithJsonSchema({"const": 1})]
Id = Annotated[str, _matching(ID, "bad-id"), _pattern(ID)]
Path = Annotated[str, _matching(PATH, "bad-path"), _pattern(PATH)]
HeaderName = Annotated[str, _matching(HEADER_NAME, "bad-header-name"), _pattern(HEADER_NAME)]
PlacePath = Annotated[str, AfterValidator(_check_place), WithJsonSchema({"type": "string", "minLength": 1})]
FilterText = Annotated[Filter, PlainValidator(_compile_filter), WithJsonSchema({"type": "string"})]
Number = Annotated[int | float, PlainValidator(_check_number), WithJsonSchema({"type": "number"})]
Seconds = Annotated[
    float, PlainValidator(_check_seconds), WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "default": 10})
]
Count = Annotated[int, *_whole_number(0, MOST, "a whole number of at least 0")]
Size = Annotated[int, *_whole_number(1, MOST, "a whole number of at least 1")]
ErrorStatus = Annotated[
    int,
    *_whole_number(LOWEST_STATUS, HIGHEST_STATUS, f"the status of an error, from {LOWEST_STATUS} to {HIGHEST_STATUS}"),
]
Status = Annotated[int, *_whole_number(100, HIGHEST_STATUS, f"a whole number from 100 to {HIGHEST_STATUS}")]
FamilyName = Annotated[str, *one_of(*FAMILIES)]

type _JSON = Annotated[list[_JSON] | dict[str, _JSON] | Any, ByType("a JSON value")]
# Not pydantic's JsonValue: it puts `list` and `dict` into an error's `loc`, where keys can have those names.
JSON = Annotated[_JSON, WithJsonSchema({})]

T = TypeVar("T")
Some = Annotated[list[T], Field(min_length=1)]
Globs = Annotated[str | Some[str], ByType("text or a list of texts")]
PlacePaths = Annotated[PlacePath | Some[PlacePath], ByType("a path or a list of paths")]
Filters = Annotated[FilterText | Some[FilterText], ByType("text or a list of texts")]
Booleans = Annotated[bool | Some[bool], ByType("true or false")]
RuleIds = Annotated[list[Id], once_each]
Name = Annotated[str, _matching(NAMES, "bad-path"), _pattern(NAMES)]
Names = Annotated[Some[Name], once_each]
