"""What a request says about itself: its API, its model, whether it asks for a stream."""

from dataclasses import dataclass, field


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
