"""`thinkwire replay`: a mitmdump that stands where the provider of the recordings stood, and needs none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mitmproxy.proxy import mode_specs
from mitmproxy.tools import main

from thinkwire.proxy import addon
from thinkwire.proxy.recorded import Recorded

__all__ = ["replay"]

_SCRIPT: Final = Path(addon.__file__).with_name("script.py")
_NOWHERE: Final = "reverse:http://127.0.0.1:1"


def replay(first: Recorded, files: Sequence[str], port: int, speed: str, rules: Path | None) -> bool:
    """Serve the files until interrupted, in the place of who answered first in them.

    False where that was not possible; the log has said why.
    """
    settings = {"thinkwire_replay_speed": speed, "flow_detail": "0"}
    if rules is not None:
        settings["thinkwire_rules"] = str(rules)
    pairs = [*(("thinkwire_replay", file) for file in files), *settings.items()]
    place = ["--mode", _mode(first), "--listen-host", "127.0.0.1", "--listen-port", str(port)]
    try:
        main.mitmdump(
            ["-s", str(_SCRIPT), *place, *(word for name, text in pairs for word in ("--set", f"{name}={text}"))]
        )
    except SystemExit as ended:
        return not ended.code
    return True


def _mode(recorded: Recorded) -> str:
    """Reverse mode for the recorded provider, so that rules see its host; nothing is ever connected to it."""
    request = recorded.flow.request
    host = f"[{request.pretty_host}]" if ":" in request.pretty_host else request.pretty_host
    mode = f"reverse:{request.scheme}://{host}:{request.port}"
    try:
        mode_specs.ProxyMode.parse(mode)
    except ValueError:
        return _NOWHERE
    return mode
