"""Tagged text and inlined reasoning in other block APIs: Cohere's, and those whose blocks have no numbers."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import documents_of
from tests.rewrite.extract.test_extractor import ANYWHERE, RESPONSES, THINK, framed, plan, rewritten
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, Keep, ResponsePlan, Strip
from thinkwire.rewrite.stream.documents import rewrite_body

LM_STUDIO = RequestFacts("h", "/api/v1/chat", "POST", (), None, "lm-studio")
COHERE = RequestFacts("h", "/v2/chat", "POST", (), None, "cohere")
INLINE = ResponsePlan(Inline(THINK))
SIZES = pytest.mark.parametrize("size", [1, 7, None])

type Block = tuple[str, list[str]]
type Documents = list[dict[str, Any]]


def after(documents: Documents, request: RequestFacts, one: ResponsePlan, size: int | None) -> Documents:
    return documents_of(rewritten(framed(documents), request, one, size))


def body_after(body: dict[str, Any], one: ResponsePlan, request: RequestFacts = COHERE) -> dict[str, Any]:
    return dict(json.loads(rewrite_body(json.dumps(body).encode(), AnswerRewriter(one, request))))


# --- LM Studio: events named after the kind of the block that is open ---------------------------------------------


def lm_studio(*blocks: Block) -> Documents:
    documents: Documents = [{"type": "chat.start", "model_instance_id": "m"}]
    for kind, texts in blocks:
        pieces = [{"type": f"{kind}.delta", "content": text} for text in texts]
        documents += [{"type": f"{kind}.start"}, *pieces, {"type": f"{kind}.end"}]
    output = [{"type": kind, "content": "".join(texts)} for kind, texts in blocks]
    return [*documents, {"type": "chat.end", "result": {"model_instance_id": "m", "output": output, "stats": {}}}]


@SIZES
def test_lm_studio_gets_one_block_of_reasoning_for_each_message(size: int | None) -> None:
    tagged: list[Block] = [("message", ["<think>a", "b</th", "ink>c", "d"]), ("message", ["<think>e</think>", "f"])]
    told_apart: list[Block] = [
        ("reasoning", ["a", "b"]),
        ("message", ["c", "d"]),
        ("reasoning", ["e"]),
        ("message", ["f"]),
    ]
    assert after(lm_studio(*tagged), LM_STUDIO, plan(Keep()), size) == lm_studio(*told_apart)


@SIZES
def test_lm_studio_gets_a_message_for_a_block_of_reasoning(size: int | None) -> None:
    thought: list[Block] = [("reasoning", ["a", "b"]), ("message", ["c"]), ("reasoning", ["d"]), ("message", ["e"])]
    inlined: list[Block] = [
        ("message", ["<think>a", "b", "</think>"]),
        ("message", ["c"]),
        ("message", ["<think>d", "</think>"]),
        ("message", ["e"]),
    ]
    assert after(lm_studio(*thought), LM_STUDIO, INLINE, size) == lm_studio(*inlined)


CALL: Documents = [
    {"type": "tool_call.start", "tool": "f", "provider_info": {"type": "plugin"}},
    {"type": "tool_call.arguments", "tool": "f", "arguments": {"a": 1}},
    {"type": "tool_call.success", "tool": "f", "arguments": {"a": 1}, "output": "[]"},
]


TAGGED: Block = ("message", ["<think>a", "</think>"])
THOUGHT: Block = ("reasoning", ["a"])


@SIZES
@pytest.mark.parametrize(("came", "one", "shown"), [(THOUGHT, INLINE, TAGGED), (TAGGED, plan(Keep()), THOUGHT)])
def test_lm_studio_has_an_added_block_closed_before_a_call_of_a_tool_begins(
    came: Block, one: ResponsePlan, shown: Block, size: int | None
) -> None:
    answer = lm_studio(("message", ["c"]))[1:-1]
    documents = after([*lm_studio(came)[:-1], *CALL, *answer], LM_STUDIO, one, size)
    assert documents == [*lm_studio(shown)[:-1], *CALL, *answer]


def test_a_message_that_was_all_reasoning_leaves_no_trace_in_the_next_one() -> None:
    tagged: list[Block] = [("message", ["<think>a", "b"]), ("message", ["c"])]
    documents = after(lm_studio(*tagged)[:-1], LM_STUDIO, plan(Keep()), None)
    assert documents == lm_studio(("reasoning", ["a", "b"]), ("message", ["c"]))[:-1]


def test_lm_studio_shows_what_a_message_held_back_that_another_one_follows_without_an_end() -> None:
    documents: Documents = [
        {"type": "message.start"},
        {"type": "message.delta", "content": "<th"},
        {"type": "message.start"},
        {"type": "message.delta", "content": "b"},
    ]
    kept = after(documents, LM_STUDIO, plan(Keep()), None)
    assert "".join(one.get("content", "") for one in kept) == "<thb"


def test_white_space_is_shown_of_a_message_that_another_one_follows_without_an_end() -> None:
    documents: Documents = [
        {"type": "message.start"},
        {"type": "message.delta", "content": "\n"},
        {"type": "message.start"},
        {"type": "message.delta", "content": "b"},
    ]
    assert after(documents, LM_STUDIO, plan(Keep()), None) == documents


def test_stripped_each_of_several_messages_is_read_anew() -> None:
    tagged: list[Block] = [("message", ["<think>Secret</think>a <"]), ("message", ["<think>Secret", "</think>b"])]
    documents = after(lm_studio(*tagged), LM_STUDIO, plan(Strip()), None)
    assert "Secret" not in str(documents)
    said = [one["content"] for one in documents if one["type"] == "message.delta"]
    assert "".join(said) == "a <b"
    assert [item["content"] for item in documents[-1]["result"]["output"]] == ["a <", "b"]


# --- llama.cpp's Responses: items are named by their id alone -----------------------------------------------------


def thought_item(texts: list[str], name: str) -> Documents:
    item = {"id": name, "type": "reasoning", "summary": [], "content": []}
    done = {"type": "reasoning_text", "text": "".join(texts)}
    return [
        {"type": "response.output_item.added", "item": item},
        *({"type": "response.reasoning_text.delta", "item_id": name, "delta": text} for text in texts),
        {"type": "response.output_item.done", "item": item | {"content": [done]}},
    ]


def message_item(texts: list[str], name: str) -> Documents:
    item = {"id": name, "type": "message", "role": "assistant", "content": []}
    part = {"type": "output_text", "text": "".join(texts)}
    return [
        {"type": "response.output_item.added", "item": item},
        {"type": "response.content_part.added", "item_id": name, "part": part | {"text": ""}},
        *({"type": "response.output_text.delta", "item_id": name, "delta": text} for text in texts),
        {"type": "response.output_text.done", "item_id": name, "text": part["text"]},
        {"type": "response.content_part.done", "item_id": name, "part": part},
        {"type": "response.output_item.done", "item": item | {"content": [part]}},
    ]


def response(*items: Documents) -> Documents:
    frame = {"id": "r", "object": "response"}
    whole = frame | {"output": [events[-1]["item"] for events in items]}
    return [
        {"type": "response.created", "response": frame},
        *(event for events in items for event in events),
        {"type": "response.completed", "response": whole},
    ]


def items_of(documents: Documents) -> list[tuple[str, str]]:
    """The items by their beginnings, each with its type and the text of its deltas; checks that each has its end."""
    items: dict[str, list[str]] = {}
    ended: list[str] = []
    for one in documents:
        match one["type"].removeprefix("response.").split("."):
            case ["output_item", "added"]:
                assert one["item"]["id"] not in items
                items[one["item"]["id"]] = [one["item"]["type"], ""]
            case [_, "delta"]:
                assert one["item_id"] not in ended
                items[one["item_id"]][1] += one["delta"]
            case ["output_item", "done"]:
                ended.append(one["item"]["id"])
    assert ended == list(items)
    assert not any("output_index" in one for one in documents)
    return [(kind, text) for kind, text in items.values()]


@SIZES
def test_items_without_numbers_are_extracted(size: int | None) -> None:
    documents = after(response(message_item(["<think>a", "b</thi", "nk>c", "d"], "m1")), RESPONSES, plan(Keep()), size)
    assert items_of(documents) == [("reasoning", "ab"), ("message", "cd")]
    assert [item["type"] for item in documents[-1]["response"]["output"]] == ["reasoning", "message"]


@SIZES
def test_items_without_numbers_are_inlined(size: int | None) -> None:
    documents = after(response(thought_item(["a", "b"], "r1"), message_item(["c"], "m1")), RESPONSES, INLINE, size)
    assert items_of(documents) == [("message", "<think>ab</think>"), ("message", "c")]


# --- ids of items that are ours ------------------------------------------------------------------------------------


def numbered(documents: Documents) -> Documents:
    """With the numbers that OpenAI gives to events and items."""
    numbers: dict[str, int] = {}
    result: Documents = []
    for sequence, one in enumerate(documents):
        name = one.get("item_id") or one.get("item", {}).get("id")
        place = {} if name is None else {"output_index": numbers.setdefault(name, len(numbers))}
        result.append(one | place | {"sequence_number": sequence})
    return result


def ids_of(documents: Documents) -> list[str]:
    """The ids of the items, which all events of an item and the whole response must agree upon."""
    ids: dict[int, str] = {}
    for one in documents:
        if "output_index" in one:
            name = one.get("item_id") or one["item"]["id"]
            assert ids.setdefault(one["output_index"], name) == name
    assert len(set(ids.values())) == len(ids)
    return list(ids.values())


TWO_THOUGHTS = response(
    message_item(["<think>a", "b</think>c"], "m1"), message_item(["<think>d</th", "ink>e", "f"], "m2")
)
TWO_ITEMS = response(
    *(thought_item(["a", "b"], "r1"), message_item(["c"], "m1")),
    *(thought_item(["d"], "r2"), message_item(["e"], "m2")),
)
THEN_INLINED = ResponsePlan(Inline(THINK), extract=Extract(THINK))


@SIZES
@pytest.mark.parametrize(
    ("came", "one", "ids"),
    [
        (TWO_THOUGHTS, plan(Keep()), ["rs_m1", "m1", "rs_m2", "m2"]),
        (TWO_ITEMS, INLINE, ["msg_r1", "m1", "msg_r2", "m2"]),
        (TWO_THOUGHTS, THEN_INLINED, ["msg_rs_m1", "m1", "msg_rs_m2", "m2"]),
    ],
    ids=["extract", "inline", "both"],
)
def test_ids_of_added_items_are_unique_and_the_same_in_the_whole(
    came: Documents, one: ResponsePlan, ids: list[str], size: int | None
) -> None:
    documents = after(numbered(came), RESPONSES, one, size)
    assert [item["id"] for item in documents[-1]["response"]["output"]] == ids_of(documents) == ids
    unnumbered = after(came, RESPONSES, one, size)
    assert [item["id"] for item in unnumbered[-1]["response"]["output"]] == ids
    assert len(items_of(unnumbered)) == len(ids)


@SIZES
def test_two_pieces_of_reasoning_in_one_text_have_an_id_each(size: int | None) -> None:
    came = response(message_item(["a<think>b</think>", "c<think>d", "e</think>f"], "m1"))
    anywhere = plan(Keep(), ANYWHERE)
    assert ids_of(after(numbered(came), RESPONSES, anywhere, size)) == ["m1", "rs_m1", "rs_rs_m1"]


def test_an_id_that_changes_from_event_to_event_does_not_change_added_ones() -> None:
    came = [
        one | {"item_id": f"m{at}"} if "item_id" in one else one for at, one in enumerate(numbered(TWO_THOUGHTS[:5]))
    ]
    ours = [one for one in after(came, RESPONSES, plan(Keep()), None) if one.get("output_index") == 0]
    assert len({one.get("item_id") or one["item"]["id"] for one in ours}) == 1


def test_items_without_ids_are_extracted_by_their_places() -> None:
    part = {"type": "output_text", "text": "<think>a</think>b"}
    item = {"type": "message", "role": "assistant", "content": [part]}
    output = body_after({"id": "r", "object": "response", "output": [item, item]}, plan(Keep()), RESPONSES)["output"]
    assert [one.get("id") for one in output] == ["rs_thinkwire_0", None, "rs_thinkwire_1", None]
    stream = [
        {"type": "response.output_text.delta", "output_index": at, "content_index": 0, "delta": part["text"]}
        for at in (0, 1)
    ]
    documents = after(stream, RESPONSES, plan(Keep()), None)
    begun = [one["item"]["id"] for one in documents if one["type"] == "response.output_item.added"]
    assert begun == ["rs_thinkwire_0", "rs_thinkwire_2"]


# --- Cohere: thoughts and texts share a row of numbers, and citations refer to it ----------------------------------


def cohere(*blocks: Block, cites: int) -> Documents:
    start = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    documents: Documents = [{"type": "message-start", "id": "x", "delta": {"message": start}}]
    for index, (kind, texts) in enumerate(blocks):
        documents.append(
            {"type": "content-start", "index": index, "delta": {"message": {"content": {"type": kind, kind: ""}}}}
        )
        documents += [
            {"type": "content-delta", "index": index, "delta": {"message": {"content": {kind: text}}}} for text in texts
        ]
        documents.append({"type": "content-end", "index": index})
    cited = {"start": 0, "end": 1, "text": "c", "content_index": cites, "type": "TEXT_CONTENT"}
    documents += [
        {"type": "citation-start", "index": 0, "delta": {"message": {"citations": cited}}},
        {"type": "citation-end", "index": 0},
        {"type": "message-end", "id": "x", "delta": {"finish_reason": "COMPLETE", "usage": {}}},
    ]
    return documents


@SIZES
def test_cohere_makes_room_for_reasoning_and_citations_follow(size: int | None) -> None:
    tagged = cohere(("text", ["<think>a", "b</th", "ink>c"]), cites=0)
    told_apart = cohere(("thinking", ["a", "b"]), ("text", ["c"]), cites=1)
    assert after(tagged, COHERE, plan(Keep()), size) == told_apart


def test_a_block_of_cohere_may_open_with_tagged_text() -> None:
    tagged, told_apart = cohere(("text", ["</think>c"]), cites=0), cohere(("thinking", ["a"]), ("text", ["c"]), cites=1)
    tagged[1]["delta"]["message"]["content"]["text"] = "<think>a"
    assert after(tagged, COHERE, plan(Keep()), None) == told_apart


@SIZES
def test_cohere_gets_a_text_for_a_block_of_thinking(size: int | None) -> None:
    thought = cohere(("thinking", ["a"]), ("text", ["c"]), cites=1)
    inlined = cohere(("text", ["<think>a", "</think>"]), ("text", ["c"]), cites=1)
    assert after(thought, COHERE, INLINE, size) == inlined


PLAN: Documents = [
    {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": text}}} for text in ("I ", "look ", "it up.")
]
COHERE_CALL: Documents = [
    {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": {"id": "t", "type": "function"}}}},
    {"type": "tool-call-end", "index": 0},
]


def cohere_text(index: int, *texts: str) -> Documents:
    return [one | {"index": index} for one in cohere(("text", list(texts)), cites=0)[1:-3]]


@SIZES
def test_cohere_gets_a_text_for_a_plan_before_the_call_and_all_other_events(size: int | None) -> None:
    begin, *_, end = cohere(cites=0)
    plan_as_text = cohere_text(0, "<think>I ", "look ", "it up.", "</think>")
    documents = after([begin, *PLAN, *COHERE_CALL, end], COHERE, INLINE, size)
    assert documents == [begin, *plan_as_text, *COHERE_CALL, end]


@SIZES
def test_cohere_numbers_its_blocks_around_a_plan(size: int | None) -> None:
    begin, *thought = cohere(("thinking", ["a"]), cites=0)[:-3]
    *cites, end = cohere(cites=1)[1:]
    *cites_later, _ = cohere(cites=2)[1:]
    came = [begin, *thought, *PLAN[:1], *COHERE_CALL, *cohere_text(1, "c"), *cites, end]
    assert after(came, COHERE, INLINE, size) == [
        begin,
        *cohere_text(0, "<think>a", "</think>"),
        *cohere_text(1, "<think>I ", "</think>"),
        *COHERE_CALL,
        *cohere_text(2, "c"),
        *cites_later,
        end,
    ]


def test_cohere_numbers_a_plan_after_reasoning_that_fell_out() -> None:
    begin, *thought = cohere(("thinking", []), cites=0)[:-3]
    documents = after([begin, *thought, *PLAN[:1], *COHERE_CALL], COHERE, INLINE, None)
    assert documents == [begin, *cohere_text(0, "<think>I ", "</think>"), *COHERE_CALL]


def cited(cites: list[int | None], *content: dict[str, str], **more: Any) -> dict[str, Any]:
    citations = [{"start": 0, "end": 1, "text": "c", "content_index": one, "type": "TEXT_CONTENT"} for one in cites]
    message = {"role": "assistant", **more, "content": list(content), "citations": citations}
    return {"id": "x", "finish_reason": "COMPLETE", "message": message}


def said(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def test_in_a_body_citations_follow_too() -> None:
    body = cited([0, 1, 2, None], said("<think>a</think>c"), said("d"), said("<think>e</think>f"))
    thoughts = [{"type": "thinking", "thinking": text} for text in "ae"]
    assert body_after(body, plan(Keep())) == cited(
        [1, 2, 4, None], thoughts[0], said("c"), said("d"), thoughts[1], said("f")
    )


def test_in_a_body_citations_follow_a_plan_that_is_inlined() -> None:
    body = cited([0, 1], said("c"), said("d"), tool_plan="I look.")
    assert body_after(body, INLINE) == cited([1, 2], said("<think>I look.</think>"), said("c"), said("d"))


@SIZES
def test_what_cites_inlined_reasoning_goes(size: int | None) -> None:
    def citing(*cited: tuple[str, int]) -> Documents:
        documents: Documents = []
        for index, (kind, block) in enumerate(cited):
            what = {"start": 0, "end": 1, "text": "c", "content_index": block, "type": kind}
            documents.append({"type": "citation-start", "index": index, "delta": {"message": {"citations": what}}})
            documents.append({"type": "citation-end", "index": index})
        return documents

    def answer(*blocks: Block, citations: Documents) -> Documents:
        whole = cohere(*blocks, cites=0)
        return [*whole[:-3], *citations, whole[-1]]

    thought = answer(
        ("thinking", ["a"]), ("text", ["c"]), citations=citing(("THINKING_CONTENT", 0), ("TEXT_CONTENT", 1))
    )
    inlined = answer(("text", ["<think>a", "</think>"]), ("text", ["c"]), citations=citing(("TEXT_CONTENT", 1)))
    assert after(thought, COHERE, INLINE, size) == inlined
    body = {
        "id": "x",
        "message": {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "a"}, {"type": "text", "text": "c"}],
            "citations": [{"type": "THINKING_CONTENT", "text": "a", "content_index": 0}, {"type": "TEXT_CONTENT"}],
        },
        "finish_reason": "COMPLETE",
    }
    whole = json.loads(rewrite_body(json.dumps(body).encode(), AnswerRewriter(INLINE, COHERE)))
    assert whole["message"]["citations"] == [{"type": "TEXT_CONTENT"}]
