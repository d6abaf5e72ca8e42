"""What a user of the official `openai` client sees of the Responses API through mitmdump, with the default rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.responses import Response

from tests.e2e.bodies import JSON, SSE
from tests.e2e.mitmdump import Mitmdump, reverse_mitmdump
from tests.e2e.upstream import Answer, Upstream
from tests.e2e.websocket import Provider, running_provider

Document = dict[str, Any]

HIDE: Document = {"include_reasoning": False}
STRIP = {"x-thinkwire": "strip"}

FIRST: Document = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "quiet note"}],
    "encrypted_content": "gAAAAABoxC0_aDtrISw",
}
SECOND: Document = {"type": "reasoning", "id": "rs_2", "summary": [], "content": []}
SECOND_DONE: Document = {**SECOND, "content": [{"type": "reasoning_text", "text": "quiet again"}]}
CALL: Document = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "count",
    "arguments": '{"letter":"r"}',
    "status": "completed",
}
LOGPROBS = [{"token": text, "bytes": list(text.encode()), "logprob": -0.5, "top_logprobs": []} for text in ("Lo", "ud")]
PART: Document = {"type": "output_text", "text": "Loud", "annotations": [], "logprobs": LOGPROBS}
SAID: Document = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [PART]}
OUTPUT = [FIRST, CALL, SECOND_DONE, SAID]
USAGE: Document = {
    "input_tokens": 4,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 15,
    "output_tokens_details": {"reasoning_tokens": 11},
    "total_tokens": 19,
}


def response(status: str, output: list[Document]) -> Document:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": "m",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "reasoning": {"effort": "low", "summary": "detailed"},
        "usage": USAGE if output else None,
    }


def events() -> list[Document]:
    message_place = {"item_id": "msg_1", "output_index": 3, "content_index": 0}
    thought_place = {"item_id": "rs_2", "output_index": 2, "content_index": 0}
    summary_place = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
    empty = {"type": "summary_text", "text": ""}
    documents: list[Document] = [
        {"type": "created", "response": response("in_progress", [])},
        {"type": "output_item.added", "output_index": 0, "item": {**FIRST, "summary": []}},
        {"type": "reasoning_summary_part.added", **summary_place, "part": empty},
        {"type": "reasoning_summary_text.delta", **summary_place, "delta": "quiet note"},
        {"type": "reasoning_summary_text.done", **summary_place, "text": "quiet note"},
        {"type": "reasoning_summary_part.done", **summary_place, "part": FIRST["summary"][0]},
        {"type": "output_item.done", "output_index": 0, "item": FIRST},
        {"type": "output_item.added", "output_index": 1, "item": {**CALL, "arguments": "", "status": "in_progress"}},
        {"type": "function_call_arguments.delta", "item_id": "fc_1", "output_index": 1, "delta": CALL["arguments"]},
        {"type": "function_call_arguments.done", "item_id": "fc_1", "output_index": 1, "arguments": CALL["arguments"]},
        {"type": "output_item.done", "output_index": 1, "item": CALL},
        {"type": "output_item.added", "output_index": 2, "item": SECOND},
        {"type": "reasoning_text.delta", **thought_place, "delta": "quiet again"},
        {"type": "output_item.added", "output_index": 3, "item": {**SAID, "status": "in_progress", "content": []}},
        {"type": "content_part.added", **message_place, "part": {**PART, "text": "", "logprobs": []}},
        {"type": "output_text.delta", **message_place, "delta": "Lo", "logprobs": LOGPROBS[:1]},
        {"type": "output_text.delta", **message_place, "delta": "ud", "logprobs": LOGPROBS[1:]},
        {"type": "output_text.done", **message_place, "text": "Loud", "logprobs": LOGPROBS},
        {"type": "content_part.done", **message_place, "part": PART},
        {"type": "output_item.done", "output_index": 3, "item": SAID},
        # OpenRouter ends the thought only here.
        {"type": "reasoning_text.done", **thought_place, "text": "quiet again"},
        {"type": "output_item.done", "output_index": 2, "item": SECOND_DONE},
        {"type": "completed", "response": response("completed", OUTPUT)},
    ]
    return [
        {**one, "type": f"response.{one['type']}", "sequence_number": number} for number, one in enumerate(documents)
    ]


def stream_answer() -> Answer:
    pieces = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events()]
    return Answer(pieces, headers=[SSE])


def body_answer() -> Answer:
    return Answer([json.dumps(response("completed", OUTPUT)).encode()], headers=[JSON], framing="length")


@pytest.fixture
def client(proxy: Mitmdump) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"http://127.0.0.1:{proxy.port}/v1", api_key="none", max_retries=0) as client:
        yield client


def read_stream(client: openai.OpenAI, wish: Document) -> tuple[Response, list[Any]]:
    """The response as the library has put it together, and the events that led to it."""
    with client.responses.stream(model="m", input="Hi", extra_body=wish) as stream:
        seen = list(stream)
        return stream.get_final_response(), seen


def items_of(answer: Response) -> list[Document]:
    """The output without what only the library adds."""
    ours = [item.model_dump(exclude_unset=True) for item in answer.output]
    for item in ours:
        item.pop("parsed_arguments", None)
        for part in item.get("content") or []:
            part.pop("parsed", None)
    return ours


VISIBLE = [CALL, SAID]
UNLISTED = [CALL, {**SAID, "content": [{name: value for name, value in PART.items() if name != "logprobs"}]}]
"""A body that held a thought loses all token metadata; a stream keeps what its pieces show to be the answer's."""


@pytest.mark.parametrize(
    ("wish", "output", "in_body"),
    [({}, OUTPUT, OUTPUT), (HIDE, VISIBLE, UNLISTED)],
    ids=["kept", "stripped"],
)
def test_the_stream_adds_up_to_the_body(
    client: openai.OpenAI, upstream: Upstream, wish: Document, output: list[Document], in_body: list[Document]
) -> None:
    upstream.answer(stream_answer())
    streamed, _ = read_stream(client, wish)
    upstream.answer(body_answer())
    whole = client.responses.create(model="m", input="Hi", extra_body=wish)
    assert (items_of(streamed), items_of(whole)) == (output, in_body)
    for answer in (streamed, whole):
        assert answer.output_text == "Loud"
        assert answer.usage is not None
        assert answer.usage.output_tokens_details.reasoning_tokens == 11
        assert answer.reasoning is not None
        assert answer.reasoning.effort == "low"


def test_a_stripped_stream_tells_of_no_thought_and_counts_without_gaps(
    client: openai.OpenAI, upstream: Upstream
) -> None:
    upstream.answer(stream_answer())
    _, seen = read_stream(client, HIDE)
    assert not [event.type for event in seen if "reasoning" in event.type]
    assert [event.sequence_number for event in seen] == list(range(len(seen)))
    assert [event.snapshot for event in seen if event.type == "response.output_text.delta"] == ["Lo", "Loud"]
    done = [event for event in seen if event.type == "response.output_item.done"]
    assert [(event.output_index, event.item.id) for event in done] == [(0, "fc_1"), (1, "msg_1")]


def test_a_stored_response_is_stripped_when_it_is_fetched(client: openai.OpenAI, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    assert items_of(client.responses.retrieve("resp_1", extra_headers=STRIP)) == UNLISTED
    upstream.answer(stream_answer())
    with client.responses.retrieve("resp_1", stream=True, extra_headers=STRIP) as stream:
        seen = list(stream)
    assert not [event.type for event in seen if "reasoning" in event.type]
    assert [request.method for request in upstream.requests] == ["GET", "GET"]


def test_an_error_is_the_providers(client: openai.OpenAI, upstream: Upstream) -> None:
    error = b'{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}'
    upstream.answer(Answer([error], status=404, headers=[JSON], framing="length"))
    with pytest.raises(openai.NotFoundError) as caught:
        client.responses.create(model="m", input="Hi", extra_body=HIDE)
    assert caught.value.code == "model_not_found"


# --- over a WebSocket -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running_provider() as provider:
        provider.respond_with(lambda message: [json.dumps(one) for one in events()])
        yield provider


@pytest.fixture(scope="module")
def socket_proxy(provider: Provider, confdir: Path) -> Iterator[Mitmdump]:
    with reverse_mitmdump(provider.url, {}, confdir) as mitmdump:
        yield mitmdump


@pytest.mark.filterwarnings("ignore:connect.. must be used:DeprecationWarning")  # the library's affair with another
@pytest.mark.parametrize(("headers", "output"), [({}, OUTPUT), (STRIP, VISIBLE)], ids=["kept", "stripped"])
def test_a_websocket_is_read(socket_proxy: Mitmdump, headers: dict[str, str], output: list[Document]) -> None:
    url = f"http://127.0.0.1:{socket_proxy.port}/v1"
    with (
        openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client,
        client.responses.connect(extra_headers=headers) as connection,
    ):
        connection.response.create(model="m", input="Hi")
        seen = []
        for event in connection:
            seen.append(event)
            if event.type == "response.completed":
                assert items_of(event.response) == output
                break
    assert any("reasoning" in event.type for event in seen) is (output == OUTPUT)
