"""A test of rules: a recorded exchange, and what must come out of it."""

from typing import Annotated

from pydantic import ConfigDict, Field

from thinkwire.ruleset.field_types import JSON, ByType, HeaderName, Id, Names, Number, Path, RuleIds, Size, Status
from thinkwire.ruleset.model.base import Filled, Mapping


class OverridesModel(Filled):
    """What differs from the recorded requests."""

    host: str = Field(default="", description="The host that they go to.")
    path: str = Field(default="", description="Their path; a query may follow it.")
    method: str = Field(default="", description="Their method, in capitals.")
    header: dict[HeaderName, str] = Field(default={}, min_length=1, description="Headers to add or replace.")
    body: dict[Path, JSON] = Field(
        default={},
        min_length=1,
        description="Members of the JSON body to add or replace: dotted path to any JSON value; numbers count the "
        "elements of lists, from 0: `messages.1.content`.",
    )


ExpectedValue = Annotated[str | bool | Number, ByType("text, a number or true/false")]


class ExpectedRequest(Filled):
    """What the request to the provider must be."""

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
    """What the client and the provider must get."""

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
        default=ExpectedRequest.model_construct(), description="What must go up to the provider."
    )
    status: Status = Field(
        default=200,
        description="The status of the answer, default the provider's; 400 if the request is refused here.",
    )


class RuleTestModel(Mapping):
    """One test: what the rules must make of a recorded exchange. `thinkwire test` runs it."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["rules"]}, {"required": ["expect"]}]})

    id: Id = Field(description="Unique name in kebab-case, among the tests of this file.")
    why: str = Field(default="", description="What this test is for, for those who read the file.")
    recording: str = Field(description="The flow file or HAR that it runs over, relative to this file.")
    flow: Size = Field(
        default=1,
        description="The number of the exchange in the recording, from 1; default the last. Those before it go through "
        "the rules first, so that there is something to restore.",
    )
    overrides: OverridesModel = Field(
        default=OverridesModel.model_construct(),
        alias="with",
        description="What differs from the recorded requests, so that one recording serves many tests.",
    )
    without: Names = Field(
        default=[],
        description="Members of the recorded requests' bodies (dotted paths) that are taken out, such as "
        "`messages.1.reasoning_content`.",
    )
    rules: RuleIds = Field(default=[], description="The rules that must decide: exactly these, in any order.")
    expect: Expectation = Field(default=Expectation.model_construct(), description="What must come out.")
