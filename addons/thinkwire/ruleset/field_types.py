"""The types of values that a rule file's keys take, each with its check and its JSON Schema.

Knows pydantic; does not know which key takes which type. A check that fails raises a PydanticCustomError whose type is
one of ours, so that no wording of pydantic's is ever needed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.dialects.declared.paths import PathError, parse_path
from thinkwire.dialects.registry import SPELLINGS

type Compiled = Callable[[object], bool]

ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
PATH = re.compile(r"[^.\s]+(\.[^.\s]+)*")
NAMES = re.compile(r"[^.\s*?\[\]]+(\.[^.\s*?\[\]]+)*")
"""A path where no glob is read, and none can be meant: nothing would ever fit it, and nothing say so."""
HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


LONGEST_TAG = 100
"""Characters: as many may be held back, and a longer one is surely no tag."""
MOST = 10**9
"""Events, bytes or requests: more than any answer has."""
LOWEST_STATUS, HIGHEST_STATUS = 400, 599
"""Of errors."""
TAG_SCHEMA = {"type": "string", "pattern": "\\S", "maxLength": LONGEST_TAG}


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter expression and what became of it."""

    text: str
    holds: Compiled


_WAYS = ("keep", "drop", "reasoning_content", "reasoning", "inline", "native", "auto")


def union(expected: str, **kinds: str) -> Discriminator:
    """Chooses a union's member by the type of the value: Python's name of the type -> the member's tag.

    Tags stand between keys on the way to an error. They begin with NUL because no key can.
    """

    def choose(value: object) -> str | None:
        return kinds.get(type(value).__name__)

    # The words are the message itself: a context is a dict, and Python 3.12.3 hashes what stands in a union.
    return Discriminator(choose, custom_error_type="wrong-kind", custom_error_message=expected)


def _matching(pattern: re.Pattern[str], code: str) -> AfterValidator:
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise PydanticCustomError("malformed", "{code}", {"code": code})
        return text

    return AfterValidator(check)


def _pattern(pattern: re.Pattern[str]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern.pattern}$"})


def _one_of(*choices: str) -> AfterValidator:
    def check(text: str) -> str:
        if text not in choices:
            raise PydanticCustomError("not-a-choice", "{choices}", {"choices": list(choices)})
        return text

    return AfterValidator(check)


def _words(*choices: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "enum": list(choices)})


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


def _a_list(expected: str) -> BeforeValidator:
    """For lists whose elements have to be explained where there is no list at all."""

    def check(value: object) -> object:
        if not isinstance(value, list):
            raise PydanticCustomError("wrong-kind", "{expected}", {"expected": expected})
        return value

    return BeforeValidator(check)


def _check_tag(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("bad-tags", "{fault}", {"fault": "blank"})
    if len(text) > LONGEST_TAG:
        raise PydanticCustomError("bad-tags", "{fault}", {"fault": "too-long"})
    return text


def _check_pair(texts: list[str]) -> list[str]:
    fault = None
    if len(texts) != 2:
        fault = "not-two"
    elif texts[0] == texts[1]:
        fault = "equal"
    elif texts[0] != texts[0].lstrip():
        fault = "begins-with-blank"  # white space in front of a block is text, so such a tag would never be found
    if fault:
        raise PydanticCustomError("bad-tags", "{fault}", {"fault": fault})
    return texts


def _once_each(names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise PydanticCustomError("repeated", "{name}", {"name": name})
    return names


Version = Annotated[int, PlainValidator(_check_version), WithJsonSchema({"const": 1})]
Id = Annotated[str, _matching(ID, "bad-id"), _pattern(ID)]
Path = Annotated[str, _matching(PATH, "bad-path"), _pattern(PATH)]
HeaderName = Annotated[str, _matching(HEADER_NAME, "bad-header-name"), _pattern(HEADER_NAME)]
PlacePath = Annotated[str, AfterValidator(_check_place), WithJsonSchema({"type": "string", "minLength": 1})]
FilterText = Annotated[Filter, PlainValidator(_compile_filter), WithJsonSchema({"type": "string"})]
Number = Annotated[Any, PlainValidator(_check_number), WithJsonSchema({"type": "number"})]
Seconds = Annotated[
    float, PlainValidator(_check_seconds), WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "default": 10})
]
Count = Annotated[int, *_whole_number(0, MOST, "a whole number from 0 on")]
Size = Annotated[int, *_whole_number(1, MOST, "a whole number from 1 on")]
ErrorStatus = Annotated[
    int,
    *_whole_number(LOWEST_STATUS, HIGHEST_STATUS, f"the status of an error, from {LOWEST_STATUS} to {HIGHEST_STATUS}"),
]
NoneAtAll = Annotated[str, _one_of("none"), _words("none")]
Status = Annotated[int, *_whole_number(100, HIGHEST_STATUS, f"a whole number from 100 to {HIGHEST_STATUS}")]
Spelling = Annotated[str, _one_of(*SPELLINGS), _words(*SPELLINGS)]
Action = Annotated[str, _one_of("keep", "strip", "inline"), _words("keep", "strip", "inline")]
HistoryWay = Annotated[str, _one_of(*_WAYS), _words(*_WAYS)]
DropOnly = Annotated[str, _one_of("drop"), _words("drop")]
Hidden = Annotated[str, _one_of("hidden", "all"), _words("hidden", "all")]
DropOrKeep = Annotated[str, _one_of("drop", "keep"), _words("drop", "keep")]
PassOrDrop = Annotated[str, _one_of("pass", "drop"), _words("pass", "drop")]
LeadingOrAnywhere = Annotated[str, _one_of("leading", "anywhere"), _words("leading", "anywhere")]
FamilyName = Annotated[str, _one_of(*FAMILIES), _words(*FAMILIES)]
TagText = Annotated[str, AfterValidator(_check_tag), WithJsonSchema(TAG_SCHEMA)]

type _JSON = Annotated[
    Annotated[list[_JSON], Tag("\0list")]
    | Annotated[dict[str, _JSON], Tag("\0mapping")]
    | Annotated[Any, Tag("\0value")],
    union(
        "a JSON value",
        list="\0list",
        dict="\0mapping",
        str="\0value",
        int="\0value",
        float="\0value",
        bool="\0value",
        NoneType="\0value",
    ),
]
# Not pydantic's JsonValue: it puts `list` and `dict` into the way to an error, where keys of that name can stand.
JSON = Annotated[_JSON, WithJsonSchema({})]

Globs = Annotated[
    Annotated[str, Tag("\0text")] | Annotated[list[str], Field(min_length=1), Tag("\0list")],
    union("text or a list of texts", str="\0text", list="\0list"),
]
PlacePaths = Annotated[
    Annotated[PlacePath, Tag("\0text")] | Annotated[list[PlacePath], Field(min_length=1), Tag("\0list")],
    union("a path or a list of paths", str="\0text", list="\0list"),
]
TagPair = Annotated[
    list[TagText],
    _a_list("a pair of tags"),
    AfterValidator(_check_pair),
    WithJsonSchema({"type": "array", "items": TAG_SCHEMA, "minItems": 2, "maxItems": 2}),
]
TagPairs = Annotated[list[TagPair], Field(min_length=1), _a_list("a list of pairs of tags")]
Filters = Annotated[
    Annotated[FilterText, Tag("\0text")] | Annotated[list[FilterText], Field(min_length=1), Tag("\0list")],
    union("text or a list of texts", str="\0text", list="\0list"),
]
Booleans = Annotated[
    Annotated[bool, Tag("\0boolean")] | Annotated[list[bool], Field(min_length=1), Tag("\0list")],
    union("true or false", bool="\0boolean", list="\0list"),
]
RuleIds = Annotated[list[Id], AfterValidator(_once_each)]
Name = Annotated[str, _matching(NAMES, "bad-path"), _pattern(NAMES)]
Names = Annotated[list[Name], Field(min_length=1), AfterValidator(_once_each)]
Spellings = Annotated[
    Annotated[Spelling, Tag("\0text")]
    | Annotated[list[Spelling], Field(min_length=1), AfterValidator(_once_each), Tag("\0list")],
    union("a name or a list of names", str="\0text", list="\0list"),
]
