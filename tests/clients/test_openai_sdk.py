"""What a user of the official `openai` client sees through mitmdump, with the shipped default rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion

from tests.e2e.bodies import BODY, DONE, EVENTS, JSON, QUESTION, TEXT, THOUGHT, USAGE, body_answer, chunk, envelope
from tests.e2e.bodies import stream_answer as answer_events
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import Answer, Upstream

MESSAGES = QUESTION["messages"]
HIDE = {"include_reasoning": False}
CALL = {"id": "call_1", "type": "function", "function": {"name": "count", "arguments": '{"letter":"r"}'}}

CALL_EVENTS = [
    chunk({"role": "assistant", "content": None}),
    chunk({"reasoning_content": "I need "}),
    chunk({"reasoning_content": "the tool."}),
    chunk({"tool_calls": [{"index": 0, **CALL, "function": {"name": "count", "arguments": ""}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"letter":'}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"r"}'}}]}),
    chunk({}, "tool_calls"),
    envelope([], usage=USAGE),
    DONE,
]
CALL_BODY = {
    **json.loads(BODY),
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "reasoning_content": "I need the tool.",
                "tool_calls": [CALL],
            },
            "finish_reason": "tool_calls",
        }
    ],
}


@pytest.fixture
def client(proxy: Mitmdump) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"http://127.0.0.1:{proxy.port}/v1", api_key="none", max_retries=0) as client:
        yield client


def ask_whole(client: openai.OpenAI, wish: dict[str, Any]) -> ChatCompletion:
    return client.chat.completions.create(model="m-think", messages=MESSAGES, extra_body=wish)


def read_stream(client: openai.OpenAI, wish: dict[str, Any]) -> dict[str, Any]:
    """The message and what stands beside it, put together from the deltas as applications do it."""
    message: dict[str, Any] = {}
    seen: dict[str, Any] = {}
    with client.chat.completions.create(
        model="m-think",
        messages=MESSAGES,
        stream=True,
        stream_options={"include_usage": True},
        extra_body=wish,
    ) as stream:
        for event in stream:
            seen["usage"] = event.usage or seen.get("usage")
            for choice in event.choices:
                seen["finish"] = choice.finish_reason or seen.get("finish")
                add_delta(message, choice.delta.model_dump(exclude_unset=True))
    return {"message": message, "finish": seen["finish"], "usage": seen["usage"].model_dump(exclude_unset=True)}


def add_delta(whole: dict[str, Any], delta: dict[str, Any]) -> None:
    for name, value in delta.items():
        if isinstance(value, list):
            for item in value:
                calls = whole.setdefault(name, [])
                if item["index"] == len(calls):
                    calls.append({})
                add_delta(calls[item["index"]], item)
        elif isinstance(value, dict):
            add_delta(whole.setdefault(name, {}), value)
        elif isinstance(value, str) and isinstance(whole.get(name), str) and name not in ("id", "type", "role"):
            whole[name] += value
        elif name != "index":
            whole[name] = value


def read_whole(completion: ChatCompletion) -> dict[str, Any]:
    (choice,) = completion.choices
    assert completion.usage is not None
    return {
        "message": choice.message.model_dump(exclude_unset=True),
        "finish": choice.finish_reason,
        "usage": completion.usage.model_dump(exclude_unset=True),
    }


def test_a_body_is_read_with_its_reasoning(client: openai.OpenAI, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    (choice,) = ask_whole(client, {}).choices
    assert choice.message.content == TEXT
    assert choice.message.model_extra == {"reasoning": THOUGHT}


def test_a_stream_is_read_with_its_reasoning(client: openai.OpenAI, upstream: Upstream) -> None:
    upstream.answer(answer_events())
    thoughts = []
    texts = []
    with client.chat.completions.create(model="m-think", messages=MESSAGES, stream=True) as stream:
        for event in stream:
            for choice in event.choices:
                thoughts.append((choice.delta.model_extra or {}).get("reasoning") or "")
                texts.append(choice.delta.content or "")
                assert not hasattr(choice.delta, "reasoning_content")
    assert ("".join(thoughts), "".join(texts)) == (THOUGHT, TEXT)


@pytest.mark.parametrize("wish", [HIDE, {"reasoning": {"exclude": True}}], ids=["include_reasoning", "exclude"])
def test_a_stripped_answer_is_read_without_reasoning(
    client: openai.OpenAI, upstream: Upstream, wish: dict[str, Any]
) -> None:
    upstream.answer(body_answer())
    (choice,) = ask_whole(client, wish).choices
    assert (choice.message.content, choice.message.model_extra) == (TEXT, {})
    upstream.answer(answer_events())
    assert read_stream(client, wish)["message"] == {"role": "assistant", "content": TEXT}


@pytest.mark.parametrize("wish", [{}, HIDE], ids=["rename", "strip"])
@pytest.mark.parametrize(
    ("events", "body"), [(EVENTS, json.loads(BODY)), (CALL_EVENTS, CALL_BODY)], ids=["text", "tool call"]
)
def test_the_stream_adds_up_to_the_body(
    client: openai.OpenAI, upstream: Upstream, events: list[bytes], body: dict[str, Any], wish: dict[str, Any]
) -> None:
    upstream.answer(answer_events(*events))
    streamed = read_stream(client, wish)
    upstream.answer(body_answer(json.dumps(body).encode()))
    assert streamed == read_whole(ask_whole(client, wish))
    assert streamed["usage"] == USAGE
    assert ("reasoning" in streamed["message"]) == (wish == {})


@pytest.mark.parametrize("wish", [{}, HIDE], ids=["rename", "strip"])
def test_a_tool_call_is_read(client: openai.OpenAI, upstream: Upstream, wish: dict[str, Any]) -> None:
    upstream.answer(answer_events(*CALL_EVENTS))
    read = read_stream(client, wish)
    assert read["message"]["tool_calls"] == [CALL]
    assert read["finish"] == "tool_calls"


def test_an_error_is_the_providers(client: openai.OpenAI, upstream: Upstream) -> None:
    error = b'{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}'
    upstream.answer(Answer([error], status=404, headers=[JSON], framing="length"))
    with pytest.raises(openai.NotFoundError) as caught:
        ask_whole(client, HIDE)
    assert caught.value.code == "model_not_found"


def test_a_body_that_cannot_be_read_is_an_error_to_the_client(client: openai.OpenAI, upstream: Upstream) -> None:
    upstream.answer(body_answer(b'{"choices":[{"message":{"reasoning_content":"Secret"'))
    with pytest.raises(openai.InternalServerError) as caught:
        ask_whole(client, HIDE)
    assert caught.value.status_code == 502
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["message"]


def test_a_stream_that_breaks_off_is_an_error_to_the_client(client: openai.OpenAI, upstream: Upstream) -> None:
    upstream.answer(Answer(EVENTS[:3], headers=[("content-type", "text/event-stream")], ending="cut"))
    with pytest.raises(openai.APIConnectionError):
        read_stream(client, {})
