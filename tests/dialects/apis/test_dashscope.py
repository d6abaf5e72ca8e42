"""DashScope's own API: where its parts are, what its requests decide, and what remains of its answers."""

import json
from typing import Any

import pytest

from tests.dialects.api import Api
from tests.rewrite.answers import STRIP, STRIP_ALL, STRIP_KEEP_OPAQUE, TO_REASONING, documents_of, logprobs
from thinkwire.dialects.apis.dashscope import DASHSCOPE
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import request_facts
from thinkwire.rewrite.plan import ResponsePlan

PATH = "/api/v1/services/aigc/text-generation/generation"
CUMULATIVE = Api(DASHSCOPE, PATH, {"model": "qwen-plus", "input": {"messages": []}, "parameters": {}})
INCREMENTAL = Api(DASHSCOPE, PATH, {"model": "qwen-plus", "parameters": {"incremental_output": True}})
both = pytest.mark.parametrize("api", [CUMULATIVE, INCREMENTAL], ids=["cumulative", "incremental"])


def answer(message: dict[str, Any] | None = None, finish: str = "null", **more: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", **(message or {})}, "finish_reason": finish, **more}
    return {"output": {"choices": [choice]}, "usage": {"output_tokens": 9}, "request_id": "r1"}


def frames(*documents: Any) -> bytes:
    return b"".join(
        b"id:%d\nevent:result\n:HTTP_STATUS/200\ndata:%s\n\n" % (number, json.dumps(document).encode())
        for number, document in enumerate(documents, 1)
    )


def rewritten(api: Api, plan: ResponsePlan, *documents: Any) -> list[Any]:
    return documents_of(api.stream(frames(*documents), plan))


GROWING = [
    answer({"content": "", "reasoning_content": "Quiet "}),
    answer({"content": "", "reasoning_content": "Quiet thought"}),
    answer({"content": "Loud ", "reasoning_content": "Quiet thought"}),
    answer({"content": "Loud answer", "reasoning_content": "Quiet thought"}, "stop"),
]
STEPS = [
    answer({"content": "", "reasoning_content": "Quiet "}),
    answer({"content": "", "reasoning_content": "thought"}),
    answer({"content": "Loud ", "reasoning_content": ""}),
    answer({"content": "answer", "reasoning_content": ""}, "stop"),
]


# --- streams -------------------------------------------------------------------------------------------------------


def test_each_frame_of_a_growing_text_loses_the_reasoning() -> None:
    """They are sent all the same: each counts the tokens so far."""
    assert rewritten(CUMULATIVE, STRIP, *GROWING) == [
        answer({"content": ""}),
        answer({"content": ""}),
        answer({"content": "Loud "}),
        answer({"content": "Loud answer"}, "stop"),
    ]


def test_increments_lose_the_reasoning() -> None:
    assert rewritten(INCREMENTAL, STRIP, *STEPS) == [
        answer({"content": ""}),
        answer({"content": ""}),
        answer({"content": "Loud "}),
        answer({"content": "answer"}, "stop"),
    ]


@both
def test_numbers_names_and_comments_of_the_frames_stay(api: Api) -> None:
    stripped = api.stream(frames(STEPS[0]), STRIP)
    assert stripped == (
        b'id:1\nevent:result\n:HTTP_STATUS/200\ndata:{"output": {"choices": [{"message": {"role": "assistant", '
        b'"content": ""}, "finish_reason": "null"}]}, "usage": {"output_tokens": 9}, "request_id": "r1"}\n\n'
    )


@both
def test_a_frame_with_nothing_left_and_no_usage_is_dropped(api: Api) -> None:
    """The text `null` is not a finish reason."""
    hidden = {"output": {"choices": [{"message": {"reasoning_content": "Quiet"}, "finish_reason": "null"}]}}
    assert api.stream(frames(hidden), STRIP) == b""


@both
def test_a_list_of_texts_is_the_answer(api: Api) -> None:
    listed = answer({"content": [{"text": "Loud"}], "reasoning_content": "Quiet"}, "stop")
    assert rewritten(api, STRIP, listed) == [answer({"content": [{"text": "Loud"}]}, "stop")]


@both
@pytest.mark.parametrize("plan", [ResponsePlan(), TO_REASONING], ids=["keep", "rename"])
def test_keep_and_rename_change_nothing(api: Api, plan: ResponsePlan) -> None:
    for documents in (GROWING, STEPS):
        assert api.stream(frames(*documents), plan) == frames(*documents)


@both
@pytest.mark.parametrize(
    "document",
    [
        {"output": {"text": "Loud", "finish_reason": "stop"}, "usage": {}, "request_id": "r1"},
        {"code": "InvalidParameter", "message": "no", "request_id": "r1"},
        answer({"content": "", "tool_calls": [{"index": 0, "id": "c1", "function": {"name": "add"}}]}),
        {"output": {"choices": [], "tool_info": [{"type": "code_interpreter"}]}, "request_id": "r1"},
        answer({"content": [{"audio": {"data": "AAAA"}}]}),
    ],
)
def test_what_is_not_reasoning_passes(api: Api, document: dict[str, Any]) -> None:
    assert api.stream(frames(document), STRIP) == frames(document)


@both
def test_thoughts_of_an_application_are_removed(api: Api) -> None:
    thoughts = [{"thought": "Quiet", "action_type": "reasoning", "observation": "page"}]
    document = {"output": {"text": "Loud", "thoughts": thoughts, "finish_reason": "stop"}, "request_id": "r1"}
    assert rewritten(api, STRIP, document) == [
        {"output": {"text": "Loud", "finish_reason": "stop"}, "request_id": "r1"}
    ]


# --- token metadata ------------------------------------------------------------------------------------------------


def test_tokens_of_a_growing_text_are_removed_with_its_reasoning() -> None:
    growing = answer({"content": "Loud", "reasoning_content": "Quiet"}, logprobs=logprobs("Quiet", "Loud"))
    assert rewritten(CUMULATIVE, STRIP, growing) == [answer({"content": "Loud"})]


def test_without_reasoning_it_stays() -> None:
    spoken = answer({"content": "Loud"}, logprobs=logprobs("Loud"))
    for api in (CUMULATIVE, INCREMENTAL):
        assert rewritten(api, STRIP, spoken) == [spoken]
        assert rewritten(api, STRIP_ALL, spoken) == [answer({"content": "Loud"})]


def test_increments_after_reasoning_keep_the_tokens_that_spell_them() -> None:
    late = answer({"content": "Loud "}, logprobs=logprobs("</think>", "Loud "))
    spelled = answer({"content": "answer"}, logprobs=logprobs("answer"))
    assert rewritten(INCREMENTAL, STRIP, STEPS[0], late, spelled)[1:] == [answer({"content": "Loud "}), spelled]


def test_increments_that_were_taken_for_snapshots_leak_no_token() -> None:
    """Some models send increments unasked; then no token list after reasoning is trusted."""
    late = answer({"content": "Loud "}, logprobs=logprobs("</think>", "Loud "))
    assert rewritten(CUMULATIVE, STRIP, STEPS[0], late)[1:] == [answer({"content": "Loud "})]


def test_choices_do_not_share_what_was_hidden() -> None:
    def choice(index: int, **message: Any) -> dict[str, Any]:
        document = answer(message, logprobs=logprobs("Loud"))
        document["output"]["choices"][0]["index"] = index
        return document

    spoken = choice(1, content="Loud")
    assert rewritten(INCREMENTAL, STRIP, choice(0, reasoning_content="Quiet"), spoken)[1:] == [spoken]


# --- bodies --------------------------------------------------------------------------------------------------------


@both
def test_a_body_loses_the_reasoning_and_the_list_of_its_tokens(api: Api) -> None:
    whole = answer({"content": "Loud", "reasoning_content": "Quiet"}, "stop", logprobs=logprobs("Quiet", "Loud"))
    for plan in (STRIP, STRIP_KEEP_OPAQUE):
        assert json.loads(api.body(whole, plan)) == answer({"content": "Loud"}, "stop")


def test_a_body_of_nothing_but_reasoning_stays_an_answer() -> None:
    alone = answer({"content": "", "reasoning_content": "Quiet"}, "length")
    assert json.loads(CUMULATIVE.body(alone, STRIP)) == answer({"content": ""}, "length")


# --- requests ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "extent"),
    [
        ({}, Extent.SNAPSHOT),
        ({"incremental_output": False}, Extent.SNAPSHOT),
        ({"incremental_output": "true"}, Extent.SNAPSHOT),
        ({"incremental_output": True}, Extent.DELTA),
        ({"enable_thinking": True}, Extent.DELTA),
        ({"enable_thinking": True, "incremental_output": False}, Extent.SNAPSHOT),
        (None, Extent.SNAPSHOT),
    ],
)
def test_the_request_decides_what_a_frame_is(parameters: Any, extent: Extent) -> None:
    api = Api(DASHSCOPE, PATH, {"parameters": parameters})
    assert {update.extent for update in api.updates(STEPS[0])} == {extent}
    assert {update.extent for update in api.updates(STEPS[0], Extent.SNAPSHOT)} == {Extent.SNAPSHOT}


@pytest.mark.parametrize(
    ("path", "asks"),
    [
        (PATH, True),
        ("/api/v1/services/aigc/multimodal-generation/generation", True),
        ("/api/v1/apps/a1b2/completion", True),
        ("/compatible-mode/v1/chat/completions", False),
        ("/api/v1/services/embeddings/text-embedding/text-embedding", False),
        ("/api/v1/chat", False),
    ],
)
def test_requests_are_known_by_their_path(path: str, asks: bool) -> None:
    assert DASHSCOPE.matches_path(path) is asks


@pytest.mark.parametrize(
    ("body", "asks"),
    [
        ({"input": {"messages": []}}, True),
        ({"input": {"prompt": "Hi"}}, True),
        ({"input": "Hi"}, False),
        ({"input": []}, False),
        ({"messages": []}, False),
        (None, False),
    ],
)
def test_or_by_their_shape(body: object, asks: bool) -> None:
    assert DASHSCOPE.matches_body(body) is asks


@pytest.mark.parametrize(
    ("headers", "stream"),
    [
        ([("X-DashScope-SSE", "enable")], True),
        ([("x-dashscope-sse", "Enable ")], True),
        ([("X-DashScope-SSE", "disable")], False),
        ([], False),
    ],
)
def test_a_header_asks_for_a_stream(headers: list[tuple[str, str]], stream: bool) -> None:
    facts = request_facts("h", PATH, "POST", headers, b'{"model": "qwen-plus", "stream": true}')
    assert (facts.dialect, facts.model, facts.stream) == ("dashscope", "qwen-plus", stream)


def test_a_request_to_an_application_is_its_own() -> None:
    headers = [("X-DashScope-SSE", "enable")]
    facts = request_facts("h", "/api/v1/apps/a1b2/completion", "POST", headers, b'{"input": {"prompt": "Hi"}}')
    assert (facts.dialect, facts.stream) == ("dashscope", True)


# --- documents -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        STEPS[0],
        {"output": {"text": "Loud"}, "request_id": "r1"},
        {"output": {"thoughts": []}, "request_id": "r1"},
        {"output": {"thoughts": [{"thought": "Secret"}], "text": ""}},
    ],
)
def test_its_documents_are_known(document: Any) -> None:
    assert CUMULATIVE.matches_document(document)


@pytest.mark.parametrize(
    "document",
    [
        {"code": "InvalidParameter", "message": "no", "request_id": "r1"},
        {"output": [{"type": "message"}], "request_id": "r1"},
        {"output": {"message": {"role": "assistant", "content": []}}, "stopReason": "end_turn"},
        {"output": "text", "request_id": "r1"},
        {"choices": [{"message": {}}], "request_id": "r1"},
        [STEPS[0]],
    ],
)
def test_other_documents_are_not(document: Any) -> None:
    assert not CUMULATIVE.matches_document(document)


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
def test_what_is_written_is_a_frame(kind: Kind) -> None:
    (document,) = INCREMENTAL.written(kind, "hm é", ItemKey("", 1), STEPS[0])
    assert document["request_id"] == "r1"
    assert "usage" not in document


@pytest.mark.parametrize(("status", "code"), [(502, "InternalError"), (400, "InvalidParameter")])
def test_an_error_is_what_its_clients_read(status: int, code: str) -> None:
    assert json.loads(DASHSCOPE.error(status, "no é")) == {"code": code, "message": "no é"}


def test_a_request_without_a_body_asks_for_nothing() -> None:
    request = RequestFacts("h", PATH, "POST", (), None)
    assert (DASHSCOPE.model(request), DASHSCOPE.wants_stream(request)) == (None, False)
