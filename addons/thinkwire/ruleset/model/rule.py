"""A rule: when it holds, and what it does to the request and to the answer."""

from typing import Annotated, Any

from pydantic import Field, create_model

from thinkwire.ruleset.field_types import Booleans, ByType, Filters, Globs, HeaderName, Id, Number, Path, Some
from thinkwire.ruleset.model.base import Filled, Mapping
from thinkwire.ruleset.settings.setting import Setting, Side
from thinkwire.ruleset.settings.table import SETTINGS


class Exists(Mapping):
    """Asks whether the member is there, whatever its value."""

    exists: bool = Field(description="true: the member must be there, also with the value null; false: it must not.")


BodyValue = Annotated[str | bool | Number | Exists, ByType("text, a number, true/false or {exists: true}")]
BodyValues = Annotated[
    BodyValue | Some[BodyValue], ByType("text, a number, true/false, {exists: true} or a list of these")
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


def _settings_of(side: Side) -> Any:
    """A mapping whose keys are the settings of one side; None for those that are not set."""

    # A factory, because a default would be checked against the type, which has no null, when the schema is printed.
    def field(setting: Setting[Any]) -> Any:
        return setting.type, Field(default_factory=lambda: None, description=setting.description)

    fields = {one.name: field(one) for one in SETTINGS if one.side is side}
    return create_model(f"Settings of the {side}", __base__=Mapping, **fields)


class Request(_settings_of(Side.REQUEST)):  # type: ignore[misc]  # its keys are the table's
    """What happens to the request."""


class Response(_settings_of(Side.RESPONSE)):  # type: ignore[misc]
    """What happens to the answer."""


Conditions = Annotated[Condition | Some[Condition], ByType("a mapping or a list of mappings")]


class RuleModel(Mapping):
    """One rule. Each setting is taken from the first matching rule that sets it."""

    id: Id = Field(description="Unique name in kebab-case; logs and `thinkwire explain` print it.")
    why: str = Field(default="", description="Why this rule exists, for those who read the file.")
    when: Conditions = Field(
        default=[], description="Which requests: a mapping (all keys must hold) or a list of them (any); none: always."
    )
    request: Request = Field(default_factory=Request, description="What goes up.")
    response: Response = Field(default_factory=Response, description="What comes down.")
