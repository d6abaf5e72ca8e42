"""The shipped rule files for providers: what each decides, and that it says what the table of takers says."""

import pytest

from tests.ruleset.loading import SHIPPED, load_file
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.history.provider_forms import HistoryForm, format_for
from thinkwire.dialects.registry import CONVERSATIONS
from thinkwire.rewrite.plan import History, Plan, Rename, Strip, To

CHAT, MESSAGES, OLLAMA = "chat-completions", "anthropic-messages", "ollama"
FILLED = History(To.REASONING_CONTENT, fill="")
SPACED = History(To.REASONING_CONTENT, fill=" ")
UNSIGNED = History(drops_unsigned=True)

ROWS = [
    ("deepseek", "api.deepseek.com", "deepseek-chat", CHAT, FILLED),
    ("deepseek", "gateway.test", "deepseek/deepseek-v4-flash", CHAT, FILLED),
    ("deepseek", "gateway.test", "deepseek-r1-distill", CHAT, History(To.DROP)),
    ("kimi", "api.moonshot.ai", "kimi-k2.6", CHAT, SPACED),
    ("kimi", "gateway.test", "moonshotai/kimi-k3", CHAT, SPACED),
    ("glm", "api.z.ai", "glm-5", CHAT, History(To.REASONING_CONTENT)),
    ("minimax", "api.minimax.io", "MiniMax-M2", CHAT, History(To.INLINE)),
    ("openrouter", "openrouter.ai", "anthropic/claude", CHAT, History(To.NATIVE)),
    ("groq", "api.groq.com", "qwen3-32b", CHAT, History(To.REASONING)),
    ("mistral", "api.mistral.ai", "magistral-medium", CHAT, History(To.NATIVE)),
    ("vllm", "localhost", "qwen", CHAT, History(To.REASONING)),
    ("vllm-old", "localhost", "qwen", CHAT, History(To.REASONING_CONTENT)),
    ("sglang", "localhost", "qwen", CHAT, History(To.REASONING_CONTENT)),
    ("sglang", "localhost", "qwen", MESSAGES, UNSIGNED),
    ("ollama", "localhost", "qwen3", OLLAMA, History(To.NATIVE)),
    ("ollama", "localhost", "qwen3", CHAT, History(To.REASONING)),
    ("anthropic", "api.anthropic.com", "claude", MESSAGES, UNSIGNED),
    ("anthropic-compatible", "api.deepseek.com", "deepseek-chat", MESSAGES, History(To.NATIVE)),
    ("gemini", "generativelanguage.googleapis.com", "gemini-3", "gemini", History()),
    ("openai-responses", "api.openai.com", "gpt-5", "openai-responses", History()),
]
PROVIDERS = sorted({row[0] for row in ROWS})
PATHS = {CHAT: "/v1/chat/completions", MESSAGES: "/v1/messages", OLLAMA: "/api/chat"}


def facts(host: str, model: str, dialect: str, **more: object) -> RequestFacts:
    body = {"model": model, "messages": []} | more
    return RequestFacts(host, PATHS.get(dialect, "/"), "POST", (), body, dialect, model)


def chosen(name: str, request: RequestFacts) -> Plan:
    ruleset = load_file(SHIPPED / f"{name}.yaml").ruleset
    assert ruleset is not None
    return ruleset.choose(request).plan


@pytest.mark.parametrize(("name", "host", "model", "dialect", "history"), ROWS)
def test_a_provider_gets_its_form(name: str, host: str, model: str, dialect: str, history: History) -> None:
    plan = chosen(name, facts(host, model, dialect))
    assert plan.request.history == history
    assert plan.request.restore == (history != History(To.DROP) and (name, dialect) != ("sglang", MESSAGES))
    assert plan.response.reasoning == Rename(("reasoning",))


@pytest.mark.parametrize(("name", "host", "model", "dialect", "history"), ROWS)
def test_a_file_says_of_a_known_host_what_the_table_says(
    name: str, host: str, model: str, dialect: str, history: History
) -> None:
    taker = format_for(facts(host, model, dialect))
    if host in ("localhost", "gateway.test") and history.to is not To.DROP:
        return  # the user says what stands behind it
    if dialect not in (CHAT, MESSAGES, OLLAMA):
        assert not CONVERSATIONS[dialect].forms  # nothing is mapped there, only restored
        return
    assert taker is not None
    if history.to is To.NATIVE:
        assert taker.form in (HistoryForm.DETAILS, HistoryForm.CONTENT_LIST, HistoryForm.BLOCKS, HistoryForm.THINKING)
    elif history.to is not To.KEEP:
        assert taker.form.value == history.to.value


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("wish", [{"include_reasoning": False}, {"reasoning": {"exclude": True}}])
def test_whoever_asks_sees_no_reasoning(name: str, wish: dict[str, object]) -> None:
    for _, host, model, dialect, _ in (row for row in ROWS if row[0] == name):
        plan = chosen(name, facts(host, model, dialect, **wish))
        assert plan.response.reasoning == Strip()
        assert plan.request.restore or plan.request.history.to is To.DROP
        assert (("include_reasoning",) in plan.request.remove) == ("include_reasoning" in wish)


def test_every_shipped_file_is_told_of() -> None:
    general = {"default", "reasoning-content", "both", "strip", "think-tags", "example-dialect"}
    assert {path.stem for path in SHIPPED.glob("*.yaml")} == general | set(PROVIDERS)


def test_minimax_leaves_a_split_answer_alone_and_tells_the_others_apart() -> None:
    request = ("api.minimax.io", "MiniMax-M2", CHAT)
    assert chosen("minimax", facts(*request)).response.extract is not None
    split = chosen("minimax", facts(*request, reasoning_split=True))
    assert split.response.extract is None
    assert split.request.history == History(To.REASONING_CONTENT)


def test_openrouter_is_asked_to_show_what_is_hidden_here() -> None:
    plan = chosen("openrouter", facts("openrouter.ai", "m", CHAT, reasoning={"exclude": True, "effort": "low"}))
    assert plan.request.set == ((("reasoning", "exclude"), "false"),)
    assert (plan.request.history, plan.request.restore) == (History(To.NATIVE), True)
    assert plan.response.reasoning == Strip()


def test_groq_is_asked_to_show_what_is_hidden_here() -> None:
    plan = chosen("groq", facts("api.groq.com", "qwen3-32b", CHAT, reasoning_format="hidden"))
    assert plan.request.set == ((("reasoning_format",), '"parsed"'),)
    assert (plan.request.history, plan.request.restore) == (History(To.REASONING), True)
    assert plan.response.reasoning == Strip()
