"""Legacy text completions: where their parts are, how they read requests, and their answers rewritten."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api, dump, events, kinds
from tests.rewrite.answers import STRIP, STRIP_ALL, STRIP_KEEP_OPAQUE, TO_BOTH, documents_of
from thinkwire.dialects.apis.completions import COMPLETIONS
from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.registry import request_facts
from thinkwire.rewrite.plan import ResponsePlan

API = Api(COMPLETIONS, "/v1/completions")
HEAD = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m"}
USAGE = {"prompt_tokens": 1, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 7}}


def completion(text: str = "", index: int = 0, **choice: Any) -> dict[str, Any]:
    return HEAD | {"choices": [{"text": text, "index": index, "logprobs": None, "finish_reason": None} | choice]}


def logprobs(*tokens: str) -> dict[str, Any]:
    return {
        "tokens": list(tokens),
        "token_logprobs": [-0.5] * len(tokens),
        "top_logprobs": [{token: -0.5} for token in tokens],
        "text_offset": list(range(len(tokens))),
    }


def detail(**members: Any) -> list[dict[str, Any]]:
    return [{"format": "unknown", "index": 0, **members}]


END = completion(finish_reason="stop", native_finish_reason="STOP")


def rewrite(*documents: Any, plan: ResponsePlan = STRIP) -> list[Any]:
    return documents_of(API.stream(events(*documents) + b"data: [DONE]\n\n", plan))


def test_a_choice_is_an_update_of_its_own() -> None:
    own, first = API.updates(
        completion(
            "a",
            2,
            reasoning="b",
            reasoning_details=detail(type="reasoning.text", text="b"),
            logprobs=logprobs("a"),
            token_ids=[1],
            prompt_token_ids=[2],
            finish_reason="stop",
        )
        | {"usage": USAGE}
    )
    assert kinds(own) == {"usage": Kind.USAGE}
    assert first.item == ItemKey("", 2)
    assert kinds(first) == {
        "text": Kind.TEXT,
        "reasoning": Kind.REASONING,
        "reasoning_details": Kind.REASONING,
        "logprobs": Kind.TOKENS,
        "token_ids": Kind.TOKENS,
        "prompt_token_ids": Kind.OTHER,
        "finish_reason": Kind.FINISH,
    }


@pytest.mark.parametrize(
    ("document", "known"),
    [
        (completion("a"), True),
        (END, True),
        (HEAD | {"choices": [], "usage": USAGE}, True),
        ({"choices": [{"index": 0, "text": "a"}]}, True),
        ({"choices": [{"index": 0, "text": "a", "delta": {"content": "a"}}]}, False),
        ({"choices": [{"index": 0, "message": {"content": "a"}}]}, False),
        ({"object": "chat.completion.chunk", "choices": []}, False),
        ({"choices": []}, False),
        ({"error": {"message": "no"}}, False),
        ([], False),
    ],
)
def test_documents_are_known_by_their_shape(document: Any, known: bool) -> None:
    assert API.matches_document(document) == known


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
def test_what_is_written_is_located_again(kind: Kind) -> None:
    (document,) = API.written(kind, 'say "é"\n', ItemKey("", 2), completion("x") | {"usage": USAGE})
    assert {name: value for name, value in document.items() if name != "choices"} == HEAD


@pytest.mark.parametrize(
    "path", ["/v1/completions", "/api/v1/completions", "/openai/deployments/m/completions", "/elsewhere"]
)
def test_facts_of_a_request(path: str) -> None:
    body = {"model": "m", "prompt": "q", "stream": True}
    facts = request_facts("h", path, "POST", [], dump(body))
    assert (facts.dialect, facts.model, facts.stream) == ("completions", "m", True)


def test_azure_names_the_model_in_the_path() -> None:
    facts = request_facts("h", "/openai/deployments/m/completions", "POST", [], b'{"prompt": "q"}')
    assert facts.model == "m"


def test_chat_completions_are_not_meant() -> None:
    assert request_facts("h", "/v1/chat/completions", "POST", [], b"{}").dialect == "chat-completions"


def test_reasoning_beside_the_text_is_removed_with_its_details() -> None:
    thinking = completion(reasoning="Secret", reasoning_details=detail(type="reasoning.text", text="Secret"))
    signed = completion(reasoning_details=detail(type="reasoning.text", signature="c2ln"))
    mixed = completion("Hi", reasoning="Secret")
    last = completion(".", reasoning=None, reasoning_details=[])
    assert rewrite(thinking, signed, mixed, last, END) == [completion("Hi"), completion("."), END]


def test_a_signature_can_stay() -> None:
    signed = completion(reasoning_details=detail(type="reasoning.text", signature="c2lnbmF0dXJl/+8="))
    thinking = completion(reasoning="Secret", reasoning_details=detail(type="reasoning.text", text="Secret"))
    assert rewrite(thinking, signed, plan=STRIP_KEEP_OPAQUE)[-1] == signed


def test_token_lists_share_the_fate_of_the_text_they_spell() -> None:
    hidden = completion(reasoning="Secret", logprobs=logprobs("Secret"), token_ids=[1])
    silent = completion(logprobs=logprobs("</think>"), token_ids=[2])
    shown = completion("Hi", logprobs=logprobs("Hi"), token_ids=[3])
    bare = completion("Hi")
    del bare["choices"][0]["logprobs"]
    assert rewrite(hidden, silent, shown, END) == [shown, END]
    assert rewrite(hidden, shown, plan=STRIP_ALL) == [bare]
    assert rewrite(shown, END) == [shown, END]


def test_choices_share_no_state() -> None:
    shown = completion("Hi", 1, token_ids=[3])
    assert rewrite(completion(reasoning="Secret"), shown) == [shown]


def test_a_body_is_stripped_choice_by_choice() -> None:
    thought = {"text": "Hi", "index": 0, "reasoning": "Secret", "logprobs": logprobs("Secret", "Hi")}
    plain = {"text": "Ho", "index": 1, "reasoning": None, "logprobs": logprobs("Ho"), "prompt_logprobs": [None]}
    body = HEAD | {"choices": [thought, plain], "usage": USAGE}
    plain_after = {name: value for name, value in plain.items() if name != "reasoning"}
    assert json.loads(API.body(body, STRIP)) == HEAD | {
        "choices": [{"text": "Hi", "index": 0}, plain_after],
        "usage": USAGE,
    }


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_BOTH], ids=["keep", "rename"])
def test_kept_or_renamed_every_byte_stays(plan: ResponsePlan) -> None:
    documents = [completion(reasoning="Secret", reasoning_details=detail(text="Secret")), completion("Hi"), END]
    raw = events(*documents) + b"data: [DONE]\n\n"
    assert API.stream(raw, plan) == raw
    assert API.body(documents[0], plan) == dump(documents[0])


def test_usage_errors_and_news_pass() -> None:
    others = [
        HEAD | {"choices": [], "usage": USAGE},
        {"error": {"message": "overloaded", "code": 529}},
        completion() | {"news": 1},
    ]
    assert rewrite(completion(reasoning="Secret"), *others) == others
