"""What a request says of itself: its API, its model, whether it asks for a stream."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """A request as the rules see it; plain values, made once for each request."""

    host: str
    path: str
    """Without the query."""
    method: str
    headers: tuple[tuple[str, str], ...]
    """Names in lower case, values as they came."""
    body: object = field(default=None, repr=False)
    """The parsed JSON body; None where there is none or it is not JSON."""
    dialect: str | None = None
    """The dialect's name, or None for a request that is no API's we know."""
    model: str | None = None
    stream: bool = False


def model_in_body(request: RequestFacts) -> str | None:
    """The member `model`, where most APIs name it."""
    model = request.body.get("model") if isinstance(request.body, dict) else None
    return model if isinstance(model, str) else None


def stream_in_body(request: RequestFacts) -> bool:
    """Is the member `stream` true, as most APIs want it?"""
    return isinstance(request.body, dict) and request.body.get("stream") is True
