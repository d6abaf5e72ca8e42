"""Mistral's conversations: where their parts are, and what remains of their answers."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api
from tests.rewrite.answers import STRIP, STRIP_KEEP_OPAQUE, TO_REASONING, documents_of
from thinkwire.dialects.apis.mistral_conversations import MISTRAL_CONVERSATIONS
from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.plan import ResponsePlan

API = Api(MISTRAL_CONVERSATIONS, "/v1/conversations")
SEAL = "EqQBCkgIARABGAIiQL7vE0c9"
THINKS = {"type": "thinking", "thinking": [{"type": "text", "text": "Quiet"}]}
SEALED = {**THINKS, "signature": SEAL, "closed": True}
SAYS = {"type": "text", "text": "Loud"}
STARTED = {"type": "conversation.response.started", "created_at": "2026-01-01T00:00:00Z", "conversation_id": "c1"}
DONE = {"type": "conversation.response.done", "usage": {"completion_tokens": 9}}
TOOL = {"type": "tool.execution.started", "output_index": 0, "id": "t1", "name": "web_search", "arguments": ""}
CALL = {
    "type": "function.call.delta",
    "output_index": 2,
    "id": "f1",
    "name": "add",
    "tool_call_id": "x",
    "arguments": "",
}


def delta(content: Any, **more: Any) -> dict[str, Any]:
    head = {"type": "message.output.delta", "output_index": 1, "id": "m1", "content_index": 0, "model": "m"}
    return {**head, "role": "assistant", "content": content, **more}


def frames(*documents: dict[str, Any]) -> bytes:
    return b"".join(b"event: %s\ndata: %s\n\n" % (one["type"].encode(), json.dumps(one).encode()) for one in documents)


def rewritten(plan: ResponsePlan, *documents: Any) -> list[Any]:
    return documents_of(API.stream(frames(*documents), plan))


# --- streams -------------------------------------------------------------------------------------------------------


def test_pieces_of_reasoning_are_removed_and_the_answer_stays() -> None:
    documents = [STARTED, TOOL, delta(THINKS), delta(SEALED), delta(SAYS), delta("answer"), CALL, DONE]
    assert rewritten(STRIP, *documents) == [STARTED, TOOL, delta(SAYS), delta("answer"), CALL, DONE]


def test_a_piece_can_be_a_list() -> None:
    assert rewritten(STRIP, delta([THINKS, SAYS]), delta([THINKS])) == [delta([SAYS])]


def test_a_signature_can_stay() -> None:
    kept = {"type": "thinking", "thinking": [], "signature": SEAL, "closed": True}
    assert rewritten(STRIP_KEEP_OPAQUE, delta(THINKS), delta(SEALED), delta(SAYS)) == [delta(kept), delta(SAYS)]


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_REASONING], ids=["keep", "rename"])
def test_keep_and_rename_change_nothing(plan: ResponsePlan) -> None:
    raw = frames(STARTED, delta(THINKS), delta([SEALED, SAYS]), DONE)
    assert API.stream(raw, plan) == raw


@pytest.mark.parametrize(
    "document",
    [
        {"type": "conversation.response.error", "message": "no", "code": 3000},
        {"type": "tool.execution.delta", "id": "t1", "name": "code_interpreter", "arguments": "1+1"},
        {"type": "agent.handoff.started", "output_index": 1, "id": "h1", "previous_agent_name": "a"},
        {"type": "news", "content": {"type": "text", "text": "new"}},
        delta({"type": "tool_reference", "tool": "web_search", "title": "page"}),
        delta({"type": "tool_file", "tool": "image_generation", "file_id": "f"}),
        delta(""),
    ],
)
def test_what_is_not_reasoning_passes(document: dict[str, Any]) -> None:
    assert rewritten(STRIP, document) == [document]


def test_an_answer_of_thinking_alone_stays_one() -> None:
    assert rewritten(STRIP, STARTED, delta(THINKS), DONE) == [STARTED, DONE]


# --- bodies --------------------------------------------------------------------------------------------------------


def entry(content: Any) -> dict[str, Any]:
    return {"object": "entry", "type": "message.output", "role": "assistant", "id": "m1", "content": content}


@pytest.mark.parametrize(
    ("name", "entries"),
    [
        ("conversation.response", "outputs"),
        ("conversation.history", "entries"),
        ("conversation.messages", "messages"),
    ],
)
def test_bodies_lose_the_reasoning_of_each_entry(name: str, entries: str) -> None:
    def body(*contents: Any) -> dict[str, Any]:
        tool = {"object": "entry", "type": "tool.execution", "name": "web_search", "info": {}}
        return {"conversation_id": "c1", "object": name, entries: [tool, *map(entry, contents)], "usage": {"n": 9}}

    assert API.matches_document(body(""))
    stripped = json.loads(API.body(body([THINKS, SAYS], "answer", [THINKS]), STRIP))
    assert stripped == body([SAYS], "answer", "")


# --- the dialect ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", [STARTED, TOOL, delta(THINKS), delta("Loud"), CALL, DONE])
def test_its_documents_are_known(document: Any) -> None:
    assert API.matches_document(document)


@pytest.mark.parametrize(
    "document",
    [
        {"detail": [{"type": "missing", "msg": "Field required"}]},
        {"object": "error", "message": "no", "type": "invalid_request"},
        {"type": "response.output_item.done", "item": {"type": "reasoning"}},
        {"object": "conversation", "id": "conv_1", "created_at": 1},
        {"object": "chat.completion", "choices": []},
        [STARTED],
    ],
)
def test_other_documents_are_not(document: Any) -> None:
    assert not API.matches_document(document)


@pytest.mark.parametrize(
    ("path", "asks"),
    [
        ("/v1/conversations", True),
        ("/v1/conversations/c1", True),
        ("/v1/conversations/c1/history", True),
        ("/v1/conversations/c1/restart", True),
        ("/v1/conversations/c1/items", False),
        ("/v1/agents", False),
        ("/v1/chat/completions", False),
    ],
)
def test_requests_are_known_by_their_path(path: str, asks: bool) -> None:
    assert MISTRAL_CONVERSATIONS.matches_path(path) is asks
    assert not MISTRAL_CONVERSATIONS.matches_body({"inputs": "Hi", "messages": []})


def test_a_request_names_its_model_and_whether_it_wants_a_stream() -> None:
    request = RequestFacts("h", "/v1/conversations", "POST", (), {"model": "mistral-small", "stream": True})
    assert (MISTRAL_CONVERSATIONS.model(request), MISTRAL_CONVERSATIONS.wants_stream(request)) == (
        "mistral-small",
        True,
    )


@pytest.mark.parametrize(("kind", "content"), [(Kind.TEXT, "hm é"), (Kind.REASONING, None)])
def test_what_is_written_is_a_piece_of_a_message(kind: Kind, content: str | None) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm é"}]}
    like = delta("Loud", created_at="2026-01-01T00:00:00Z")
    (text,) = MISTRAL_CONVERSATIONS.write(kind, "hm é", ItemKey("", 0), API.tree(like))
    left = {name: value for name, value in like.items() if name not in ("content", "content_index")}
    assert json.loads(text) == {**left, "content": content or thought}
    (update,) = API.updates(json.loads(text))
    (part,) = update.of(kind)
    assert (update.item, [leaf.node.value for leaf in part.leaves] or [part.node.value]) == (ItemKey("", 0), ["hm é"])


def test_an_error_is_what_its_clients_read() -> None:
    assert json.loads(MISTRAL_CONVERSATIONS.error(502, "no é")) == {"detail": "no é"}
