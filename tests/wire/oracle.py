"""The decoder of httpx-sse, which shares no code with thinkwire: what it sees in an event stream."""

from httpx_sse._decoders import SSEDecoder, SSELineDecoder

__all__ = ["read_events"]


def read_events(raw: bytes) -> list[bytes]:
    """The data of each event that it dispatches."""
    if not raw:
        return []
    lines, events = SSELineDecoder(), SSEDecoder()
    seen = [events.decode(line) for line in [*lines.decode(raw.decode("latin-1")), *lines.flush()]]
    return [event.data.encode("latin-1") for event in seen if event is not None]
