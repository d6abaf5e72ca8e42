"""Which token metadata stays beside which text, by what the table of states asks."""

from typing import Any

import pytest

from tests.dialects.api import Api
from tests.rewrite.answers import chunk, logprobs
from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.core.parts import Kind
from thinkwire.rewrite.strip.metadata import kept_parts
from thinkwire.rewrite.strip.states import MetadataAction

CHAT = Api(CHAT_COMPLETIONS, "/v1/chat/completions")
CALL = {"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f", "arguments": ""}}]}


def kept(action: MetadataAction, delta: dict[str, Any], **choice: Any) -> list[str]:
    """The names of what stays."""
    (update,) = (one for one in CHAT.updates(chunk(delta, **choice)) if one.item is not None)
    return [part.node.key for part in kept_parts(update, update.of(Kind.TOKENS), action)]


@pytest.mark.parametrize("delta", [{}, {"content": "Hi"}])
def test_keep_and_drop_do_not_look(delta: dict[str, Any]) -> None:
    assert kept(MetadataAction.KEEP, delta, logprobs=logprobs("Hm")) == ["logprobs"]
    assert kept(MetadataAction.DROP, delta, logprobs=logprobs("Hi")) == []


@pytest.mark.parametrize(
    ("delta", "tokens", "stays"),
    [
        ({"content": "Hi"}, ["H", "i"], True),
        ({"content": "Hi"}, ["Hm", "Hi"], False),
        ({"content": "Hi"}, ["Hi", "!"], False),
        ({"content": " Hi"}, ["Hi"], True),
        ({"content": "Hi"}, ["Hi\n"], True),
        ({"content": "Hi"}, ["Oh"], True),
        ({"content": "Hi", **CALL}, ["Hm", "Hi"], True),
    ],
    ids=["the text", "more before it", "more after it", "trimmed", "white space", "another text", "beside a call"],
)
def test_more_than_the_text_goes(delta: dict[str, Any], tokens: list[str], stays: bool) -> None:
    assert kept(MetadataAction.KEEP_UNLESS_MORE, delta, logprobs=logprobs(*tokens)) == ["logprobs"] * stays


@pytest.mark.parametrize(
    ("delta", "tokens", "stays"),
    [
        ({"content": "Hi"}, ["H", "i"], True),
        ({"refusal": "No"}, ["No"], True),
        ({"content": "Hi"}, ["Hi\n"], False),
        ({"content": "Hi"}, ["Oh"], False),
        ({}, ["Hm"], False),
    ],
    ids=["the text", "a refusal", "white space", "another text", "no text"],
)
def test_only_what_spells_the_text_stays(delta: dict[str, Any], tokens: list[str], stays: bool) -> None:
    assert kept(MetadataAction.KEEP_IF_SPELLED, delta, logprobs=logprobs(*tokens)) == ["logprobs"] * stays


def test_bare_ids_stay_beside_a_list_of_as_many_tokens_that_spells_the_text() -> None:
    for ids, names in ([1, 2], ["logprobs", "token_ids"]), ([1, 2, 3], ["logprobs"]):
        choice = {"logprobs": logprobs("H", "i"), "token_ids": ids}
        assert sorted(kept(MetadataAction.KEEP_IF_SPELLED, {"content": "Hi"}, **choice)) == names


def test_bare_ids_alone_stay_only_if_the_table_says_so() -> None:
    assert kept(MetadataAction.KEEP_IF_SPELLED_OR_BARE, {"content": "Hi"}, token_ids=[1]) == ["token_ids"]
    assert kept(MetadataAction.KEEP_IF_SPELLED, {"content": "Hi"}, token_ids=[1]) == []
    beside = {"token_ids": [1], "logprobs": logprobs("Oh")}
    assert kept(MetadataAction.KEEP_IF_SPELLED_OR_BARE, {"content": "Hi"}, **beside) == []
