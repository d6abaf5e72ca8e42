"""`thinkwire replay`: a mitmdump that stands where the provider of the recordings stood, and needs none."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from mitmproxy.options import Options
from mitmproxy.proxy import mode_specs
from mitmproxy.tools import cmdline, main
from mitmproxy.tools.dump import DumpMaster

from thinkwire.proxy import addon
from thinkwire.proxy.replay.client import ReplayClient
from thinkwire.proxy.replay.recordings import ReplayExchange

__all__ = ["Replay", "replay"]

_SCRIPT: Final = Path(addon.__file__).with_name("script.py")
_NOWHERE: Final = "reverse:http://127.0.0.1:1"


@dataclass(frozen=True, slots=True)
class Replay:
    """What is replayed, where, and how."""

    files: Sequence[str]
    port: int
    """0: any."""
    speed: str
    rules: Path | None
    faults: Sequence[str] = ()
    """What goes wrong, as on the command line."""


def replay(asked: Replay, first: ReplayExchange, asker: ReplayClient | None = None) -> bool:
    """Serve until interrupted, in the place of who answered first; or as a proxy, until the asker has asked all.

    False where that was not possible; the log has said why. Raises what has stopped an asker, KeyboardInterrupt, too.
    """
    settings = {"thinkwire_replay_speed": asked.speed, "flow_detail": "0"}
    if asked.rules is not None:
        settings["thinkwire_rules"] = str(asked.rules)
    lists = {"thinkwire_replay": asked.files, "thinkwire_fault": asked.faults}
    pairs = [*((name, text) for name, texts in lists.items() for text in texts), *settings.items()]
    place = [
        "--mode",
        _mode(first) if asker is None else "regular",
        "--listen-host",
        "127.0.0.1",
        "--listen-port",
        str(asked.port),
    ]
    options = [word for name, text in pairs for word in ("--set", f"{name}={text}")]
    quiet = ["-q"] if asker is not None else []

    def make(options: Options) -> DumpMaster:
        master = DumpMaster(options)
        if asker is not None:
            master.addons.add(asker)
        return master

    try:
        main.run(cast(type[DumpMaster], make), cmdline.mitmdump, ["-s", str(_SCRIPT), *quiet, *place, *options])
    except SystemExit as ended:
        return not ended.code
    if asker is not None:
        asker.result()
    return True


def _mode(recorded: ReplayExchange) -> str:
    """Reverse mode for the recorded provider, so that rules see its host; nothing is ever connected to it."""
    request = recorded.flow.request
    host = f"[{request.pretty_host}]" if ":" in request.pretty_host else request.pretty_host
    mode = f"reverse:{request.scheme}://{host}:{request.port}"
    try:
        mode_specs.ProxyMode.parse(mode)
    except ValueError:
        return _NOWHERE
    return mode
