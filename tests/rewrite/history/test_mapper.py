"""Earlier reasoning in requests: which form is written, what is refused, and that all else stays byte for byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewrite.history.requests import CALLS, MISTRAL, REDACTED, TEXT, THINKING, mapped, message, once
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.history.mapper import Refused
from thinkwire.rewrite.plan import History, To


def test_text_that_quotes_tags_stays() -> None:
    quoted = {"content": "Use `<think>` and </think>.", "tool_calls": CALLS}
    assert message(quoted, To.DROP) == quoted
    body = {"messages": [{"role": "user", "content": "<think>mine</think>", "reasoning": "mine"}]}
    assert mapped(body, To.DROP).raw == json.dumps(body).encode()


def test_the_family_of_the_model_is_read() -> None:
    assert message({"content": "[THINK]Hm[/THINK]a"}, To.DROP, model="magistral-small") == {"content": "a"}
    assert message({"content": "[THINK]Hm[/THINK]a"}, To.DROP) == {"content": "[THINK]Hm[/THINK]a"}
    assert message({"content": "[THINK]Hm[/THINK]a"}, To.DROP, family=FAMILIES["magistral"]) == {"content": "a"}
    framed = "<|open|>think<|sep|>Hm<|close|>think<|sep|><|open|>response<|sep|>a<|close|>response<|sep|>"
    after = message({"content": framed}, To.AUTO, model="kimi-k3")
    assert after == {"content": "a", "reasoning_content": "Hm"}


def test_auto_goes_by_the_table() -> None:
    said = {"reasoning": "Hm", "content": "a"}
    assert message(said, To.AUTO, model="deepseek-v4-flash") == {"reasoning_content": "Hm", "content": "a"}
    assert message(said, To.AUTO, model="qwen3-32b") == {"content": "<think>\nHm\n</think>\n\na"}
    assert message(said, To.AUTO, model="seed-oss-36b") == {"content": "<seed:think>\nHm\n</seed:think>\n\na"}
    assert message(said, To.AUTO, host="openrouter.ai")["reasoning_details"] == [
        {"type": "reasoning.text", "text": "Hm"}
    ]
    assert message({"content": [THINKING, TEXT]}, To.AUTO, dialect="anthropic-messages") == {
        "content": [THINKING, TEXT]
    }


def test_unknown_ones_get_none_and_the_log_says_so_once() -> None:
    said = {"role": "assistant", "content": "a", "thinking_blocks": [THINKING, THINKING]}
    result = mapped({"messages": [said, {"role": "assistant", "content": "b", "reasoning": "Hm"}]}, To.AUTO)
    assert b"Hm" not in result.raw
    (note,) = result.notes
    assert "3 blocks of reasoning dropped" in note
    assert mapped({"messages": [{"role": "assistant", "content": "a"}]}, To.AUTO).notes == []


@pytest.mark.parametrize("to", [To.REASONING_CONTENT, To.REASONING, To.INLINE])
def test_what_is_redacted_is_never_translated(to: To) -> None:
    body = {"messages": [{"role": "assistant", "content": [REDACTED, TEXT]}]}
    with pytest.raises(Refused, match="redacted_thinking"):
        mapped(body, to)
    with pytest.raises(Refused, match="redacted_thinking"):
        mapped({"messages": [{"role": "assistant", "content": "a", "thinking_blocks": [REDACTED]}]}, to)
    if to is not To.INLINE:  # a form that this API does not have
        assert mapped(body, to, dialect="anthropic-messages").raw == json.dumps(body).encode()
    assert message({"content": [REDACTED, TEXT]}, To.DROP, dialect="anthropic-messages") == {"content": [TEXT]}


def test_unsigned_blocks_go_and_signed_ones_stay_as_they_are() -> None:
    unsigned = {"type": "thinking", "thinking": "forged"}
    blank = unsigned | {"signature": ""}
    drop = History(drops_unsigned=True)
    kept = [THINKING, REDACTED, TEXT]
    assert message({"content": [unsigned, *kept, blank]}, drop, dialect="anthropic-messages") == {"content": kept}
    assert message({"content": [unsigned]}, drop, dialect="anthropic-messages") == {
        "content": [{"type": "text", "text": ""}]
    }
    assert message({"content": "a", "thinking_blocks": [unsigned, THINKING]}, drop) == {
        "content": "a",
        "thinking_blocks": [THINKING],
    }
    assert message({"content": "a", "thinking_blocks": [unsigned]}, drop) == {"content": "a"}


@pytest.mark.parametrize("to", list(To))
@pytest.mark.parametrize("dialect", ["openai-responses", "gemini", "cohere", None])
def test_other_apis_are_left_alone(dialect: str, to: To) -> None:
    body = {
        "input": [{"type": "reasoning", "summary": []}, {"role": "assistant", "reasoning": "Hm", "content": "a"}],
        "contents": [{"role": "model", "parts": [{"text": "Hm", "thought": True}]}],
        "messages": [{"role": "assistant", "reasoning": "Hm"}],
    }
    assert mapped(body, to, dialect=dialect).raw == json.dumps(body).encode()


def test_only_the_members_that_change_change() -> None:
    raw = b'{ "n":9007199254740993,"messages":[ {"role":"assistant","reasoning":"z\\u00fc" , "content":"a"} ],"x":1.0 }'
    assert mapped(raw, To.REASONING_CONTENT).raw == raw.replace(b'"reasoning"', b'"reasoning_content"')


TEXTS = st.sampled_from(["", "Hm", "\nHm\n", "<think>", "é😀", "a\n\nb"])
CONTENTS = st.one_of(
    st.none(),
    TEXTS,
    TEXTS.map(lambda text: f"<think>{text}</think>a"),
    st.lists(
        st.one_of(TEXTS.map(lambda text: {"type": "text", "text": text}), st.just(MISTRAL), st.just(THINKING)),
        max_size=3,
    ),
)
MEMBERS = st.fixed_dictionaries(
    {"role": st.just("assistant")},
    optional={
        "content": CONTENTS,
        "reasoning": st.none() | TEXTS,
        "reasoning_content": st.none() | TEXTS,
        "reasoning_details": st.lists(TEXTS.map(lambda text: {"type": "reasoning.text", "text": text}), max_size=2),
        "thinking_blocks": st.just([THINKING]),
        "tool_calls": st.just(CALLS),
    },
)
HISTORIES = st.builds(History, st.sampled_from(list(To)), st.sampled_from([None, "", " "]), st.booleans())


@given(
    st.lists(MEMBERS, max_size=3),
    HISTORIES,
    st.sampled_from(["chat-completions", "anthropic-messages", "ollama"]),
    st.sampled_from(["provider.test", "openrouter.ai", "api.mistral.ai"]),
    st.sampled_from(["m", "qwen3", "kimi-k3"]),
)
def test_mapping_twice_is_mapping_once(
    messages: list[dict[str, Any]], history: History, dialect: str, host: str, model: str
) -> None:
    if history.to in (To.KEEP, To.DROP):
        history = History(history.to, None, history.drops_unsigned)
    raw = json.dumps({"messages": messages}, ensure_ascii=False).encode()
    first = mapped(raw, history, dialect, host, model).raw
    json.loads(first, object_pairs_hook=once)
    assert mapped(first, history, dialect, host, model).raw == first
    assert history.changes or first == raw
