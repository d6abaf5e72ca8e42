"""What a request says about itself: its API, its model, whether it asks for a stream."""

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """A request as the rules see it: plain values, made once per request."""

    host: str
    path: str
    """Without the query."""
    method: str
    headers: tuple[tuple[str, str], ...]
    """Names in lower case, values as they came."""
    body: object = field(default=None, repr=False)
    """The parsed JSON body; None if there is none or it is not JSON."""
    dialect: str | None = None
    """The dialect's name; None if the request is not for a known API."""
    model: str | None = None
    stream: bool = False


def model_in_body(request: RequestFacts) -> str | None:
    """The member `model`, which most APIs have."""
    model = request.body.get("model") if isinstance(request.body, dict) else None
    return model if isinstance(model, str) else None


def stream_in_body(request: RequestFacts) -> bool:
    """Is the member `stream` true, as in most APIs?"""
    return isinstance(request.body, dict) and request.body.get("stream") is True


def usage_in_stream(request: RequestFacts) -> bool:
    """Does a request ask for usage at the end of its stream?"""
    options = request.body.get("stream_options") if isinstance(request.body, dict) else None
    return isinstance(options, dict) and options.get("include_usage") is True


_CONVERSATION: Final = ("messages", "contents", "input", "prompt", "inputs", "message", "request")
"""The members that hold the conversation; the first that a body has counts. Some APIs nest one in another."""
_MESSAGES: Final = ("messages", "input", "contents")
"""The members that hold a list of messages."""


def conversation_member(body: dict[str, object]) -> str | None:
    """The name of the member that holds the conversation, if there is one."""
    return next((name for name in _CONVERSATION if name in body), None)


def conversation_in(body: dict[str, object]) -> object:
    """The conversation in a request's body, in whichever member, nested ones included; None if there is none."""
    name = conversation_member(body)
    value = body[name] if name is not None else None
    is_nested = isinstance(value, dict) and conversation_member(value) is not None
    return conversation_in(value) if isinstance(value, dict) and is_nested else value


def messages_in(body: object) -> list[object] | None:
    """The list of messages in a request's body; None if there is none."""
    members = body if isinstance(body, dict) else {}
    return next((members[name] for name in _MESSAGES if isinstance(members.get(name), list)), None)
