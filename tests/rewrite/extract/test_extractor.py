"""Tagged text extracted in APIs that number their blocks: the reasoning becomes a block of its own."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.rewrite.answers import documents_of
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES, Family, Where, pairs
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, Keep, OnError, Reasoning, ResponsePlan, Strip
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

THINK = FAMILIES["think"]
ANYWHERE = pairs("anywhere", [("<think>", "</think>")], Where.ANYWHERE)
MESSAGES = RequestFacts("h", "/v1/messages", "POST", (), None, "anthropic-messages")
RESPONSES = RequestFacts("h", "/v1/responses", "POST", (), None, "openai-responses")


def plan(reasoning: Reasoning, family: Family = THINK, *, starts_inside: bool = False) -> ResponsePlan:
    on_error = OnError.DROP if isinstance(reasoning, Strip) else OnError.PASS
    return ResponsePlan(reasoning, on_error, extract=Extract(family, starts_inside))


def framed(documents: list[dict[str, Any]]) -> bytes:
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in documents)


def rewritten(raw: bytes, request: RequestFacts, one: ResponsePlan, size: int | None = None) -> bytes:
    machine = StreamRewriter(AnswerRewriter(one, request), ContentHint.EVENTS, None, 10.0, 0.0)
    step = size or max(1, len(raw))
    pieces = [piece for at in range(0, len(raw), step) for piece in machine.feed(raw[at : at + step], 0.0)]
    pieces += machine.finish()
    assert b"" not in pieces
    return b"".join(pieces)


# --- messages of blocks -----------------------------------------------------------------------------------------


def message(*blocks: list[str] | None) -> list[dict[str, Any]]:
    """A stream of blocks: texts by their deltas, and calls of a tool for None."""
    documents: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}
    ]
    for index, texts in enumerate(blocks):
        block = (
            {"type": "tool_use", "id": "t", "name": "f", "input": {}} if texts is None else {"type": "text", "text": ""}
        )
        documents.append({"type": "content_block_start", "index": index, "content_block": block})
        documents += [
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}
            for text in texts or ()
        ]
        documents += [{"type": "ping"}, {"type": "content_block_stop", "index": index}]
    return [*documents, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]


def assembled(documents: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The blocks as a client puts them together, which goes by the order of their beginnings; checks the numbers."""
    blocks: list[list[str]] = []
    closed: set[int] = set()
    for one in documents:
        if one["type"] == "content_block_start":
            assert one["index"] == len(blocks)
            block = one["content_block"]
            blocks.append([block["type"], block.get("text") or block.get("thinking") or ""])
        elif one["type"] == "content_block_delta":
            assert one["index"] not in closed
            delta = one["delta"]
            blocks[one["index"]][1] += delta.get("text") or delta.get("thinking") or ""
        elif one["type"] == "content_block_stop":
            assert one["index"] < len(blocks)
            closed.add(one["index"])
    assert closed == set(range(len(blocks)))
    return [(kind, text) for kind, text in blocks]


def blocks_after(*blocks: list[str] | None, one: ResponsePlan | None = None) -> list[tuple[str, str]]:
    return assembled(documents_of(rewritten(framed(message(*blocks)), MESSAGES, one or plan(Keep()))))


def test_reasoning_comes_before_its_text_and_later_blocks_make_room() -> None:
    assert blocks_after(["<think>Hm", " so</thi", "nk>Hel", "lo <"], None) == [
        ("thinking", "Hm so"),
        ("text", "Hello <"),
        ("tool_use", ""),
    ]


def test_event_lines_name_the_documents_that_are_added() -> None:
    raw = rewritten(framed(message(["<think>a</think>b"])), MESSAGES, plan(Keep()))
    names = [line[7:].decode() for line in raw.splitlines() if line.startswith(b"event: ")]
    assert names == [one["type"] for one in documents_of(raw)]


def test_a_text_that_was_all_reasoning_leaves_no_empty_block() -> None:
    assert blocks_after(["<think>only"]) == [("thinking", "only")]
    assert blocks_after(["<think>only</think>"], None) == [("thinking", "only"), ("tool_use", "")]


def test_blocks_without_tags_keep_what_they_say_in_its_order() -> None:
    raw = framed([one for one in message(["Hello", " `<think>` <"], None, [], ["b"]) if one["type"] != "ping"])
    assert documents_of(rewritten(raw, MESSAGES, plan(Keep()))) == documents_of(raw)


def test_each_block_of_text_may_hold_reasoning() -> None:
    assert blocks_after(["<think>a</think>b"], None, ["<think>c</think>d"]) == [
        ("thinking", "a"),
        ("text", "b"),
        ("tool_use", ""),
        ("thinking", "c"),
        ("text", "d"),
    ]


def test_reasoning_after_visible_text_is_a_block_after_it() -> None:
    assert blocks_after(["a<think>b</think>c"], None, one=plan(Keep(), ANYWHERE)) == [
        ("text", "ac"),
        ("thinking", "b"),
        ("tool_use", ""),
    ]


def test_stripped_nothing_of_it_is_left() -> None:
    assert blocks_after(["<think>Secret</th", "ink>b <"], None, one=plan(Strip())) == [
        ("text", "b <"),
        ("tool_use", ""),
    ]


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_a_block_with_the_number_of_an_earlier_one_is_read_anew(reasoning: Reasoning) -> None:
    documents = message(["<think>Secret</think>a <"], ["<think>Secret</think>", "b"])
    for one in documents:
        one.update({"index": 0} if "index" in one else {})
    after = documents_of(rewritten(framed(documents), MESSAGES, plan(reasoning)))
    deltas = [one["delta"] for one in after if one["type"] == "content_block_delta"]
    assert "".join(delta.get("text", "") for delta in deltas) == "a <b"
    assert "".join(delta.get("thinking", "") for delta in deltas) == ("" if reasoning == Strip() else "Secret" * 2)


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_a_second_message_in_a_stream_is_read_anew_and_nothing_of_the_first_is_lost(reasoning: Reasoning) -> None:
    raw = framed(message(["<think>Secret</think>a", "<"])[:-4] + message(["<think>Secret", "</think>b"]))
    after = documents_of(rewritten(raw, MESSAGES, plan(reasoning, ANYWHERE)))
    second = [one["type"] for one in after].index("message_start", 1)
    for half, text in ((after[:second], "a<"), (after[second:], "b")):
        deltas = [one["delta"] for one in half if one["type"] == "content_block_delta"]
        assert "".join(delta.get("text", "") for delta in deltas) == text
        assert "".join(delta.get("thinking", "") for delta in deltas) == ("" if reasoning == Strip() else "Secret")
        assert "<think>" not in str(half)


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_only_the_first_text_of_a_row_of_blocks_starts_inside(reasoning: Reasoning) -> None:
    one = plan(reasoning, starts_inside=True)
    thought = [] if reasoning == Strip() else [("thinking", "a")]
    assert blocks_after(None, ["a</think>b"], ["c"], one=one) == [
        ("tool_use", ""),
        *thought,
        ("text", "b"),
        ("text", "c"),
    ]
    content = [{"type": "tool_use"}, {"type": "text", "text": "a</think>b"}, {"type": "text", "text": "c"}]
    body = {"type": "message", "role": "assistant", "content": content}
    after = json.loads(rewrite_body(json.dumps(body).encode(), AnswerRewriter(one, MESSAGES)))["content"]
    assert [block.get("text", block.get("thinking", "")) for block in after] == ["", *(t for _, t in thought), "b", "c"]


@pytest.mark.parametrize(
    "texts", [["\n", "<think>a", "</think>Hi"], ["\n<think>a</think>Hi"], ["\n", " <", "think>a</think>Hi"]]
)
def test_white_space_before_reasoning_comes_after_it(texts: list[str]) -> None:
    text = "".join(texts).replace("<think>a</think>", "")
    assert blocks_after(texts, None) == [("thinking", "a"), ("text", text), ("tool_use", "")]


@pytest.mark.parametrize("texts", [["\n"], ["\n", "b"], ["\n <"], ["\n", "<", "b"]])
def test_white_space_at_the_beginning_of_a_text_is_not_lost(texts: list[str]) -> None:
    assert blocks_after(texts, ["c"]) == [("text", "".join(texts)), ("text", "c")]
    broken_off = documents_of(rewritten(framed(message(texts)[:-4]), MESSAGES, plan(Keep())))
    deltas = [one["delta"]["text"] for one in broken_off if one["type"] == "content_block_delta"]
    assert "".join(deltas) == "".join(texts)


def with_text_in_start(documents: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """A message whose first block of text opens with some already."""
    start = next(one for one in documents if "content_block" in one and one["content_block"]["type"] == "text")
    start["content_block"]["text"] = text
    return documents


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
@pytest.mark.parametrize(
    ("start", "texts", "visible"),
    [
        ("<think>a", ["</think>b"], "b"),
        ("<think>a</think>b", ["c"], "bc"),
        ("<think>a</think>", [], ""),
        ("\n<think>a</think>b <", [], "\nb <"),
        ("\n", ["<think>a</think>b"], "\nb"),
        ("<thi", ["nk>a</think>b"], "b"),
    ],
)
def test_a_block_may_open_with_tagged_text(start: str, texts: list[str], visible: str, reasoning: Reasoning) -> None:
    raw = framed(with_text_in_start(message(texts, None), start))
    after = [block for block in assembled(documents_of(rewritten(raw, MESSAGES, plan(reasoning)))) if any(block[1:])]
    thought = [] if reasoning == Strip() else [("thinking", "a")]
    assert after == [*thought, *([("text", visible)] if visible else [])]


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
@pytest.mark.parametrize(("start", "texts"), [("a <", []), ("a", ["<"]), ("<", []), ("a <", ["b"]), ("\n", [])])
def test_what_a_block_opens_with_is_shown_once(start: str, texts: list[str], reasoning: Reasoning) -> None:
    raw = framed(with_text_in_start(message(texts, None), start))
    after = assembled(documents_of(rewritten(raw, MESSAGES, plan(reasoning, ANYWHERE))))
    assert after == [("text", start + "".join(texts)), ("tool_use", "")]


def with_a_thought(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The stream with a block of thought before the others."""
    for one in documents:
        one.update({"index": one["index"] + 1} if "index" in one else {})
    delta = {"type": "thinking_delta", "thinking": "Secret"}
    thought = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
    ]
    return [documents[0], *thought, *documents[1:]]


@pytest.mark.parametrize("texts", [["a <"], ["a<think>b</think>", "c"], ["\n<think>b</think>c"], ["a <", "b"]])
def test_after_a_stripped_block_what_leaves_by_itself_has_the_number_of_its_block(texts: list[str]) -> None:
    raw = framed(with_a_thought(message(texts, None)))
    after = assembled(documents_of(rewritten(raw, MESSAGES, plan(Strip(), ANYWHERE))))
    assert after == [("text", "".join(texts).replace("<think>b</think>", "")), ("tool_use", "")]


TEXTS = st.lists(st.sampled_from(["<think>", "</think>", "<", "<thi", "nk>", "a", "b ", "\n"]), max_size=4).map("".join)
BLOCKS = st.lists(st.none() | st.lists(TEXTS, max_size=3), max_size=4)


def says_something(block: tuple[str, str]) -> bool:
    return block[0] == "tool_use" or bool(block[1])


@example([["<think><think></think></think>", "<think><think>"]], ANYWHERE, Keep())
@example([["a<think>b</think>", "c<think>d</think>"], None], ANYWHERE, Keep())
@example([["<"]], THINK, Strip())
@example([["<", "</think><", "</think><"]], ANYWHERE, Strip())
@given(BLOCKS, st.sampled_from([THINK, ANYWHERE]), st.sampled_from([Keep(), Strip()]))
def test_streams_and_bodies_agree_however_they_are_cut(
    blocks: list[list[str] | None], family: Family, reasoning: Reasoning
) -> None:
    one = plan(reasoning, family)
    raw = framed(message(*blocks))
    whole = rewritten(raw, MESSAGES, one)
    assert {rewritten(raw, MESSAGES, one, size) for size in (1, 7)} == {whole}
    streamed = assembled(documents_of(whole))
    content = [{"type": "tool_use"} if texts is None else {"type": "text", "text": "".join(texts)} for texts in blocks]
    body = {"type": "message", "role": "assistant", "content": content}
    after = json.loads(rewrite_body(json.dumps(body).encode(), AnswerRewriter(one, MESSAGES)))["content"]
    if family is THINK:
        blocks_in_body = [(block["type"], block.get("text") or block.get("thinking") or "") for block in after]
        assert list(filter(says_something, streamed)) == list(filter(says_something, blocks_in_body))
    for kind in ("thinking", "text"):
        in_body = "".join(block[kind] for block in after if block["type"] == kind)
        assert "".join(text for its_kind, text in streamed if its_kind == kind) == in_body


# --- items of a response ----------------------------------------------------------------------------------------


def response(*texts: str) -> list[dict[str, Any]]:
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "".join(texts), "annotations": []}
    done = item | {"status": "completed", "content": [part]}
    frame = {"id": "r", "object": "response", "output": []}
    events: list[tuple[str, dict[str, Any]]] = [
        ("created", {"response": frame}),
        ("output_item.added", {"output_index": 0, "item": item}),
        ("content_part.added", place | {"part": part | {"text": ""}}),
        *(("output_text.delta", place | {"delta": text}) for text in texts),
        ("output_text.done", place | {"text": part["text"]}),
        ("content_part.done", place | {"part": part}),
        ("output_item.done", {"output_index": 0, "item": done}),
        ("completed", {"response": frame | {"output": [done]}}),
    ]
    return [{"type": f"response.{name}", "sequence_number": n, **more} for n, (name, more) in enumerate(events)]


@pytest.mark.parametrize("size", [1, 7, None])
def test_reasoning_becomes_an_item_with_all_its_events(size: int | None) -> None:
    documents = documents_of(
        rewritten(framed(response("<think>Hm", " so</think>He", "llo")), RESPONSES, plan(Keep()), size)
    )
    assert [one["sequence_number"] for one in documents] == list(range(len(documents)))
    assert [one["type"].removeprefix("response.") for one in documents] == [
        "created",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert {one["output_index"] for one in documents[1:8]} == {0}
    assert {one["output_index"] for one in documents[8:15]} == {1}
    output = documents[-1]["response"]["output"]
    assert [item["type"] for item in output] == ["reasoning", "message"]
    assert output[0]["summary"][0]["text"] == "Hm so"
    assert output[1]["content"][0]["text"] == documents[12]["text"] == "Hello"


@pytest.mark.parametrize("texts", [["\n", "<think>a", "</think>Hi"], ["\n<think>a", "</think>Hi"]])
def test_white_space_before_reasoning_comes_after_its_item(texts: list[str]) -> None:
    after = documents_of(rewritten(framed(response(*texts)), RESPONSES, plan(Keep())))
    kinds = [one["item"]["type"] for one in after if one["type"] == "response.output_item.added"]
    assert kinds == ["reasoning", "message"]
    assert [one["sequence_number"] for one in after] == list(range(len(after)))
    deltas = [one["delta"] for one in after if one["type"] == "response.output_text.delta"]
    assert "".join(deltas) == "\nHi" == after[-1]["response"]["output"][1]["content"][0]["text"]


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
@pytest.mark.parametrize(("start", "texts", "visible"), [("<think>a", ["</think>b"], "b"), ("b <", [], "b <")])
def test_a_part_may_open_with_tagged_text(start: str, texts: list[str], visible: str, reasoning: Reasoning) -> None:
    documents = response(start, *texts)
    documents[2]["part"]["text"] = documents.pop(3)["delta"]
    for n, one in enumerate(documents):
        one["sequence_number"] = n
    after = documents_of(rewritten(framed(documents), RESPONSES, plan(reasoning, ANYWHERE)))
    assert [one["sequence_number"] for one in after] == list(range(len(after)))
    parts = [one["part"]["text"] for one in after if one["type"] == "response.content_part.added"]
    deltas = [one["delta"] for one in after if one["type"] == "response.output_text.delta"]
    assert len(parts) == 1
    assert parts[0] + "".join(deltas) == visible
    assert ("reasoning" in str(after)) == (reasoning == Keep() and "think" in start)


def test_items_without_tags_keep_what_they_say() -> None:
    raw = framed(response("Hel", "lo <"))
    assert documents_of(rewritten(raw, RESPONSES, plan(Keep()))) == documents_of(raw)


def test_a_stripped_item_shows_what_is_left_of_its_text_everywhere() -> None:
    raw = rewritten(framed(response("<think>Secret", "</think>Hello")), RESPONSES, plan(Strip()))
    assert b"Secret" not in raw
    documents = documents_of(raw)
    assert documents[-1]["response"]["output"][0]["content"][0]["text"] == "Hello"
    assert [one["sequence_number"] for one in documents] == list(range(len(documents)))


def behind_a_thought(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The response with an item of thought before the other."""
    item = {"id": "rs_1", "type": "reasoning", "summary": []}
    place = {"item_id": "rs_1", "output_index": 0, "summary_index": 0}
    thought: list[dict[str, Any]] = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.reasoning_summary_text.delta", **place, "delta": "Secret"},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]
    for one in documents:
        one.update({"output_index": 1} if "output_index" in one else {})
    documents[1:1] = thought
    for n, one in enumerate(documents):
        one["sequence_number"] = n
    return documents


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("reasoning", [Keep(), Strip(), Inline(THINK)])
@pytest.mark.parametrize("texts", [["a <"], ["a<think>b</think>", "c"], ["a<think>b</think>c <", "d <"]])
def test_events_that_are_added_or_missing_leave_no_gap(texts: list[str], reasoning: Reasoning, ends: bool) -> None:
    documents = behind_a_thought(response(*texts))
    one = plan(reasoning, ANYWHERE) if not isinstance(reasoning, Inline) else ResponsePlan(reasoning)
    after = documents_of(rewritten(framed(documents if ends else documents[:-4]), RESPONSES, one))
    assert [one["sequence_number"] for one in after] == list(range(len(after)))
    indices = [one["output_index"] for one in after if one["type"] == "response.output_item.added"]
    assert indices == list(range(len(indices)))
    said = [one for one in after if one["type"] == "response.output_text.delta" and one["item_id"] == "msg_1"]
    assert {one["output_index"] for one in said} == {0 if reasoning == Strip() else 1}
    if not isinstance(reasoning, Inline):
        assert "".join(one["delta"] for one in said) == "".join(texts).replace("<think>b</think>", "")


def test_reasoning_that_an_inlined_stream_breaks_off_in_is_closed_with_the_next_number() -> None:
    documents = behind_a_thought(response("a"))[:3]
    after = documents_of(rewritten(framed(documents), RESPONSES, ResponsePlan(Inline(THINK))))
    assert [one["sequence_number"] for one in after] == list(range(len(after)))


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_only_the_first_item_starts_inside_also_where_it_is_repeated(reasoning: Reasoning) -> None:
    first, second = response("a", "</think>b"), response("c")
    for one in second:
        one.update({"output_index": 1} if "output_index" in one else {})
        one.update({"item_id": "msg_2"} if "item_id" in one else {})
    documents = [*first[:-1], *second[1:-1], first[-1]]
    documents[-1]["response"]["output"] += second[-1]["response"]["output"]
    documents[-1]["response"]["output_text"] = "a</think>bc"
    after = documents_of(rewritten(framed(documents), RESPONSES, plan(reasoning, starts_inside=True)))
    assert [one["text"] for one in after if one["type"] == "response.output_text.done"] == ["b", "c"]
    whole = after[-1]["response"]
    assert [item["content"][0]["text"] for item in whole["output"] if item["type"] == "message"] == ["b", "c"]
    assert whole["output_text"] == "bc"


def test_the_token_metadata_of_a_delta_goes_with_what_is_visible_of_it() -> None:
    documents = response("<think>Hm", "</think>He", "llo <", "!")
    for document in documents:
        if document["type"] == "response.output_text.delta":
            document["logprobs"] = [{"token": document["delta"], "logprob": -0.5}]
    after = documents_of(rewritten(framed(documents), RESPONSES, plan(Keep())))
    said = [one for one in after if one["type"] == "response.output_text.delta"]
    assert [(one["delta"], [entry["token"] for entry in one["logprobs"]]) for one in said] == [
        ("He", ["</think>He"]),
        ("llo <", ["llo <"]),
        ("!", ["!"]),
    ]
