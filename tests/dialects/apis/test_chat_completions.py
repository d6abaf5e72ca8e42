"""Where the parts of chat completions are, and how the dialect reads requests."""

import json
from typing import Any

import pytest

from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import dialect_of_request, request_facts
from thinkwire.wire.json_tree import Node, decode, read

REQUEST = RequestFacts("h", "/", "POST", ())


def tree(document: Any) -> Node:
    return read(decode(json.dumps(document, ensure_ascii=False).encode()), CHAT_COMPLETIONS.table(REQUEST))


def updates(document: Any, extent: Extent = Extent.DELTA) -> list[Update]:
    return locate(tree(document), extent)


def kinds(update: Update) -> dict[str, Kind]:
    return {part.node.key: part.kind for part in update.parts if part.is_meaningful}


def test_a_chunk_is_the_documents_update_and_one_for_each_choice() -> None:
    delta = {"role": "assistant", "content": "a", "reasoning": "b", "tool_calls": [1], "refusal": "c", "new": 1}
    choice = {"index": 3, "delta": delta, "logprobs": {"content": [1]}, "token_ids": [1], "finish_reason": "stop"}
    own, first = updates({"id": "x", "choices": [choice], "usage": {"n": 1}, "note": 1})
    assert (own.item, kinds(own)) == (None, {"usage": Kind.USAGE, "note": Kind.OTHER})
    assert first.item == ItemKey("", 3)
    assert kinds(first) == {
        "role": Kind.ROLE,
        "content": Kind.TEXT,
        "reasoning": Kind.REASONING,
        "tool_calls": Kind.TOOL_CALL,
        "refusal": Kind.REFUSAL,
        "new": Kind.OTHER,
        "logprobs": Kind.TOKENS,
        "token_ids": Kind.TOKENS,
        "finish_reason": Kind.FINISH,
    }


def test_choices_without_a_usable_index_are_distinguished_by_position() -> None:
    found = updates({"choices": [{"delta": {}}, {"index": None, "delta": {}}, {"index": "", "delta": {}}]})
    assert [update.item for update in found[1:]] == [ItemKey("", 0), ItemKey("", 1), ItemKey("", 2)]


def test_an_index_that_is_not_a_number_still_identifies_its_choice() -> None:
    for index in ("one", -1, 1.0, 10**30):
        (_, update) = updates({"choices": [{"index": index, "delta": {}}]})
        assert update.item == ItemKey("", json.dumps(index))


def test_a_message_beside_a_delta_is_a_snapshot_of_the_same_choice() -> None:
    for names in (("delta", "message"), ("message", "delta")):
        choice = {name: {"content": name} for name in names} | {"index": 2, "token_ids": [1]}
        found = {update.extent: update for update in updates({"choices": [choice]})[1:]}
        assert {update.item for update in found.values()} == {ItemKey("", 2)}
        assert kinds(found[Extent.DELTA]) == {"content": Kind.TEXT, "token_ids": Kind.TOKENS}
        assert kinds(found[Extent.SNAPSHOT]) == {"content": Kind.TEXT}


def test_a_message_alone_is_a_snapshot_in_a_stream_too() -> None:
    assert updates({"choices": [{"message": {"content": "a"}}]})[1].extent is Extent.SNAPSHOT


@pytest.mark.parametrize("choices", [None, [], {}, "x", [None], [[]], [1]])
def test_choices_of_any_other_form_are_not_updates(choices: Any) -> None:
    assert all(not update.parts for update in updates({"choices": choices})[1:])


def test_blocks_are_one_part_with_their_texts_and_signatures_as_leaves() -> None:
    blocks = [
        {"type": "reasoning.text", "text": "a", "signature": "s", "index": 0},
        {"type": "reasoning.summary", "summary": "b"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "c"}], "encrypted_content": "e"},
        "d",
    ]
    (part,) = updates({"choices": [{"delta": {"reasoning_details": blocks}}]})[1].parts
    assert [(leaf.kind, leaf.node.value) for leaf in part.leaves] == [
        (Kind.REASONING, "a"),
        (Kind.OPAQUE, "s"),
        (Kind.REASONING, "b"),
        (Kind.REASONING, "c"),
        (Kind.OPAQUE, "e"),
        (Kind.REASONING, "d"),
    ]


def test_blocks_without_text_or_state_are_not_meaningful() -> None:
    empty: list[list[Any]] = [
        [],
        [{}],
        [{"type": "reasoning.text", "text": "", "signature": None, "index": 0}],
    ]
    for blocks in empty:
        (part,) = updates({"choices": [{"delta": {"reasoning_details": blocks}}]})[1].parts
        assert not part.is_meaningful


@pytest.mark.parametrize(
    ("document", "known"),
    [
        ({"choices": []}, True),
        ({"choices": None}, True),
        ({"sglext": {}}, True),
        ({"object": "text_completion", "choices": [{"text": "a"}]}, False),
        ({"error": {}}, False),
        ({"type": "message_start"}, False),
        ({"type": "content_block_delta", "delta": {}, "choices": []}, False),
        ([], False),
        ("choices", False),
    ],
)
def test_documents_are_known_by_their_shape(document: Any, known: bool) -> None:
    assert CHAT_COMPLETIONS.matches_document(tree(document)) is known


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT, Kind.REFUSAL])
def test_what_is_written_is_located_again_with_the_envelope_of_its_stream(kind: Kind) -> None:
    like = tree({"id": "é1", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": [], "usage": {}})
    (text,) = CHAT_COMPLETIONS.write(kind, 'say "é"\n', ItemKey("", 2), like)
    (_, update) = locate(read(text, CHAT_COMPLETIONS.table(REQUEST)), Extent.DELTA)
    assert update.item == ItemKey("", 2)
    assert [(part.kind, part.node.value) for part in update.parts if part.is_meaningful] == [(kind, 'say "é"\n')]
    written = read(text, CHAT_COMPLETIONS.table(REQUEST))
    assert [(node.key, node.raw) for node in written.children[:-1]] == [
        (node.key, node.raw) for node in like.children[:4]
    ]


def test_an_error_has_the_apis_own_shape() -> None:
    error = json.loads(CHAT_COMPLETIONS.error(502, "no"))["error"]
    assert (error["message"], error["type"]) == ("no", "server_error")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/chat/completions",
        "/chat/completions",
        "/api/v1/chat/completions/",
        "/openai/deployments/gpt/chat/completions",
        "/v1/chat/completions/batch",
        "/v1beta/openai/chat/completions",
    ],
)
def test_requests_are_recognised_by_their_path(path: str) -> None:
    assert dialect_of_request(path, None) is CHAT_COMPLETIONS


def test_requests_to_other_paths_are_recognised_by_their_shape() -> None:
    assert dialect_of_request("/chat", {"model": "m", "messages": []}) is CHAT_COMPLETIONS
    assert dialect_of_request("/chat", {"prompt": "x"}) is None
    assert dialect_of_request("/", None) is None


def test_facts_of_a_request() -> None:
    body = b'{"model": "deepseek-chat", "stream": true, "messages": [], "include_reasoning": false}'
    facts = request_facts("api.deepseek.com", "/chat/completions", "POST", [("X-A", "B")], body)
    assert (facts.dialect, facts.model, facts.stream, facts.headers) == (
        "chat-completions",
        "deepseek-chat",
        True,
        (("x-a", "B"),),
    )
    assert isinstance(facts.body, dict)
    assert facts.body["include_reasoning"] is False


@pytest.mark.parametrize("body", [None, b"", b"a=b", b"{", b"\xff{}", b'{"stream": "yes"}', b"[" * 5000])
def test_a_body_that_is_not_a_request_has_neither_model_nor_stream(body: bytes | None) -> None:
    facts = request_facts("h", "/v1/chat/completions", "POST", [], body)
    assert (facts.model, facts.stream) == (None, False)


def test_azure_names_the_model_in_the_path() -> None:
    facts = request_facts("h", "/openai/deployments/gpt-5/chat/completions", "POST", [], b"{}")
    assert facts.model == "gpt-5"
