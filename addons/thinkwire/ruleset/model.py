"""The rule file as pydantic models: which keys exist, what each takes, and what it is for.

Checks one file by itself, key by key. Does not know positions, other files, or what a rule does; and lists only what is
available in this version. The descriptions are what editors show (`thinkwire schema`).
"""

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from thinkwire.ruleset.kinds import (
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
    Names,
    NoneAtAll,
    Number,
    PassOrDrop,
    Path,
    PlacePaths,
    RuleIds,
    Seconds,
    Size,
    Spellings,
    Status,
    TagPairs,
    Version,
    union,
)


class Mapping(BaseModel):
    """A mapping whose keys are all known."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @classmethod
    def key_names(cls) -> list[str]:
        """The keys as they are written in a file."""
        return [field.alias or name for name, field in cls.model_fields.items()]


class Filled(Mapping):
    """A mapping that says something."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("empty", "empty")
        return self


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


def _places(description: str) -> Any:
    return Field(default=[], description=description)


class Places(Mapping):
    """Where the documents of an API keep their parts: paths such as `choices[*].delta.thoughts`."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    reasoning: PlacePaths = _places("The thought: texts, or whole members with all that is in them.")
    thought: PlacePaths = _places(
        "Objects that make their owner (a block, an item) one of reasoning alone: all about that owner goes, and the "
        "numbers of later owners close the gap."
    )
    opaque: PlacePaths = _places("Signatures and encrypted forms of the thought; also inside of `reasoning`.")
    text: PlacePaths = _places("The visible answer.")
    refusal: PlacePaths = _places("The text of a refusal.")
    tool_call: PlacePaths = _places("Calls of tools.")
    role: PlacePaths = _places("Who speaks.")
    tokens: PlacePaths = _places("Lists of the tokens of an update: log-probabilities, ids.")
    reasoning_tokens: PlacePaths = _places("Lists of the tokens of the thought alone.")
    transcript: PlacePaths = _places("Raw copies of all that was generated, thought included.")
    finish: PlacePaths = _places("Why the answer ended.")
    usage: PlacePaths = _places("Counts of tokens.")
    error: PlacePaths = _places("Errors.")
    envelope: PlacePaths = _places("What says nothing by itself, such as ids and dates: not worth an event.")
    owner: PlacePaths = _places("The number that says whose update the object around it is: of a choice, a block.")


class DialectModel(Mapping):
    """An API that thinkwire does not know, by its places."""

    id: Id = Field(description="Unique name in kebab-case, for `when.dialect`.")
    why: str = Field(default="", description="Whose API this is, for those who read the file.")
    path: Globs = Field(
        default=[], description="The path of its requests without the query, a glob. All answers to these are read so."
    )
    knows: PlacePaths = Field(
        default=[],
        description="Members that show an answer to be of this API, whatever its request was, any of them: "
        "`thoughts_version`, `[type=talk.start]`.",
    )
    places: Places = Field(description="Where its documents keep their parts.")
    model: Path = Field(default="model", description="Where the request's body names the model; default `model`.")
    stream: Path = Field(
        default="stream", description="Where the request's body says `true` to ask for a stream; default `stream`."
    )


class Changes(Filled):
    """What is to be other than recorded."""

    host: str = Field(default="", description="The host that they go to.")
    path: str = Field(default="", description="Their path; a query may stand behind it.")
    method: str = Field(default="", description="Their method, in capitals.")
    header: dict[HeaderName, str] = Field(default={}, min_length=1, description="Headers to add or replace.")
    body: dict[Path, JSON] = Field(
        default={},
        min_length=1,
        description="Members of the JSON body to add or replace: dotted path to any JSON value; numbers count the "
        "elements of lists, from 0: `messages.1.content`.",
    )


ExpectedValue = Annotated[
    Annotated[str, Tag("\0text")] | Annotated[bool, Tag("\0boolean")] | Annotated[Number, Tag("\0number")],
    union("text, a number or true/false", str="\0text", bool="\0boolean", int="\0number", float="\0number"),
]


class ExpectedRequest(Filled):
    """What the request to the provider has to be."""

    present: Names = Field(
        default=[], description="Members that must be somewhere in the body, with a value: names, or ends of paths."
    )
    absent: Names = Field(default=[], description="Members that must be nowhere in the body.")
    body: dict[Path, ExpectedValue] = Field(
        default={},
        min_length=1,
        description="Members by their whole path, such as `messages.1.reasoning_content`, and their values; text is a "
        "glob.",
    )


class Expectation(Filled):
    """What the client has to get, and the provider."""

    reasoning: str = Field(
        default="", description='What a client reads as reasoning, a glob; `""`: none. Holds for each choice.'
    )
    content: str = Field(
        default="", description='What a client reads as the answer, a glob; `""`: none. Holds for each choice.'
    )
    present: Names = Field(
        default=[],
        description="Members that must be somewhere in the answer, with a value: names (`reasoning`), or ends of paths "
        "(`delta.reasoning`).",
    )
    absent: Names = Field(default=[], description="Members that must be nowhere in the answer.")
    request: ExpectedRequest = Field(
        default=ExpectedRequest.model_construct(), description="What has to go up to the provider."
    )
    status: Status = Field(
        default=200,
        description="The status of the answer, default the provider's; 400 where the request is refused here.",
    )


class RuleTestModel(Mapping):
    """One test: what the rules have to make of a recorded exchange. `thinkwire test` runs it."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["rules"]}, {"required": ["expect"]}]})

    id: Id = Field(description="Unique name in kebab-case, among the tests of this file.")
    why: str = Field(default="", description="What this test is for, for those who read the file.")
    recording: str = Field(description="The flow file or HAR that it runs over, relative to this file.")
    flow: Size = Field(
        default=1,
        description="The number of the exchange in the recording, from 1; default the last. Those before it go through "
        "the rules first, so that there is something to restore.",
    )
    changes: Changes = Field(
        default=Changes.model_construct(),
        alias="with",
        description="What the recorded requests are to be instead, so that one recording serves many tests.",
    )
    without: Names = Field(
        default=[],
        description="Members of the recorded requests' bodies (dotted paths) that are taken out, such as "
        "`messages.1.reasoning_content`.",
    )
    rules: RuleIds = Field(default=[], description="The rules that must decide: exactly these, in any order.")
    expect: Expectation = Field(default=Expectation.model_construct(), description="What has to come of it.")


class RuleFile(Mapping):
    """Rules of thinkwire: what happens to the reasoning in LLM traffic."""

    version: Version = Field(description="The version of this format: 1.")
    include: list[str] = Field(
        default=[],
        description="Files whose rules come after this file's own: shipped names (`default`) or paths relative to "
        "this file.",
    )
    rules: list[RuleModel] = Field(default=[], description="The rules; specific ones first, general ones last.")
    dialects: list[DialectModel] = Field(
        default=[], description="APIs that thinkwire does not know, each by its places; they come before built-in ones."
    )
    tests: list[RuleTestModel] = Field(
        default=[], description="What the rules have to make of recorded exchanges; `thinkwire test` runs them."
    )
