"""`response.fault`: what goes wrong with an answer, so that clients can be tested."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import ConfigDict, Field

from thinkwire.rewrite.faults.fault import NO_FAULT, Fault, First, Stall
from thinkwire.ruleset.field_types import ByType, Count, ErrorStatus, Seconds, Size, one_of
from thinkwire.ruleset.model.base import Mapping
from thinkwire.ruleset.problem import Code, Problem, Source
from thinkwire.ruleset.yaml.node import NodeKind, YamlNode, plain


class FirstOptions(Mapping):
    """The first requests are refused."""

    status: ErrorStatus = Field(description="The status of the refusal, from 400 to 599.")
    times: Size = Field(default=1, description="How many requests are refused; default 1.")


class StallOptions(Mapping):
    """The answer falls silent."""

    after: Count = Field(default=0, description="After how many events; default 0.")
    seconds: Seconds = Field(description="For how long.")


FirstRefused = Annotated[ErrorStatus | FirstOptions, ByType("a status, or a mapping such as {status: 429, times: 2}")]


class FaultOptions(Mapping):
    """What goes wrong with the answer, to test clients; events are counted as the provider sends them."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["status_first"]},
                {"required": ["stall"]},
                {"required": ["error_after"]},
                {"required": ["cut_after"]},
                {"required": ["split"]},
                {"required": ["drop_done"], "properties": {"drop_done": {"const": True}}},
            ],
            "not": {"required": ["error_after", "cut_after"]},
        }
    )

    status_first: FirstRefused = Field(
        default=429,
        description="The first request that this rule decides about gets this status, later ones are answered; a "
        "mapping says how many.",
    )
    stall: StallOptions = Field(
        default=StallOptions(seconds=1.0), description="Silence after `after` events, for `seconds`."
    )
    error_after: Count = Field(
        default=0, description="After how many events an error in the API's own shape is sent, and the answer ends."
    )
    cut_after: Count = Field(default=0, description="After how many events the connection breaks.")
    drop_done: bool = Field(default=False, description="true: the end mark (`[DONE]`) is not sent.")
    split: Size = Field(
        default=1,
        description="The answer is sent in pieces of at most this many bytes, even if that cuts a character or a line "
        "end.",
    )
    live: bool = Field(default=False, description="true: outside a replay as well, for real providers.")


FaultValue = Annotated[
    Annotated[str, *one_of("none")] | FaultOptions, ByType("none, or a mapping such as {cut_after: 20}")
]


def compile_fault(value: str | FaultOptions) -> Fault:
    """A rule's `fault`; the text is `none`."""
    if isinstance(value, str):
        return NO_FAULT
    given = {name: getattr(value, name) for name in value.model_fields_set}
    if "stall" in given:
        given["stall"] = Stall(value.stall.after, value.stall.seconds)
    if "status_first" in given:
        first = value.status_first
        given["status_first"] = First(first) if isinstance(first, int) else First(first.status, first.times)
    return Fault(**given)


def spell_fault(fault: Fault) -> str:
    """As one writes it in a rule file."""
    members = []
    if (first := fault.status_first) is not None:
        long = f"{{status: {first.status}, times: {first.times}}}"
        members.append(f"status_first: {first.status if first.times == 1 else long}")
    if fault.stall is not None:
        members.append(f"stall: {{after: {fault.stall.after}, seconds: {fault.stall.seconds:.15g}}}")
    for name in ("error_after", "cut_after", "split"):
        if (number := getattr(fault, name)) is not None:
            members.append(f"{name}: {number}")
    members += [f"{name}: true" for name in ("drop_done", "live") if getattr(fault, name)]
    return f"{{{', '.join(members)}}}" if members else "none"


def contradiction(error_after: int | None, cut_after: int | None, stall_after: int | None) -> tuple[str, str] | None:
    """Of two faults that exclude each other, the name of the second, and why; None if all can happen."""
    if error_after is not None and cut_after is not None:
        return "cut_after", "`error_after` and `cut_after` cannot be combined: each of them ends the answer"
    end = cut_after if error_after is None else error_after
    if end is not None and stall_after is not None and stall_after > end:
        name = "cut_after" if error_after is None else "error_after"
        return "stall", f"a `stall` after {stall_after} never comes: `{name}` ends the answer after {end}"
    return None


def fault_conflicts(source: Source, value: YamlNode) -> Iterator[Problem]:
    if value.kind is not NodeKind.MAPPING:
        return
    members = plain(value)
    if all(name == "live" or member is False for name, member in members.items()):
        hint = "add a fault, such as `cut_after: 20`, or write `fault: none`"
        yield source.problem(Code.EMPTY, value.span, "`fault` does not say what goes wrong", hint)
    stall = members.get("stall")
    afters = (members.get("error_after"), members.get("cut_after"), stall.get("after") if type(stall) is dict else None)
    # Anything but a whole number is reported elsewhere.
    if clash := contradiction(*(after if type(after) is int else None for after in afters)):
        name, message = clash
        hint = "keep one, or make two rules with a `when` each"
        yield source.problem(Code.TWO_ACTIONS, value.key(name).span, message, hint)
