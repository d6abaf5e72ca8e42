"""OpenAI Responses: its table, and how its streams and bodies are rewritten."""

import base64
import json
import zlib
from typing import Any

import pytest

from tests.corpus import CORPUS, needs_corpus
from tests.dialects.api import Api, kinds
from tests.rewrite.answers import STRIP, STRIP_ALL, STRIP_KEEP_OPAQUE, TO_BOTH, documents_of, rewriter
from thinkwire.dialects.apis.openai_responses import OPENAI_RESPONSES
from thinkwire.dialects.core.dialect import GLANCE, Phase
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import dialect_of_request, request_facts
from thinkwire.rewrite.plan import OnError, ResponsePlan
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.json_tree import read

API = Api(OPENAI_RESPONSES, "/v1/responses")
KEEP = ResponsePlan()
USAGE = {"input_tokens": 4, "output_tokens": 15, "output_tokens_details": {"reasoning_tokens": 11}}
SETTING = {"effort": "low", "summary": "detailed"}
SEALED = "gAAAAABoxC0_aDtrISw_zls0dyams-nhm23et1xecYaqlI8y44ih0g9FA5T3R9ueXIOX9seSrysa48qci5QTep"


type Document = dict[str, Any]


def sse(*documents: Document) -> bytes:
    events = (f"event: {one['type']}\ndata: {json.dumps(one, ensure_ascii=False)}\n\n" for one in documents)
    return "".join(events).encode()


def numbered(*documents: Document) -> list[Document]:
    """The documents as events of one stream: with full types and sequence numbers."""
    return [
        {**one, "type": one["type"] if one["type"] == "error" else f"response.{one['type']}", "sequence_number": number}
        for number, one in enumerate(documents)
    ]


def response(status: str, *output: Document, **more: Any) -> Document:
    head = {"id": "resp_1", "object": "response", "status": status, "model": "m", "reasoning": SETTING}
    return {**head, "output": list(output), "usage": USAGE if output else None, **more}


def thought(**members: Any) -> Document:
    return {"type": "reasoning", "id": "rs_1", "summary": [], **members}


def say(text: str = "Loud", logprobs: Any = None, type_: str = "output_text") -> Document:
    more = {} if logprobs is None else {"logprobs": logprobs}
    return {"type": type_, "refusal" if type_ == "refusal" else "text": text, "annotations": [], **more}


def message(*parts: Document, **members: Any) -> Document:
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": list(parts), **members}


def tokens(*texts: str) -> list[Document]:
    return [{"token": text, "bytes": list(text.encode()), "logprob": -0.5, "top_logprobs": []} for text in texts]


CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "dir", "arguments": "{}", "status": "completed"}

SUMMED = thought(summary=[{"type": "summary_text", "text": "quiet note"}], encrypted_content=SEALED)
SUMMARY: list[Document] = [
    {"type": "output_item.added", "output_index": 0, "item": thought(encrypted_content=SEALED[:9])},
    {"type": "reasoning_summary_part.added", "output_index": 0, "part": {"type": "summary_text", "text": ""}},
    {"type": "reasoning_summary_text.delta", "output_index": 0, "delta": "quiet ", "obfuscation": "x"},
    {"type": "reasoning_summary_text.delta", "output_index": 0, "delta": "note"},
    {"type": "reasoning_summary_text.done", "output_index": 0, "text": "quiet note"},
    {"type": "reasoning_summary_part.done", "output_index": 0, "part": {"type": "summary_text", "text": "quiet note"}},
    {"type": "output_item.done", "output_index": 0, "item": SUMMED},
]
RAW_PART = {"type": "reasoning_text", "text": "quiet note"}
RAW: list[Document] = [
    {"type": "output_item.added", "output_index": 0, "item": thought(content=[])},
    {"type": "content_part.added", "output_index": 0, "content_index": 0, "part": {**RAW_PART, "text": ""}},
    {"type": "reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "quiet note"},
    {"type": "reasoning_text.done", "output_index": 0, "content_index": 0, "text": "quiet note"},
    {"type": "content_part.done", "output_index": 0, "content_index": 0, "part": RAW_PART},
    {"type": "output_item.done", "output_index": 0, "item": thought(content=[RAW_PART])},
]
VLLM: list[Document] = [
    RAW[0],
    {"type": "reasoning_part.added", "output_index": 0, "part": {**RAW_PART, "text": ""}},
    RAW[2],
    RAW[3],
    {"type": "reasoning_part.done", "output_index": 0, "part": RAW_PART},
    RAW[5],
]


def speaking(index: int, first: Any = None, second: Any = None, whole: Any = None) -> list[Document]:
    """The events of a message, with logprobs in the four places that they have here."""

    def listed(logprobs: Any) -> Document:
        return {} if logprobs is None else {"logprobs": logprobs}

    place = {"output_index": index, "item_id": "msg_1", "content_index": 0}
    part = say("Loud", whole)
    return [
        {"type": "output_item.added", "output_index": index, "item": message(status="in_progress")},
        {"type": "content_part.added", **place, "part": say("", [])},
        {"type": "output_text.delta", **place, "delta": "Lo", **listed(first)},
        {"type": "output_text.delta", **place, "delta": "ud", **listed(second)},
        {"type": "output_text.done", **place, "text": "Loud", **listed(whole)},
        {"type": "content_part.done", **place, "part": part},
        {"type": "output_item.done", "output_index": index, "item": message(part, status="completed")},
    ]


def calling(index: int) -> list[Document]:
    return [
        {"type": "output_item.added", "output_index": index, "item": {**CALL, "arguments": ""}},
        {"type": "function_call_arguments.delta", "output_index": index, "delta": "{}"},
        {"type": "function_call_arguments.done", "output_index": index, "arguments": "{}"},
        {"type": "output_item.done", "output_index": index, "item": CALL},
    ]


BEGIN: list[Document] = [
    {"type": "created", "response": response("in_progress")},
    {"type": "in_progress", "response": response("x")},
]


def end(*output: Document, state: str = "completed", **more: Any) -> list[Document]:
    return [{"type": state, "response": response(state, *output, **more)}]


def stripped(*documents: Document, plan: ResponsePlan = STRIP) -> list[Any]:
    return documents_of(API.stream(sse(*numbered(*documents)), plan))


# --- the table --------------------------------------------------------------------------------------------------


def test_an_event_is_about_the_item_with_its_index() -> None:
    (piece,) = API.updates({"type": "response.output_text.delta", "output_index": 3, "delta": "a", "logprobs": [1]})
    assert piece.item == ItemKey("output", 3)
    assert kinds(piece) == {"delta": Kind.TEXT, "logprobs": Kind.TOKENS}


@pytest.mark.parametrize(
    ("type_", "member", "kind"),
    [
        ("refusal", "refusal", Kind.REFUSAL),
        ("function_call_arguments", "arguments", Kind.TOOL_CALL),
        ("custom_tool_call_input", "input", Kind.TOOL_CALL),
        ("mcp_call_arguments", "arguments", Kind.TOOL_CALL),
        ("output_text", "text", Kind.TEXT),
    ],
)
def test_pieces_are_deltas_and_what_repeats_them_is_a_snapshot(type_: str, member: str, kind: Kind) -> None:
    (piece,) = API.updates({"type": f"response.{type_}.delta", "delta": "a"})
    (whole,) = API.updates({"type": f"response.{type_}.done", member: "a"})
    assert (piece.extent, kinds(piece)) == (Extent.DELTA, {"delta": kind})
    assert (whole.extent, kinds(whole)[member]) == (Extent.SNAPSHOT, kind)


def test_a_response_has_an_update_for_each_item() -> None:
    own, hidden, text = API.updates(
        {"type": "response.completed", "response": response("completed", SUMMED, message())}
    )
    assert kinds(own)["usage"] is Kind.USAGE
    assert [hidden.is_reasoning, text.is_reasoning] == [True, False]
    assert {update.extent for update in (own, hidden, text)} == {Extent.SNAPSHOT}


@pytest.mark.parametrize(
    ("document", "known"),
    [
        ({"type": "response.created"}, True),
        ({"type": "response.something.new", "x": 1}, True),
        (response("completed"), True),
        ({"object": "response.compaction", "output": []}, True),
        ({"type": "error", "message": "no"}, False),
        ({"error": {"message": "no"}}, False),
        ({"type": "message_start"}, False),
        ({"type": 1, "object": None}, False),
        ({"object": "list", "data": []}, False),
        ([], False),
    ],
)
def test_documents_are_known_by_their_type_or_object(document: Any, known: bool) -> None:
    assert API.matches_document(document) is known


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/v1/responses", True),
        ("/responses", True),
        ("/openai/v1/responses", True),
        ("/api/v1/responses/", True),
        ("/backend-api/codex/responses", True),
        ("/v1/responses/compact", True),
        ("/v1/responses/resp_1", True),
        ("/v1/responses/resp_1/input_items", True),
        ("/v1/responses/resp_1/other/thing", False),
        ("/v1/embeddings", False),
    ],
)
def test_requests_are_recognised_by_their_path(path: str, asked: bool) -> None:
    assert (dialect_of_request(path, None) is OPENAI_RESPONSES) is asked


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ({"model": "m", "input": [{"role": "user", "content": "a"}]}, True),
        ({"input": [{"type": "function_call_output", "output": "x"}]}, True),
        ({"input": "a", "instructions": "b"}, True),
        ({"type": "response.create", "model": "m", "input": "a"}, True),
        ({"type": "response.create", "response": {}}, False),
        ({"model": "m", "input": "a"}, False),
        ({"model": "m", "input": ["a", "b"]}, False),
        ({"input": [{"type": "text", "text": "a"}]}, False),
        ([], False),
    ],
)
def test_requests_to_other_paths_are_recognised_by_their_shape(body: Any, asked: bool) -> None:
    assert (dialect_of_request("/x", body) is OPENAI_RESPONSES) is asked


@pytest.mark.parametrize(
    ("body", "stream"),
    [({"stream": True}, True), ({"type": "response.create"}, True), ({}, False)],
)
def test_facts_of_a_request(body: Any, stream: bool) -> None:
    facts = request_facts("h", "/v1/responses", "POST", [], json.dumps({"model": "m", **body}).encode())
    assert (facts.dialect, facts.model, facts.stream) == ("openai-responses", "m", stream)


@pytest.mark.parametrize(
    ("type_", "turn"),
    [
        ("response.create", Phase.ASKED),
        ("response.created", Phase.BEGAN),
        ("response.completed", Phase.ENDED),
        ("response.incomplete", Phase.ENDED),
        ("response.failed", Phase.ENDED),
        ("error", Phase.REFUSED),
        ("response.output_text.delta", None),
        (None, None),
    ],
)
def test_messages_on_a_websocket_begin_and_end_turns(type_: Any, turn: Phase | None) -> None:
    assert OPENAI_RESPONSES.phase(read(json.dumps({"type": type_}), GLANCE)) is turn


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT, Kind.REFUSAL])
def test_what_is_written_is_an_item_from_its_opening_to_its_end(kind: Kind) -> None:
    like = API.tree({"type": "response.output_text.delta", "sequence_number": 7, "output_index": 1, "delta": "a"})
    texts = OPENAI_RESPONSES.write(kind, 'say "é"\n', ItemKey("output", 2), like)
    documents = [json.loads(text) for text in texts]
    assert {(one["output_index"], one["sequence_number"]) for one in documents} == {(2, 7)}
    assert [documents[0]["type"], documents[-1]["type"]] == ["response.output_item.added", "response.output_item.done"]
    updates = [locate(read(text, API.dialect.table(API.request)), Extent.DELTA)[0] for text in texts]
    assert {update.item for update in updates} == {ItemKey("output", 2)}
    pieces = [update for update in updates if update.extent is Extent.DELTA]
    found = [part.node.value for update in pieces for part in update.of(kind) if part.node.is_string]
    assert "".join(found) == 'say "é"\n'
    assert all(API.matches_document(document) for document in documents)


def test_what_is_written_for_a_stream_without_counters_has_none() -> None:
    (first, *_) = OPENAI_RESPONSES.write(Kind.TEXT, "a", ItemKey("output", 0), API.tree({"type": "response.x"}))
    assert "sequence_number" not in json.loads(first)


def test_written_reasoning_is_stripped_and_written_text_stays() -> None:
    like = API.tree({"type": "response.created", "sequence_number": 0})
    hidden = OPENAI_RESPONSES.write(Kind.REASONING, "quiet", ItemKey("output", 0), like)
    shown = OPENAI_RESPONSES.write(Kind.TEXT, "Loud", ItemKey("output", 1), like)
    raw = sse(*map(json.loads, hidden + shown))
    assert documents_of(API.stream(raw, KEEP)) == [json.loads(text) for text in hidden + shown]
    after = documents_of(API.stream(raw, STRIP))
    assert [one["type"] for one in after] == [json.loads(text)["type"] for text in shown]
    assert {one["output_index"] for one in after} == {0}


def test_an_error_has_the_apis_own_shape() -> None:
    error = json.loads(OPENAI_RESPONSES.error(502, "no"))["error"]
    assert (error["message"], error["type"]) == ("no", "server_error")


# --- streams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", [SUMMARY, RAW, VLLM], ids=["summary", "raw", "vllm"])
def test_reasoning_is_removed_with_all_its_events_and_numbers_close_the_gap(hidden: list[Document]) -> None:
    item = hidden[-1]["item"]
    before = [*BEGIN, *hidden, *speaking(1), *calling(2), *end(item, message(say()), CALL)]
    after = [*BEGIN, *speaking(0), *calling(1), *end(message(say()), CALL)]
    assert stripped(*before) == numbered(*after)


@pytest.mark.parametrize("plan", [KEEP, TO_BOTH], ids=["keep", "rename"])
def test_kept_or_renamed_it_keeps_every_byte(plan: ResponsePlan) -> None:
    raw = sse(*numbered(*BEGIN, *SUMMARY, *speaking(1, tokens("Lo")), *end(SUMMED, message(say()))))
    assert API.stream(raw, plan) == raw


def test_an_answer_without_reasoning_keeps_every_byte() -> None:
    raw = sse(*numbered(*BEGIN, *speaking(0, tokens("Lo")), *calling(1), *end(message(say()), CALL)))
    assert API.stream(raw, STRIP) == raw


def test_events_that_end_reasoning_after_the_message_are_removed_too() -> None:
    before = [*BEGIN, *RAW[:3], *speaking(1), *RAW[3:], *end(RAW[-1]["item"], message(say()))]
    assert stripped(*before) == numbered(*BEGIN, *speaking(0), *end(message(say())))


def test_an_item_whose_id_changes_from_event_to_event_is_removed() -> None:
    hidden = [{**one, "item_id": f"id-{number}"} for number, one in enumerate(SUMMARY)]
    assert stripped(*BEGIN, *hidden, *speaking(1), *end()) == numbered(*BEGIN, *speaking(0), *end())


def test_several_reasoning_items_between_calls_leave_no_gap() -> None:
    second = [{**one, "output_index": 2} for one in RAW]
    before = [*BEGIN, *SUMMARY, *calling(1), *second, *calling(3), *end(SUMMED, CALL, thought(), CALL)]
    assert stripped(*before) == numbered(*BEGIN, *calling(0), *calling(1), *end(CALL, CALL))


@pytest.mark.parametrize("state", ["completed", "incomplete", "failed"])
def test_the_last_event_stays_whatever_is_left_of_it(state: str) -> None:
    more = {"error": {"code": "server_error", "message": "no"}} if state == "failed" else {}
    before = [*BEGIN, *SUMMARY, *end(SUMMED, state=state, **more)]
    after = numbered(*BEGIN, {"type": state, "response": {**response(state, **more), "usage": USAGE}})
    assert stripped(*before) == after


def test_events_without_any_numbers_are_stripped() -> None:
    """llama.cpp sends no numbers, and ends the reasoning after the message has begun."""

    def bare(documents: list[Document]) -> list[Document]:
        kept = [{name: value for name, value in one.items() if name != "output_index"} for one in documents]
        return [{**one, "type": f"response.{one['type']}"} for one in kept]

    raw = sse(*bare([*RAW[:3], *speaking(1)[:4], *RAW[5:], *speaking(1)[4:], *end(RAW[5]["item"], message(say()))]))
    assert documents_of(API.stream(raw, STRIP)) == bare([*speaking(1), *end(message(say()))])


def test_a_second_response_in_one_stream_has_numbers_of_its_own() -> None:
    once = numbered(*BEGIN, *SUMMARY, *speaking(1), *end(SUMMED, message(say())))
    after = numbered(*BEGIN, *speaking(0), *end(message(say())))
    assert documents_of(API.stream(sse(*once, *once), STRIP)) == after + after


def test_a_message_with_the_number_of_reasoning_stays() -> None:
    assert stripped(*RAW, *speaking(0)) == numbered(*speaking(0))


def test_a_resumed_stream_that_begins_inside_reasoning_is_stripped() -> None:
    assert stripped(*SUMMARY[3:], *speaking(1)) == numbered(*speaking(0))


def test_unknown_events_stay_and_those_of_reasoning_are_removed() -> None:
    news = {"type": "weather.changed", "to": "rain"}
    hidden = {"type": "mood.changed", "output_index": 0, "to": "quiet"}
    assert stripped(*SUMMARY, news, hidden, *speaking(1)) == numbered(news, *speaking(0))


def test_errors_and_end_marks_stay() -> None:
    error = {"type": "error", "code": "server_error", "message": "no", "param": None}
    raw = sse(*numbered(*BEGIN, *SUMMARY[:3], error)) + b": ping\n\ndata: [DONE]\n\n"
    after = API.stream(raw, STRIP)
    assert after == sse(*numbered(*BEGIN, error)) + b": ping\n\ndata: [DONE]\n\n"


def test_a_stream_that_breaks_off_ends_where_it_broke() -> None:
    assert stripped(*BEGIN, *SUMMARY[:3]) == numbered(*BEGIN)


def test_commentary_is_visible_text() -> None:
    item = message(say("Looking."), phase="commentary")
    before = [*BEGIN, {"type": "output_item.done", "output_index": 0, "item": item}, *end(item)]
    assert stripped(*before) == numbered(*before)


def test_compaction_items_stay() -> None:
    item = {"type": "compaction", "id": "cmp_1", "encrypted_content": SEALED}
    assert stripped(*SUMMARY, {"type": "output_item.done", "output_index": 1, "item": item}) == numbered(
        {"type": "output_item.done", "output_index": 0, "item": item}
    )


def test_reasoning_among_the_parts_of_a_message_is_removed_alone() -> None:
    item = message(RAW_PART, say())
    before = [*BEGIN, {"type": "output_item.done", "output_index": 0, "item": item}, *end(item)]
    kept = message(say())
    after = [*BEGIN, {"type": "output_item.done", "output_index": 0, "item": kept}, *end(kept)]
    assert stripped(*before) == numbered(*after)


# --- logprobs ---------------------------------------------------------------------------------------------------

WHOLE = tokens("Lo", "ud")


def test_logprobs_that_spell_the_text_stay_in_all_five_places() -> None:
    spoken = speaking(1, tokens("Lo"), tokens("ud"), WHOLE)
    before = [*BEGIN, *SUMMARY, *spoken, *end(SUMMED, message(say("Loud", WHOLE)))]
    after = [*BEGIN, *speaking(0, tokens("Lo"), tokens("ud"), WHOLE), *end(message(say("Loud", WHOLE)))]
    assert stripped(*before) == numbered(*after)


def test_logprobs_that_list_reasoning_are_removed_from_all_five_places() -> None:
    """vLLM lists the whole generation with the text."""
    told = tokens("quiet", "</think>", "Lo", "ud")
    spoken = speaking(1, tokens("</think>", "Lo"), tokens("ud"), told)
    after = stripped(*BEGIN, *SUMMARY, *spoken, *end(SUMMED, message(say("Loud", told))))
    assert after == numbered(*BEGIN, *speaking(0, None, tokens("ud")), *end(message(say())))


def test_without_reasoning_logprobs_stay_as_they_are() -> None:
    more = tokens("Lo", "ud", "<|end|>")
    raw = sse(*numbered(*BEGIN, *speaking(0, tokens("Lo"), tokens("ud"), more), *end(message(say("Loud", more)))))
    assert API.stream(raw, STRIP) == raw


def test_all_logprobs_are_removed_under_token_metadata_all() -> None:
    spoken = speaking(0, tokens("Lo"), tokens("ud"), WHOLE)
    after = stripped(*BEGIN, *spoken, *end(message(say("Loud", WHOLE))), plan=STRIP_ALL)
    assert after == numbered(*BEGIN, *speaking(0), *end(message(say())))


def test_parts_without_text_are_closed_under_token_metadata_all_too() -> None:
    empty = say("", tokens("x"))
    before = {"type": "content_part.done", "output_index": 0, "content_index": 0, "part": empty}
    assert stripped(before, plan=STRIP_ALL) == numbered({**before, "part": say("")})


# --- opaque state -----------------------------------------------------------------------------------------------


def test_opaque_keep_leaves_the_item_with_its_encrypted_form_and_its_number() -> None:
    kept = thought(encrypted_content=SEALED)
    before = [*BEGIN, *SUMMARY, *speaking(1), *end(SUMMED, message(say()))]
    after = [*BEGIN, SUMMARY[0], {**SUMMARY[-1], "item": kept}, *speaking(1), *end(kept, message(say()))]
    assert stripped(*before, plan=STRIP_KEEP_OPAQUE) == numbered(*after)


@pytest.mark.parametrize(
    "readable",
    ["I was quiet all along.", "sgl-reasoning:" + base64.urlsafe_b64encode(zlib.compress(b"quiet note")).decode()],
    ids=["plain, as Ollama's", "packed, as SGLang's"],
)
def test_opaque_keep_does_not_leave_what_anyone_can_read(readable: str) -> None:
    item = thought(encrypted_content=readable)
    before: list[Document] = [{"type": "output_item.done", "output_index": 0, "item": item}, *end(item, message(say()))]
    after: list[Document] = [
        {"type": "output_item.done", "output_index": 0, "item": thought()},
        *end(thought(), message(say())),
    ]
    assert stripped(*before, plan=STRIP_KEEP_OPAQUE) == numbered(*after)


def test_opaque_keep_removes_text_anywhere_in_the_item() -> None:
    item = thought(content=[RAW_PART], summary="quiet note", note="quiet note")
    (after,) = stripped({"type": "output_item.done", "output_index": 0, "item": item}, plan=STRIP_KEEP_OPAQUE)
    assert "quiet" not in json.dumps(after)


# --- bodies -----------------------------------------------------------------------------------------------------


def body(document: Any, plan: ResponsePlan = STRIP) -> Any:
    return json.loads(API.body(document, plan))


def test_a_body_loses_its_reasoning_items() -> None:
    before = response("completed", thought(), CALL, SUMMED, message(say()))
    assert body(before) == response("completed", CALL, message(say()))
    assert body(before, TO_BOTH) == before


def test_a_body_of_nothing_but_reasoning_stays_a_response() -> None:
    assert body(response("completed", SUMMED)) == {**response("completed"), "usage": USAGE}


@pytest.mark.parametrize("listed", [tokens("quiet", "Lo", "ud"), WHOLE], ids=["the thought, too", "the text alone"])
def test_a_body_with_reasoning_loses_all_logprobs(listed: list[Document]) -> None:
    told = message(say("Loud", listed))
    assert body(response("completed", SUMMED, told)) == response("completed", message(say()))
    assert body(response("completed", told)) == response("completed", told)


def test_settings_for_reasoning_stay_but_reasoning_in_their_place_is_removed() -> None:
    """mistral.rs puts reasoning where others echo the request's settings."""
    for echoed in (SETTING, {}, None):
        assert body(response("completed", SUMMED, reasoning=echoed))["reasoning"] == echoed
    assert "reasoning" not in body(response("completed", message(say()), reasoning="quiet note"))
    told = message(say("Loud", tokens("quiet", "Lo", "ud")), reasoning="quiet note")
    assert body(response("completed", told))["output"] == [message(say())]
    told = message(say("Loud", tokens("quiet", "Lo", "ud")))
    assert body(response("completed", told, reasoning="quiet note"))["output"] == [message(say())]


def test_transcripts_are_removed_with_the_reasoning() -> None:
    """vLLM's `enable_response_messages`."""
    told: Document = {"input_messages": [{"author": "user"}], "output_messages": [{"content": "quiet note"}]}
    assert body(response("completed", SUMMED, message(say()), **told)) == response("completed", message(say()))
    assert body(response("completed", message(say()), **told)) == response("completed", message(say()), **told)
    after = stripped(*BEGIN, *SUMMARY, *end(message(say()), **told))
    assert after == numbered(*BEGIN, *end(message(say())))


def test_lists_of_input_items_and_compacted_responses_are_stripped() -> None:
    listed = {"object": "list", "data": [message(say()), SUMMED], "has_more": False}
    assert body(listed) == {**listed, "data": [message(say())]}
    compacted: Document = {
        "object": "response.compaction",
        "output": [SUMMED, {"type": "compaction", "encrypted_content": "x"}],
    }
    assert body(compacted) == {**compacted, "output": compacted["output"][1:]}


def test_an_error_body_stays() -> None:
    error = {"error": {"message": "no", "type": "invalid_request_error", "param": "input", "code": None}}
    assert API.body(error, STRIP) == json.dumps(error, separators=(",", ":")).encode()


@pytest.mark.parametrize("path", ["/v1/responses/resp_1", "/v1/chat/completions"])
def test_an_answer_is_recognised_for_itself(path: str) -> None:
    machine = rewriter(
        ResponsePlan(STRIP.reasoning, OnError.DROP), ContentHint.EVENTS, RequestFacts("h", path, "GET", ())
    )
    raw = sse(*numbered(*BEGIN, *SUMMARY, *speaking(1)))
    assert b"".join([*machine.feed(raw, 0.0), *machine.finish()]) == sse(*numbered(*BEGIN, *speaking(0)))


# --- recordings -------------------------------------------------------------------------------------------------


@needs_corpus
@pytest.mark.parametrize("path", sorted(CORPUS.glob("openai-responses/*.sse")), ids=lambda path: path.stem)
def test_recorded_streams_are_counted_without_gaps_and_agree_with_their_last_event(path: Any) -> None:
    after = documents_of(API.stream(path.read_bytes(), STRIP))
    assert [one["sequence_number"] for one in after] == list(range(len(after)))
    done = {one["output_index"]: one["item"] for one in after if one["type"] == "response.output_item.done"}
    assert sorted(done) == list(range(len(done)))
    output = after[-1]["response"]["output"]
    assert [item["type"] for item in output] in ([done[index]["type"] for index in sorted(done)], [])
