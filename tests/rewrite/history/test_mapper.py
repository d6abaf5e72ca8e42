"""Earlier reasoning in requests: gathered from every form, written in one; all else stays byte for byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES, Family
from thinkwire.rewrite.history.mapper import Mapped, Refused, map_history
from thinkwire.rewrite.plan import History, RequestPlan, To

CALLS = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
THINKING = {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "b3BhcXVl"}
MISTRAL = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}


def mapped(
    body: dict[str, Any] | bytes,
    history: History | To,
    dialect: str = "chat-completions",
    host: str = "provider.test",
    model: str = "m",
    family: Family | None = None,
) -> Mapped:
    facts = RequestFacts(host, "/", "POST", (), None, dialect, model)
    raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    plan = RequestPlan(history=history if isinstance(history, History) else History(history))
    return map_history(raw, plan, facts, family, lambda _turn: None)


def message(assistant: dict[str, Any], history: History | To, **more: Any) -> dict[str, Any]:
    """The assistant's message after it was mapped, between two that are not touched."""
    body = {"model": "m", "messages": [{"role": "user", "content": "q"}, {"role": "assistant", **assistant}]}
    after = json.loads(mapped(body, history, **more).raw, object_pairs_hook=once)
    assert after["messages"][0] == body["messages"][0]
    return {name: value for name, value in after["messages"][1].items() if name != "role"}


def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({name for name, _ in members}) == len(members)
    return dict(members)


TEXT = {"type": "text", "text": "a"}
FORMS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"reasoning": "Hm", "content": "a"}, {"content": "a"}),
    ({"reasoning_content": "Hm", "content": "a"}, {"content": "a"}),
    ({"reasoning": "Hm", "reasoning_content": "Hm", "thinking": None, "content": "a"}, {"content": "a"}),
    ({"content": "a", "reasoning_details": [{"type": "reasoning.text", "text": "Hm"}]}, {"content": "a"}),
    ({"content": "a", "thinking_blocks": [THINKING]}, {"content": "a"}),
    ({"content": "a", "reasoning": "Hm", "thinking_blocks": [THINKING]}, {"content": "a"}),
    ({"content": [MISTRAL, TEXT]}, {"content": [TEXT]}),
    ({"content": [THINKING, TEXT]}, {"content": [TEXT]}),
    ({"content": "<think>\nHm\n</think>\n\na"}, {"content": "a"}),
    ({"content": [{"type": "text", "text": "<think>Hm</think>a"}]}, {"content": [TEXT]}),
    ({"reasoning": "Hm", "content": "<think>Hm</think>a"}, {"content": "a"}),
    ({"reasoning": "Hm", "content": None, "tool_calls": CALLS}, {"content": None, "tool_calls": CALLS}),
    (
        {"provider_specific_fields": {"reasoning_content": "Hm"}, "reasoning_content": "Hm", "content": "a"},
        {"provider_specific_fields": {}, "content": "a"},
    ),
]


@pytest.mark.parametrize(("assistant", "rest"), FORMS)
def test_every_form_that_clients_keep_is_dropped(assistant: dict[str, Any], rest: dict[str, Any]) -> None:
    assert message(assistant, To.DROP) == rest


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize(("assistant", "rest"), FORMS)
def test_every_form_is_written_as_one_member(assistant: dict[str, Any], rest: dict[str, Any], name: str) -> None:
    assert message(assistant, To(name)) == rest | {name: "Hm"}


@pytest.mark.parametrize(("assistant", "rest"), FORMS)
def test_every_form_is_written_as_tags(assistant: dict[str, Any], rest: dict[str, Any]) -> None:
    after = message(assistant, To.INLINE)
    content = after.pop("content")
    shown = content if isinstance(content, str) else "".join(part["text"] for part in content)
    before = rest["content"] or ""
    text = before if isinstance(before, str) else "a"
    assert after == {name: value for name, value in rest.items() if name != "content"}
    assert shown in (f"<think>\nHm\n</think>\n\n{text}", "<think>Hm</think>a")
    assert isinstance(content, list) == isinstance(rest["content"], list)


def test_blocks_are_joined_by_a_newline() -> None:
    second = THINKING | {"thinking": "So"}
    assert message({"content": "a", "thinking_blocks": [THINKING, second]}, To.REASONING)["reasoning"] == "Hm\nSo"
    assert message({"content": [THINKING, TEXT, second]}, To.REASONING) == {"content": [TEXT], "reasoning": "Hm\nSo"}


def test_a_turn_that_was_thinking_only_keeps_a_valid_empty_text() -> None:
    assert message({"reasoning": "Hm"}, To.DROP) == {"content": ""}
    assert message({"reasoning": "Hm", "content": None}, To.DROP) == {"content": ""}
    assert message({"content": "<think>Hm</think>"}, To.DROP) == {"content": ""}
    empty = [{"type": "text", "text": ""}]
    assert message({"content": [MISTRAL]}, To.DROP) == {"content": empty}
    assert message({"content": [THINKING]}, To.DROP, dialect="anthropic-messages") == {"content": empty}


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


def test_fill_is_for_calls_without_a_thought() -> None:
    fill = History(To.REASONING_CONTENT, fill=" ")
    call = {"content": None, "tool_calls": CALLS}
    assert message(call, fill) == call | {"reasoning_content": " "}
    assert message(call | {"reasoning_content": None}, fill) == call | {"reasoning_content": " "}
    assert message(call | {"reasoning": ""}, fill) == call | {"reasoning_content": " "}
    assert message(call | {"reasoning": "Hm"}, fill) == call | {"reasoning_content": "Hm"}
    assert message({"content": "a"}, fill) == {"content": "a"}
    assert message(call, History(To.NATIVE, fill=""), host="openrouter.ai")["reasoning_details"]


def test_native_forms() -> None:
    assert message({"reasoning": "Hm", "content": "a"}, To.NATIVE, host="openrouter.ai") == {
        "reasoning_details": [{"type": "reasoning.text", "text": "Hm"}],
        "content": "a",
    }
    details = [{"type": "reasoning.encrypted", "data": "x"}, {"type": "reasoning.text", "text": "Hm"}]
    kept = {"reasoning_details": details, "content": "a"}
    assert message(kept | {"reasoning": "Hm"}, To.NATIVE, host="openrouter.ai") == kept
    assert message({"content": "a", "thinking_blocks": [THINKING]}, To.NATIVE, host="openrouter.ai") == {
        "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Hm", "signature": "c2ln"}],
        "content": "a",
    }
    mistral = {"content": [MISTRAL, TEXT]}
    assert message({"reasoning": "Hm", "content": "a"}, To.NATIVE, host="api.mistral.ai") == mistral
    assert message({"reasoning": "Hm", "content": [TEXT]}, To.NATIVE, host="api.mistral.ai") == mistral
    assert message(mistral | {"reasoning": "Hm"}, To.NATIVE, host="api.mistral.ai") == mistral
    assert message({"thinking": "Hm", "content": "a"}, To.NATIVE, dialect="ollama") == {
        "thinking": "Hm",
        "content": "a",
    }
    assert message({"content": "<think>Hm</think>a"}, To.NATIVE, dialect="ollama") == {
        "thinking": "Hm",
        "content": "a",
    }
    assert message({"reasoning": "Hm", "content": "a"}, To.NATIVE) == {"reasoning": "Hm", "content": "a"}


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


@pytest.mark.parametrize("content", [{"type": "text", "text": "a"}, 1, True])
@pytest.mark.parametrize("to", [To.INLINE, To.NATIVE, To.REASONING_CONTENT])
def test_content_that_nobody_knows_passes(content: object, to: To) -> None:
    said = {"role": "assistant", "content": content, "reasoning": "Hm"}
    raw = json.dumps({"messages": [said]}).encode()
    assert mapped(raw, to, host="api.mistral.ai").raw == raw


def test_tags_beside_a_thought_in_a_list_go() -> None:
    tagged = {"content": [MISTRAL, {"type": "text", "text": "<think>Hm</think>a"}]}
    assert message(tagged, To.NATIVE, host="api.mistral.ai") == {"content": [MISTRAL, TEXT]}


def test_many_details_take_time_in_proportion() -> None:
    details = [{"type": "reasoning.text", "text": "w "} for _ in range(20_000)]
    after = message({"content": "a", "reasoning_details": details}, To.REASONING)
    assert after["reasoning"].count("w") == 20_000


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
