"""A rule: when it holds, and what it does to the request and to the answer."""

from typing import Annotated

from pydantic import ConfigDict, Field, Tag

from thinkwire.ruleset.field_types import (
    JSON,
    Action,
    Booleans,
    Count,
    DropOnly,
    DropOrKeep,
    ErrorStatus,
    FamilyName,
    Filters,
    Globs,
    HeaderName,
    Hidden,
    HistoryWay,
    Id,
    LeadingOrAnywhere,
    NoneAtAll,
    Number,
    PassOrDrop,
    Path,
    Seconds,
    Size,
    Spellings,
    TagPairs,
    union,
)
from thinkwire.ruleset.model.base import Filled, Mapping


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


class Condition(Filled):
    """What a request must be; all keys must hold, and a list as a value means any of."""

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
    dialect: Globs = Field(default="", description="The API of the request, a glob: built in, or of `dialects`.")
    filter: Filters = Field(default=[], description="A mitmproxy filter expression about the request.")


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


class InlineOptions(Mapping):
    """How reasoning is written into the visible text."""

    family: FamilyName = Field(default="think", description="The tags, by the name of their family; default `think`.")


class ReasoningAction(Mapping):
    """One action with its options."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    rename: Spellings = Field(
        default=[], description="The name reasoning gets in chat completions; a list sends it under each name."
    )
    strip: StripOptions = Field(default=StripOptions(), description="Hide reasoning, with options.")
    inline: InlineOptions = Field(
        default=InlineOptions(), description="Put reasoning into the visible text, between the tags of a family."
    )


Reasoning = Annotated[
    Annotated[Action, Tag("\0text")] | Annotated[ReasoningAction, Tag("\0mapping")],
    union("keep, strip, inline, or a mapping such as {rename: reasoning}", str="\0text", dict="\0mapping"),
]


class ExtractOptions(Mapping):
    """How reasoning is marked in the visible text: by a family of tags, or by tags of one's own."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["family"], "not": {"required": ["where"]}}, {"required": ["tags"]}],
        }
    )

    family: FamilyName = Field(default="think", description="A family of tags by its name.")
    tags: TagPairs = Field(
        default=[], description="Pairs of an open and a close tag; any of the close tags ends a block."
    )
    where: LeadingOrAnywhere = Field(
        default="leading",
        description="Where `tags` count. `leading` (default): one block, with only white space before it; `anywhere`: "
        "every block.",
    )
    starts_inside: bool = Field(
        default=False, description="true: the prompt has opened the block, so that the answer begins inside it."
    )


ExtractItem = Annotated[
    Annotated[FamilyName, Tag("\0text")] | Annotated[ExtractOptions, Tag("\0mapping")],
    union("a tag family or a mapping such as {family: think}", str="\0text", dict="\0mapping"),
]
Extract = Annotated[
    Annotated[ExtractItem, Tag("\0item")] | Annotated[list[ExtractItem], Tag("\0list")],
    union(
        "a tag family, a mapping such as {family: think}, or a list of these",
        str="\0item",
        dict="\0item",
        list="\0list",
    ),
]


class HistoryOptions(Mapping):
    """How the reasoning of earlier turns travels up, with options."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    to: HistoryWay = Field(default="keep", description="The form, as in the short way of writing; default `keep`.")
    fill: str = Field(
        default="",
        description="The reasoning of assistant messages that have tool calls and none; some providers refuse those. "
        'Most often `""`.',
    )
    unsigned: DropOnly = Field(default="drop", description="`drop`: thinking blocks without a signature go.")


History = Annotated[
    Annotated[HistoryWay, Tag("\0text")] | Annotated[HistoryOptions, Tag("\0mapping")],
    union(
        "keep, drop, reasoning_content, reasoning, inline, native, auto, or a mapping such as {to: auto, fill: text}",
        str="\0text",
        dict="\0mapping",
    ),
]


class Request(Mapping):
    """What happens to the request."""

    history: History = Field(
        default="keep",
        description="How the reasoning of earlier turns travels up, whatever form the client keeps it in: `keep`, "
        "`drop`, `reasoning_content`, `reasoning`, `inline` (tags in front of the content), `native` (the API's own "
        "form), `auto` (what the provider or model is known to take; else it is dropped), or a mapping with options.",
    )
    restore: bool = Field(
        default=False,
        description="true: reasoning that was hidden or that the client has lost is put back into the next request, in "
        "the form that `history` names, or else the one that the provider takes.",
    )
    remove: list[Path] = Field(default=[], description="Body members (dotted paths) that the upstream must not see.")
    set: dict[Path, JSON] = Field(
        default={}, description="Body members to add or replace: dotted path to any JSON value."
    )


class FirstOptions(Mapping):
    """The first requests are refused."""

    status: ErrorStatus = Field(description="The status of the refusal, from 400 to 599.")
    times: Size = Field(default=1, description="How many requests are refused; default 1.")


class StallOptions(Mapping):
    """The answer falls silent."""

    after: Count = Field(default=0, description="Behind how many events; default 0.")
    seconds: Seconds = Field(description="For how long.")


FirstRefused = Annotated[
    Annotated[ErrorStatus, Tag("\0number")] | Annotated[FirstOptions, Tag("\0mapping")],
    union("a status, or a mapping such as {status: 429, times: 2}", int="\0number", dict="\0mapping"),
]


class FaultOptions(Mapping):
    """What goes wrong with the answer, to test clients; events are those that the provider sends."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["status_first"]},
                {"required": ["stall"]},
                {"required": ["error_after"]},
                {"required": ["cut_after"]},
                {"required": ["split"]},
                {"required": ["drop_done"], "properties": {"drop_done": {"const": True}}},
            ],
            "not": {"required": ["error_after", "cut_after"]},
        }
    )

    status_first: FirstRefused = Field(
        default=429,
        description="The first request that this rule decides about gets this status, later ones are answered; a "
        "mapping says how many.",
    )
    stall: StallOptions = Field(
        default=StallOptions(seconds=1.0), description="Silence behind `after` events, for `seconds`."
    )
    error_after: Count = Field(
        default=0, description="Behind how many events an error in the API's own shape comes, and the answer ends."
    )
    cut_after: Count = Field(default=0, description="Behind how many events the connection breaks.")
    drop_done: bool = Field(default=False, description="true: the end mark (`[DONE]`) is not sent.")
    split: Size = Field(
        default=1,
        description="What is sent goes out in pieces of at most so many bytes, wherever they cut a character or a "
        "line end.",
    )
    live: bool = Field(default=False, description="true: also outside of a replay, for real providers.")


FaultValue = Annotated[
    Annotated[NoneAtAll, Tag("\0text")] | Annotated[FaultOptions, Tag("\0mapping")],
    union("none, or a mapping such as {cut_after: 20}", str="\0text", dict="\0mapping"),
]


class Response(Mapping):
    """What happens to the answer."""

    reasoning: Reasoning = Field(
        default="keep", description="`keep`, `strip`, `{rename: NAME}`, `inline` or `{strip: {token_metadata: all}}`."
    )
    extract: Extract = Field(
        default=[],
        description="Read tagged text as reasoning, before anything else: a tag family, a mapping, or a list of these; "
        "`[]` leaves it text, whatever later rules say.",
    )
    on_error: PassOrDrop = Field(
        default="pass",
        description="What happens to a document that cannot be read. Default: `drop` under strip, otherwise `pass`.",
    )
    keepalive: Seconds = Field(
        default=10.0, description="Seconds of hidden stream after which an SSE comment goes to the client; default 10."
    )
    fault: FaultValue = Field(
        default="none",
        description="What goes wrong with the answer, to test clients, in a replay, or anywhere with `live: true`; "
        "`none`: nothing, whatever later rules say.",
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
