"""Anthropic Messages: where its parts are, what is stripped from streams and bodies, how requests are read."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import STRIP, STRIP_KEEP_OPAQUE, TO_REASONING
from thinkwire.dialects.apis.anthropic_messages import ANTHROPIC_MESSAGES
from thinkwire.dialects.core.dialect import GLANCE
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import dialect_of_request, request_facts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.json_tree import Node, decode, read

REQUEST = RequestFacts("h", "/v1/messages", "POST", (), None, "anthropic-messages")
TABLE = ANTHROPIC_MESSAGES.table(REQUEST)

type Event = dict[str, Any]


def start(index: int, type_: str, **members: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": {"type": type_, **members}}


def delta(index: int, type_: str, **members: Any) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": {"type": type_, **members}}


def stop(index: int) -> Event:
    return {"type": "content_block_stop", "index": index}


def thinking(index: int, *texts: str, signature: str | None = "c2ln") -> list[Event]:
    deltas = [delta(index, "thinking_delta", thinking=text) for text in texts]
    if signature is not None:
        deltas.append(delta(index, "signature_delta", signature=signature))
    return [start(index, "thinking", thinking="", signature=""), *deltas, stop(index)]


def text(index: int, *texts: str) -> list[Event]:
    deltas = [delta(index, "text_delta", text=piece) for piece in texts]
    return [start(index, "text", text=""), *deltas, stop(index)]


def tool(index: int) -> list[Event]:
    return [
        start(index, "tool_use", id="tu_1", name="open", input={}),
        delta(index, "input_json_delta", partial_json='{"f":'),
        delta(index, "input_json_delta", partial_json='"a"}'),
        stop(index),
    ]


def redacted(index: int, data: str = "Y2lwaGVyAAAA+/8=") -> list[Event]:
    return [start(index, "redacted_thinking", data=data), stop(index)]


MESSAGE: Event = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "stop_reason": None}
BEGIN: list[Event] = [{"type": "message_start", "message": MESSAGE | {"usage": {"output_tokens": 1}}}]
END: list[Event] = [
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]
PING: Event = {"type": "ping"}


def raw_of(events: list[Event]) -> bytes:
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)


def rewritten(raw: bytes, plan: ResponsePlan = STRIP) -> bytes:
    """The stream after rewriting, which must be the same at every split."""
    outputs = set()
    for size in (1, 7, len(raw)):
        machine = StreamRewriter(AnswerRewriter(plan, REQUEST), ContentHint.EVENTS, None, 10.0, 0.0)
        pieces = [piece for at in range(0, len(raw), size) for piece in machine.feed(raw[at : at + size], 0.0)]
        outputs.add(b"".join([*pieces, *machine.finish()]))
    (output,) = outputs
    return output


def assert_stripped(before: list[Event], after: list[Event], plan: ResponsePlan = STRIP) -> None:
    """Also with other numbers, what stays has its bytes and its `event:` line."""
    assert rewritten(raw_of(before), plan) == raw_of(after)


# --- streams ------------------------------------------------------------------------------------------------------


def test_reasoning_is_removed_with_all_its_events_and_later_blocks_close_the_gap() -> None:
    before = [*BEGIN, *thinking(0, "Se", "cret"), *text(1, "Hi"), *tool(2), *END]
    assert_stripped(before, [*BEGIN, *text(0, "Hi"), *tool(1), *END])


def test_reasoning_between_answers_leaves_no_gap() -> None:
    before = [*BEGIN, *text(0, "a"), *thinking(1, "b"), *redacted(2), *redacted(3), *tool(4), *thinking(5), *text(6)]
    assert_stripped([*before, *END], [*BEGIN, *text(0, "a"), *tool(1), *text(2), *END])


def test_long_runs_of_similar_events_are_stripped() -> None:
    before = [*BEGIN, *thinking(0, *map(str, range(20))), *text(1, *map(str, range(20))), *END]
    assert_stripped(before, [*BEGIN, *text(0, *map(str, range(20))), *END])


def test_reasoning_whose_text_is_omitted_is_removed_too() -> None:
    for thought in (thinking(0), thinking(0, ""), thinking(0, "", signature=""), thinking(0, signature=None)):
        assert_stripped([*BEGIN, *thought, *text(1, "Hi"), *END], [*BEGIN, *text(0, "Hi"), *END])


def test_a_message_of_thinking_alone_stays_a_message() -> None:
    assert_stripped([*BEGIN, *thinking(0, "Secret"), *END], [*BEGIN, *END])


def test_a_second_message_counts_its_blocks_anew() -> None:
    first = [*BEGIN, *thinking(0, "Secret"), *tool(1)[:2]]
    second = [*BEGIN, *text(0, "Hi"), *thinking(1, "Secret"), *tool(2), *END]
    assert_stripped([*first, *second], [*BEGIN, *tool(0)[:2], *BEGIN, *text(0, "Hi"), *tool(1), *END])


def test_an_answer_with_the_number_of_reasoning_stays() -> None:
    """Gateways that number all their blocks 0 were seen in public."""
    before = [*BEGIN, *thinking(0, "Secret"), *text(0, "Hi"), *tool(1), *END]
    assert_stripped(before, [*BEGIN, *text(0, "Hi"), *tool(1), *END])


def test_an_event_that_only_its_line_names_is_stripped() -> None:
    untyped = [{name: value for name, value in one.items() if name != "type"} for one in thinking(0, "Secret")]
    names = ["content_block_start", "content_block_delta", "content_block_delta", "content_block_stop"]
    raw = b"".join(
        f"event: {name}\ndata: {json.dumps(one)}\n\n".encode() for name, one in zip(names, untyped, strict=True)
    )
    assert rewritten(raw + raw_of(text(1, "Hi"))) == raw_of(text(0, "Hi"))
    assert rewritten(raw, TO_REASONING) == raw


def test_an_event_or_message_without_a_type_is_recognised_by_the_reasoning_in_it() -> None:
    piece = {"index": 0, "delta": {"type": "thinking_delta", "thinking": "Secret"}}
    for document in (piece, {"index": 0, "content_block": REASONING}, {"content": [HI, REDACTED]}):
        for table in (TABLE, GLANCE):
            assert ANTHROPIC_MESSAGES.matches_document(tree(document, table))


def test_pings_and_errors_pass_in_the_middle_of_reasoning() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "r"}
    before = [*BEGIN, *thinking(0, "Se")[:2], PING, delta(0, "thinking_delta", thinking="cret"), PING, error]
    assert_stripped(before, [*BEGIN, PING, PING, error])


def test_blocks_and_events_of_unknown_types_pass_and_are_counted() -> None:
    def server_tool(index: int) -> list[Event]:
        result = {"type": "web_search_result", "encrypted_content": "Eq8B", "url": "u"}
        return [start(index, "web_search_tool_result", tool_use_id="s", content=[result]), stop(index)]

    def compaction(index: int) -> list[Event]:
        return [
            start(index, "compaction", content=None),
            delta(index, "compaction_delta", content="so far"),
            stop(index),
        ]

    def new(index: int) -> Event:
        return {"type": "content_block_note", "index": index, "note": {"thinking": "is no thought here"}}

    before = [*BEGIN, *thinking(0, "Secret"), *server_tool(1), *compaction(2), new(2), *text(3, "Hi"), *END]
    assert_stripped(before, [*BEGIN, *server_tool(0), *compaction(1), new(1), *text(2, "Hi"), *END])


def test_unknown_events_about_reasoning_are_removed_with_it() -> None:
    late = [
        {"type": "content_block_note", "index": 0, "note": "Secret"},
        delta(0, "thinking_gist_delta", gist="Secret"),
    ]
    assert_stripped([*BEGIN, *thinking(0), *text(1), *late, *END], [*BEGIN, *text(0), *END])


def test_deltas_of_thinking_in_a_block_of_text_do_not_take_the_text_along() -> None:
    begin, *deltas, end = text(0, "Hi")
    astray = delta(0, "thinking_delta", thinking="Secret")
    assert_stripped([*BEGIN, begin, astray, *deltas, end, *END], [*BEGIN, *text(0, "Hi"), *END])


def test_blocks_that_come_with_the_start_of_the_message_are_stripped() -> None:
    blocks = [{"type": "thinking", "thinking": "Secret"}, {"type": "text", "text": "Hi"}]
    before = {"type": "message_start", "message": MESSAGE | {"content": blocks}}
    assert_stripped([before], [{"type": "message_start", "message": MESSAGE | {"content": blocks[1:]}}])


def test_a_stream_that_breaks_off_in_reasoning_gets_no_end() -> None:
    raw = raw_of([*BEGIN, *thinking(0, "Se", "cret")])
    for end in range(len(raw_of(BEGIN)), len(raw)):
        machine = StreamRewriter(AnswerRewriter(STRIP, REQUEST), ContentHint.EVENTS, None, 10.0, 0.0)
        after = b"".join([*machine.feed(raw[:end], 0.0), *machine.finish()])
        torn = after.removeprefix(raw_of(BEGIN))
        assert not torn or b'{"type"' not in torn  # an `event:` line without its data at most


def test_spacing_key_order_and_line_ends_stay() -> None:
    thought = b"".join(raw_of([one]) for one in thinking(0, "Secret"))
    kept = (
        b'event:content_block_start\r\ndata:{ "content_block":{"text":"","type":"text"}, "index" :%d, '
        b'"type":"content_block_start"   }\r\n\r\nid: 5\ndata: {"type":"content_block_delta","index":%d,"delta":'
        b'{"type":"text_delta","text":"\\u00e9\xc3\xa9"},"x":1.0}\n\n'
    )
    assert rewritten(raw_of(BEGIN) + thought + kept % (1, 1)) == raw_of(BEGIN) + kept % (0, 0)


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_REASONING], ids=["keep", "rename"])
def test_kept_or_renamed_it_keeps_every_byte(plan: ResponsePlan) -> None:
    raw = raw_of([*BEGIN, *thinking(0, "Secret"), PING, *redacted(1), *text(2, "Hi"), *tool(3), *END])
    assert rewritten(raw, plan) == raw


def test_opaque_keep_leaves_signatures_and_encrypted_reasoning() -> None:
    before = [*BEGIN, *thinking(0, "Se", "cret"), *redacted(1), *text(2, "Hi"), *END]
    assert_stripped(before, [*BEGIN, *thinking(0), *redacted(1), *text(2, "Hi"), *END], STRIP_KEEP_OPAQUE)


def test_opaque_keep_opens_a_reasoning_block_that_begins_with_its_text() -> None:
    begin, *rest = thinking(0)
    spoken = start(0, "thinking", thinking="Secret", signature="")
    assert_stripped([*BEGIN, spoken, *rest, *END], [*BEGIN, begin, *rest, *END], STRIP_KEEP_OPAQUE)


def test_opaque_keep_hides_data_that_anyone_can_read() -> None:
    begin, end = redacted(0, "vendor.reasoning:U2VjcmV0IHdvcmRz")
    assert_stripped([*BEGIN, begin, end], [*BEGIN, start(0, "redacted_thinking"), end], STRIP_KEEP_OPAQUE)


# --- bodies -------------------------------------------------------------------------------------------------------

REASONING = {"type": "thinking", "thinking": "Secret", "signature": "c2ln", "new": "Secret"}
REDACTED = {"type": "redacted_thinking", "data": "Y2lwaGVyAAAA+/8="}
HI = {"type": "text", "text": "Hi", "citations": [{"cited_text": "x"}]}


def body(*blocks: Any) -> dict[str, Any]:
    usage = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 7}}
    return {"id": "m", "type": "message", "role": "assistant", "content": list(blocks), "usage": usage, "new": 1}


def rewritten_body(document: Any, plan: ResponsePlan = STRIP) -> Any:
    raw = json.dumps(document).encode()
    return json.loads(rewrite_body(raw, AnswerRewriter(plan, REQUEST)))


def test_a_body_loses_its_reasoning() -> None:
    call = {"type": "tool_use", "id": "tu_1", "name": "open", "input": {"thinking": "is no thought here"}}
    assert rewritten_body(body(REASONING, HI, REDACTED, call, REASONING)) == body(HI, call)


def test_a_body_without_a_type_loses_its_reasoning() -> None:
    untyped = {"role": "assistant", "content": [REASONING, HI]}
    assert rewritten_body(untyped) == {"role": "assistant", "content": [HI]}


def test_a_body_of_thinking_alone_stays_a_message() -> None:
    assert rewritten_body(body(REASONING, REDACTED)) == body()


def test_opaque_keep_leaves_the_state_in_a_body() -> None:
    signed = {"type": "thinking", "thinking": "", "signature": "c2ln", "new": ""}
    assert rewritten_body(body(REASONING, REDACTED, HI), STRIP_KEEP_OPAQUE) == body(signed, REDACTED, HI)


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_REASONING], ids=["keep", "rename"])
def test_a_body_is_kept(plan: ResponsePlan) -> None:
    assert rewritten_body(body(REASONING, REDACTED, HI), plan) == body(REASONING, REDACTED, HI)


# --- the table, and how requests are read --------------------------------------------------------------------------


def tree(document: Any, table: Any = TABLE) -> Node:
    return read(decode(json.dumps(document).encode()), table)


def located(document: Any, extent: Extent = Extent.DELTA) -> list[Update]:
    return locate(tree(document), extent)


def kinds(update: Update) -> dict[str, Kind]:
    return {part.node.key: part.kind for part in update.parts if part.is_meaningful}


def test_parts_are_found_in_events() -> None:
    (one,) = located(delta(2, "text_delta", text="Hi"))
    assert (one.item, kinds(one), one.is_reasoning) == (ItemKey("block", 2), {"text": Kind.TEXT}, False)
    (one,) = located(delta(2, "input_json_delta", partial_json="{"))
    assert kinds(one) == {"partial_json": Kind.TOOL_CALL}
    (one,) = located(END[0])
    assert (one.item, kinds(one)) == (None, {"stop_reason": Kind.FINISH, "usage": Kind.USAGE})


def test_blocks_of_a_body_are_updates_of_their_own() -> None:
    own, thought, text = located(body(REASONING, HI), Extent.SNAPSHOT)
    assert kinds(own) == {"id": Kind.OTHER, "role": Kind.ROLE, "usage": Kind.USAGE, "new": Kind.OTHER}
    assert thought.is_reasoning
    assert kinds(text)["text"] is Kind.TEXT


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
def test_what_it_writes_it_locates_again(kind: Kind) -> None:
    texts = ANTHROPIC_MESSAGES.write(kind, 'é "x"', ItemKey("block", 2), tree(PING))
    updates = [one for text in texts for one in locate(read(text, TABLE), Extent.DELTA)]
    assert [one.item for one in updates] == [ItemKey("block", 2)] * 3
    assert [part.node.value for one in updates for part in one.of(kind) if part.is_meaningful] == ['é "x"']
    assert updates[0].is_reasoning == (kind is Kind.REASONING)
    assert all(text.isascii() and ANTHROPIC_MESSAGES.matches_document(tree(json.loads(text))) for text in texts)


@pytest.mark.parametrize("table", [TABLE, GLANCE], ids=["own", "glance"])
def test_it_knows_its_documents(table: Any) -> None:
    for document in (*BEGIN, *END, *tool(0), body(HI), body()):
        assert ANTHROPIC_MESSAGES.matches_document(tree(document, table)), document


@pytest.mark.parametrize("table", [TABLE, GLANCE], ids=["own", "glance"])
@pytest.mark.parametrize(
    "document",
    [
        PING,
        {"type": "error", "error": {"type": "api_error", "message": "content_block_start"}},
        {"error": {"type": "message_start"}},
        {"type": "message-start", "delta": {"message": {"role": "assistant"}}},
        {"type": "message", "content": "Hi"},
        {"type": ["message_start"]},
        {"choices": [{"message": {"content": "Hi"}}], "type": None},
        {"type": "response.output_item.done", "item": {"type": "message"}},
        {},
        [],
        "message_stop",
    ],
    ids=json.dumps,
)
def test_it_does_not_claim_others(document: Any, table: Any) -> None:
    assert not ANTHROPIC_MESSAGES.matches_document(tree(document, table))


VERTEX = "/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@2025"


@pytest.mark.parametrize(
    ("path", "body", "model", "stream"),
    [
        ("/v1/messages", {"model": "m", "stream": True}, "m", True),
        ("/v1/messages", {"model": "m"}, "m", False),
        ("/v1/messages/", {}, None, False),
        ("/anthropic/v1/messages", {"model": "m"}, "m", False),
        ("/api/anthropic/messages", {}, None, False),
        (f"{VERTEX}:streamRawPredict", {"anthropic_version": "vertex-2023-10-16"}, "claude-x@2025", True),
        (f"{VERTEX}:rawPredict", {"messages": []}, "claude-x@2025", False),
        (f"{VERTEX.replace('@', '%40')}%3AstreamRawPredict", {"messages": []}, "claude-x@2025", True),
        ("/custom", {"messages": [], "anthropic_version": "bedrock-2023-05-31", "stream": True}, None, True),
    ],
)
def test_requests_by_their_path(path: str, body: Any, model: str | None, stream: bool) -> None:
    facts = request_facts("h", path, "POST", [], json.dumps(body).encode())
    assert (facts.dialect, facts.model, facts.stream) == ("anthropic-messages", model, stream)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/messages/count_tokens",
        "/v1/messages/batches",
        "/v1/threads/t/messages",
        "/messages",
        "/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict",
        "/v1/projects/p/locations/l/publishers/mistralai/models/m:streamRawPredict",
    ],
)
def test_other_paths_are_not_its_own(path: str) -> None:
    assert not ANTHROPIC_MESSAGES.matches_path(path)
    assert dialect_of_request(path, None) is not ANTHROPIC_MESSAGES


def test_requests_by_their_body() -> None:
    assert ANTHROPIC_MESSAGES.matches_body({"anthropic_version": "bedrock-2023-05-31", "messages": []})
    assert not ANTHROPIC_MESSAGES.matches_body({"model": "m", "messages": []})
    assert not ANTHROPIC_MESSAGES.matches_body([])


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "invalid_request_error"), (429, "rate_limit_error"), (502, "api_error"), (529, "overloaded_error")],
)
def test_errors_have_the_apis_shape(status: int, kind: str) -> None:
    error = {"type": "error", "error": {"type": kind, "message": "nö"}}
    assert json.loads(ANTHROPIC_MESSAGES.error(status, "nö")) == error
