"""What a user of the official `anthropic` client sees through mitmdump: its accumulator accepts stripped streams."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import pytest
from anthropic.types import Message

from tests.dialects.apis.test_anthropic_messages import Event, raw_of, redacted, text, thinking, tool
from tests.e2e.bodies import JSON, SSE
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import Answer, Upstream

STRIP = {"x-thinkwire": "strip"}
USAGE = {"input_tokens": 11, "output_tokens": 23}
MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m-think",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": USAGE,
}
BEGIN: list[Event] = [{"type": "message_start", "message": MESSAGE}]
END: list[Event] = [
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": USAGE},
    {"type": "message_stop"},
]
PING: Event = {"type": "ping"}

THOUGHT = {"type": "thinking", "thinking": "Secret", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "Y2lwaGVyAAAA+/8="}
HI = {"type": "text", "text": "Hi you"}
CALL = {"type": "tool_use", "id": "tu_1", "name": "open", "input": {"f": "a"}}
BLOCKS: dict[str, tuple[dict[str, Any], Callable[[int], list[Event]]]] = {
    "thinking": (THOUGHT, lambda index: thinking(index, "Se", "cret")),
    "redacted_thinking": (REDACTED, redacted),
    "text": (HI, lambda index: text(index, "Hi", " you")),
    "tool_use": (CALL, tool),
}
"""Of each type a block, and the events that build it."""
TURNS = [
    ["thinking", "text"],
    ["thinking", "tool_use"],
    ["thinking", "text", "thinking", "tool_use", "redacted_thinking", "redacted_thinking", "text"],
    ["text", "tool_use"],
    ["thinking"],
]
each_turn = pytest.mark.parametrize("types", TURNS, ids="-".join)


def events_of(types: list[str]) -> list[Event]:
    blocks = [one for index, type_ in enumerate(types) for one in BLOCKS[type_][1](index)]
    return [*BEGIN, PING, *blocks, *END]


@pytest.fixture
def client(proxy: Mitmdump) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=f"http://127.0.0.1:{proxy.port}", api_key="none", max_retries=0) as client:
        yield client


def read_stream(client: anthropic.Anthropic, upstream: Upstream, events: list[Event], wish: dict[str, str]) -> Message:
    upstream.answer(Answer([raw_of([one]) for one in events], headers=[SSE]))
    with client.messages.stream(
        model="m-think", max_tokens=64, messages=[{"role": "user", "content": "Hi"}], extra_headers=wish
    ) as stream:
        return stream.get_final_message()


def read_whole(client: anthropic.Anthropic, upstream: Upstream, types: list[str], wish: dict[str, str]) -> Message:
    body = MESSAGE | {"content": [BLOCKS[type_][0] for type_ in types], "stop_reason": "end_turn"}
    upstream.answer(Answer([json.dumps(body).encode()], headers=[JSON], framing="length"))
    return client.messages.create(
        model="m-think", max_tokens=64, messages=[{"role": "user", "content": "Hi"}], extra_headers=wish
    )


def content_of(message: Message) -> list[dict[str, Any]]:
    assert message.stop_reason == "end_turn"
    assert message.usage.output_tokens == USAGE["output_tokens"]
    return [block.model_dump(exclude_none=True, include=set(BLOCKS[block.type][0])) for block in message.content]


@each_turn
@pytest.mark.parametrize("wish", [{}, STRIP], ids=["default", "strip"])
def test_stream_and_body_are_read_alike(
    client: anthropic.Anthropic, upstream: Upstream, types: list[str], wish: dict[str, str]
) -> None:
    left = [type_ for type_ in types if not wish or "thinking" not in type_]
    expected = [BLOCKS[type_][0] for type_ in left]
    assert content_of(read_stream(client, upstream, events_of(types), wish)) == expected
    assert content_of(read_whole(client, upstream, types, wish)) == expected


def test_an_error_in_the_middle_of_a_thought_is_an_error_to_the_client(
    client: anthropic.Anthropic, upstream: Upstream
) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(anthropic.APIStatusError) as caught:
        read_stream(client, upstream, [*BEGIN, *thinking(0, "Secret")[:2], error], STRIP)
    assert caught.value.body == error


def test_a_stream_that_cannot_be_read_is_withheld(client: anthropic.Anthropic, upstream: Upstream) -> None:
    upstream.answer(Answer([b'{"type":"message","content":[{"type":"thinking"'], headers=[JSON], framing="length"))
    with pytest.raises(anthropic.InternalServerError) as caught:
        client.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}], extra_headers=STRIP
        )
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["error"]["type"] == "api_error"


def test_signed_thinking_in_a_request_is_sent_on_byte_for_byte(client: anthropic.Anthropic, upstream: Upstream) -> None:
    upstream.answer(Answer([raw_of([one]) for one in events_of(["thinking", "text"])], headers=[SSE]))
    with client.messages.stream(
        model="m-think",
        max_tokens=64,
        messages=[
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [THOUGHT, CALL]},  # type: ignore[list-item]  # plain dicts do
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "tu_1", "content": "x"}]},
        ],
        extra_headers=STRIP,
    ) as stream:
        assert stream.get_final_text() == "Hi you"
    assert json.loads(upstream.request.body)["messages"][1]["content"] == [THOUGHT, CALL]


def test_the_typed_events_of_the_client_fit_together(client: anthropic.Anthropic, upstream: Upstream) -> None:
    events = events_of(["thinking", "text", "thinking", "tool_use"])
    upstream.answer(Answer([raw_of([one]) for one in events], headers=[SSE]))
    with client.messages.stream(
        model="m-think", max_tokens=64, messages=[{"role": "user", "content": "Hi"}], extra_headers=STRIP
    ) as stream:
        starts = [(one.index, one.content_block.type) for one in stream if one.type == "content_block_start"]
    assert starts == [(0, "text"), (1, "tool_use")]
