"""The addon's options, which are declared when mitmproxy loads it; `addon.py` acts on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Option:
    """One option, as `--set NAME=VALUE` takes it."""

    name: str
    type: Any
    default: object
    help: str


OPTIONS: Final = (
    Option("thinkwire_rules", str, "", "The rule file; without one, the shipped rules/default.yaml."),
    Option("thinkwire_observe", bool, False, "Decide, count and log, but change nothing (except our own header)."),
    Option("thinkwire_name_rules", bool, False, "Name the rules that decided in a header of each answer."),
    Option("thinkwire_memory_megabytes", int, 64, "How much reasoning is remembered for `restore`, of all callers."),
    Option("thinkwire_memory_minutes", int, 720, "How long reasoning is remembered that no request has asked for."),
    Option(
        "thinkwire_record", str, "", "A flow file to which exchanges are added, both ends untouched, secrets removed."
    ),
    Option(
        "thinkwire_record_redact",
        Sequence[str],
        [],
        "Further headers and members of queries and JSON whose values are not recorded; * stands for anything.",
    ),
    Option("thinkwire_replay", Sequence[str], [], "Flow files or HAR files that answer instead of the provider."),
    Option("thinkwire_replay_speed", str, "1", "1: as fast as recorded; 2: twice as fast; 0: without waiting."),
    Option(
        "thinkwire_view_megabytes",
        int,
        64,
        "How much is kept to be looked at in mitmproxy and mitmweb: of one answer, and of all that rules changed.",
    ),
    Option(
        "thinkwire_fault",
        Sequence[str],
        [],
        "What goes wrong in a replay, whatever the rules say: cut-after=20, stall=5:3, error-after=10, drop-done, "
        "split=7, status-first=429.",
    ),
)
