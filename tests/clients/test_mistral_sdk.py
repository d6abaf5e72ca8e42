"""What a user of the official `mistralai` client sees through mitmdump: chat completions and conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from mistralai.client import Mistral
from mistralai.client.models import TextChunk, ThinkChunk

from tests.e2e.bodies import DONE, SSE, USAGE, body_answer, chunk, envelope, stream_answer
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import Answer, Upstream

STRIP = {"x-thinkwire": "strip"}
MESSAGES: Any = [{"role": "user", "content": "How many?"}]
THOUGHT = "Quiet thought"
TEXT = "Loud answer"
each_wish = pytest.mark.parametrize(("wish", "thought"), [(STRIP, ""), ({}, THOUGHT)], ids=["strip", "rename"])


def thinking(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}], **more}


LOUD = {"type": "text", "text": "Loud "}
CALL = {"id": "call00001", "type": "function", "function": {"name": "count", "arguments": '{"letter":"r"}'}}
EVENTS = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": [thinking("Quiet ")]}),
    chunk({"content": [thinking("thought", closed=True), LOUD]}),
    chunk({"content": "answer"}),
    chunk({"content": "", "tool_calls": [{"index": 0, **CALL}]}, "tool_calls"),
    envelope([], usage=USAGE),
    DONE,
]


def body(*content: dict[str, Any]) -> bytes:
    message = {"role": "assistant", "content": list(content), "tool_calls": [CALL]}
    choices = [{"index": 0, "message": message, "finish_reason": "tool_calls"}]
    head = {"id": "cc-1", "object": "chat.completion", "created": 1700000000, "model": "m-think"}
    return json.dumps({**head, "choices": choices, "usage": USAGE}).encode()


@pytest.fixture
def client(proxy: Mitmdump) -> Iterator[Mistral]:
    with Mistral(api_key="none", server_url=f"http://127.0.0.1:{proxy.port}") as client:
        yield client


def read_content(contents: Iterable[Any]) -> tuple[str, str]:
    """The thought and the text of content that comes as texts, as lists, and as single chunks."""
    seen = {"thought": "", "text": ""}
    for content in contents:
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, ThinkChunk):
                seen["thought"] += "".join(piece.text for piece in part.thinking if isinstance(piece, TextChunk))
            elif part:
                seen["text"] += part.text if isinstance(part, TextChunk) else part
    return seen["thought"], seen["text"]


@each_wish
def test_a_stream_is_read(client: Mistral, upstream: Upstream, wish: dict[str, str], thought: str) -> None:
    upstream.answer(stream_answer(*EVENTS))
    with client.chat.stream(model="m-think", messages=MESSAGES, http_headers=wish) as stream:
        events = [event.data for event in stream]
    choices = [choice for event in events for choice in event.choices]
    assert read_content(choice.delta.content for choice in choices) == (thought, TEXT)
    assert choices[0].delta.role == "assistant"
    assert choices[-1].finish_reason == "tool_calls"
    (call,) = choices[-1].delta.tool_calls or []
    assert (call.function.name, call.function.arguments) == ("count", '{"letter":"r"}')
    assert events[-1].usage is not None
    assert events[-1].usage.completion_tokens == USAGE["completion_tokens"]


@each_wish
def test_a_body_is_read(client: Mistral, upstream: Upstream, wish: dict[str, str], thought: str) -> None:
    upstream.answer(body_answer(body(thinking(THOUGHT, closed=True), LOUD, {"type": "text", "text": "answer"})))
    answer = client.chat.complete(model="m-think", messages=MESSAGES, http_headers=wish)
    (choice,) = answer.choices
    assert choice.message is not None
    assert read_content([choice.message.content]) == (thought, TEXT)
    assert (choice.finish_reason, len(choice.message.tool_calls or [])) == ("tool_calls", 1)


@each_wish
def test_an_answer_of_thinking_alone_is_read(
    client: Mistral, upstream: Upstream, wish: dict[str, str], thought: str
) -> None:
    upstream.answer(body_answer(body(thinking(THOUGHT))))
    (choice,) = client.chat.complete(model="m-think", messages=MESSAGES, http_headers=wish).choices
    assert choice.message is not None
    assert read_content([choice.message.content]) == (thought, "")
    upstream.answer(stream_answer(*EVENTS[:2], chunk({"content": ""}, "length"), DONE))
    with client.chat.stream(model="m-think", messages=MESSAGES, http_headers=wish) as stream:
        choices = [choice for event in stream for choice in event.data.choices]
    assert read_content(choice.delta.content for choice in choices) == (thought and "Quiet ", "")
    assert choices[-1].finish_reason == "length"


# --- conversations -----------------------------------------------------------------------------------------------


def conversation_event(**members: Any) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (members["type"].encode(), json.dumps(members).encode())


def piece(content: Any) -> bytes:
    return conversation_event(type="message.output.delta", id="m1", output_index=0, content_index=0, content=content)


# The client imports a library that asks Python for names that will be gone.
imports_old_names = pytest.mark.filterwarnings(r"ignore:ast\.:DeprecationWarning")
COUNTS = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


@imports_old_names
@each_wish
def test_a_streamed_conversation_is_read(
    client: Mistral, upstream: Upstream, wish: dict[str, str], thought: str
) -> None:
    events = [
        conversation_event(type="conversation.response.started", conversation_id="c1"),
        piece(thinking("Quiet ")),
        piece(thinking("thought", closed=True)),
        piece(LOUD),
        piece("answer"),
        conversation_event(type="conversation.response.done", usage=COUNTS),
    ]
    upstream.answer(Answer(events, headers=[SSE]))
    with client.beta.conversations.start_stream(inputs="How many?", model="m-think", http_headers=wish) as stream:
        read = [event.data for event in stream]
    types = [one.type for one in read]
    assert (types[0], types[-1]) == ("conversation.response.started", "conversation.response.done")
    pieces = [one.content for one in read if one.type == "message.output.delta"]
    assert len(pieces) == (4 if thought else 2)
    assert read_content(pieces) == (thought, TEXT)


@imports_old_names
@each_wish
def test_a_conversation_is_read(client: Mistral, upstream: Upstream, wish: dict[str, str], thought: str) -> None:
    content = [thinking(THOUGHT), LOUD, {"type": "text", "text": "answer"}]
    entry = {"object": "entry", "type": "message.output", "role": "assistant", "id": "m1", "content": content}
    whole = {"object": "conversation.response", "conversation_id": "c1", "outputs": [entry], "usage": COUNTS}
    upstream.answer(body_answer(json.dumps(whole).encode()))
    answer = client.beta.conversations.start(inputs="How many?", model="m-think", http_headers=wish)
    (output,) = answer.outputs
    assert output.type == "message.output"
    assert read_content([output.content]) == (thought, TEXT)
