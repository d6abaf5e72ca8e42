"""Ways of marking reasoning inside visible text (docs/apis.md, "Tags in the text"): markers, and where each one leads.

A family is a small state machine: in each state some markers count, each leads to a state, and all other text is just
text. The tables say which; `rewrite/extract/tag_reader.py` reads text by them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

BLANKS: Final = None
"""In a marker: optional white space between its parts."""


class TagState(Enum):
    """Where a reader is in the text; the value says what the text is there."""

    BEFORE = "nothing but white space so far"
    REASONING = "reasoning"
    INSIDE = "reasoning that the prompt has opened"
    VISIBLE = "visible text, in which markers count"
    ANSWER = "visible text, to the end"
    CHANNEL_REASONING = "a channel of reasoning"
    CHANNEL_VISIBLE = "a visible channel"
    SILENT = "neither reasoning nor visible: roles, calls"
    HEAD_REASONING = "the head of a channel of reasoning"
    HEAD_VISIBLE = "the head of a visible channel"
    HEAD_SILENT = "the head of a channel that is neither"


class Where(Enum):
    """Where in the text a tag counts."""

    LEADING = "leading"
    """One block, with nothing but white space before it."""
    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class Marker:
    """A piece of markup: texts one after the other, BLANKS if white space is allowed between them."""

    parts: tuple[str | None, ...]
    leads_to: TagState
    stays: bool = False
    """Is it text itself? A tool call's tag ends reasoning and stays visible."""


@dataclass(frozen=True, slots=True)
class Family:
    """One way of marking reasoning."""

    name: str
    states: Mapping[TagState, tuple[Marker, ...]]
    opens: str = ""
    closes: str = ""
    """What goes around reasoning that is written into text; the text after it is visible."""
    models: str = ""
    """The models that write it."""
    prompt_opens: bool = False
    """Do the prompts of some of these models open the block? A rule has to say if they do: assumed for all, it would
    swallow the answers of the others."""

    @property
    def opening(self) -> tuple[Marker, ...]:
        """The tags that open reasoning when none is open yet."""
        outside = self.states.get(TagState.BEFORE) or self.states[TagState.VISIBLE]
        return tuple(marker for marker in outside if marker.leads_to is TagState.REASONING)


def pairs(
    name: str,
    tags: Iterable[tuple[str, str]],
    where: Where = Where.LEADING,
    *,
    ends: Iterable[str] = (),
    drops: Iterable[str] = (),
    models: str = "",
    prompt_opens: bool = False,
) -> Family:
    """A family of tag pairs.

    Any closing tag closes. `ends` are texts that end reasoning and stay visible; `drops` is markup around the answer,
    which is removed.
    """
    tags = tuple(tags)
    first = tags[0]
    after = TagState.ANSWER if where is Where.LEADING and not drops else TagState.VISIBLE
    opening = tuple(Marker((tag,), TagState.REASONING) for tag in dict.fromkeys(tag for tag, _ in tags))
    around = tuple(Marker((text,), TagState.VISIBLE) for text in drops)
    closing = tuple(Marker((tag,), after) for tag in dict.fromkeys(tag for _, tag in tags))
    ending = tuple(Marker((text,), after, stays=True) for text in ends)
    states = dict.fromkeys((TagState.REASONING, TagState.INSIDE), closing + ending + around) | {
        TagState.VISIBLE: around
    }
    states[TagState.BEFORE if where is Where.LEADING else TagState.VISIBLE] = opening + around
    return Family(name, states, *first, models, prompt_opens)


def merged(families: Iterable[Family]) -> Family:
    """Several families at once, with the markers of all of them; reasoning is written as in the first one."""
    families = tuple(families)
    states: dict[TagState, tuple[Marker, ...]] = {}
    for family in families:
        for state, markers in family.states.items():
            states[state] = tuple(dict.fromkeys(states.get(state, ()) + markers))
    if TagState.CHANNEL_VISIBLE in states:  # tags that count anywhere also count in a visible channel
        tags = (family.states[TagState.VISIBLE] for family in families if TagState.CHANNEL_VISIBLE not in family.states)
        states[TagState.CHANNEL_VISIBLE] += tuple(marker for markers in tags for marker in markers)
    if states.get(TagState.VISIBLE):  # after the only block of one family, the markers of another still count
        states = {state: tuple(dict.fromkeys(map(_goes_on, markers))) for state, markers in states.items()}
    if TagState.BEFORE in states:
        states[TagState.BEFORE] = tuple(dict.fromkeys(states[TagState.BEFORE] + states[TagState.VISIBLE]))
    first = families[0]
    return Family("+".join(family.name for family in families), states, first.opens, first.closes)


def _goes_on(marker: Marker) -> Marker:
    return replace(marker, leads_to=TagState.VISIBLE) if marker.leads_to is TagState.ANSWER else marker


def _blanked(*parts: str) -> tuple[str | None, ...]:
    """The parts, with white space allowed between them."""
    result: list[str | None] = []
    for part in parts:
        result += [part, BLANKS]
    return tuple(result[:-1])


# --- channels ---------------------------------------------------------------------------------------------------


def _channels(opening: tuple[Marker, ...], others: tuple[Marker, ...]) -> dict[TagState, tuple[Marker, ...]]:
    """The states of a family of channels, given the markers that open one and those that end one or belong in it.

    After the end of a channel nothing is visible until another one opens. Text that no marker opened cannot end: an
    answer without channels may mention markers, and goes on after them.
    """
    inside = (TagState.INSIDE, TagState.CHANNEL_REASONING, TagState.CHANNEL_VISIBLE, TagState.SILENT)
    unopened = tuple(replace(marker, leads_to=TagState.VISIBLE) for marker in others)
    return dict.fromkeys(inside, opening + others) | {TagState.VISIBLE: opening + unopened}


def _kimi_k3() -> Family:
    """XTML: a marker opens or closes a channel."""
    channels = {
        "think": TagState.CHANNEL_REASONING,
        "response": TagState.CHANNEL_VISIBLE,
        "message": TagState.CHANNEL_VISIBLE,
        "tools": TagState.SILENT,
    }
    opening = tuple(Marker(_blanked("<|open|>", name, "<|sep|>"), state) for name, state in channels.items())
    closing = tuple(Marker(_blanked("<|close|>", name, "<|sep|>"), TagState.SILENT) for name in channels)
    closes = "<|close|>think<|sep|><|open|>response<|sep|>"
    states = _channels(opening, closing)
    return Family("kimi-k3", states, "<|open|>think<|sep|>", closes, "Kimi K3", prompt_opens=True)


def _harmony() -> Family:
    """gpt-oss: a channel's head ends at `<|message|>`; only `final`, or a message without a channel, is visible."""
    ends = tuple(Marker((text,), TagState.SILENT) for text in ("<|end|>", "<|call|>", "<|return|>"))
    heads = (
        Marker(("<|channel|>analysis",), TagState.HEAD_REASONING),
        Marker(("<|channel|>final",), TagState.HEAD_VISIBLE),
        Marker(("<|channel|>",), TagState.HEAD_SILENT),
        Marker(("<|start|>",), TagState.HEAD_VISIBLE),
    )
    bodies = {
        TagState.HEAD_REASONING: TagState.CHANNEL_REASONING,
        TagState.HEAD_VISIBLE: TagState.CHANNEL_VISIBLE,
        TagState.HEAD_SILENT: TagState.SILENT,
    }
    inside = (*ends, Marker(("<|message|>",), TagState.CHANNEL_VISIBLE), Marker(("<|constrain|>",), TagState.SILENT))
    states = _channels(heads, inside)
    states |= {head: (*heads, Marker(("<|message|>",), body), *ends) for head, body in bodies.items()}
    closes = "<|end|><|start|>assistant<|channel|>final<|message|>"
    return Family("harmony", states, "<|channel|>analysis<|message|>", closes, "gpt-oss")


def _inkling() -> Family:
    """Content of one kind lasts until the next kind begins."""
    opening = (
        Marker(("<|content_thinking|>",), TagState.CHANNEL_REASONING),
        Marker(("<|content_text|>",), TagState.CHANNEL_VISIBLE),
        Marker(("<|content_",), TagState.HEAD_SILENT),
    )
    states = _channels(opening, (Marker(("<|end_message|>",), TagState.SILENT),))
    states |= {TagState.HEAD_SILENT: (Marker(("|>",), TagState.SILENT),)}
    return Family("inkling", states, "<|content_thinking|>", "<|content_text|>", "Inkling")


def _muse() -> Family:
    """Each message has an addressee; one to the model itself is reasoning."""
    opening = (
        Marker(("to=self<|message|>",), TagState.CHANNEL_REASONING),
        Marker(("to=user<|message|>",), TagState.CHANNEL_VISIBLE),
    )
    states = _channels(opening, (Marker(("<|eom|>",), TagState.SILENT),))
    return Family("muse", states, "to=self<|message|>", "<|eom|>to=user<|message|>", "Muse")


# --- the families -----------------------------------------------------------------------------------------------

_TOOL_TAGS: Final = ("<tool_call>", "<|tool_calls_section_begin|>")

FAMILIES: Final[dict[str, Family]] = {
    family.name: family
    for family in (
        pairs(
            "think",
            [("<think>", "</think>"), ("<think>", "</mm:think>")],  # MiniMax M2 may close with M3's tag
            ends=_TOOL_TAGS,
            models="DeepSeek, Qwen, GLM, Kimi K2, MiniMax M2, Nemotron, Granite 4, Olmo, older Magistral, ...",
            prompt_opens=True,
        ),
        pairs("minimax-m3", [("<mm:think>", "</mm:think>"), ("<mm:think>", "</think>")], models="MiniMax M3"),
        pairs("seed-oss", [("<seed:think>", "</seed:think>")], models="Seed-OSS"),
        pairs("kimi-vl", [("◁think▷", "◁/think▷")], models="Kimi-VL"),
        pairs("magistral", [("[THINK]", "[/THINK]")], models="Magistral, Ministral"),
        pairs("gemma", [("<|channel>thought\n", "<channel|>")], models="Gemma 4"),
        pairs(
            "command-a",
            [("<|START_THINKING|>", "<|END_THINKING|>")],
            drops=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
            models="Command A",
        ),
        pairs("hunyuan", [("<think>", "</think>")], drops=("<answer>", "</answer>"), models="Hunyuan A13B"),
        pairs("ernie", [("<think>", "</think>")], drops=("<response>", "</response>"), models="Ernie 4.5"),
        pairs(
            "granite",
            [
                ("Here is my thought process:", "Here is my response:"),
                ("Here's my thought process:", "Here's my response:"),
            ],
            models="Granite 3.2",
        ),
        pairs("plamo", [("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>")], models="PLaMo 3"),
        pairs("apertus", [("<|inner_prefix|>", "<|inner_suffix|>")], ends=("<|tools_prefix|>",), models="Apertus"),
        pairs(
            "k2-horizon",
            [(f"<ifm|{name}>", f"</ifm|{name}>") for name in ("think", "think_fast", "think_faster")],
            ends=("<ifm|tool_calls>",),
            models="K2-Horizon",
        ),
        *(
            pairs(name, [(f"<{name}>", f"</{name}>")], models=models)
            for name, models in (
                ("thinking", "Nova, and models whose prompt asks for it"),
                ("thought", "EXAONE Deep, Gemini's compatible API"),
                ("reasoning", "models whose prompt asks for it"),
                ("reflection", "models whose prompt asks for it"),
                ("scratchpad", "models whose prompt asks for it"),
            )
        ),
        _kimi_k3(),
        _harmony(),
        _inkling(),
        _muse(),
    )
}


def families_table(families: Iterable[Family]) -> str:
    """The families as a Markdown table for the guide."""
    lines = ["| family | written by | opening...closing | prompt may open it |", "| --- | --- | --- | --- |"]
    for family in families:
        markers = f"{family.opens}...{family.closes}".replace("\n", "\\n").replace("|", "\\|")
        lines.append(f"| `{family.name}` | {family.models} | `{markers}` | {'yes' if family.prompt_opens else ''} |")
    return "\n".join(lines) + "\n"
