"""A declared API: where its documents keep their parts."""

from typing import Any

from pydantic import ConfigDict, Field

from thinkwire.ruleset.field_types import Globs, Id, Path, PlacePaths
from thinkwire.ruleset.model.base import Mapping


def _places(description: str) -> Any:
    return Field(default=[], description=description)


class Places(Mapping):
    """Where the documents of an API keep their parts: paths such as `choices[*].delta.thoughts`."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    reasoning: PlacePaths = _places("The reasoning: texts, or whole members with everything in them.")
    thought: PlacePaths = _places(
        "Objects whose presence says that their owner (a block, an item) is nothing but reasoning: everything about "
        "that owner is removed, and the numbers of later owners close the gap."
    )
    opaque: PlacePaths = _places("Signatures and encrypted forms of the reasoning; also inside `reasoning`.")
    text: PlacePaths = _places("The visible answer.")
    refusal: PlacePaths = _places("The text of a refusal.")
    tool_call: PlacePaths = _places("Calls of tools.")
    role: PlacePaths = _places("Who speaks.")
    tokens: PlacePaths = _places("Lists of the tokens of an update: log-probabilities, ids.")
    reasoning_tokens: PlacePaths = _places("Lists of the tokens of the reasoning alone.")
    transcript: PlacePaths = _places("Raw copies of everything that was generated, reasoning included.")
    finish: PlacePaths = _places("Why the answer ended.")
    usage: PlacePaths = _places("Counts of tokens.")
    error: PlacePaths = _places("Errors.")
    envelope: PlacePaths = _places(
        "Members that mean nothing by themselves, such as ids and dates: not worth an event."
    )
    owner: PlacePaths = _places("The number that says whose update the object around it is: that of a choice, a block.")


class DialectModel(Mapping):
    """An API that thinkwire does not know, by its places."""

    id: Id = Field(description="Unique name in kebab-case, for `when.dialect`.")
    why: str = Field(default="", description="Whose API this is, for those who read the file.")
    path: Globs = Field(
        default=[],
        description="The path of its requests without the query, a glob. All answers to those are read this way.",
    )
    knows: PlacePaths = Field(
        default=[],
        description="Members any of which shows that an answer belongs to this API, whatever its request was: "
        "`thoughts_version`, `[type=talk.start]`.",
    )
    places: Places = Field(description="Where its documents keep their parts.")
    model: Path = Field(default="model", description="Where the request's body names the model; default `model`.")
    stream: Path = Field(
        default="stream", description="Where the request's body says `true` to ask for a stream; default `stream`."
    )
