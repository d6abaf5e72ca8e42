"""The decoder of httpx-sse, which knows nothing of ours: what it sees in an event stream.

Its package imports httpx at once, which the project does not need; so its decoder is loaded beside the package.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["read_events"]


def _load_decoders() -> Any:
    spec = find_spec("httpx_sse")
    assert spec is not None
    package = ModuleType("httpx_sse_alone")
    package.__path__ = list(spec.submodule_search_locations or ())
    sys.modules[package.__name__] = package
    return import_module(f"{package.__name__}._decoders")


_DECODERS = _load_decoders()


def read_events(raw: bytes) -> list[bytes]:
    """The data of each event that it dispatches."""
    if not raw:
        return []
    lines, events = _DECODERS.SSELineDecoder(), _DECODERS.SSEDecoder()
    seen = [events.decode(line) for line in [*lines.decode(raw.decode("latin-1")), *lines.flush()]]
    return [event.data.encode("latin-1") for event in seen if event is not None]
