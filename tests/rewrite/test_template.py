"""Documents of other texts, modelled on one that came."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api, dump
from tests.rewrite.answers import chunk, logprobs
from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.apis.gemini import GEMINI
from thinkwire.dialects.core.parts import Kind
from thinkwire.rewrite.template import carries, template_of
from thinkwire.wire.json_tree import decode

CHAT = Api(CHAT_COMPLETIONS, "/v1/chat/completions")
GOOGLE = Api(GEMINI, "/v1beta/models/g:streamGenerateContent")


def modelled(api: Api, document: Any, text: str, *, alone: bool = True) -> Any:
    """The document with another text; `alone`: with nothing else of it, which is sent once."""
    updates = api.updates(document)
    own = next(update for update in updates if update.of(Kind.TEXT))
    like = template_of(own, updates if alone else ())
    return None if like is None else json.loads(like.with_text(text).encode("latin-1"))


@pytest.mark.parametrize("text", ["", "Ho", '"\\\n', "é 🙂"])
def test_another_text_takes_the_place_of_the_first(text: str) -> None:
    assert modelled(CHAT, chunk({"content": "Hi é"}), text, alone=False) == chunk({"content": text})


def test_only_the_envelope_is_repeated() -> None:
    came = chunk({"role": "assistant", "content": "Hi", "unheard_of": 1}, logprobs=logprobs("Hi"))
    after = modelled(CHAT, came, "Ho")
    assert after["choices"][0]["delta"] == {"content": "Ho"}
    assert "logprobs" not in after["choices"][0]
    assert (after["id"], after["model"]) == (came["id"], came["model"])


def test_all_of_it_is_repeated_if_nothing_of_it_was_sent() -> None:
    came = chunk({"role": "assistant", "content": "Hi"}, logprobs=logprobs("Hi"))
    again = chunk({"role": "assistant", "content": "Ho"}, logprobs=logprobs("Hi"))
    assert modelled(CHAT, came, "Ho", alone=False) == again


def test_further_texts_are_emptied() -> None:
    parts = [{"text": "Hi"}, {"text": "Ho"}]
    came = {"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}]}
    after = modelled(GOOGLE, came, "x", alone=False)
    assert after["candidates"][0]["content"]["parts"] == [{"text": "x"}, {"text": ""}]


@pytest.mark.parametrize("delta", [{}, {"content": ""}, {"content": None}, {"reasoning": "Hm"}])
def test_a_document_without_a_text_is_no_model(delta: dict[str, Any]) -> None:
    assert [template_of(update) for update in CHAT.updates(chunk(delta))] == [None] * len(CHAT.updates(chunk(delta)))


@pytest.mark.parametrize(
    ("document", "kind", "text", "does"),
    [
        (chunk({"content": "Hi"}), Kind.TEXT, "Hi", True),
        (chunk({"content": "Hi"}), Kind.TEXT, "H", False),
        (chunk({"content": "Hi"}), Kind.REASONING, "Hi", False),
        (chunk({"content": "🙂"}), Kind.TEXT, "\ud83d\ude42", True),
    ],
)
def test_a_document_carries_its_own_text_alone(document: Any, kind: Kind, text: str, does: bool) -> None:
    assert carries(decode(dump(document)), kind, text, CHAT_COMPLETIONS.table(CHAT.request)) == does
