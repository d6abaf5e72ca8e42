"""SGLang's own `/generate`: where its parts are, how it reads requests, and its answers rewritten."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api, dump, events, kinds
from tests.rewrite.answers import STRIP, STRIP_ALL, TO_BOTH, documents_of
from thinkwire.dialects.apis.sglang_generate import SGLANG_GENERATE
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.registry import request_facts
from thinkwire.rewrite.plan import ResponsePlan

API = Api(SGLANG_GENERATE, "/generate")
COUNTS = {"prompt_tokens": 3, "completion_tokens": 2, "cached_tokens": 0, "weight_version": "default"}


def answer(text: str, *ids: int, finish: Any = None, **meta: Any) -> dict[str, Any]:
    info = {"id": "r1", "finish_reason": finish, **COUNTS, "output_token_logprobs": [[-0.5, n, None] for n in ids]}
    return {"text": text, "output_ids": list(ids), "meta_info": info | meta}


def without_tokens(document: dict[str, Any]) -> dict[str, Any]:
    meta = {name: value for name, value in document["meta_info"].items() if name != "output_token_logprobs"}
    return {"text": document["text"], "meta_info": meta}


END = answer("Hi there", 1, 2, finish={"type": "stop", "matched": 9})


def rewrite(*documents: Any, plan: ResponsePlan = STRIP) -> list[Any]:
    return documents_of(API.stream(events(*documents) + b"data: [DONE]\n\n", plan))


def test_an_answer_is_a_snapshot_in_a_stream_too() -> None:
    (update,) = API.updates(END | {"index": 2, "reasoning_text": "x"})
    assert (update.item, update.extent) == (ItemKey("", 2), Extent.SNAPSHOT)
    assert kinds(update) == {
        "text": Kind.TEXT,
        "reasoning_text": Kind.REASONING,
        "output_ids": Kind.TOKENS,
        "finish_reason": Kind.FINISH,
        "output_token_logprobs": Kind.TOKENS,
    }


def test_what_the_engine_reports_about_the_prompt_is_separate() -> None:
    (update,) = API.updates(answer("a", hidden_states=[[0.5]], input_token_logprobs=[[None, 1, None]]))
    assert kinds(update) == {
        "text": Kind.TEXT,
        "hidden_states": Kind.TRANSCRIPT,
        "input_token_logprobs": Kind.OTHER,
    }


def test_a_body_can_be_a_list_of_answers() -> None:
    _, first, second = API.updates([answer("a"), answer("b")], Extent.SNAPSHOT)
    assert [update.item for update in (first, second)] == [ItemKey("", 0), ItemKey("", 1)]
    assert SGLANG_GENERATE.matches_document(API.tree([answer("a"), answer("b")]))


@pytest.mark.parametrize(
    ("document", "known"),
    [
        (answer("a", 1), True),
        ({"output_ids": [1], "meta_info": {"id": "r", "finish_reason": None}}, True),
        ({"text": "a", "meta_info": {"id": "r"}}, False),
        ({"text": "a"}, False),
        ({"choices": [{"meta_info": {"finish_reason": None}}]}, False),
        ({"error": {"message": "no"}}, False),
        ([], False),
    ],
)
def test_documents_are_known_by_their_shape(document: Any, known: bool) -> None:
    assert API.matches_document(document) == known


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
@pytest.mark.parametrize(("like", "number"), [(END, 0), (END | {"index": 2}, 2)], ids=["one", "of several"])
def test_what_is_written_is_located_again(kind: Kind, like: dict[str, Any], number: int) -> None:
    (document,) = API.written(kind, 'say "é"\n', ItemKey("", number), like)
    assert document["meta_info"] == {"id": "r1", "finish_reason": None}


@pytest.mark.parametrize("path", ["/generate", "/elsewhere"])
def test_facts_of_a_request(path: str) -> None:
    body = {"text": "q", "sampling_params": {}, "stream": True, "lora_path": "m"}
    facts = request_facts("h", path, "POST", [], dump(body))
    assert (facts.dialect, facts.model, facts.stream) == ("sglang-generate", "m", True)


def test_ollamas_path_is_another_api() -> None:
    assert request_facts("h", "/api/generate", "POST", [], b"{}").dialect == "ollama"


def test_each_snapshot_shows_what_may_be_shown() -> None:
    thinking = answer("", 1) | {"reasoning_text": "Sec"}
    both = END | {"reasoning_text": "Secret"}
    assert rewrite(thinking, both) == [without_tokens(END)]
    assert rewrite(END) == [END]
    assert rewrite(END, plan=STRIP_ALL) == [without_tokens(END)]


def test_a_body_loses_the_tokens_of_reasoning() -> None:
    thinking = END | {"reasoning_text": "Secret"}
    assert json.loads(API.body(thinking, STRIP)) == without_tokens(END)
    assert json.loads(API.body([thinking, END], STRIP)) == [without_tokens(END), END]
    assert API.body(END, STRIP) == dump(END)


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_BOTH], ids=["keep", "rename"])
def test_kept_or_renamed_every_byte_stays(plan: ResponsePlan) -> None:
    raw = events(answer("", 1) | {"reasoning_text": "Sec"}, END) + b"data: [DONE]\n\n"
    assert API.stream(raw, plan) == raw
    assert API.body(END, plan) == dump(END)


def test_errors_and_news_pass() -> None:
    others = [{"error": {"message": "no"}}, answer("", news=1)]
    assert rewrite(answer("") | {"reasoning_text": "Sec"}, *others) == others
