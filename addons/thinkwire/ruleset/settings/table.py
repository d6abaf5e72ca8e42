"""All settings of a rule: the one place that says what each takes, what the plan makes of it, and how it is spelled.

The models that check a rule file, choosing, `explain`, the warnings and the guide's table are all made from this table.
A new setting is a row here and a field of the same name in `rewrite/plan.py`; what forgets one of the two is refused by
mypy, or by the import of this module.
"""

import json
from collections.abc import Iterable
from typing import Annotated, Any, Final

from thinkwire.rewrite.plan import JSONPath, OnError, RequestPlan, ResponsePlan
from thinkwire.ruleset.field_types import JSON, Path, Seconds, member_of
from thinkwire.ruleset.settings.extract import ExtractValue, compile_extract, extract_conflicts, spell_extract
from thinkwire.ruleset.settings.fault import FaultValue, compile_fault, fault_conflicts, spell_fault
from thinkwire.ruleset.settings.history import HistoryValue, compile_history, history_conflicts, spell_history
from thinkwire.ruleset.settings.reasoning import (
    ReasoningValue,
    compile_reasoning,
    reasoning_conflicts,
    spell_reasoning,
)
from thinkwire.ruleset.settings.setting import Setting, Side


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _spell_json(text: str | None) -> str:
    return text or ""


def _by_path(written: list[str] | dict[str, Any]) -> Iterable[tuple[JSONPath, Any]]:
    members = written if isinstance(written, dict) else dict.fromkeys(written)
    return ((tuple(path.split(".")), value) for path, value in members.items())


HISTORY: Final = Setting(
    Side.REQUEST,
    "history",
    HistoryValue,
    description="How the reasoning of earlier turns travels up, whatever form the client keeps it in: `keep`, "
    "`drop`, `reasoning_content`, `reasoning`, `inline` (tags in front of the content), `native` (the API's own "
    "form), `auto` (what the provider or model is known to take; else it is dropped), or a mapping with options.",
    guide="how earlier reasoning travels up: `keep`, `drop`, `reasoning_content`, `reasoning`, `inline`, `native`, "
    "`auto`, or `{to: FORM, fill: TEXT, unsigned: drop}`, see [The next turn](#the-next-turn)",
    compile=compile_history,
    spell=spell_history,
    default=RequestPlan().history,
    conflicts=history_conflicts,
)

RESTORE: Final = Setting(
    Side.REQUEST,
    "restore",
    bool,
    description="true: reasoning that was hidden or that the client has lost is put back into the next request, in "
    "the form that `history` names, or else the one that the provider takes.",
    guide="`true`: put back reasoning that the client has lost",
    compile=bool,
    spell=_to_json,
    default=RequestPlan().restore,
)

REMOVE: Final = Setting(
    Side.REQUEST,
    "remove",
    list[Path],
    description="Body members (dotted paths) that the upstream must not see.",
    guide="a list of members of the request body that the provider does not get, by dotted path",
    compile=lambda _: None,
    spell=lambda _: "",
    default=None,
    split=_by_path,
)

SET: Final = Setting(
    Side.REQUEST,
    "set",
    dict[Path, JSON],
    description="Body members to add or replace: dotted path to any JSON value.",
    guide="members of the request body to add or replace: dotted path to any JSON value",
    compile=_to_json,
    spell=_spell_json,
    default=None,
    split=_by_path,
)

REASONING: Final = Setting(
    Side.RESPONSE,
    "reasoning",
    ReasoningValue,
    description="`keep`, `strip`, `{rename: NAME}`, `inline` or `{strip: {token_metadata: all}}`.",
    guide="`keep`, `strip`, `{rename: NAME or list}`, `{strip: {token_metadata: hidden or all, opaque: drop or keep}}`,"
    " `inline`, `{inline: {family: NAME}}`",
    compile=compile_reasoning,
    spell=spell_reasoning,
    default=ResponsePlan().reasoning,
    conflicts=reasoning_conflicts,
)

EXTRACT: Final = Setting(
    Side.RESPONSE,
    "extract",
    ExtractValue,
    description="Read tagged text as reasoning, before anything else: a tag family, a mapping, or a list of these; "
    "`[]` leaves it text, whatever later rules say.",
    guide="a tag family, `{family: NAME, starts_inside: true}`, `{tags: [[OPEN, CLOSE], ...], where: leading or "
    "anywhere}`, or a list of these, see [Reasoning in the text](#reasoning-in-the-text); `[]`: text stays text",
    compile=compile_extract,
    spell=spell_extract,
    default=ResponsePlan().extract,
    conflicts=extract_conflicts,
)

ON_ERROR: Final = Setting(
    Side.RESPONSE,
    "on_error",
    Annotated[str, *member_of(OnError)],
    description="What happens to a document that cannot be read. Default: `drop` under strip, otherwise `pass`.",
    guide="`pass` or `drop` a document that cannot be read",
    compile=OnError,
    spell=lambda on_error: "`drop` under strip, else `pass`" if on_error is None else on_error.value,
    default=ResponsePlan().on_error,
)

KEEPALIVE: Final = Setting(
    Side.RESPONSE,
    "keepalive",
    Seconds,
    description="Seconds of hidden stream after which an SSE comment goes to the client; default 10.",
    guide="seconds without a byte after which a comment keeps the client's connection alive",
    compile=float,
    spell=lambda seconds: f"{seconds:g}",
    default=ResponsePlan().keepalive,
)

FAULT: Final = Setting(
    Side.RESPONSE,
    "fault",
    FaultValue,
    description="What goes wrong with the answer, to test clients, in a replay, or anywhere with `live: true`; "
    "`none`: nothing, whatever later rules say.",
    guide="what goes wrong, so that clients can be tested, see [Faults](#faults); `none`: nothing",
    compile=compile_fault,
    spell=spell_fault,
    default=ResponsePlan().fault,
    conflicts=fault_conflicts,
)

SETTINGS: Final[tuple[Setting[Any], ...]] = (
    HISTORY,
    RESTORE,
    REMOVE,
    SET,
    REASONING,
    EXTRACT,
    ON_ERROR,
    KEEPALIVE,
    FAULT,
)


def settings_table() -> str:
    """The guide's table of settings, as Markdown."""
    rows = [f"| `{one.full_name}` | {one.guide} | {_shown_default(one)} |" for one in SETTINGS]
    return "\n".join(["| setting | values | default |", "| --- | --- | --- |", *rows, ""])


def _shown_default(setting: Setting[Any]) -> str:
    text = setting.spell(setting.default)
    return f"`{text}`" if text and "`" not in text else text
