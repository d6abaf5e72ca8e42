"""llama.cpp's own completions: where their parts are, how they read requests, and their answers rewritten."""

import json
from typing import Any

import pytest

from tests.corpus import CORPUS, needs_corpus
from tests.dialects.api import Api, dump, events, kinds
from tests.rewrite.answers import STRIP, STRIP_ALL, TO_BOTH, documents_of
from thinkwire.dialects.apis.llamacpp_completion import LLAMACPP_COMPLETION
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.registry import request_facts
from thinkwire.rewrite.plan import ResponsePlan

API = Api(LLAMACPP_COMPLETION, "/completion")
COUNTS = {"id_slot": 0, "tokens_predicted": 1, "tokens_evaluated": 5}


def piece(content: str, *ids: int, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"index": index, "content": content, "tokens": list(ids), "stop": False, **COUNTS} | more


def probabilities(*tokens: str) -> list[dict[str, Any]]:
    return [{"id": 1, "token": token, "bytes": list(token.encode()), "logprob": -0.5} for token in tokens]


END = piece("", stop=True, model="m", prompt="q", generation_settings={"n": 1.0}, stop_type="eos", timings={"n": 1})


def rewrite(*documents: Any, plan: ResponsePlan = STRIP) -> list[Any]:
    return documents_of(API.stream(events(*documents), plan))


def test_a_chunk_is_one_update_of_its_prompts_item() -> None:
    (update,) = API.updates(piece("a", 1, index=2, completion_probabilities=probabilities("a")))
    assert update.item == ItemKey("", 2)
    assert kinds(update) == {"content": Kind.TEXT, "tokens": Kind.TOKENS, "completion_probabilities": Kind.TOKENS}


def test_the_last_chunk_is_flagged_and_repeats_what_the_client_sent() -> None:
    (update,) = API.updates(END)
    assert kinds(update) == {
        "stop": Kind.FINISH,
        "prompt": Kind.OTHER,
        "generation_settings": Kind.OTHER,
        "timings": Kind.USAGE,
    }


def test_a_body_can_be_a_list_of_answers() -> None:
    _, first, second = API.updates([piece("a"), piece("b", index=1)], Extent.SNAPSHOT)
    assert [update.item for update in (first, second)] == [ItemKey("", 0), ItemKey("", 1)]
    assert kinds(second) == {"content": Kind.TEXT}
    assert LLAMACPP_COMPLETION.matches_document(API.tree([piece("a"), piece("b")]))


@pytest.mark.parametrize(
    ("document", "known"),
    [
        (piece("a", 1), True),
        (END, True),
        ({"error": {"code": 400, "message": "no", "type": "invalid_request_error"}}, False),
        ({"content": "a", "stop": False}, False),
        ({"content": ["a"], "stop": True, "tokens_predicted": 1}, False),
        ({"choices": [], "timings": {}}, False),
        ([], False),
    ],
)
def test_documents_are_known_by_their_shape(document: Any, known: bool) -> None:
    assert API.matches_document(document) == known


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
def test_what_is_written_is_located_again(kind: Kind) -> None:
    (document,) = LLAMACPP_COMPLETION.write(kind, 'say "é"\n', ItemKey("", 2), API.tree(END))
    (update,) = API.updates(json.loads(document))
    assert (update.item, [part.node.value for part in update.of(kind)][-1]) == (ItemKey("", 2), 'say "é"\n')


@pytest.mark.parametrize("path", ["/completion", "/completions", "/infill", "/llama/completion", "/elsewhere"])
def test_facts_of_a_request(path: str) -> None:
    body = {"prompt": "q", "n_predict": 9, "model": "m", "stream": True}
    facts = request_facts("h", path, "POST", [], dump(body))
    assert (facts.dialect, facts.model, facts.stream) == ("llamacpp-completion", "m", True)


def test_the_endpoint_of_openai_is_another_api() -> None:
    assert request_facts("h", "/v1/completions", "POST", [], b'{"n_predict": 1}').dialect == "completions"


def test_what_was_extracted_from_the_text_is_removed_with_its_tokens() -> None:
    hidden = piece("", 1, reasoning_content="Secret", completion_probabilities=probabilities("Secret"))
    mark = piece("", 2, completion_probabilities=probabilities("</think>"))
    shown = piece("Hi", 3, completion_probabilities=probabilities("Hi"))
    assert rewrite(hidden, mark, shown, END) == [shown, END]
    without = {name: value for name, value in piece("Hi").items() if name != "tokens"}
    assert rewrite(hidden, shown, plan=STRIP_ALL) == [without]


def test_a_body_loses_the_tokens_of_reasoning() -> None:
    body = END | {"content": "Hi", "tokens": [1, 2], "completion_probabilities": probabilities("Secret", "Hi")}
    assert API.body(body, STRIP) == dump(body)
    without = {name: value for name, value in body.items() if name not in ("tokens", "completion_probabilities")}
    assert json.loads(API.body(body | {"reasoning_content": "Secret"}, STRIP)) == without
    both = [body | {"reasoning_content": "Secret"}, body | {"index": 1}]
    assert json.loads(API.body(both, STRIP)) == [without, body | {"index": 1}]


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_BOTH], ids=["keep", "rename"])
def test_kept_or_renamed_every_byte_stays(plan: ResponsePlan) -> None:
    raw = events(piece("", 1, reasoning_content="Secret"), piece("Hi", 2), END)
    assert API.stream(raw, plan) == raw


def test_errors_and_news_pass() -> None:
    others = [{"error": {"code": 500, "message": "no", "type": "server_error"}}, piece("", prompt_progress={"n": 1})]
    assert rewrite(piece("", reasoning_content="Secret"), *others) == others


@needs_corpus
def test_a_recorded_stream_keeps_its_text_and_settings() -> None:
    """Nothing is extracted from raw text, so only the token without text is removed: it ends the generation."""
    raw = (CORPUS / "llamacpp-live" / "completion-stream.sse").read_bytes()
    before, after = documents_of(raw), documents_of(API.stream(raw, STRIP))
    assert after == [document for document in before if document["content"] or document["stop"]]
    assert len(before) - len(after) == 1
