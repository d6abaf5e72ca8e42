"""Who takes earlier reasoning back, and in which form (docs/apis.md, "Earlier reasoning in requests").

A host decides before a model, since its API reads one form whatever the model is. If the host is unknown, the model's
template decides. If both are unknown, the reasoning is dropped: text in the wrong place would be shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from thinkwire.dialects.core.request_facts import RequestFacts


class HistoryForm(Enum):
    """How a provider takes earlier reasoning in the assistant messages of a request."""

    DROP = "drop"
    REASONING_CONTENT = "reasoning_content"
    REASONING = "reasoning"
    INLINE = "inline"
    """Between tags, before the content."""
    DETAILS = "reasoning_details"
    CONTENT_LIST = "content list"
    """Mistral: an element of type `thinking` in a list of content."""
    THINKING = "thinking"
    """Ollama's own API."""
    BLOCKS = "thinking blocks"
    """Messages: the blocks as they came."""


@dataclass(frozen=True, slots=True)
class HistoryFormat:
    """One row: which provider or model, and the form it takes."""

    form: HistoryForm
    hosts: tuple[str, ...] = ()
    """Globs in lower case, any of them; empty: any host."""
    models: tuple[str, ...] = ()
    """Globs in lower case, any of them; empty: any model."""
    dialect: str = "chat-completions"
    family: str = ""
    """The tag family that these models write, if known."""
    prompted: bool = False
    """Did a prompt teach the family? Then no model is known by name, and only a rule can say so."""


def _named(*names: str) -> tuple[str, ...]:
    """Globs for names in any place: after an owner, a path, a region."""
    return tuple(f"*{name}*" for name in names)


def _beginning(*names: str) -> tuple[str, ...]:
    """Globs for names that also end other words: a model's name, or the last part of it, must begin with them."""
    return tuple(glob for name in names for glob in (f"{name}*", f"*/{name}*"))


_MOONSHOT: Final = ("api.moonshot.ai", "api.moonshot.cn", "api.kimi.com")
_MINIMAX: Final = ("api.minimax.io", "api.minimaxi.com", "api.minimax.cn")
_KIMI_K3: Final = _named("kimi-k3")
_MINIMAX_M3: Final = _named("minimax-m3")

_THINK: Final = (
    *_named("qwen3", "qwen-3", "qwq", "glm-4[.p][5-9]", "glm-5", "kimi-k2", "minimax-m2", "nemotron"),
    *_named("granite-4", "granite4", "olmo-3", "mimo", "lfm2", "cogito", "intern-s1", "exaone-4", "holo2"),
    *_named("laguna", "nanbeige"),
    *_beginning("step-3", "step3", "ling-3", "dots."),
)
"""Their templates read a leading `<think>` block; each decides for itself how much of it the model sees again."""

HISTORY: Final[tuple[HistoryFormat, ...]] = (
    # --- by API -------------------------------------------------------------------------------------------------
    HistoryFormat(HistoryForm.BLOCKS, dialect="anthropic-messages"),
    HistoryFormat(HistoryForm.THINKING, dialect="ollama"),
    # --- by host ------------------------------------------------------------------------------------------------
    HistoryFormat(HistoryForm.DETAILS, ("openrouter.ai", "*.snowflakecomputing.com", "ai-gateway.vercel.sh")),
    HistoryFormat(HistoryForm.CONTENT_LIST, ("api.mistral.ai",)),
    HistoryFormat(HistoryForm.DROP, ("api.openai.com", "*.openai.azure.com")),
    HistoryFormat(HistoryForm.INLINE, _MINIMAX, _MINIMAX_M3, family="minimax-m3"),
    # The first row of the family `think`, and so the form for a model that only a rule knows: tags, not a field.
    HistoryFormat(HistoryForm.INLINE, _MINIMAX, family="think"),
    # R1 refused it on this host, but its name, `deepseek-reasoner`, now belongs to models that require it.
    HistoryFormat(HistoryForm.REASONING_CONTENT, ("api.deepseek.com",), family="think"),
    HistoryFormat(HistoryForm.REASONING_CONTENT, _MOONSHOT, _KIMI_K3, family="kimi-k3"),
    HistoryFormat(HistoryForm.REASONING_CONTENT, _MOONSHOT, family="think"),
    HistoryFormat(HistoryForm.REASONING_CONTENT, ("api.z.ai", "open.bigmodel.cn"), family="think"),
    HistoryFormat(HistoryForm.REASONING_CONTENT, ("dashscope*.aliyuncs.com", "*.maas.aliyuncs.com"), family="think"),
    HistoryFormat(HistoryForm.REASONING, ("api.groq.com", "api.cerebras.ai", "api.together.xyz", "api.together.ai")),
    HistoryFormat(HistoryForm.REASONING_CONTENT, ("api.fireworks.ai", "api.x.ai")),
    # --- by model: those that frame channels themselves and must not see the markers as text ----------
    HistoryFormat(
        HistoryForm.REASONING_CONTENT,
        models=_named("deepseek*v3[.p]2", "deepseek*v4", "deepseek-reasoner"),  # the last behind a gateway
        family="think",
    ),
    HistoryFormat(HistoryForm.REASONING_CONTENT, models=_KIMI_K3, family="kimi-k3"),
    HistoryFormat(HistoryForm.REASONING_CONTENT, models=_named("inkling"), family="inkling"),
    HistoryFormat(HistoryForm.REASONING, models=_named("gpt-oss"), family="harmony"),
    HistoryFormat(HistoryForm.REASONING_CONTENT, models=_beginning("muse-"), family="muse"),
    # --- by model: those whose template reads tags ----------------------------------------------------------------
    # The original R1 API refused it and its template ignores it. Before `think`: one of its distillates is a Qwen3.
    HistoryFormat(HistoryForm.DROP, models=_named("deepseek?r1"), family="think"),
    HistoryFormat(HistoryForm.INLINE, models=_MINIMAX_M3, family="minimax-m3"),
    HistoryFormat(HistoryForm.INLINE, models=_named("seed-oss"), family="seed-oss"),
    HistoryFormat(HistoryForm.INLINE, models=_named("kimi-vl"), family="kimi-vl"),
    HistoryFormat(HistoryForm.INLINE, models=_named("magistral", "ministral"), family="magistral"),
    HistoryFormat(HistoryForm.INLINE, models=_named("gemma-4", "gemma4"), family="gemma"),
    HistoryFormat(HistoryForm.INLINE, models=_named("command-a"), family="command-a"),
    HistoryFormat(HistoryForm.INLINE, models=_named("hunyuan-a13b"), family="hunyuan"),
    HistoryFormat(HistoryForm.INLINE, models=_named("ernie-4.5"), family="ernie"),
    HistoryFormat(HistoryForm.INLINE, models=_named("granite-3.2", "granite3.2"), family="granite"),
    HistoryFormat(HistoryForm.INLINE, models=_named("plamo-3"), family="plamo"),
    HistoryFormat(HistoryForm.INLINE, models=_named("apertus"), family="apertus"),
    HistoryFormat(HistoryForm.INLINE, models=_named("k2-horizon"), family="k2-horizon"),
    HistoryFormat(HistoryForm.INLINE, models=(*_named("amazon?nova"), *_beginning("nova-")), family="thinking"),
    HistoryFormat(HistoryForm.INLINE, models=_named("exaone-deep"), family="thought"),
    HistoryFormat(HistoryForm.INLINE, models=_THINK, family="think"),
    # --- by the rule alone -------------------------------------------------------------------------------------
    HistoryFormat(HistoryForm.INLINE, family="reasoning", prompted=True),
    HistoryFormat(HistoryForm.INLINE, family="reflection", prompted=True),
    HistoryFormat(HistoryForm.INLINE, family="scratchpad", prompted=True),
)
"""First fit."""


def format_for(request: RequestFacts, family: str = "") -> HistoryFormat | None:
    """The first row that fits a request; `family` is the tag family that a rule's `extract` names, or ''.

    If host and model are unknown, a model that writes a known family is treated as one of it. None: nothing is known.
    """
    return _format_for(request.host.lower(), (request.model or "").lower(), request.dialect or "", family)


@lru_cache(maxsize=1024)
def _format_for(host: str, model: str, dialect: str, family: str) -> HistoryFormat | None:
    """Of plain values, since facts hold the whole request."""
    rows = [row for row in HISTORY if row.dialect == dialect and (not row.prompted or row.family == family)]
    fitting = (row for row in rows if _fits(host, row.hosts) and _fits(model, row.models))
    same_family = (row for row in rows if family and row.family == family)
    return next(fitting, None) or next(same_family, None)


def _fits(value: str, globs: Iterable[str]) -> bool:
    return not globs or any(fnmatchcase(value, glob) for glob in globs)
