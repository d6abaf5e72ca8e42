"""`thinkwire replay`: a mitmdump that serves recordings in the provider's place."""

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

_SCRIPT: Final = Path(addon.__file__).with_name("script.py")
_NOWHERE: Final = "reverse:http://127.0.0.1:1"


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """What to replay, where, and how."""

    files: Sequence[str]
    port: int
    """0: any."""
    speed: str
    rules: Path | None
    faults: Sequence[str] = ()
    """What goes wrong, written as on the command line."""


def replay(settings: ReplaySettings, first: ReplayExchange, client: ReplayClient | None = None) -> bool:
    """Serve until interrupted, in place of the first recording's provider; or as a proxy, until the client is done.

    False if that was not possible; the log says why. Raises what stopped a client, including KeyboardInterrupt.
    """
    values = {"thinkwire_replay_speed": settings.speed, "flow_detail": "0"}
    if settings.rules is not None:
        values["thinkwire_rules"] = str(settings.rules)
    lists = {"thinkwire_replay": settings.files, "thinkwire_fault": settings.faults}
    pairs = [*((name, text) for name, texts in lists.items() for text in texts), *values.items()]
    where = [
        "--mode",
        _mode(first) if client is None else "regular",
        "--listen-host",
        "127.0.0.1",
        "--listen-port",
        str(settings.port),
    ]
    options = [word for name, text in pairs for word in ("--set", f"{name}={text}")]
    quiet = ["-q"] if client is not None else []

    def make(options: Options) -> DumpMaster:
        master = DumpMaster(options)
        if client is not None:
            master.addons.add(client)
        return master

    try:
        main.run(cast(type[DumpMaster], make), cmdline.mitmdump, ["-s", str(_SCRIPT), *quiet, *where, *options])
    except SystemExit as ended:
        return not ended.code
    if client is not None:
        client.result()
    return True


def _mode(recorded: ReplayExchange) -> str:
    """Reverse mode for the recorded provider, so that rules see its host; no connection is made to it."""
    request = recorded.flow.request
    host = f"[{request.pretty_host}]" if ":" in request.pretty_host else request.pretty_host
    mode = f"reverse:{request.scheme}://{host}:{request.port}"
    try:
        mode_specs.ProxyMode.parse(mode)
    except ValueError:
        return _NOWHERE
    return mode
