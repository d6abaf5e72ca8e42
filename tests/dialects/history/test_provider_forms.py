"""Who takes earlier reasoning back: a sample for each row, and for each name in it."""

from fnmatch import fnmatchcase

import pytest

from thinkwire.dialects import registry
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.dialects.history.provider_forms import HISTORY, Form, Taker, taker_of

CHAT = "chat-completions"
HERE = "llm.example"
"""A host that no row knows."""
OWN = "house-model"
"""A model that no row knows."""

Sample = tuple[str, str, str, str, Form, str]

SAMPLES: list[Sample] = [
    # host, model, dialect, the family that a rule names -> the form, the family of the row
    ("api.anthropic.com", "claude-opus-4-5", "anthropic-messages", "", Form.BLOCKS, ""),
    ("api.deepseek.com", "deepseek-v4-flash", "anthropic-messages", "", Form.BLOCKS, ""),
    (HERE, "Qwen/Qwen3-32B", "anthropic-messages", "think", Form.BLOCKS, ""),
    ("localhost", "qwen3:8b", "ollama", "", Form.THINKING, ""),
    # hosts
    ("openrouter.ai", OWN, CHAT, "", Form.DETAILS, ""),
    ("openrouter.ai", "deepseek/deepseek-v4-flash", CHAT, "think", Form.DETAILS, ""),
    ("acme-prod.snowflakecomputing.com", OWN, CHAT, "", Form.DETAILS, ""),
    ("ai-gateway.vercel.sh", OWN, CHAT, "", Form.DETAILS, ""),
    ("api.mistral.ai", OWN, CHAT, "", Form.CONTENT_LIST, ""),
    ("api.mistral.ai", "magistral-medium-latest", CHAT, "", Form.CONTENT_LIST, ""),
    ("api.openai.com", OWN, CHAT, "", Form.DROP, ""),
    ("acme.openai.azure.com", OWN, CHAT, "", Form.DROP, ""),
    ("acme.openai.azure.com", "gpt-oss-120b", CHAT, "", Form.DROP, ""),
    ("api.minimax.io", "MiniMax-M3", CHAT, "", Form.INLINE, "minimax-m3"),
    ("api.minimaxi.com", "MiniMax-M3", CHAT, "", Form.INLINE, "minimax-m3"),
    ("api.minimax.cn", "MiniMax-M3", CHAT, "", Form.INLINE, "minimax-m3"),
    ("api.minimax.io", OWN, CHAT, "", Form.INLINE, "think"),
    ("api.minimaxi.com", OWN, CHAT, "", Form.INLINE, "think"),
    ("api.minimax.cn", OWN, CHAT, "", Form.INLINE, "think"),
    ("api.deepseek.com", OWN, CHAT, "", Form.REASONING_CONTENT, "think"),
    ("api.deepseek.com", "", CHAT, "", Form.REASONING_CONTENT, "think"),
    ("api.moonshot.ai", "kimi-k3", CHAT, "", Form.REASONING_CONTENT, "kimi-k3"),
    ("api.moonshot.cn", "kimi-k3", CHAT, "", Form.REASONING_CONTENT, "kimi-k3"),
    ("api.kimi.com", "kimi-k3", CHAT, "", Form.REASONING_CONTENT, "kimi-k3"),
    ("api.moonshot.ai", "kimi-k2.5", CHAT, "", Form.REASONING_CONTENT, "think"),
    ("api.moonshot.cn", OWN, CHAT, "", Form.REASONING_CONTENT, "think"),
    ("api.kimi.com", "kimi-for-coding", CHAT, "", Form.REASONING_CONTENT, "think"),
    ("api.z.ai", OWN, CHAT, "", Form.REASONING_CONTENT, "think"),
    ("open.bigmodel.cn", "glm-5.2", CHAT, "", Form.REASONING_CONTENT, "think"),
    ("dashscope.aliyuncs.com", OWN, CHAT, "", Form.REASONING_CONTENT, "think"),
    ("dashscope-intl.aliyuncs.com", "qwen3-max", CHAT, "", Form.REASONING_CONTENT, "think"),
    ("ws-1.cn-beijing.maas.aliyuncs.com", OWN, CHAT, "", Form.REASONING_CONTENT, "think"),
    ("api.groq.com", OWN, CHAT, "", Form.REASONING, ""),
    ("api.groq.com", "qwen/qwen3-32b", CHAT, "", Form.REASONING, ""),
    ("api.cerebras.ai", OWN, CHAT, "", Form.REASONING, ""),
    ("api.together.xyz", OWN, CHAT, "", Form.REASONING, ""),
    ("api.together.ai", "deepseek-ai/DeepSeek-V4", CHAT, "", Form.REASONING, ""),
    ("api.fireworks.ai", OWN, CHAT, "", Form.REASONING_CONTENT, ""),
    ("api.fireworks.ai", "accounts/fireworks/models/gpt-oss-120b", CHAT, "", Form.REASONING_CONTENT, ""),
    ("api.x.ai", OWN, CHAT, "", Form.REASONING_CONTENT, ""),
    # models that frame their channels themselves
    (HERE, "deepseek/deepseek-v4-flash", CHAT, "", Form.REASONING_CONTENT, "think"),
    (HERE, "deepseek-ai/DeepSeek-V3.2-Exp", CHAT, "", Form.REASONING_CONTENT, "think"),
    (HERE, "accounts/fireworks/models/deepseek-v3p2", CHAT, "", Form.REASONING_CONTENT, "think"),
    (HERE, "deepseek.v3.2", CHAT, "", Form.REASONING_CONTENT, "think"),
    (HERE, "deepseek/deepseek-reasoner", CHAT, "", Form.REASONING_CONTENT, "think"),
    (HERE, "moonshotai/Kimi-K3", CHAT, "", Form.REASONING_CONTENT, "kimi-k3"),
    (HERE, "thinkingmachines/Inkling", CHAT, "", Form.REASONING_CONTENT, "inkling"),
    (HERE, "openai/gpt-oss-120b", CHAT, "", Form.REASONING, "harmony"),
    (HERE, "gpt-oss:20b", CHAT, "", Form.REASONING, "harmony"),
    (HERE, "muse-spark-1.3", CHAT, "", Form.REASONING_CONTENT, "muse"),
    (HERE, "meta/muse-spark-1.3", CHAT, "", Form.REASONING_CONTENT, "muse"),
    # models whose template reads tags
    (HERE, "deepseek-ai/DeepSeek-R1", CHAT, "", Form.DROP, "think"),
    (HERE, "deepseek/deepseek-r1-0528-qwen3-8b", CHAT, "", Form.DROP, "think"),
    (HERE, "us.deepseek.r1-v1:0", CHAT, "", Form.DROP, "think"),
    (HERE, "MiniMaxAI/MiniMax-M3", CHAT, "", Form.INLINE, "minimax-m3"),
    (HERE, "ByteDance-Seed/Seed-OSS-36B-Instruct", CHAT, "", Form.INLINE, "seed-oss"),
    (HERE, "moonshotai/Kimi-VL-A3B-Thinking", CHAT, "", Form.INLINE, "kimi-vl"),
    (HERE, "mistralai/Magistral-Small-2509", CHAT, "", Form.INLINE, "magistral"),
    (HERE, "mistralai/Ministral-3-14B-Reasoning-2512", CHAT, "", Form.INLINE, "magistral"),
    (HERE, "google/gemma-4-31b-it", CHAT, "", Form.INLINE, "gemma"),
    (HERE, "gemma4:12b", CHAT, "", Form.INLINE, "gemma"),
    (HERE, "CohereLabs/command-a-reasoning-08-2025", CHAT, "", Form.INLINE, "command-a"),
    (HERE, "tencent/Hunyuan-A13B-Instruct", CHAT, "", Form.INLINE, "hunyuan"),
    (HERE, "baidu/ERNIE-4.5-21B-A3B-Thinking", CHAT, "", Form.INLINE, "ernie"),
    (HERE, "ibm-granite/granite-3.2-8b-instruct", CHAT, "", Form.INLINE, "granite"),
    (HERE, "granite3.2:8b", CHAT, "", Form.INLINE, "granite"),
    (HERE, "pfnet/plamo-3-nict-31b", CHAT, "", Form.INLINE, "plamo"),
    (HERE, "swiss-ai/Apertus-70B-Instruct-2509", CHAT, "", Form.INLINE, "apertus"),
    (HERE, "LLM360/K2-Horizon", CHAT, "", Form.INLINE, "k2-horizon"),
    (HERE, "us.amazon.nova-premier-v1:0", CHAT, "", Form.INLINE, "thinking"),
    (HERE, "nova-2-lite", CHAT, "", Form.INLINE, "thinking"),
    (HERE, "bedrock/nova-pro", CHAT, "", Form.INLINE, "thinking"),
    (HERE, "LGAI-EXAONE/EXAONE-Deep-32B", CHAT, "", Form.INLINE, "thought"),
    (HERE, "Qwen/Qwen3-30B-A3B-Thinking-2507", CHAT, "", Form.INLINE, "think"),
    (HERE, "qwen-3-235b-a22b-thinking-2507", CHAT, "", Form.INLINE, "think"),
    (HERE, "Qwen/QwQ-32B", CHAT, "", Form.INLINE, "think"),
    (HERE, "zai-org/GLM-4.6", CHAT, "", Form.INLINE, "think"),
    (HERE, "accounts/fireworks/models/glm-4p5", CHAT, "", Form.INLINE, "think"),
    (HERE, "zai-org/GLM-5", CHAT, "", Form.INLINE, "think"),
    (HERE, "moonshotai/Kimi-K2-Thinking", CHAT, "", Form.INLINE, "think"),
    (HERE, "MiniMaxAI/MiniMax-M2.1", CHAT, "", Form.INLINE, "think"),
    (HERE, "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B", CHAT, "", Form.INLINE, "think"),
    (HERE, "ibm-granite/granite-4.0-h-small", CHAT, "", Form.INLINE, "think"),
    (HERE, "granite4:micro", CHAT, "", Form.INLINE, "think"),
    (HERE, "allenai/Olmo-3-32B-Think", CHAT, "", Form.INLINE, "think"),
    (HERE, "XiaomiMiMo/MiMo-V2-Flash", CHAT, "", Form.INLINE, "think"),
    (HERE, "LiquidAI/LFM2-8B-A1B", CHAT, "", Form.INLINE, "think"),
    (HERE, "deepcogito/cogito-v2-preview-llama-70B", CHAT, "", Form.INLINE, "think"),
    (HERE, "internlm/Intern-S1", CHAT, "", Form.INLINE, "think"),
    (HERE, "LGAI-EXAONE/EXAONE-4.0-32B", CHAT, "", Form.INLINE, "think"),
    (HERE, "Hcompany/Holo2-30B-A3B", CHAT, "", Form.INLINE, "think"),
    (HERE, "poolside/Laguna-M", CHAT, "", Form.INLINE, "think"),
    (HERE, "Nanbeige/Nanbeige4-3B-Thinking", CHAT, "", Form.INLINE, "think"),
    (HERE, "step-3.5-flash", CHAT, "", Form.INLINE, "think"),
    (HERE, "stepfun-ai/Step-3.5-Flash", CHAT, "", Form.INLINE, "think"),
    (HERE, "step3-fp8", CHAT, "", Form.INLINE, "think"),
    (HERE, "stepfun-ai/step3", CHAT, "", Form.INLINE, "think"),
    (HERE, "ling-3", CHAT, "", Form.INLINE, "think"),
    (HERE, "inclusionAI/Ling-3.0", CHAT, "", Form.INLINE, "think"),
    (HERE, "dots.llm2", CHAT, "", Form.INLINE, "think"),
    (HERE, "rednote-hilab/dots.llm2.inst", CHAT, "", Form.INLINE, "think"),
    # what only a rule knows
    (HERE, OWN, CHAT, "reasoning", Form.INLINE, "reasoning"),
    (HERE, OWN, CHAT, "reflection", Form.INLINE, "reflection"),
    (HERE, "", CHAT, "scratchpad", Form.INLINE, "scratchpad"),
    (HERE, OWN, CHAT, "think", Form.INLINE, "think"),
    (HERE, OWN, CHAT, "kimi-k3", Form.REASONING_CONTENT, "kimi-k3"),
    (HERE, OWN, CHAT, "harmony", Form.REASONING, "harmony"),
    (HERE, OWN, CHAT, "thinking", Form.INLINE, "thinking"),
    # which does not go before what host and model say
    (HERE, "zai-org/GLM-4.6", CHAT, "reasoning", Form.INLINE, "think"),
    ("api.openai.com", OWN, CHAT, "think", Form.DROP, ""),
]


def facts(host: str, model: str | None, dialect: str | None) -> RequestFacts:
    return RequestFacts(host, "/", "POST", (), dialect=dialect, model=model)


def taker(sample: Sample) -> Taker | None:
    host, model, dialect, family, _, _ = sample
    return taker_of(facts(host, model, dialect), family)


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
    assert taker_of(facts(HERE, OWN, CHAT)) is None


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
    assert taker_of(facts(host, model, dialect)) is None


def test_a_family_says_nothing_where_no_row_of_the_dialect_has_it() -> None:
    assert taker_of(facts(HERE, OWN, CHAT), "nobody's") is None
    assert taker_of(facts(HERE, OWN, "gemini"), "think") is None
    assert taker_of(facts(HERE, OWN, None), "think") is None


def test_the_case_of_host_and_model_does_not_matter() -> None:
    host = taker_of(facts("API.Groq.com", OWN, CHAT))
    model = taker_of(facts(HERE, "OPENAI/GPT-OSS-120B", CHAT))
    assert host is not None
    assert model is not None
    assert (host.form, model.family) == (Form.REASONING, "harmony")


def test_facts_that_hold_a_request_are_not_kept() -> None:
    """A body is a list or a mapping, which no cache can hold, and it may be large."""
    body = {"model": "openai/gpt-oss-20b", "messages": []}
    request = RequestFacts(HERE, "/", "POST", (), body, CHAT, "openai/gpt-oss-20b")
    assert taker_of(request) is taker_of(request) is not None
