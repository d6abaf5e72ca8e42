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
