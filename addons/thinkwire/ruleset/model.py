"""The rule file as pydantic models: which keys exist, what each takes, and what it is for.

Checks one file by itself, key by key. Does not know positions, other files, or what a rule does; and lists only what is
available in this version. The descriptions are what editors show (`thinkwire schema`).
"""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from thinkwire.ruleset.kinds import (
    JSON,
    Action,
    Booleans,
    Dialects,
    DropOrKeep,
    Filters,
    Globs,
    HeaderName,
    Hidden,
    Id,
    Number,
    PassOrDrop,
    Path,
    Seconds,
    Spellings,
    Version,
    union,
)


class Mapping(BaseModel):
    """A mapping whose keys are all known."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Exists(Mapping):
    """Asks whether the member is there, whatever its value."""

    exists: bool = Field(description="true: the member must be there, also with the value null; false: it must not.")


BodyValue = Annotated[
    Annotated[str, Tag("\0text")]
    | Annotated[bool, Tag("\0boolean")]
    | Annotated[Number, Tag("\0number")]
    | Annotated[Exists, Tag("\0mapping")],
    union(
        "text, a number, true/false or {exists: true}",
        str="\0text",
        bool="\0boolean",
        int="\0number",
        float="\0number",
        dict="\0mapping",
    ),
]
BodyValues = Annotated[
    Annotated[BodyValue, Tag("\0value")] | Annotated[list[BodyValue], Field(min_length=1), Tag("\0list")],
    union(
        "text, a number, true/false, {exists: true} or a list of these",
        str="\0value",
        bool="\0value",
        int="\0value",
        float="\0value",
        dict="\0value",
        list="\0list",
    ),
]


class Condition(Mapping):
    """What a request must be; all keys must hold, and a list as a value means any of."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    host: Globs = Field(default="", description="The host the request goes to, a glob (`*`, `?`); case is ignored.")
    path: Globs = Field(default="", description="The path without the query, a glob; `*` crosses `/`.")
    method: Globs = Field(default="", description="The HTTP method, in capitals, a glob.")
    model: Globs = Field(default="", description="The model that the request names in its body or path, a glob.")
    header: dict[HeaderName, Globs] = Field(
        default={},
        min_length=1,
        description="Request headers: name (case is ignored) to a glob for its value; `*`: the header must be there.",
    )
    body: dict[Path, BodyValues] = Field(
        default={},
        min_length=1,
        description="Members of the JSON body: dotted path to a value. Text is a glob; true, false and numbers match "
        "only themselves; `{exists: true}` asks whether the member is there.",
    )
    stream: Booleans = Field(default=True, description="Whether the request asks for a stream.")
    dialect: Dialects = Field(default="", description="The API of the request, a glob.")
    filter: Filters = Field(default=[], description="A mitmproxy filter expression about the request.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("empty", "empty")
        return self


class StripOptions(Mapping):
    """How thoroughly reasoning is hidden."""

    token_metadata: Hidden = Field(
        default="hidden",
        description="`hidden` (default): logprobs and token ids that list hidden tokens go; `all`: all of them go.",
    )
    opaque: DropOrKeep = Field(
        default="drop",
        description="Signatures and encrypted reasoning: `drop` (default), or `keep`, so that clients can send them "
        "back.",
    )


class ReasoningAction(Mapping):
    """One action with its options."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    rename: Spellings = Field(
        default=[], description="The name reasoning gets in chat completions; a list sends it under each name."
    )
    strip: StripOptions = Field(default=StripOptions(), description="Hide reasoning, with options.")


Reasoning = Annotated[
    Annotated[Action, Tag("\0text")] | Annotated[ReasoningAction, Tag("\0mapping")],
    union("keep, strip, or a mapping such as {rename: reasoning}", str="\0text", dict="\0mapping"),
]


class Request(Mapping):
    """What happens to the request."""

    remove: list[Path] = Field(default=[], description="Body members (dotted paths) that the upstream must not see.")
    set: dict[Path, JSON] = Field(
        default={}, description="Body members to add or replace: dotted path to any JSON value."
    )


class Response(Mapping):
    """What happens to the answer."""

    reasoning: Reasoning = Field(
        default="keep", description="`keep`, `strip`, `{rename: NAME}` or `{strip: {token_metadata: all}}`."
    )
    on_error: PassOrDrop = Field(
        default="pass",
        description="What happens to a document that cannot be read. Default: `drop` under strip, otherwise `pass`.",
    )
    keepalive: Seconds = Field(
        default=10.0, description="Seconds of hidden stream after which an SSE comment goes to the client; default 10."
    )


Conditions = Annotated[
    Annotated[Condition, Tag("\0mapping")] | Annotated[list[Condition], Field(min_length=1), Tag("\0list")],
    union("a mapping or a list of mappings", dict="\0mapping", list="\0list"),
]


class RuleModel(Mapping):
    """One rule. Each setting is taken from the first matching rule that sets it."""

    id: Id = Field(description="Unique name in kebab-case; logs and `thinkwire explain` print it.")
    why: str = Field(default="", description="Why this rule exists, for those who read the file.")
    when: Conditions = Field(
        default=[], description="Which requests: a mapping (all keys must hold) or a list of them (any); none: always."
    )
    request: Request = Field(default=Request(), description="What goes up.")
    response: Response = Field(default=Response(), description="What comes down.")


class RuleFile(Mapping):
    """Rules of thinkwire: what happens to the reasoning in LLM traffic."""

    version: Version = Field(description="The version of this format: 1.")
    include: list[str] = Field(
        default=[],
        description="Files whose rules come after this file's own: shipped names (`default`) or paths relative to "
        "this file.",
    )
    rules: list[RuleModel] = Field(default=[], description="The rules; specific ones first, general ones last.")
