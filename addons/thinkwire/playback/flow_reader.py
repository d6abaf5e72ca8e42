"""Reads the flows of a file: mitmproxy's format, or HAR."""

from dataclasses import dataclass
from pathlib import Path

from mitmproxy import exceptions, io
from mitmproxy.flow import Flow


class RecordingError(Exception):
    """A recording cannot be used; the message says which, and why."""


@dataclass(frozen=True, slots=True)
class Flows:
    """The flows of a file, in their order."""

    flows: list[Flow]
    damage: str = ""
    """What is wrong after the last of them."""


def read_flows(path: Path) -> Flows:
    """All complete flows. Raises RecordingError if nothing can be read."""
    flows: list[Flow] = []
    try:
        with path.expanduser().open("rb") as file:
            flows.extend(io.FlowReader(file).stream())  # those before the damage are kept
    except OSError as error:
        raise RecordingError(f"cannot read {path}: {(error.strerror or 'unknown reason').lower()}") from error
    except Exception as error:  # mitmproxy's own, and whatever its reader raises for bytes that are not flows
        if not flows:
            raise RecordingError(f"{path} {_why_unreadable(error)}") from error
        return Flows(flows, f"{path} is damaged or cut off after flow {len(flows)}; the complete flows were read")
    return Flows(flows)


def _why_unreadable(error: Exception) -> str:
    if isinstance(error, exceptions.FlowReadException) and "HAR" in str(error):
        return "is not a valid HAR file"
    return "is neither a mitmproxy flow file nor a HAR file"
