"""The types of values that a rule file's keys take, each with its check and its JSON Schema.

Knows pydantic; does not know which key takes which type. A check that fails raises a PydanticCustomError whose type is
one of ours, so that no wording of pydantic's is ever needed; most bring the words of their problem along.
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
from thinkwire.ruleset.problem import Code, suggest

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


def bad_value(code: Code, message: str, hint: str, *, names_key: bool = False) -> PydanticCustomError:
    """A value that is wrong, in the words of its problem; `names_key`: its key comes before the message."""
    context = {"code": code, "message": message, "hint": hint, "names_key": names_key}
    return PydanticCustomError("bad-value", "bad value", context)


def _matching(pattern: re.Pattern[str], code: Code, what: str, hint: str) -> tuple[AfterValidator, WithJsonSchema]:
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise bad_value(code, f"`{text}` is not {what}", hint)
        return text

    return AfterValidator(check), WithJsonSchema({"type": "string", "pattern": f"^{pattern.pattern}$"})


def one_of(*choices: str) -> tuple[AfterValidator, WithJsonSchema]:
    """The check that a text is one of these."""

    def check(text: str) -> str:
        if text not in choices:
            hint = suggest(text, choices, "it can be")
            raise bad_value(Code.UNKNOWN_VALUE, f"cannot be `{text}`", hint, names_key=True)
        return text

    return AfterValidator(check), WithJsonSchema({"type": "string", "enum": list(choices)})


def member_of(choices: type[Enum]) -> tuple[AfterValidator, WithJsonSchema]:
    """The check that a text is the value of one of these."""
    return one_of(*(choice.value for choice in choices))


def _number(value: object, expected: str = "a number") -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("wrong-kind", expected)
    return value


def _check_version(value: object) -> int:
    if _number(value, "the number 1") != 1:
        raise PydanticCustomError("version", "version")
    return 1


def _check_seconds(value: object) -> float:
    if (number := _number(value)) <= 0:
        hint = "write a number of seconds such as 10"
        raise bad_value(Code.BAD_NUMBER, "must be more than 0", hint, names_key=True)
    return float(number)


def _whole_number(least: int, most: int, expected: str) -> tuple[PlainValidator, WithJsonSchema]:
    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise PydanticCustomError("wrong-kind", "a whole number")
        if not least <= value <= most:
            fitting = f"a whole number up to {MOST}" if value > most == MOST else expected
            raise bad_value(Code.BAD_NUMBER, f"must be {fitting}", f"write {fitting}", names_key=True)
        return value

    bounds = {"minimum": least} if most == MOST else {"minimum": least, "maximum": most}
    return PlainValidator(check), WithJsonSchema({"type": "integer", **bounds})


def _check_place(text: str) -> str:
    try:
        parse_path(text)
    except PathError as error:
        raise bad_value(Code.BAD_PLACE, f"`{text}` is not a path", str(error)) from error
    return text


def _compile_filter(text: object, info: ValidationInfo) -> Filter:
    if not isinstance(text, str):
        raise PydanticCustomError("wrong-kind", "text")
    compile_filter: Callable[[str], Compiled] = cast(Any, info.context)
    try:
        return Filter(text, compile_filter(text))
    except ValueError as error:
        hint = "write a mitmproxy filter expression about the request, such as `~d openai.com & ~m POST`"
        raise bad_value(Code.BAD_FILTER, str(error), hint) from error


def a_list(expected: str) -> BeforeValidator:
    """For lists whose elements have to be explained if there is no list at all."""

    def check(value: object) -> object:
        if not isinstance(value, list):
            raise PydanticCustomError("wrong-kind", expected)
        return value

    return BeforeValidator(check)


def _check_once_each(names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise bad_value(Code.DUPLICATE_NAME, f"`{name}` is listed twice", "list each name once")
    return names


once_each = AfterValidator(_check_once_each)
Version = Annotated[int, PlainValidator(_check_version), WithJsonSchema({"const": 1})]
ID_HINT = "use lower-case letters, digits and single hyphens, such as `hide-all`"
BAD_PATH = (Code.BAD_PATH, "a path", "write member names joined by dots, such as `reasoning.exclude`")
HEADER_HINT = "write the name alone, such as `x-thinkwire`"
Id = Annotated[str, *_matching(ID, Code.BAD_ID, "kebab-case", ID_HINT)]
Path = Annotated[str, *_matching(PATH, *BAD_PATH)]
HeaderName = Annotated[str, *_matching(HEADER_NAME, Code.BAD_HEADER_NAME, "a header name", HEADER_HINT)]
PlacePath = Annotated[str, AfterValidator(_check_place), WithJsonSchema({"type": "string", "minLength": 1})]
FilterText = Annotated[Filter, PlainValidator(_compile_filter), WithJsonSchema({"type": "string"})]
Number = Annotated[int | float, PlainValidator(lambda value: _number(value)), WithJsonSchema({"type": "number"})]
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
Name = Annotated[str, *_matching(NAMES, *BAD_PATH)]
Names = Annotated[Some[Name], once_each]
