"""Bedrock's Converse: where its parts are, what is stripped from streams and bodies, how requests are read."""

import json
from typing import Any
from urllib.parse import unquote

import pytest

from tests.rewrite.answers import STRIP, STRIP_KEEP_OPAQUE, TO_REASONING
from tests.wire.aws_messages import event, read_all
from thinkwire.dialects.apis.bedrock_converse import BEDROCK_CONVERSE
from thinkwire.dialects.core.dialect import GLANCE
from thinkwire.dialects.core.locate import locate
from thinkwire.dialects.core.parts import Extent, ItemKey, Kind
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import request_facts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.wire.json_tree import Node, decode, read

REQUEST = RequestFacts("h", "/model/m/converse-stream", "POST", (), None, "bedrock-converse")
TABLE = BEDROCK_CONVERSE.table(REQUEST)

type Event = tuple[str, dict[str, Any]]


def delta(index: int, **piece: Any) -> Event:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": piece, "p": "abcd"}


def reasoning(index: int, **members: Any) -> Event:
    return delta(index, reasoningContent=members)


def stop(index: int) -> Event:
    return "contentBlockStop", {"contentBlockIndex": index, "p": "ab"}


def thought(index: int) -> list[Event]:
    signature = reasoning(index, signature="c2lnbmVkAAAA+/8=")
    return [reasoning(index, text="Se"), reasoning(index, text="cret"), signature, stop(index)]


def text(index: int, *pieces: str) -> list[Event]:
    return [*(delta(index, text=piece) for piece in pieces), stop(index)]


def tool(index: int) -> list[Event]:
    start = {"toolUse": {"toolUseId": "t1", "name": "open"}}
    return [
        ("contentBlockStart", {"contentBlockIndex": index, "start": start, "p": "abc"}),
        delta(index, toolUse={"input": '{"f":"a"}'}),
        stop(index),
    ]


BEGIN: list[Event] = [("messageStart", {"p": "abcde", "role": "assistant"})]
END: list[Event] = [
    ("messageStop", {"p": "abc", "stopReason": "end_turn"}),
    ("metadata", {"metrics": {"latencyMs": 1}, "p": "a", "usage": {"outputTokens": 9, "totalTokens": 19}}),
]


def raw_of(events: list[Event]) -> bytes:
    return b"".join(event(*one) for one in events)


def rewritten(raw: bytes, plan: ResponsePlan = STRIP, label: ContentHint = ContentHint.AWS) -> bytes:
    """The stream after rewriting, which must be the same at every split."""
    outputs = set()
    for size in (1, 7, len(raw)):
        machine = StreamRewriter(AnswerRewriter(plan, REQUEST), label, None, 10.0, 0.0)
        pieces = [piece for at in range(0, len(raw), size) for piece in machine.feed(raw[at : at + size], 0.0)]
        outputs.add(b"".join([*pieces, *machine.finish()]))
    (output,) = outputs
    return output


def stripped(events: list[Event], plan: ResponsePlan = STRIP) -> list[Event]:
    return read_all(rewritten(raw_of(events), plan))


def test_reasoning_is_removed_with_its_stop_and_later_blocks_close_the_gap() -> None:
    before = [*BEGIN, *thought(0), *text(1, "Hi", " you"), *thought(2), *tool(3), *END]
    assert stripped(before) == [*BEGIN, *text(0, "Hi", " you"), *tool(1), *END]


def test_another_message_numbers_its_blocks_anew() -> None:
    assert stripped([*BEGIN, *thought(0), *BEGIN, *text(0, "Hi"), *END]) == [*BEGIN, *BEGIN, *text(0, "Hi"), *END]


def test_a_block_that_begins_with_the_number_of_reasoning_is_another_one() -> None:
    assert stripped([*BEGIN, *thought(0), *tool(0), *END]) == [*BEGIN, *tool(0), *END]


def test_what_stays_keeps_its_bytes() -> None:
    after = [*BEGIN, *text(0, "Hi"), *tool(1), *END]
    assert rewritten(raw_of([*BEGIN, *thought(0), *text(1, "Hi"), *tool(2), *END])) == raw_of(after)


def test_redacted_and_unsigned_reasoning_is_removed_too() -> None:
    unsigned = [reasoning(1, text="Secret"), stop(1)]
    redacted = [reasoning(2, redactedContent="RXRrRUNrZ0k="), stop(2)]
    before = [*BEGIN, *text(0, ""), *unsigned, *redacted, *text(3, "Hi"), *END]
    assert stripped(before) == [*BEGIN, *text(0, ""), *text(1, "Hi"), *END]


def test_a_message_of_thinking_alone_stays_a_message() -> None:
    assert stripped([*BEGIN, *thought(0), *END]) == [*BEGIN, *END]


def test_unknown_events_and_deltas_pass_and_are_counted() -> None:
    def new(index: int) -> list[Event]:
        return [delta(index, citation={"title": "x"}), ("contentBlockNote", {"contentBlockIndex": index, "note": "y"})]

    usage: Event = ("heartbeat", {"beat": 1})
    assert stripped([*BEGIN, *thought(0), usage, *new(1), *END]) == [*BEGIN, usage, *new(0), *END]


def test_opaque_keep_leaves_signatures_and_encrypted_reasoning() -> None:
    redacted = [reasoning(1, redactedContent="RXRrRUNrZ0k="), stop(1)]
    before = [*BEGIN, *thought(0), *redacted, *text(2, "Hi"), *END]
    assert stripped(before, STRIP_KEEP_OPAQUE) == [*BEGIN, *thought(0)[2:], *redacted, *text(2, "Hi"), *END]
    unsigned = [reasoning(2, text="Secret"), stop(2)]
    before = [*BEGIN, *thought(0), *redacted, *unsigned, *text(3, "Hi"), *END]
    assert stripped(before, STRIP_KEEP_OPAQUE) == [*BEGIN, *thought(0)[2:], *redacted, *text(2, "Hi"), *END]


@pytest.mark.parametrize("plan", [ResponsePlan(), TO_REASONING], ids=["keep", "rename"])
def test_kept_or_renamed_it_keeps_every_byte(plan: ResponsePlan) -> None:
    raw = raw_of([*BEGIN, *thought(0), *text(1, "Hi"), *tool(2), *END])
    assert rewritten(raw, plan) == raw


def test_events_that_are_named_in_the_document_are_stripped_too() -> None:
    """Nova's own events, and boto3's as people write them out, line by line."""

    def lines(events: list[Event]) -> bytes:
        return b"".join(json.dumps({name: document}).encode() + b"\n" for name, document in events)

    before = [*BEGIN, *thought(0), *text(1, "Hi"), *tool(2), *END]
    after = lines([*BEGIN, *text(0, "Hi"), *tool(1), *END])
    assert rewritten(lines(before), label=ContentHint.LINES) == after


# --- bodies -------------------------------------------------------------------------------------------------------

REASONING = {"reasoningContent": {"reasoningText": {"text": "Secret", "signature": "c2lnbmVkAAAA+/8="}}}
REDACTED = {"reasoningContent": {"redactedContent": "RXRrRUNrZ0k="}}
HI = {"text": "Hi"}
CALL = {"toolUse": {"toolUseId": "t1", "name": "open", "input": {"reasoningContent": "is no thought here"}}}


def body(*blocks: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": list(blocks)}
    return {"output": {"message": message}, "stopReason": "end_turn", "usage": {"outputTokens": 9}, **more}


def rewritten_body(document: Any, plan: ResponsePlan = STRIP) -> Any:
    return json.loads(rewrite_body(json.dumps(document).encode(), AnswerRewriter(plan, REQUEST)))


def test_a_body_loses_its_reasoning() -> None:
    assert rewritten_body(body(REASONING, HI, REDACTED, CALL)) == body(HI, CALL)


def test_a_body_of_thinking_alone_stays_a_message() -> None:
    assert rewritten_body(body(REASONING, REDACTED)) == body()


def test_opaque_keep_leaves_the_state_in_a_body() -> None:
    signed = {"reasoningContent": {"reasoningText": {"text": "", "signature": "c2lnbmVkAAAA+/8="}}}
    assert rewritten_body(body(REASONING, REDACTED, HI), STRIP_KEEP_OPAQUE) == body(signed, REDACTED, HI)


@pytest.mark.parametrize("signature", [{}, {"signature": "I can be read"}])
def test_opaque_keep_leaves_no_shell_of_unsigned_reasoning_as_in_a_stream(signature: dict[str, str]) -> None:
    unsigned = {"reasoningContent": {"reasoningText": {"text": "Secret", **signature}}}
    assert rewritten_body(body(unsigned, HI), STRIP_KEEP_OPAQUE) == body(HI)


def test_copies_from_the_models_own_answer_are_removed_if_they_may_repeat_reasoning() -> None:
    own = {"stop_sequence": "x", "content": [{"thinking": "Secret"}]}
    trace = {"guardrail": {"modelOutput": ["Secret"], "actionReason": "none"}}
    before = body(REASONING, HI, additionalModelResponseFields=own, trace=trace)
    kept = {"additionalModelResponseFields": {"stop_sequence": "x"}, "trace": {"guardrail": {"actionReason": "none"}}}
    assert rewritten_body(before) == body(HI, **kept)
    without = body(HI, additionalModelResponseFields=own, trace=trace)
    assert rewritten_body(without) == without
    stop: Event = ("messageStop", {"stopReason": "end_turn", "additionalModelResponseFields": own})
    kept_stop: Event = (
        "messageStop",
        {"stopReason": "end_turn", "additionalModelResponseFields": {"stop_sequence": "x"}},
    )
    assert stripped([*BEGIN, *thought(0), stop]) == [*BEGIN, kept_stop]


# --- the table, and how requests are read --------------------------------------------------------------------------


def tree(document: Any, table: Any = TABLE) -> Node:
    return read(decode(json.dumps(document).encode()), table)


@pytest.mark.parametrize(
    ("one", "kind", "is_reasoning"),
    [
        (delta(3, text="Hi"), Kind.TEXT, False),
        (delta(3, toolUse={"input": "{}"}), Kind.TOOL_CALL, False),
        (reasoning(3, text="Hm"), Kind.REASONING, True),
        (reasoning(3, signature="x"), Kind.OPAQUE, True),
        (reasoning(3, redactedContent="x"), Kind.OPAQUE, True),
        (reasoning(3, new="x"), Kind.REASONING, True),
    ],
)
def test_parts_are_found_in_events(one: Event, kind: Kind, is_reasoning: bool) -> None:
    (update,) = locate(tree(one[1]), Extent.DELTA)
    assert (update.item, update.is_reasoning) == (ItemKey("block", 3), is_reasoning)
    assert [part.kind for part in update.parts] == [kind]


@pytest.mark.parametrize("kind", [Kind.REASONING, Kind.TEXT])
def test_what_it_writes_it_locates_again(kind: Kind) -> None:
    texts = BEDROCK_CONVERSE.write(kind, 'é "x"', ItemKey("block", 2), tree({}))
    updates = [one for text in texts for one in locate(read(text, TABLE), Extent.DELTA)]
    assert [one.item for one in updates] == [ItemKey("block", 2)] * 2
    assert [part.node.value for one in updates for part in one.of(kind)] == ['é "x"']
    assert updates[0].is_reasoning == (kind is Kind.REASONING)
    assert all(text.isascii() and BEDROCK_CONVERSE.matches_document(tree(json.loads(text))) for text in texts)


@pytest.mark.parametrize("table", [TABLE, GLANCE], ids=["own", "glance"])
def test_it_knows_its_documents(table: Any) -> None:
    events = [*BEGIN, *thought(0), *text(1, "Hi"), *tool(2), *END]
    for document in [*(one[1] for one in events), *({name: one} for name, one in events[:-1]), body(HI)]:
        assert BEDROCK_CONVERSE.matches_document(tree(document, table)), document


@pytest.mark.parametrize("table", [TABLE, GLANCE], ids=["own", "glance"])
@pytest.mark.parametrize(
    "document",
    [
        {"message": "The security token is invalid"},
        {"__type": "ValidationException", "message": "contentBlockIndex"},
        {"error": {"stopReason": "x"}},
        {"role": "assistant", "content": "Hi"},
        {"choices": [], "usage": {}, "metrics": {}},
        {"output": {"choices": [{"message": {}}]}, "usage": {}},
        {"usage": {}},
        {"bytes": "e30=", "p": "a"},
        {},
        [],
    ],
    ids=json.dumps,
)
def test_it_does_not_claim_others(document: Any, table: Any) -> None:
    assert not BEDROCK_CONVERSE.matches_document(tree(document, table))


ARN = "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.anthropic.claude-x-v1%3A0"


@pytest.mark.parametrize(
    ("path", "dialect", "model", "stream"),
    [
        ("/model/deepseek.r1-v1%3A0/converse", "bedrock-converse", "deepseek.r1-v1:0", False),
        ("/model/deepseek.r1-v1:0/converse-stream", "bedrock-converse", "deepseek.r1-v1:0", True),
        ("/model/m/invoke", "bedrock-invoke", "m", False),
        (f"/model/{unquote(ARN)}/converse-stream", "bedrock-converse", unquote(ARN), True),
        (f"/model/{unquote(ARN)}/invoke", "bedrock-invoke", unquote(ARN), False),
        (
            f"/model/{ARN}/invoke-with-response-stream",
            "bedrock-invoke",
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x-v1:0",
            True,
        ),
    ],
)
def test_requests_by_their_path(path: str, dialect: str, model: str, stream: bool) -> None:
    facts = request_facts("h", path, "POST", [], b'{"messages": [], "anthropic_version": "bedrock-2023-05-31"}')
    assert (facts.dialect, facts.model, facts.stream) == (dialect, model, stream)


@pytest.mark.parametrize("path", ["/model/m/count-tokens", "/model/m/async-invoke", "/converse", "/model/m/conversed"])
def test_other_paths_are_not_its_own(path: str) -> None:
    assert request_facts("h", path, "POST", [], None).dialect is None


@pytest.mark.parametrize(("status", "kind"), [(400, "ValidationException"), (502, "InternalServerException")])
def test_errors_have_the_apis_shape(status: int, kind: str) -> None:
    assert json.loads(BEDROCK_CONVERSE.error(status, "nö")) == {"__type": kind, "message": "nö"}
