"""What the rules decided for one request and its answer.

Plain values, fixed once the request has been read; it does not know how they were chosen or where they were written.
"""

from dataclasses import dataclass, field
from enum import Enum

from thinkwire.dialects.core.tag_families import Family
from thinkwire.rewrite.faults.fault import NO_FAULT, Fault

type JSONPath = tuple[str, ...]
"""The names of nested members, outermost first: `reasoning.exclude` is `("reasoning", "exclude")`."""


class TokenMetadata(Enum):
    """How much of the per-token metadata goes with hidden reasoning."""

    HIDDEN = "hidden"
    """What lists hidden tokens, or may list them."""
    ALL = "all"
    """All of it, the answer's included."""


class Opaque(Enum):
    """What happens to signatures and truly encrypted state under strip."""

    DROP = "drop"
    KEEP = "keep"


class OnError(Enum):
    """What happens to a document that cannot be read."""

    PASS = "pass"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Keep:
    """Reasoning stays as it came."""


@dataclass(frozen=True, slots=True)
class Strip:
    """Neither reasoning nor anything that betrays it reaches the client."""

    token_metadata: TokenMetadata = TokenMetadata.HIDDEN
    opaque: Opaque = Opaque.DROP


@dataclass(frozen=True, slots=True)
class Rename:
    """Reasoning reaches the client under these member names, in this order; at least one, none twice."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inline:
    """Reasoning reaches the client in the visible text, between the tags of a family."""

    family: Family


type Reasoning = Keep | Strip | Rename | Inline


@dataclass(frozen=True, slots=True)
class Extract:
    """Tagged text is read as reasoning before anything else."""

    family: Family
    starts_inside: bool = False
    """Did the prompt open the block already?"""
    text: str = field(default="", compare=False)
    """As one writes it in a rule file: a family does not say of which others it was made."""


@dataclass(frozen=True, slots=True)
class ResponsePlan:
    """What happens to an answer."""

    reasoning: Reasoning = Keep()
    on_error: OnError | None = None
    """None: as the action needs it, dropped under strip."""
    keepalive: float = 10.0
    """Seconds without a byte to the client after which an SSE comment goes out."""
    extract: Extract | None = None
    fault: Fault = NO_FAULT
    """What goes wrong with it, so that clients can be tested; happens before anything else."""

    @property
    def drops_unreadable(self) -> bool:
        """Is a document dropped that cannot be read?"""
        if self.on_error is None:
            return isinstance(self.reasoning, Strip)
        return self.on_error is OnError.DROP

    @property
    def changes(self) -> bool:
        """May an answer differ from what the provider sent, apart from faults?"""
        return self.extract is not None or not isinstance(self.reasoning, Keep)


class To(Enum):
    """How earlier reasoning travels up."""

    KEEP = "keep"
    DROP = "drop"
    REASONING_CONTENT = "reasoning_content"
    REASONING = "reasoning"
    INLINE = "inline"
    """In front of the content, between tags."""
    NATIVE = "native"
    """In the API's own form."""
    AUTO = "auto"
    """As the table of history formats says."""


@dataclass(frozen=True, slots=True)
class History:
    """What happens to the reasoning of earlier turns in a request."""

    to: To = To.KEEP
    fill: str | None = None
    """The reasoning to write into messages that have tool calls but none; None fills nothing."""
    drops_unsigned: bool = False
    """Are thinking blocks without a signature removed?"""

    @property
    def changes(self) -> bool:
        return self.to is not To.KEEP or self.drops_unsigned


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """What happens to a request body."""

    remove: tuple[JSONPath, ...] = ()
    set: tuple[tuple[JSONPath, str], ...] = ()
    """Path and the new value as JSON text; missing members on the way are created."""
    history: History = History()
    restore: bool = False
    """Is reasoning that the client has lost put back?"""

    @property
    def changes(self) -> bool:
        return bool(self.remove or self.set or self.history.changes or self.restore)


@dataclass(frozen=True, slots=True)
class Plan:
    """One request and its answer."""

    request: RequestPlan = RequestPlan()
    response: ResponsePlan = ResponsePlan()

    @property
    def reads_answer(self) -> bool:
        """Must an answer be read, to change it or to remember its reasoning?"""
        return self.response.changes or self.request.restore
