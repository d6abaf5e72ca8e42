"""Cohere's chat: where its parts are, and what remains of its answers."""

import json
from typing import Any

import pytest

from tests.corpus import Recorded, needs_corpus, recorded_answers
from tests.dialects.api import Api, events
from tests.rewrite.answers import STRIP, STRIP_ALL, STRIP_KEEP_OPAQUE, TO_REASONING, documents_of
from thinkwire.dialects.apis.cohere import COHERE
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.plan import ResponsePlan

API = Api(COHERE, "/v2/chat")
RECORDED = [answer for answer in recorded_answers() if answer.path.parent.name == "cohere"]
each_recorded = pytest.mark.parametrize("answer", RECORDED, ids=lambda answer: answer.name)

MESSAGE = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
START = {"type": "message-start", "id": "c1", "delta": {"message": {"role": "assistant"}}}
USAGE = {"tokens": {"input_tokens": 5, "output_tokens": 9, "reasoning_tokens": 7}}
END = {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": USAGE}}


def event(type_: str, index: int | None = None, message: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    about = {} if index is None else {"index": index}
    delta = {} if message is None else {"delta": {"message": message}}
    return {"type": type_, **about, **delta, **more}


def block(index: int, type_: str, *pieces: str, logprobs: bool = False) -> list[dict[str, Any]]:
    """A content block from its start to its end."""
    name = "thinking" if type_ == "thinking" else "text"
    listed = [{"logprobs": tokens(piece)} if logprobs else {} for piece in pieces]
    return [
        event("content-start", index, {"content": {"type": type_, name: ""}}),
        *(
            event("content-delta", index, {"content": {name: piece}}, **beside)
            for piece, beside in zip(pieces, listed, strict=True)
        ),
        event("content-end", index),
    ]


def tokens(text: str) -> dict[str, Any]:
    return {"text": text, "token_ids": [len(text), 7], "logprobs": [-0.5, -0.1]}


def call(index: int) -> list[dict[str, Any]]:
    function = {"name": "add", "arguments": ""}
    return [
        event("tool-call-start", index, {"tool_calls": {"id": "t1", "type": "function", "function": function}}),
        event("tool-call-delta", index, {"tool_calls": {"function": {"arguments": '{"x": 1}'}}}),
        event("tool-call-end", index),
    ]


def plan(*pieces: str) -> list[dict[str, Any]]:
    return [event("tool-plan-delta", None, {"tool_plan": piece}) for piece in pieces]


def citation(number: int, text: str, **more: Any) -> list[dict[str, Any]]:
    cited = {"start": 0, "end": len(text), "text": text, "sources": [{"type": "tool", "id": "t1"}], **more}
    return [event("citation-start", number, {"citations": cited}), event("citation-end", number)]


REASONING = block(0, "thinking", "Quiet ", "thought")
SPOKEN = block(1, "text", "Loud ", "answer")


def rewritten(plan: ResponsePlan, *documents: Any) -> list[Any]:
    return documents_of(API.stream(events(*documents), plan))


# --- strip: streams ------------------------------------------------------------------------------------------------


def test_a_thinking_block_is_removed_and_later_ones_close_the_gap() -> None:
    assert rewritten(STRIP, START, *REASONING, *SPOKEN, END) == [START, *block(0, "text", "Loud ", "answer"), END]


def test_reasoning_between_texts_leaves_no_gap() -> None:
    documents = [*SPOKEN, *block(2, "thinking", "More"), *block(3, "text", "Last")]
    assert rewritten(STRIP, START, *REASONING, *documents, END) == [
        START,
        *block(0, "text", "Loud ", "answer"),
        *block(1, "text", "Last"),
        END,
    ]


def test_tool_calls_have_numbers_of_their_own() -> None:
    """They start at 0 even after a block 0 of thinking (recorded)."""
    assert rewritten(STRIP, START, *REASONING, *call(0), *call(1), END) == [START, *call(0), *call(1), END]


def test_a_plan_is_reasoning() -> None:
    assert rewritten(STRIP, START, *plan("I will ", "add."), *call(0), END) == [START, *call(0), END]


def test_the_names_of_the_events_are_removed_with_them() -> None:
    raw = b"".join(b"event: %s\ndata: %s\n\n" % (one["type"].encode(), json.dumps(one).encode()) for one in REASONING)
    spoken = b'event: content-end\r\ndata:{"index":1,"type":"content-end"}\r\n\r\ndata: [DONE]\n\n'
    assert API.stream(raw + spoken, STRIP) == spoken.replace(b'"index":1', b'"index":0')


def test_a_placeholder_at_the_start_is_removed_and_hides_nothing() -> None:
    start = event("message-start", None, MESSAGE, id="c1")
    spoken = block(0, "text", "Loud", logprobs=True)
    left = {name: value for name, value in MESSAGE.items() if name != "tool_plan"}
    assert rewritten(STRIP, start, *spoken, END) == [event("message-start", None, left, id="c1"), *spoken, END]


def test_a_second_message_counts_anew() -> None:
    documents = [START, *REASONING, *SPOKEN, START, *block(0, "text", "Loud")]
    assert rewritten(STRIP, *documents) == [
        START,
        *block(0, "text", "Loud ", "answer"),
        START,
        *block(0, "text", "Loud"),
    ]


def test_an_answer_of_thinking_alone_stays_one() -> None:
    assert rewritten(STRIP, START, *REASONING, END) == [START, END]


@pytest.mark.parametrize(
    "document",
    [
        {"type": "debug", "prompt": "<|START_OF_TURN|>"},
        {"type": "news", "index": 3, "delta": {"message": {"content": {"text": "new"}}}},
        {"type": "message-end", "delta": {"error": "overloaded", "finish_reason": "ERROR"}},
        {"message": "internal error", "id": "e1"},
        event("content-start", 0, {"content": {"type": "picture", "url": "u"}}),
        event("content-delta", 0, {"content": {"text": ""}}, logprobs=None),
    ],
)
def test_what_is_not_reasoning_passes(document: dict[str, Any]) -> None:
    assert rewritten(STRIP, document) == [document]


def test_opaque_keep_has_nothing_to_keep() -> None:
    assert rewritten(STRIP_KEEP_OPAQUE, START, *REASONING, *SPOKEN, END) == rewritten(
        STRIP, START, *REASONING, *SPOKEN, END
    )


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_REASONING])
def test_keep_and_rename_change_nothing(plan: ResponsePlan) -> None:
    raw = events(START, *REASONING, *SPOKEN, *citation(0, "Quiet", type="THINKING_CONTENT"), END)
    assert API.stream(raw, plan) == raw


# --- token metadata ------------------------------------------------------------------------------------------------


def test_after_reasoning_only_tokens_that_spell_the_text_stay() -> None:
    spoken = block(1, "text", "Loud ", "answer", logprobs=True)
    spoken[1]["logprobs"] = tokens("<|END_THINKING|>Loud ")
    expected = block(0, "text", "Loud ", "answer", logprobs=True)
    del expected[1]["logprobs"]
    thought = block(0, "thinking", "Quiet", logprobs=True)
    assert rewritten(STRIP, START, *thought, *spoken, END) == [START, *expected, END]


def test_without_reasoning_it_stays() -> None:
    spoken = block(0, "text", "Loud ", "answer", logprobs=True)
    assert rewritten(STRIP, START, *spoken, END) == [START, *spoken, END]


def test_all_of_it_can_be_removed() -> None:
    spoken = block(0, "text", "Loud ", "answer", logprobs=True)
    assert rewritten(STRIP_ALL, START, *spoken, END) == [START, *block(0, "text", "Loud ", "answer"), END]


# --- citations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "of_thought",
    [
        {"type": "THINKING_CONTENT"},
        {"type": "PLAN"},
        {"content_index": 0},
        {"type": "THINKING_CONTENT", "content_index": 0},
    ],
)
def test_citations_in_reasoning_are_removed_and_the_others_renumbered(of_thought: dict[str, Any]) -> None:
    documents = [
        *REASONING,
        *citation(0, "Quiet", **of_thought),
        *SPOKEN,
        *citation(1, "Loud", type="TEXT_CONTENT", content_index=1),
        *citation(2, "answer"),
    ]
    assert rewritten(STRIP, START, *documents, END) == [
        START,
        *block(0, "text", "Loud ", "answer"),
        *citation(0, "Loud", type="TEXT_CONTENT", content_index=0),
        *citation(1, "answer"),
        END,
    ]


# --- bodies --------------------------------------------------------------------------------------------------------


def answer(*content: dict[str, Any], **members: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": list(content)} | members.pop("message", {})
    return {"id": "c1", "message": message, "finish_reason": "COMPLETE", "usage": USAGE, **members}


THINKS = {"type": "thinking", "thinking": "Quiet thought"}
SAYS = {"type": "text", "text": "Loud"}


def body(document: Any, plan: ResponsePlan = STRIP) -> Any:
    return json.loads(API.body(document, plan))


def test_a_body_loses_its_reasoning_and_the_lists_of_its_tokens() -> None:
    listed = answer(THINKS, SAYS, logprobs=[tokens("Quiet thought"), tokens("Loud")])
    assert body(listed) == answer(SAYS)
    assert body(answer(SAYS, logprobs=[tokens("Loud")])) == answer(SAYS, logprobs=[tokens("Loud")])
    assert body(answer(SAYS, logprobs=[tokens("Loud")]), STRIP_ALL) == answer(SAYS)


def test_a_plan_in_a_body_is_reasoning() -> None:
    calls = [{"id": "t1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]
    planned = answer(message={"tool_plan": "I will add.", "tool_calls": calls}, logprobs=[tokens("I will add.")])
    assert body(planned) == answer(message={"tool_calls": calls})


@pytest.mark.parametrize("order", [("content", "citations"), ("citations", "content")])
def test_citations_of_a_body_follow_its_blocks(order: tuple[str, str]) -> None:
    def cited(text: str, **more: Any) -> dict[str, Any]:
        return {"text": text, "sources": [], **more}

    citations = [
        cited("Quiet", type="THINKING_CONTENT"),
        cited("thought", content_index=0),
        cited("Loud", type="TEXT_CONTENT", content_index=1),
        cited("L"),
    ]
    message: dict[str, Any] = {"content": [THINKS, SAYS], "citations": citations}
    document = answer()
    document["message"] = {"role": "assistant", **{name: message[name] for name in order}}
    stripped = body(document)["message"]
    assert stripped["content"] == [SAYS]
    assert stripped["citations"] == [cited("Loud", type="TEXT_CONTENT", content_index=0), cited("L")]


def test_a_body_of_thinking_alone_stays_an_answer() -> None:
    assert body(answer(THINKS)) == answer()


# --- the dialect ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", [START, *REASONING, *plan("p"), *call(0), *citation(0, "c"), END, answer(SAYS)])
def test_its_documents_are_known(document: dict[str, Any]) -> None:
    assert API.matches_document(document)


@pytest.mark.parametrize(
    "document",
    [
        {"message": "invalid api token"},
        {"id": "e1", "message": "overloaded"},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        {"type": "message_start", "message": {"role": "assistant", "content": []}},
        {"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"},
        {"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": True, "done_reason": "stop"},
        {"choices": [{"message": {"role": "assistant"}, "finish_reason": "stop"}]},
        {"type": 5},
        [START],
    ],
)
def test_other_documents_are_not(document: Any) -> None:
    assert not API.matches_document(document)


@pytest.mark.parametrize(
    ("path", "asks"),
    [
        ("/v2/chat", True),
        ("/compatibility/v2/chat/", True),
        ("/v1/chat", False),
        ("/v2/chat/completions", False),
        ("/v2/embed", False),
    ],
)
def test_requests_are_known_by_their_path(path: str, asks: bool) -> None:
    assert COHERE.matches_path(path) is asks
    assert not COHERE.matches_body({"messages": []})


def test_a_request_names_its_model_and_whether_it_wants_a_stream() -> None:
    request = RequestFacts("h", "/v2/chat", "POST", (), {"model": "command-a", "stream": True})
    assert (COHERE.model(request), COHERE.wants_stream(request)) == ("command-a", True)


@pytest.mark.parametrize(("kind", "type_"), [(Kind.REASONING, "thinking"), (Kind.TEXT, "text")])
def test_what_is_written_is_a_block(kind: Kind, type_: str) -> None:
    assert API.written(kind, "hm \u2028é", ItemKey("content", 3), START) == block(3, type_, "hm \u2028é")


def test_an_error_is_what_its_clients_read() -> None:
    assert json.loads(COHERE.error(502, "no é")) == {"message": "no é"}


def test_a_block_of_a_body_is_numbered_by_its_position() -> None:
    updates = API.updates(answer(THINKS, SAYS), Extent.SNAPSHOT)
    assert [update.item for update in updates] == [None, ItemKey("content", 0), ItemKey("content", 1)]
    assert [update.is_reasoning for update in updates] == [False, True, False]


# --- recorded ------------------------------------------------------------------------------------------------------


def read(documents: list[Any]) -> dict[str, Any]:
    """What a client accumulates: reasoning, text, tool calls, and how often numbers start again."""
    seen: dict[str, Any] = {"thought": "", "text": "", "arguments": "", "numbers": []}
    for document in documents:
        if document.get("type") == "content-start":
            seen["numbers"].append(document["index"])
        message = document.get("message") or document.get("delta", {}).get("message", {})
        content = message.get("content") or []
        for part in [content] if isinstance(content, dict) else content:
            seen["thought"] += part.get("thinking", "")
            seen["text"] += part.get("text", "")
        if isinstance(message.get("tool_calls"), dict):
            seen["arguments"] += message["tool_calls"]["function"]["arguments"]
    return seen


@needs_corpus
@each_recorded
def test_recorded_answers_lose_the_reasoning_and_nothing_else(answer: Recorded) -> None:
    raw = answer.raw
    before = read(answer.documents())
    stripped = API.stream(raw, STRIP) if answer.is_stream else API.body(json.loads(raw), STRIP)
    after = read(answer.documents(stripped))
    assert before["thought"]
    assert after == {**before, "thought": "", "numbers": list(range(len(before["numbers"][1:])))}
    assert b"thinking" not in stripped
    assert b"reasoning_tokens" in stripped
    if answer.is_stream:
        assert API.stream(raw, ResponsePlan()) == raw
        assert stripped.endswith(b"data: [DONE]\n\n")
