"""What a user of the official `cohere` client sees through mitmdump."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cohere
import httpx
import pytest
from cohere.core.request_options import RequestOptions

from tests.dialects.apis.test_cohere import (
    END,
    SAYS,
    START,
    THINKS,
    answer,
    block,
    call,
    citation,
    plan,
    tokens,
)
from tests.e2e.bodies import SSE, body_answer, dump
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import Answer, Upstream

MESSAGES: Any = [{"role": "user", "content": "How many?"}]
STRIP: RequestOptions = {"additional_headers": {"x-thinkwire": "strip"}, "max_retries": 0}
KEEP: RequestOptions = {"max_retries": 0}
each_wish = pytest.mark.parametrize("wish", [STRIP, KEEP], ids=["strip", "keep"])

THINKING = [
    START,
    *block(0, "thinking", "Quiet ", "thought", logprobs=True),
    *citation(0, "Quiet", type="THINKING_CONTENT", content_index=0),
    *block(1, "text", "Loud", logprobs=True),
    *citation(1, "Loud", type="TEXT_CONTENT", content_index=1),
    END,
]
PLANNING = [START, *plan("Quiet ", "thought"), *call(0), END]


@pytest.fixture
def client(proxy: Mitmdump) -> Iterator[cohere.ClientV2]:
    with httpx.Client(timeout=30) as connection:
        yield cohere.ClientV2(api_key="none", base_url=f"http://127.0.0.1:{proxy.port}", httpx_client=connection)


def event(document: dict[str, Any]) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (document["type"].encode(), dump(document))


def read_stream(client: cohere.ClientV2, upstream: Upstream, documents: list[Any], wish: RequestOptions) -> Any:
    """The message as applications put it together: blocks and citations stand at their numbers."""
    upstream.answer(Answer([*map(event, documents), b"data: [DONE]\n\n"], headers=[SSE]))
    message: dict[str, Any] = {"content": [], "citations": [], "calls": [], "tool_plan": "", "logprobs": []}
    for one in client.v2.chat_stream(model="m-think", messages=MESSAGES, request_options=wish):
        add(message, one)
    return message


def add(message: dict[str, Any], one: Any) -> None:
    added: Any = getattr(getattr(one, "delta", None), "message", None)
    if one.type == "content-start":
        assert one.index == len(message["content"])
        message["content"].append({"type": added.content.type, "text": ""})
    elif one.type == "content-delta":
        message["content"][one.index]["text"] += added.content.thinking or added.content.text
        message["logprobs"] += [one.logprobs.text] if one.logprobs else []
    elif one.type == "tool-plan-delta":
        message["tool_plan"] += added.tool_plan
    elif one.type == "tool-call-start":
        assert one.index == len(message["calls"])
        message["calls"].append(added.tool_calls.function.arguments)
    elif one.type == "tool-call-delta":
        message["calls"][one.index] += added.tool_calls.function.arguments
    elif one.type == "citation-start":
        assert one.index == len(message["citations"])
        about = message["content"][added.citations.content_index]
        assert added.citations.text in about["text"]
        message["citations"].append(added.citations.text)
    elif one.type == "message-end":
        message["finish"] = (one.delta.finish_reason, one.delta.usage.tokens.output_tokens)


def seen(**members: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"content": [], "citations": [], "calls": [], "tool_plan": "", "logprobs": []}
    return empty | {"finish": ("COMPLETE", 9)} | members


def test_a_stream_is_read_with_its_thought(client: cohere.ClientV2, upstream: Upstream) -> None:
    assert read_stream(client, upstream, THINKING, KEEP) == seen(
        content=[{"type": "thinking", "text": "Quiet thought"}, {"type": "text", "text": "Loud"}],
        citations=["Quiet", "Loud"],
        logprobs=["Quiet ", "thought", "Loud"],
    )


def test_a_stripped_stream_is_read_without_it(client: cohere.ClientV2, upstream: Upstream) -> None:
    assert read_stream(client, upstream, THINKING, STRIP) == seen(
        content=[{"type": "text", "text": "Loud"}], citations=["Loud"], logprobs=["Loud"]
    )


@each_wish
def test_tool_calls_are_read_with_their_plan_or_without(
    client: cohere.ClientV2, upstream: Upstream, wish: RequestOptions
) -> None:
    shown = "" if wish is STRIP else "Quiet thought"
    assert read_stream(client, upstream, PLANNING, wish) == seen(calls=['{"x": 1}'], tool_plan=shown)


@each_wish
def test_tool_calls_after_a_thought_keep_their_numbers(
    client: cohere.ClientV2, upstream: Upstream, wish: RequestOptions
) -> None:
    documents = [START, *block(0, "thinking", "Quiet"), *call(0), *call(1), END]
    content = [] if wish is STRIP else [{"type": "thinking", "text": "Quiet"}]
    assert read_stream(client, upstream, documents, wish) == seen(content=content, calls=['{"x": 1}'] * 2)


@each_wish
def test_a_body_is_read(client: cohere.ClientV2, upstream: Upstream, wish: RequestOptions) -> None:
    upstream.answer(body_answer(dump(answer(THINKS, SAYS, logprobs=[tokens("Quiet thought"), tokens("Loud")]))))
    read = client.v2.chat(model="m-think", messages=MESSAGES, request_options=wish)
    expected = ["text"] if wish is STRIP else ["thinking", "text"]
    assert [part.type for part in read.message.content or []] == expected
    assert read.logprobs is None if wish is STRIP else len(read.logprobs or []) == 2
    assert read.finish_reason == "COMPLETE"


@each_wish
def test_an_answer_of_thinking_alone_is_read(client: cohere.ClientV2, upstream: Upstream, wish: RequestOptions) -> None:
    upstream.answer(body_answer(dump(answer(THINKS))))
    read = client.v2.chat(model="m-think", messages=MESSAGES, request_options=wish)
    assert len(read.message.content or []) == (0 if wish is STRIP else 1)
    content = [] if wish is STRIP else [{"type": "thinking", "text": "Quiet"}]
    assert read_stream(client, upstream, [START, *block(0, "thinking", "Quiet"), END], wish) == seen(content=content)


def test_a_body_that_cannot_be_read_is_an_error_to_the_client(client: cohere.ClientV2, upstream: Upstream) -> None:
    upstream.answer(body_answer(b'{"message":{"content":[{"type":"thinking","thinking":"Secret"'))
    with pytest.raises(cohere.core.api_error.ApiError) as caught:
        client.v2.chat(model="m-think", messages=MESSAGES, request_options=STRIP)
    assert caught.value.status_code == 502
    assert set(caught.value.body) == {"message"}
