"""What a user of the official `ollama` client sees through mitmdump, with the shipped default rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ollama
import pytest

from tests.e2e.bodies import JSON, STRIP, TEXT, THOUGHT, dump
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import Answer, Upstream

NDJSON = ("content-type", "application/x-ndjson")
HEAD = {"model": "m-think", "created_at": "2026-08-05T08:11:04.351521Z"}
COUNTS = {"total_duration": 9592860750, "load_duration": 54884125, "prompt_eval_count": 9, "eval_count": 23}
CALL = {"function": {"name": "count", "arguments": {"letter": "r"}}}
QUESTION = [{"role": "user", "content": "How many r are in berry?"}]


def chat_line(content: str = "", *, done: bool = False, **message: Any) -> dict[str, Any]:
    end = {"done": True, "done_reason": "stop", **COUNTS} if done else {"done": False}
    return {**HEAD, "message": {"role": "assistant", "content": content, **message}, **end}


def generated_line(response: str = "", *, done: bool = False, **more: Any) -> dict[str, Any]:
    end = {"done": True, "done_reason": "stop", **COUNTS} if done else {"done": False}
    return {**HEAD, "response": response, **more, **end}


CHAT = [
    chat_line(thinking="Count the letters, "),
    chat_line(thinking="one by one."),
    chat_line("Three"),
    chat_line("."),
    chat_line(tool_calls=[CALL]),
    chat_line(done=True),
]
GENERATED = [
    generated_line(thinking="Count the letters, "),
    generated_line(thinking="one by one."),
    generated_line("Three"),
    generated_line("."),
    generated_line(done=True, context=[1, 2, 3]),
]


@pytest.fixture
def hiding(proxy: Mitmdump) -> Iterator[ollama.Client]:
    with ollama.Client(host=f"http://127.0.0.1:{proxy.port}", headers=STRIP) as client:
        yield client


@pytest.fixture
def client(proxy: Mitmdump) -> Iterator[ollama.Client]:
    with ollama.Client(host=f"http://127.0.0.1:{proxy.port}") as client:
        yield client


def in_lines(*documents: dict[str, Any]) -> Answer:
    return Answer([dump(document) + b"\n" for document in documents], headers=[NDJSON])


def in_one(document: dict[str, Any]) -> Answer:
    return Answer([dump(document)], headers=[JSON], framing="length")


def read_chat(parts: Iterable[ollama.ChatResponse]) -> dict[str, Any]:
    """What an application puts together."""
    seen: dict[str, Any] = {"thinking": "", "content": "", "calls": []}
    for part in parts:
        seen["thinking"] += part.message.thinking or ""
        seen["content"] += part.message.content or ""
        seen["calls"] += [call.model_dump() for call in part.message.tool_calls or []]
        seen["end"] = (part.done, part.done_reason, part.eval_count)
        assert part.message.role == "assistant"
    return seen


def read_generated(parts: Iterable[ollama.GenerateResponse]) -> dict[str, Any]:
    seen: dict[str, Any] = {"thinking": "", "response": ""}
    for part in parts:
        seen["thinking"] += part.thinking or ""
        seen["response"] += part.response
        seen["end"] = (part.done, part.done_reason, part.eval_count, part.context)
    return seen


WHOLE_CHAT = chat_line(TEXT, done=True, thinking=THOUGHT, tool_calls=[CALL])
WHOLE_GENERATED = generated_line(TEXT, done=True, thinking=THOUGHT, context=[1, 2, 3])


def test_a_chat_is_read_without_its_thought(hiding: ollama.Client, upstream: Upstream) -> None:
    expected = {"thinking": "", "content": TEXT, "calls": [CALL], "end": (True, "stop", 23)}
    upstream.answer(in_lines(*CHAT))
    assert read_chat(hiding.chat("m-think", QUESTION, think=True, stream=True)) == expected
    upstream.answer(in_one(WHOLE_CHAT))
    whole = hiding.chat("m-think", QUESTION, think=True)
    assert read_chat([whole]) == expected
    assert whole.message.thinking is None


def test_what_is_generated_is_read_without_its_thought(hiding: ollama.Client, upstream: Upstream) -> None:
    expected = {"thinking": "", "response": TEXT, "end": (True, "stop", 23, None)}
    upstream.answer(in_lines(*GENERATED))
    assert read_generated(hiding.generate("m-think", "q", think=True, stream=True)) == expected
    upstream.answer(in_one(WHOLE_GENERATED))
    assert read_generated([hiding.generate("m-think", "q", think=True)]) == expected


def test_renaming_leaves_all_as_it_is(client: ollama.Client, upstream: Upstream) -> None:
    upstream.answer(in_lines(*CHAT))
    seen = read_chat(client.chat("m-think", QUESTION, think=True, stream=True))
    assert (seen["thinking"], seen["content"]) == (THOUGHT, TEXT)
    upstream.answer(in_one(WHOLE_GENERATED))
    whole = client.generate("m-think", "q", think=True)
    assert (whole.thinking, whole.context) == (THOUGHT, [1, 2, 3])


def test_an_answer_of_thinking_alone_is_read(hiding: ollama.Client, upstream: Upstream) -> None:
    upstream.answer(in_lines(CHAT[0], CHAT[1], CHAT[-1]))
    seen = read_chat(hiding.chat("m-think", QUESTION, think=True, stream=True))
    assert seen == {"thinking": "", "content": "", "calls": [], "end": (True, "stop", 23)}


def test_an_error_line_is_the_providers(hiding: ollama.Client, upstream: Upstream) -> None:
    upstream.answer(in_lines(CHAT[0], {"error": "the runner went away"}))
    with pytest.raises(ollama.ResponseError, match="the runner went away"):
        list(hiding.chat("m-think", QUESTION, stream=True))


def test_an_error_status_is_the_providers(hiding: ollama.Client, upstream: Upstream) -> None:
    upstream.answer(Answer([dump({"error": "no such model"})], status=404, headers=[JSON], framing="length"))
    with pytest.raises(ollama.ResponseError, match="no such model") as caught:
        hiding.chat("m-none", QUESTION)
    assert caught.value.status_code == 404


def test_a_body_that_cannot_be_read_is_an_error_to_the_client(hiding: ollama.Client, upstream: Upstream) -> None:
    upstream.answer(Answer([b'{"message":{"thinking":"Secret"'], headers=[JSON], framing="length"))
    with pytest.raises(ollama.ResponseError, match="thinkwire") as caught:
        hiding.chat("m-think", QUESTION)
    assert caught.value.status_code == 502
