"""Who takes earlier reasoning back: a sample for each row, and for each name in it."""

from fnmatch import fnmatchcase

import pytest

from thinkwire.dialects import registry
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.dialects.history.provider_forms import HISTORY, HistoryForm, HistoryFormat, format_for

CHAT = "chat-completions"
HERE = "llm.example"
"""A host that no row knows."""
OWN = "house-model"
"""A model that no row knows."""

Sample = tuple[str, str, str, str, HistoryForm, str]

SAMPLES: list[Sample] = [
    # host, model, dialect, the family that a rule names -> the form, the family of the row
    ("api.anthropic.com", "claude-opus-4-5", "anthropic-messages", "", HistoryForm.BLOCKS, ""),
    ("api.deepseek.com", "deepseek-v4-flash", "anthropic-messages", "", HistoryForm.BLOCKS, ""),
    (HERE, "Qwen/Qwen3-32B", "anthropic-messages", "think", HistoryForm.BLOCKS, ""),
    ("localhost", "qwen3:8b", "ollama", "", HistoryForm.THINKING, ""),
    # hosts
    ("openrouter.ai", OWN, CHAT, "", HistoryForm.DETAILS, ""),
    ("openrouter.ai", "deepseek/deepseek-v4-flash", CHAT, "think", HistoryForm.DETAILS, ""),
    ("acme-prod.snowflakecomputing.com", OWN, CHAT, "", HistoryForm.DETAILS, ""),
    ("ai-gateway.vercel.sh", OWN, CHAT, "", HistoryForm.DETAILS, ""),
    ("api.mistral.ai", OWN, CHAT, "", HistoryForm.CONTENT_LIST, ""),
    ("api.mistral.ai", "magistral-medium-latest", CHAT, "", HistoryForm.CONTENT_LIST, ""),
    ("api.openai.com", OWN, CHAT, "", HistoryForm.DROP, ""),
    ("acme.openai.azure.com", OWN, CHAT, "", HistoryForm.DROP, ""),
    ("acme.openai.azure.com", "gpt-oss-120b", CHAT, "", HistoryForm.DROP, ""),
    ("api.minimax.io", "MiniMax-M3", CHAT, "", HistoryForm.INLINE, "minimax-m3"),
    ("api.minimaxi.com", "MiniMax-M3", CHAT, "", HistoryForm.INLINE, "minimax-m3"),
    ("api.minimax.cn", "MiniMax-M3", CHAT, "", HistoryForm.INLINE, "minimax-m3"),
    ("api.minimax.io", OWN, CHAT, "", HistoryForm.INLINE, "think"),
    ("api.minimaxi.com", OWN, CHAT, "", HistoryForm.INLINE, "think"),
    ("api.minimax.cn", OWN, CHAT, "", HistoryForm.INLINE, "think"),
    ("api.deepseek.com", OWN, CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("api.deepseek.com", "", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("api.moonshot.ai", "kimi-k3", CHAT, "", HistoryForm.REASONING_CONTENT, "kimi-k3"),
    ("api.moonshot.cn", "kimi-k3", CHAT, "", HistoryForm.REASONING_CONTENT, "kimi-k3"),
    ("api.kimi.com", "kimi-k3", CHAT, "", HistoryForm.REASONING_CONTENT, "kimi-k3"),
    ("api.moonshot.ai", "kimi-k2.5", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("api.moonshot.cn", OWN, CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("api.kimi.com", "kimi-for-coding", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("api.z.ai", OWN, CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("open.bigmodel.cn", "glm-5.2", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("dashscope.aliyuncs.com", OWN, CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("dashscope-intl.aliyuncs.com", "qwen3-max", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("ws-1.cn-beijing.maas.aliyuncs.com", OWN, CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    ("api.groq.com", OWN, CHAT, "", HistoryForm.REASONING, ""),
    ("api.groq.com", "qwen/qwen3-32b", CHAT, "", HistoryForm.REASONING, ""),
    ("api.cerebras.ai", OWN, CHAT, "", HistoryForm.REASONING, ""),
    ("api.together.xyz", OWN, CHAT, "", HistoryForm.REASONING, ""),
    ("api.together.ai", "deepseek-ai/DeepSeek-V4", CHAT, "", HistoryForm.REASONING, ""),
    ("api.fireworks.ai", OWN, CHAT, "", HistoryForm.REASONING_CONTENT, ""),
    ("api.fireworks.ai", "accounts/fireworks/models/gpt-oss-120b", CHAT, "", HistoryForm.REASONING_CONTENT, ""),
    ("api.x.ai", OWN, CHAT, "", HistoryForm.REASONING_CONTENT, ""),
    # models that frame their channels themselves
    (HERE, "deepseek/deepseek-v4-flash", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    (HERE, "deepseek-ai/DeepSeek-V3.2-Exp", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    (HERE, "accounts/fireworks/models/deepseek-v3p2", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    (HERE, "deepseek.v3.2", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    (HERE, "deepseek/deepseek-reasoner", CHAT, "", HistoryForm.REASONING_CONTENT, "think"),
    (HERE, "moonshotai/Kimi-K3", CHAT, "", HistoryForm.REASONING_CONTENT, "kimi-k3"),
    (HERE, "thinkingmachines/Inkling", CHAT, "", HistoryForm.REASONING_CONTENT, "inkling"),
    (HERE, "openai/gpt-oss-120b", CHAT, "", HistoryForm.REASONING, "harmony"),
    (HERE, "gpt-oss:20b", CHAT, "", HistoryForm.REASONING, "harmony"),
    (HERE, "muse-spark-1.3", CHAT, "", HistoryForm.REASONING_CONTENT, "muse"),
    (HERE, "meta/muse-spark-1.3", CHAT, "", HistoryForm.REASONING_CONTENT, "muse"),
    # models whose template reads tags
    (HERE, "deepseek-ai/DeepSeek-R1", CHAT, "", HistoryForm.DROP, "think"),
    (HERE, "deepseek/deepseek-r1-0528-qwen3-8b", CHAT, "", HistoryForm.DROP, "think"),
    (HERE, "us.deepseek.r1-v1:0", CHAT, "", HistoryForm.DROP, "think"),
    (HERE, "MiniMaxAI/MiniMax-M3", CHAT, "", HistoryForm.INLINE, "minimax-m3"),
    (HERE, "ByteDance-Seed/Seed-OSS-36B-Instruct", CHAT, "", HistoryForm.INLINE, "seed-oss"),
    (HERE, "moonshotai/Kimi-VL-A3B-Thinking", CHAT, "", HistoryForm.INLINE, "kimi-vl"),
    (HERE, "mistralai/Magistral-Small-2509", CHAT, "", HistoryForm.INLINE, "magistral"),
    (HERE, "mistralai/Ministral-3-14B-Reasoning-2512", CHAT, "", HistoryForm.INLINE, "magistral"),
    (HERE, "google/gemma-4-31b-it", CHAT, "", HistoryForm.INLINE, "gemma"),
    (HERE, "gemma4:12b", CHAT, "", HistoryForm.INLINE, "gemma"),
    (HERE, "CohereLabs/command-a-reasoning-08-2025", CHAT, "", HistoryForm.INLINE, "command-a"),
    (HERE, "tencent/Hunyuan-A13B-Instruct", CHAT, "", HistoryForm.INLINE, "hunyuan"),
    (HERE, "baidu/ERNIE-4.5-21B-A3B-Thinking", CHAT, "", HistoryForm.INLINE, "ernie"),
    (HERE, "ibm-granite/granite-3.2-8b-instruct", CHAT, "", HistoryForm.INLINE, "granite"),
    (HERE, "granite3.2:8b", CHAT, "", HistoryForm.INLINE, "granite"),
    (HERE, "pfnet/plamo-3-nict-31b", CHAT, "", HistoryForm.INLINE, "plamo"),
    (HERE, "swiss-ai/Apertus-70B-Instruct-2509", CHAT, "", HistoryForm.INLINE, "apertus"),
    (HERE, "LLM360/K2-Horizon", CHAT, "", HistoryForm.INLINE, "k2-horizon"),
    (HERE, "us.amazon.nova-premier-v1:0", CHAT, "", HistoryForm.INLINE, "thinking"),
    (HERE, "nova-2-lite", CHAT, "", HistoryForm.INLINE, "thinking"),
    (HERE, "bedrock/nova-pro", CHAT, "", HistoryForm.INLINE, "thinking"),
    (HERE, "LGAI-EXAONE/EXAONE-Deep-32B", CHAT, "", HistoryForm.INLINE, "thought"),
    (HERE, "Qwen/Qwen3-30B-A3B-Thinking-2507", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "qwen-3-235b-a22b-thinking-2507", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "Qwen/QwQ-32B", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "zai-org/GLM-4.6", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "accounts/fireworks/models/glm-4p5", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "zai-org/GLM-5", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "moonshotai/Kimi-K2-Thinking", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "MiniMaxAI/MiniMax-M2.1", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "ibm-granite/granite-4.0-h-small", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "granite4:micro", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "allenai/Olmo-3-32B-Think", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "XiaomiMiMo/MiMo-V2-Flash", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "LiquidAI/LFM2-8B-A1B", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "deepcogito/cogito-v2-preview-llama-70B", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "internlm/Intern-S1", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "LGAI-EXAONE/EXAONE-4.0-32B", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "Hcompany/Holo2-30B-A3B", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "poolside/Laguna-M", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "Nanbeige/Nanbeige4-3B-Thinking", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "step-3.5-flash", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "stepfun-ai/Step-3.5-Flash", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "step3-fp8", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "stepfun-ai/step3", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "ling-3", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "inclusionAI/Ling-3.0", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "dots.llm2", CHAT, "", HistoryForm.INLINE, "think"),
    (HERE, "rednote-hilab/dots.llm2.inst", CHAT, "", HistoryForm.INLINE, "think"),
    # what only a rule knows
    (HERE, OWN, CHAT, "reasoning", HistoryForm.INLINE, "reasoning"),
    (HERE, OWN, CHAT, "reflection", HistoryForm.INLINE, "reflection"),
    (HERE, "", CHAT, "scratchpad", HistoryForm.INLINE, "scratchpad"),
    (HERE, OWN, CHAT, "think", HistoryForm.INLINE, "think"),
    (HERE, OWN, CHAT, "kimi-k3", HistoryForm.REASONING_CONTENT, "kimi-k3"),
    (HERE, OWN, CHAT, "harmony", HistoryForm.REASONING, "harmony"),
    (HERE, OWN, CHAT, "thinking", HistoryForm.INLINE, "thinking"),
    # which does not go before what host and model say
    (HERE, "zai-org/GLM-4.6", CHAT, "reasoning", HistoryForm.INLINE, "think"),
    ("api.openai.com", OWN, CHAT, "think", HistoryForm.DROP, ""),
]


def facts(host: str, model: str | None, dialect: str | None) -> RequestFacts:
    return RequestFacts(host, "/", "POST", (), dialect=dialect, model=model)


def taker(sample: Sample) -> HistoryFormat | None:
    host, model, dialect, family, _, _ = sample
    return format_for(facts(host, model, dialect), family)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: "-".join(filter(None, sample[:4])))
def test_a_sample_is_taken_so(sample: Sample) -> None:
    row = taker(sample)
    assert row is not None
    assert (row.form, row.family) == sample[4:]


def test_the_samples_reach_every_row_and_every_glob_in_it() -> None:
    """A row or a name without a sample could go, or stand behind one that takes it all, and nobody would see."""
    for row in HISTORY:
        hits = [sample for sample in SAMPLES if taker(sample) is row]
        assert hits, row
        hosts, models = [sample[0].lower() for sample in hits], [sample[1].lower() for sample in hits]
        assert [glob for glob in row.hosts if not any(fnmatchcase(host, glob) for host in hosts)] == []
        assert [glob for glob in row.models if not any(fnmatchcase(model, glob) for model in models)] == []


def test_every_family_has_a_row_and_no_row_has_another() -> None:
    """A new family needs a row here: how do its models take their reasoning back?"""
    assert {row.family for row in HISTORY if row.family} == set(FAMILIES)


def test_every_row_is_of_a_dialect_that_exists() -> None:
    assert {row.dialect for row in HISTORY} <= set(registry.NAMES)


def test_globs_are_in_lower_case() -> None:
    globs = [glob for row in HISTORY for glob in row.hosts + row.models]
    assert [glob for glob in globs if glob != glob.lower()] == []


def test_only_a_family_that_is_named_makes_a_prompted_row_fit() -> None:
    assert all(row.family and not row.hosts and not row.models for row in HISTORY if row.prompted)
    assert format_for(facts(HERE, OWN, CHAT)) is None


@pytest.mark.parametrize(
    ("host", "model", "dialect"),
    [
        (HERE, OWN, CHAT),
        (HERE, None, CHAT),
        (HERE, "gpt-5.2", CHAT),
        (HERE, "deepseek-v3-250324", CHAT),  # V3, not V3.2
        (HERE, "google/gemma-3-27b-it", CHAT),
        (HERE, "glm-4-9b-chat", CHAT),
        (HERE, "acme/supernova-7b", CHAT),
        (HERE, "acme/run-7-step-3000", CHAT),
        (HERE, "acme/darling-3b", CHAT),
        ("openrouter.ai.example", OWN, CHAT),
        ("eu.api.openai.com", OWN, CHAT),
        ("api.deepseek.com", "deepseek-v4", "openai-responses"),
        ("api.deepseek.com", "deepseek-v4", None),
    ],
)
def test_of_others_nothing_is_known(host: str, model: str | None, dialect: str | None) -> None:
    assert format_for(facts(host, model, dialect)) is None


def test_a_family_says_nothing_where_no_row_of_the_dialect_has_it() -> None:
    assert format_for(facts(HERE, OWN, CHAT), "nobody's") is None
    assert format_for(facts(HERE, OWN, "gemini"), "think") is None
    assert format_for(facts(HERE, OWN, None), "think") is None


def test_the_case_of_host_and_model_does_not_matter() -> None:
    host = format_for(facts("API.Groq.com", OWN, CHAT))
    model = format_for(facts(HERE, "OPENAI/GPT-OSS-120B", CHAT))
    assert host is not None
    assert model is not None
    assert (host.form, model.family) == (HistoryForm.REASONING, "harmony")


def test_facts_that_hold_a_request_are_not_kept() -> None:
    """A body is a list or a mapping, which no cache can hold, and it may be large."""
    body = {"model": "openai/gpt-oss-20b", "messages": []}
    request = RequestFacts(HERE, "/", "POST", (), body, CHAT, "openai/gpt-oss-20b")
    assert format_for(request) is format_for(request) is not None
