"""What a user of the official `google-genai` client sees through mitmdump, stripped and not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from google import genai
from google.genai import types

from tests.e2e.bodies import JSON, SSE, STRIP, dump, frame
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import Answer, Upstream

MODEL = "gemini-3-pro"
SIGNATURE = "EpAICo0IAb4+9vuku3oDHR5EQSMfPm5I"
USAGE = {"promptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 30, "totalTokenCount": 35}
THOUGHTS = [{"text": "Secret ", "thought": True}, {"text": "plan", "thought": True}]
TEXTS: list[dict[str, Any]] = [{"text": "Three", "thoughtSignature": SIGNATURE}, {"text": "."}]
CALL = {"functionCall": {"name": "count", "args": {"letter": "r"}}, "thoughtSignature": SIGNATURE}
LAST = {"text": "", "thoughtSignature": SIGNATURE}


def chunk(part: dict[str, Any], **candidate: Any) -> bytes:
    """One event; as at Google, each repeats the role and counts the tokens."""
    one = {"content": {"parts": [part], "role": "model"}, "index": 0} | candidate
    return frame({"candidates": [one], "usageMetadata": USAGE, "modelVersion": MODEL, "responseId": "r1"})


def streamed(*parts: dict[str, Any]) -> Answer:
    *first, last = parts
    return Answer([*map(chunk, first), chunk(last, finishReason="STOP")], headers=[SSE])


def whole(*parts: dict[str, Any]) -> Answer:
    one = {"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}
    body = dump({"candidates": [one], "usageMetadata": USAGE, "modelVersion": MODEL, "responseId": "r1"})
    return Answer([body], headers=[JSON], framing="length")


@pytest.fixture(params=[{}, STRIP], ids=["rename", "strip"])
def wish(request: pytest.FixtureRequest) -> dict[str, str]:
    """The headers that choose what happens to thoughts."""
    assert isinstance(request.param, dict)
    return request.param


@pytest.fixture
def client(proxy: Mitmdump, wish: dict[str, str]) -> Iterator[genai.Client]:
    options = types.HttpOptions(base_url=f"http://127.0.0.1:{proxy.port}", headers=wish)
    with genai.Client(api_key="none", http_options=options) as client:
        yield client


def thoughts_for(wish: dict[str, str]) -> list[str]:
    return [] if wish else ["Secret ", "plan"]


def parts_of(*responses: types.GenerateContentResponse) -> list[types.Part]:
    found = []
    for response in responses:
        assert response.candidates
        assert response.candidates[0].content
        assert response.candidates[0].content.parts  # without one, the client takes the turn for invalid
        found += response.candidates[0].content.parts
    return found


def texts_of(parts: list[types.Part], *, thought: bool) -> list[str]:
    return [part.text for part in parts if part.text and bool(part.thought) == thought]


def signatures_of(parts: list[types.Part]) -> list[bytes]:
    return [part.thought_signature for part in parts if part.thought_signature]


def test_a_stream_is_read(client: genai.Client, upstream: Upstream, wish: dict[str, str]) -> None:
    upstream.answer(streamed(*THOUGHTS, *TEXTS, LAST))
    chunks = list(client.models.generate_content_stream(model=MODEL, contents="How many?"))
    parts = parts_of(*chunks)
    assert texts_of(parts, thought=True) == thoughts_for(wish)
    assert texts_of(parts, thought=False) == ["Three", "."]
    assert len(signatures_of(parts)) == 2
    assert chunks[-1].candidates
    assert chunks[-1].candidates[0].finish_reason is types.FinishReason.STOP
    assert chunks[-1].usage_metadata
    assert chunks[-1].usage_metadata.thoughts_token_count == 30
    assert upstream.request.path.endswith(f"/models/{MODEL}:streamGenerateContent?alt=sse")


def test_a_body_is_read(client: genai.Client, upstream: Upstream, wish: dict[str, str]) -> None:
    upstream.answer(whole(*THOUGHTS, *TEXTS, CALL))
    response = client.models.generate_content(model=MODEL, contents="How many?")
    parts = parts_of(response)
    assert texts_of(parts, thought=True) == thoughts_for(wish)
    assert texts_of(parts, thought=False) == ["Three", "."]
    assert len(signatures_of(parts)) == 2
    assert response.function_calls
    assert [(call.name, call.args) for call in response.function_calls] == [("count", {"letter": "r"})]


@pytest.mark.parametrize("streams", [False, True], ids=["body", "stream"])
def test_thinking_alone_is_a_valid_answer(
    client: genai.Client, upstream: Upstream, wish: dict[str, str], streams: bool
) -> None:
    upstream.answer(streamed(*THOUGHTS) if streams else whole(*THOUGHTS))
    if streams:
        responses = list(client.models.generate_content_stream(model=MODEL, contents="How many?"))
    else:
        responses = [client.models.generate_content(model=MODEL, contents="How many?")]
    parts = parts_of(*responses)
    assert texts_of(parts, thought=True) == thoughts_for(wish)
    assert texts_of(parts, thought=False) == []


def test_a_chat_sends_the_call_and_its_signature_back(
    client: genai.Client, upstream: Upstream, wish: dict[str, str]
) -> None:
    chat = client.chats.create(model=MODEL)
    upstream.answer(streamed(*THOUGHTS, CALL, LAST))
    assert list(chat.send_message_stream("How many?"))
    upstream.answer(whole(*THOUGHTS, *TEXTS))
    result = types.Part.from_function_response(name="count", response={"n": 3})
    assert parts_of(chat.send_message(result))
    contents = json.loads(upstream.requests[-1].body)["contents"]
    assert [content["role"] for content in contents[:2]] == ["user", "model"]
    sent = [part for content in contents if content["role"] == "model" for part in content["parts"]]
    calls = [part for part in sent if "functionCall" in part]
    assert [(part["functionCall"]["name"], part["thoughtSignature"]) for part in calls] == [
        ("count", SIGNATURE.replace("+", "-"))
    ]
    assert [part["text"] for part in sent if part.get("thought")] == thoughts_for(wish)


def test_an_error_is_the_providers(client: genai.Client, upstream: Upstream) -> None:
    error = b'{"error": {"code": 400, "message": "no such model", "status": "INVALID_ARGUMENT"}}'
    upstream.answer(Answer([error], status=400, headers=[JSON], framing="length"))
    with pytest.raises(genai.errors.ClientError, match="no such model"):
        list(client.models.generate_content_stream(model=MODEL, contents="How many?"))


# --- interactions -----------------------------------------------------------------------------------------------

INTERACTION = {"id": "v1", "object": "interaction", "model": MODEL}
STEPS: list[dict[str, Any]] = [
    {"type": "thought", "summary": [{"type": "text", "text": "Secret plan"}], "signature": SIGNATURE},
    {"type": "model_output", "content": [{"type": "text", "text": "Three."}]},
]


def interaction_events() -> Iterator[dict[str, Any]]:
    yield {"event_type": "interaction.created", "interaction": INTERACTION | {"status": "in_progress"}}
    deltas: list[list[dict[str, Any]]] = [
        [
            {"type": "thought_summary", "content": {"type": "text", "text": "Secret plan"}},
            {"type": "thought_signature", "signature": SIGNATURE},
        ],
        [{"type": "text", "text": "Three"}, {"type": "text", "text": "."}],
    ]
    for index, step in enumerate(STEPS):
        yield {"event_type": "step.start", "index": index, "step": {"type": step["type"]}}
        for delta in deltas[index]:
            yield {"event_type": "step.delta", "index": index, "delta": delta}
        yield {"event_type": "step.stop", "index": index}
    yield {"event_type": "interaction.completed", "interaction": INTERACTION | {"status": "completed"}}


def test_a_stream_of_an_interaction_is_read(client: genai.Client, upstream: Upstream, wish: dict[str, str]) -> None:
    events = [b"event: " + one["event_type"].encode() + b"\n" + frame(one) for one in interaction_events()]
    upstream.answer(Answer([*events, b"event: done\ndata: [DONE]\n\n"], headers=[SSE]))
    interactions: Any = client.interactions
    stream = interactions.create(model=MODEL, input="How many?", stream=True)
    read = [event.model_dump() for event in stream]
    steps = [(event["index"], event["step"]["type"]) for event in read if event["event_type"] == "step.start"]
    assert steps == ([(0, "model_output")] if wish else [(0, "thought"), (1, "model_output")])
    deltas = [event["delta"] for event in read if event["event_type"] == "step.delta"]
    assert "".join(delta["text"] for delta in deltas if delta["type"] == "text") == "Three."
    assert ("Secret" in str(read)) == (not wish)
    assert read[-1]["event_type"] == "interaction.completed"


def test_an_interaction_is_read(client: genai.Client, upstream: Upstream, wish: dict[str, str]) -> None:
    body = INTERACTION | {"status": "completed", "created": "2026-05-15T18:52:17Z", "updated": "2026-05-15T18:52:17Z"}
    upstream.answer(Answer([dump(body | {"steps": STEPS})], headers=[JSON], framing="length"))
    interactions: Any = client.interactions
    read = interactions.create(model=MODEL, input="How many?").model_dump()
    assert [step["type"] for step in read["steps"]] == (["model_output"] if wish else ["thought", "model_output"])
    assert ("Secret" in str(read)) == (not wish)
