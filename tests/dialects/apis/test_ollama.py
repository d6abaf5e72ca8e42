"""Ollama's own API: where its parts are, how it reads requests, and its answers rewritten."""

import json
from typing import Any

import pytest

from tests.corpus import CORPUS, needs_corpus
from tests.dialects.api import Api, dump, kinds, lines
from tests.rewrite.answers import STRIP, STRIP_ALL, STRIP_KEEP_OPAQUE, TO_BOTH
from thinkwire.dialects.apis.ollama import OLLAMA
from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.registry import dialect_of_request, request_facts
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.sniff import ContentHint

CHAT = Api(OLLAMA, "/api/chat")
GENERATE = Api(OLLAMA, "/api/generate")
ONE = ItemKey("", 0)
COUNTS: dict[str, Any] = {"total_duration": 5120004417, "eval_count": 77}


def said(content: str = "", thinking: str | None = None, **more: Any) -> dict[str, Any]:
    """A line of a chat; `more` is added beside the message, except for tool calls."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if thinking is not None:
        message["thinking"] = thinking
    if "tool_calls" in more:
        message["tool_calls"] = more.pop("tool_calls")
    return {"model": "m", "created_at": "2026-08-05T08:11:04Z", "message": message, "done": False} | more


def generated(response: str = "", **more: Any) -> dict[str, Any]:
    return {"model": "m", "created_at": "2026-08-05T08:11:04Z", "response": response, "done": False} | more


def entry(token: str) -> dict[str, Any]:
    return {"token": token, "logprob": -0.5, "bytes": list(token.encode())}


END = said(done=True, done_reason="stop", **COUNTS)
CALL = [{"id": "call_1", "function": {"index": 0, "name": "f", "arguments": {}}}]
STREAM = [said(thinking="still "), said(thinking="waters"), said("Deep"), said("."), END]


def strip_lines(*documents: Any, plan: ResponsePlan = STRIP, api: Api = CHAT) -> list[Any]:
    return [json.loads(line) for line in api.stream(lines(*documents), plan, ContentHint.LINES).splitlines()]


# --- the table --------------------------------------------------------------------------------------------------


def test_a_line_of_a_chat_is_one_update_of_the_only_item() -> None:
    (update,) = CHAT.updates(
        said("a", "b", tool_calls=CALL, logprobs=[entry("x")], done=True, done_reason="stop", news=1, **COUNTS)
    )
    assert update.item == ONE
    assert kinds(update) == {
        "role": Kind.ROLE,
        "content": Kind.TEXT,
        "thinking": Kind.REASONING,
        "tool_calls": Kind.TOOL_CALL,
        "logprobs": Kind.TOKENS,
        "done": Kind.FINISH,
        "done_reason": Kind.FINISH,
        "news": Kind.OTHER,
        "total_duration": Kind.USAGE,
        "eval_count": Kind.USAGE,
    }


def test_a_generated_line_keeps_its_parts_at_the_top() -> None:
    (update,) = GENERATE.updates(generated("a", thinking="b", context=[1], _debug_info={"rendered_template": "x"}))
    assert kinds(update) == {
        "response": Kind.TEXT,
        "thinking": Kind.REASONING,
        "context": Kind.TRANSCRIPT,
        "_debug_info": Kind.TRANSCRIPT,
    }


@pytest.mark.parametrize(
    ("document", "known"),
    [
        (said("a"), True),
        (generated("a"), True),
        (generated(done=True, done_reason="load"), True),
        ({"error": "no such model"}, False),
        ({"model": "m", "embeddings": [[1]], "total_duration": 1}, False),
        ({"status": "pulling manifest", "done": False}, False),
        ({"message": "no", "done": True}, False),
        ({"message": {"role": "assistant", "content": []}, "finish_reason": "COMPLETE"}, False),
        ({"response": {"id": "resp_1"}, "done": True}, False),
        ([said("a")], False),
    ],
)
def test_documents_are_known_by_their_shape(document: Any, known: bool) -> None:
    assert CHAT.matches_document(document) == known


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
@pytest.mark.parametrize("like", [said("x", logprobs=[entry("x")]), generated("x")], ids=["chat", "generate"])
def test_what_is_written_is_located_again(kind: Kind, like: dict[str, Any]) -> None:
    (document,) = CHAT.written(kind, 'say "é"\n', ONE, like)
    assert list(document)[:2] == ["model", "created_at"]
    assert ("response" in document) == ("response" in like)
    assert "logprobs" not in document


# --- the request ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "stream"),
    [
        ("/api/chat", {"model": "m", "messages": []}, True),
        ("/ollama/api/generate", {"model": "m", "prompt": "q"}, True),
        ("/api/chat", {"model": "m", "messages": [], "stream": False}, False),
        ("/api/chat", {"model": "m", "messages": [], "stream": None}, True),
        ("/elsewhere", {"model": "m", "prompt": "q", "think": "high"}, True),
    ],
)
def test_facts_of_a_request(path: str, body: dict[str, Any], stream: bool) -> None:
    facts = request_facts("h", path, "POST", [], dump(body))
    assert (facts.dialect, facts.model, facts.stream) == ("ollama", "m", stream)


@pytest.mark.parametrize(
    "path", ["/api/chat/completions", "/api/v1/chat", "/api/generate-key", "/v2/chat", "/api/tags"]
)
def test_other_paths_are_not_its_own(path: str) -> None:
    found = dialect_of_request(path, None)
    assert found is None or found.name != "ollama"


# --- its answers ------------------------------------------------------------------------------------------------


def test_a_stream_loses_the_reasoning_and_keeps_every_other_line() -> None:
    raw = lines(*STREAM)
    first = (
        b'{"model":"m","created_at":"2026-08-05T08:11:04Z","message":{"role":"assistant","content":""},"done":false}\n'
    )
    assert CHAT.stream(raw, STRIP, ContentHint.LINES) == first + lines(*STREAM[2:])


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_BOTH], ids=["keep", "rename"])
def test_kept_or_renamed_every_byte_stays(plan: ResponsePlan) -> None:
    raw = lines(*STREAM).replace(b'"message":', b'  "message" : ')
    assert CHAT.stream(raw, plan, ContentHint.LINES) == raw
    assert CHAT.body(STREAM[0], plan) == dump(STREAM[0])


def test_reasoning_beside_the_answer_leaves_the_answer() -> None:
    assert strip_lines(said("Hi", "Secret"), END) == [said("Hi"), END]


def test_a_call_after_reasoning_stays_as_it_is() -> None:
    called = said(tool_calls=CALL)
    assert strip_lines(said(thinking="Secret"), called, END)[1:] == [called, END]


def test_an_answer_of_thinking_alone_is_still_an_answer() -> None:
    assert strip_lines(said(thinking="Secret"), END)[-1] == END
    whole = END | {"message": {"role": "assistant", "content": "", "thinking": "Secret"}}
    assert json.loads(CHAT.body(whole, STRIP)) == END


def test_reasoning_that_comes_with_the_end_leaves_the_end() -> None:
    end = END | {"message": {"role": "assistant", "content": "", "thinking": "Secret"}}
    assert strip_lines(end) == [END]


@pytest.mark.parametrize("plan", [STRIP, STRIP_KEEP_OPAQUE], ids=["drop", "keep"])
def test_the_ids_of_the_exchange_are_removed_only_with_reasoning(plan: ResponsePlan) -> None:
    end = generated(done=True, context=[1, 2, 3], **COUNTS)
    without = generated(done=True, **COUNTS)
    assert strip_lines(generated(thinking="Secret"), generated("Hi"), end, plan=plan, api=GENERATE) == [
        generated("Hi"),
        without,
    ]
    assert strip_lines(generated("Hi"), end, plan=plan, api=GENERATE) == [generated("Hi"), end]
    assert json.loads(GENERATE.body(end | {"response": "Hi", "thinking": "Secret"}, plan)) == without | {
        "response": "Hi"
    }
    assert GENERATE.body(end, plan) == dump(end)


def test_the_rendered_prompt_is_removed_with_reasoning() -> None:
    shown = said("Hi", _debug_info={"rendered_template": "<think>Secret"})
    assert CHAT.body(shown, STRIP) == dump(shown)
    assert strip_lines(said(thinking="a"), shown)[1:] == [said("Hi")]


def test_logprobs_of_the_reasoning_are_removed_and_those_of_the_answer_stay() -> None:
    silent = said(logprobs=[entry("</think>")])
    thought = said(thinking="Secret", logprobs=[entry("Secret")])
    answer = said("Hi", logprobs=[entry("Hi")])
    mixed = said("Hi", "Secret", logprobs=[entry("Secret"), entry("Hi")])
    assert strip_lines(thought, silent, answer)[1:] == [answer]
    assert strip_lines(mixed) == [said("Hi")]
    assert strip_lines(thought, answer, plan=STRIP_ALL)[1:] == [said("Hi")]
    whole = said("Hi", "Secret", logprobs=[entry("Secret"), entry("Hi")], done=True)
    assert json.loads(CHAT.body(whole, STRIP)) == said("Hi", done=True)


def test_unknown_members_are_worth_a_line() -> None:
    news = said(thinking="Secret", news={"a": 1.0})
    assert strip_lines(said(thinking="a"), news)[1:] == [said(news={"a": 1.0})]


def test_an_error_line_passes() -> None:
    error = {"error": "an error was encountered while running the model"}
    assert strip_lines(said(thinking="Secret"), error)[1:] == [error]


def test_a_stream_that_broke_off_stays_broken() -> None:
    torn = lines(said("Hi"))[:-9]
    assert CHAT.stream(lines(said("Hi")) + torn, ResponsePlan(), ContentHint.LINES) == lines(said("Hi")) + torn
    assert CHAT.stream(lines(said("Hi")) + torn, STRIP, ContentHint.LINES) == lines(said("Hi"))


@needs_corpus
def test_a_recorded_stream_shows_no_reasoning_and_keeps_call_and_counts() -> None:
    raw = (CORPUS / "ollama-native" / "thinking-tool-ndjson.ndjson").read_bytes()
    _, *after = CHAT.stream(raw, STRIP, ContentHint.LINES).splitlines(keepends=True)
    assert after == raw.splitlines(keepends=True)[-2:]
