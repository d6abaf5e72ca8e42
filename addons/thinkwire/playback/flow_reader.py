"""Reads the flows of a file, of mitmproxy's format or a HAR; what they mean is for others to say."""

from dataclasses import dataclass
from pathlib import Path

from mitmproxy import exceptions, io
from mitmproxy.flow import Flow

__all__ = ["Flows", "RecordingError", "read_flows"]


class RecordingError(Exception):
    """A recording cannot be used; the text says which, and why."""


@dataclass(frozen=True, slots=True)
class Flows:
    """The flows of a file, in their order."""

    flows: list[Flow]
    damage: str = ""
    """What is wrong behind the last of them."""


def read_flows(path: Path) -> Flows:
    """All that are complete. Raises RecordingError where nothing can be read."""
    flows: list[Flow] = []
    try:
        with path.expanduser().open("rb") as file:
            flows.extend(io.FlowReader(file).stream())  # keeps those before the damage
    except OSError as error:
        raise RecordingError(f"cannot read {path}: {(error.strerror or 'unknown reason').lower()}") from error
    except Exception as error:  # mitmproxy's own one, and whatever its reader makes of bytes that are no flows
        if not flows:
            raise RecordingError(f"{path} {_why_unreadable(error)}") from error
        return Flows(flows, f"{path} is damaged or cut behind flow {len(flows)}; what is complete was read")
    return Flows(flows)


def _why_unreadable(error: Exception) -> str:
    if isinstance(error, exceptions.FlowReadException) and "HAR" in str(error):
        return "is no valid HAR file"
    return "is neither a mitmproxy flow file nor a HAR file"
