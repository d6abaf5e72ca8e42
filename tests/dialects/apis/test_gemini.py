"""Gemini's own API: where its parts are, how it reads requests, and its answers rewritten."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api, dump, events, kinds
from tests.rewrite.answers import STRIP, STRIP_ALL, STRIP_KEEP_OPAQUE, TO_BOTH, documents_of
from thinkwire.dialects.apis.gemini import GEMINI
from thinkwire.dialects.core.parts import ItemKey, Kind
from thinkwire.dialects.registry import dialect_of_request, request_facts, streams_a_list
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.sniff import ContentHint

API = Api(GEMINI, "/v1beta/models/gemini-3-pro:streamGenerateContent")
USAGE = {"promptTokenCount": 3, "candidatesTokenCount": 2, "thoughtsTokenCount": 30, "totalTokenCount": 35}
SIGNATURE = "EpAICo0IAb4+9vuku3oDHR5EQSMfPm5I"
THOUGHT = {"text": "Secret ", "thought": True}
CALL = {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": SIGNATURE}
EMPTY = {"text": ""}


def said(*parts: Any, index: int = 0, **candidate: Any) -> dict[str, Any]:
    """A chunk with one candidate and no usage; `candidate` adds members to it."""
    one = {"content": {"role": "model", "parts": list(parts)}, "index": index} | candidate
    return {"candidates": [one], "modelVersion": "m", "responseId": "r"}


def text(piece: str, **more: Any) -> dict[str, Any]:
    return {"text": piece, **more}


def listed(*tokens: str) -> dict[str, Any]:
    chosen = [{"token": token, "tokenId": 5, "logProbability": -0.5} for token in tokens]
    return {"chosenCandidates": chosen, "topCandidates": [{"candidates": [one]} for one in chosen]}


def stripped(*documents: Any, plan: ResponsePlan = STRIP) -> list[Any]:
    return documents_of(API.stream(events(*documents), plan))


def stripped_body(document: Any, plan: ResponsePlan = STRIP) -> Any:
    return json.loads(API.body(document, plan))


# --- the table --------------------------------------------------------------------------------------------------


def test_a_chunk_is_the_document_and_an_update_for_each_candidate() -> None:
    first = said(THOUGHT, text("a"), CALL, avgLogprobs=-0.1, logprobsResult=listed("a"), finishReason="STOP")
    del first["candidates"][0]["index"]
    second = said(text("b"), index=1, news=1)
    own, one, two = API.updates({"candidates": first["candidates"] + second["candidates"], "usageMetadata": USAGE})
    assert (own.item, kinds(own)) == (None, {"usageMetadata": Kind.USAGE})
    assert (one.item, two.item) == (ItemKey("", 0), ItemKey("", 1))
    assert [(part.kind, part.node.key) for part in one.parts] == [
        (Kind.REASONING, ""),
        (Kind.TEXT, "text"),
        (Kind.TOOL_CALL, "functionCall"),
        (Kind.OTHER, "thoughtSignature"),
        (Kind.TOKENS, "avgLogprobs"),
        (Kind.TOKENS, "logprobsResult"),
        (Kind.FINISH, "finishReason"),
    ]
    assert kinds(two) == {"text": Kind.TEXT, "news": Kind.OTHER}


def test_code_assist_wraps_the_same_document() -> None:
    (wrapped, _) = API.updates({"response": said(THOUGHT), "traceId": "t"})[::-1]
    assert [part.kind for part in wrapped.parts] == [Kind.REASONING]


@pytest.mark.parametrize(
    "document",
    [
        said(text("a")),
        {"candidates": []},
        {"usageMetadata": USAGE},
        {"promptFeedback": {}},
        {"response": said()},
        {"response": None} | said(THOUGHT),
        {"response": {}} | said(THOUGHT),
        {"type": "new"} | said(THOUGHT),
        [said(text("a"))],
        [{"response": said(THOUGHT)}],
    ],
)
def test_its_own_documents_are_known(document: Any) -> None:
    assert API.matches_document(document)


@pytest.mark.parametrize(
    "document",
    [
        {"error": {"code": 400, "message": "candidates", "status": "INVALID_ARGUMENT"}},
        {"type": "response.completed", "response": {"id": "1", "output": []}},
        {"choices": [{"index": 0, "delta": {"content": "candidates"}}]},
        {"type": "content_block_delta", "delta": {}, "usageMetadata": {}, "candidates": []},
        [],
        7,
    ],
)
def test_other_documents_are_not(document: Any) -> None:
    assert not API.matches_document(document)


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
@pytest.mark.parametrize("wrapped", [False, True])
def test_what_it_writes_it_finds_again(kind: Kind, wrapped: bool) -> None:
    like = said(text("a"))
    (document,) = API.written(kind, "größer", ItemKey("", 1), {"response": like} if wrapped else like)
    inner = document["response"] if wrapped else document
    assert (inner["modelVersion"], inner["responseId"]) == ("m", "r")


def test_an_error_is_one_of_its_own() -> None:
    error = json.loads(GEMINI.error(502, "no"))["error"]
    assert error == {"code": 502, "message": "no", "status": "UNAVAILABLE"}


# --- requests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "model", "stream"),
    [
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro", False),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent", "gemini-2.5-pro", True),
        ("/v1beta/models/gemini-2.5-pro%3AstreamGenerateContent", "gemini-2.5-pro", True),
        ("/v1beta1/projects/p/locations/l/publishers/google/models/g-3:streamGenerateContent", "g-3", True),
        ("/v1/projects/p/locations/l/endpoints/123:generateContent", "123", False),
        ("/v1internal:streamGenerateContent", "of-the-body", True),
    ],
)
def test_the_path_of_a_request_decides_everything(path: str, model: str, stream: bool) -> None:
    facts = request_facts("h", path, "POST", [], b'{"model": "of-the-body", "stream": false}')
    assert (facts.dialect, facts.model, facts.stream) == ("gemini", model, stream)
    assert streams_a_list(facts) == stream


@pytest.mark.parametrize(
    "path",
    ["/v1beta/models/m:countTokens", "/v1beta/openai/chat/completions", "/v1/publishers/anthropic/models/m:rawPredict"],
)
def test_other_paths_are_of_other_apis(path: str) -> None:
    found = dialect_of_request(path, None)
    assert found is None or found is not GEMINI


def test_a_body_with_contents_is_its_request() -> None:
    assert dialect_of_request("/", {"contents": [{"parts": [{"text": "Hi"}]}]}) is GEMINI


# --- streams ----------------------------------------------------------------------------------------------------


def test_chunks_of_nothing_but_thoughts_are_dropped() -> None:
    answer = [said(text("Hel")), said(text("lo"), finishReason="STOP")]
    assert stripped(said(THOUGHT), said(THOUGHT), said(THOUGHT), *answer) == answer


def test_a_chunk_with_usage_or_an_end_stays_and_keeps_a_part() -> None:
    counted = said(THOUGHT) | {"usageMetadata": USAGE}
    ended = said(THOUGHT, THOUGHT, finishReason="MAX_TOKENS")
    assert stripped(counted, ended) == [said(EMPTY) | {"usageMetadata": USAGE}, said(EMPTY, finishReason="MAX_TOKENS")]


def test_a_thought_beside_a_text_is_removed_alone() -> None:
    assert stripped(said(THOUGHT, text("Hi"), THOUGHT, CALL)) == [said(text("Hi"), CALL)]


def test_a_text_with_a_signature_is_not_a_thought() -> None:
    answer = [
        said(text("Hi", thoughtSignature=SIGNATURE)),
        said(text("!", thought=False)),
        said(text("", thoughtSignature=SIGNATURE), finishReason="STOP"),
    ]
    assert stripped(said({**THOUGHT, "thoughtSignature": "Secret"}), *answer) == answer


def test_a_call_that_is_flagged_as_a_thought_stays_with_its_signature() -> None:
    assert stripped(said({**CALL, "text": "Secret", "thought": True})) == [said({**CALL, "thought": True})]


def test_candidates_do_not_share_their_state() -> None:
    answers = [said(text("a"), index=1, logprobsResult=listed("a")), said(text("b"), index=0, avgLogprobs=-0.5)]
    hidden = said(THOUGHT, index=0)
    assert stripped(hidden, *answers) == [answers[0], said(text("b"), index=0)]


def test_a_list_of_the_answers_tokens_stays_and_all_others_are_removed() -> None:
    spelled = said(text("Hi you"), logprobsResult=listed("Hi", " you"))
    more = said(text("Hi"), logprobsResult=listed("Secret", "Hi"))
    assert stripped(said(THOUGHT, logprobsResult=listed("Secret ")), spelled, more) == [spelled, said(text("Hi"))]
    assert stripped(spelled, plan=STRIP_ALL) == [said(text("Hi you"))]


def test_opaque_keep_leaves_the_signature_on_an_emptied_thought() -> None:
    signed = {**THOUGHT, "thoughtSignature": SIGNATURE}
    assert stripped(said(THOUGHT), said(signed), said(text("Hi")), plan=STRIP_KEEP_OPAQUE) == [
        said({**signed, "text": ""}),
        said(text("Hi")),
    ]


def test_what_is_not_known_passes() -> None:
    documents = [
        said({"hologram": 1}),
        said(text("a"), groundingMetadata={"webSearchQueries": ["q"]}),
        {"promptFeedback": {"blockReason": "SAFETY"}},
        {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}},
    ]
    assert stripped(said(THOUGHT, {"hologram": 1}), *documents) == [documents[0], *documents]


@pytest.mark.parametrize("plan", [TO_BOTH, ResponsePlan()], ids=["rename", "keep"])
def test_rename_and_keep_change_nothing(plan: ResponsePlan) -> None:
    raw = events(said(THOUGHT), said(text("Hi"), CALL) | {"usageMetadata": USAGE})
    assert API.stream(raw, plan) == raw


def test_a_stream_may_be_a_list() -> None:
    thought, hi, end = said(THOUGHT), said(text("Hi")), said(text("", thoughtSignature="x"), finishReason="STOP")
    raw = b"[" + b",\r\n".join(map(dump, [thought, thought, hi, thought, end])) + b"\n]"
    assert json.loads(API.stream(raw, STRIP, ContentHint.LIST)) == [hi, end]
    assert API.stream(raw, TO_BOTH, ContentHint.LIST) == raw


def test_a_list_that_breaks_off_stays_broken() -> None:
    raw = b"[" + dump(said(text("Hi"))) + b",\n" + dump(said(THOUGHT))[:-9]
    after = API.stream(raw, STRIP, ContentHint.LIST)
    assert after == b"[" + dump(said(text("Hi")))


# --- bodies -----------------------------------------------------------------------------------------------------


def test_a_body_loses_its_thoughts_and_the_lists_of_all_tokens() -> None:
    signed = text("Hi", thoughtSignature=SIGNATURE)
    given = said(THOUGHT, signed, CALL, finishReason="STOP", avgLogprobs=-0.1, logprobsResult=listed("Secret", "Hi"))
    wanted = said(signed, CALL, finishReason="STOP") | {"usageMetadata": USAGE}
    assert stripped_body(given | {"usageMetadata": USAGE}) == wanted
    assert stripped_body({"response": given, "traceId": "t"})["response"]["candidates"] == wanted["candidates"]


def test_a_body_without_thoughts_keeps_every_byte() -> None:
    raw = said(text("Hi"), finishReason="STOP", avgLogprobs=-0.1, logprobsResult=listed("Hi"))
    assert API.body(raw, STRIP) == dump(raw)


def test_a_list_in_one_piece_loses_its_thoughts() -> None:
    given = [said(THOUGHT), said(text("Hi"), finishReason="STOP", logprobsResult=listed("Hi"))]
    assert stripped_body(given) == [said(EMPTY), said(text("Hi"), finishReason="STOP")]
    assert API.body(given, TO_BOTH) == dump(given)


def test_an_answer_of_thinking_alone_keeps_an_empty_part() -> None:
    assert stripped_body(said(THOUGHT, finishReason="MAX_TOKENS")) == said(EMPTY, finishReason="MAX_TOKENS")
