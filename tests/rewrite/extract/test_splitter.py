"""Tagged text of answers, extracted and put back: extract and inline."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewrite.answers import (
    accumulate,
    body,
    chunk,
    documents_of,
    event,
    logprobs,
    rewrite_chunks,
    rewrite_documents,
    rewrite_json,
    rewrite_stream,
    stream,
)
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES, Family, Where, pairs
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, Keep, OnError, Reasoning, Rename, ResponsePlan, Strip
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.fast_path import FastPath
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

THINK = FAMILIES["think"]
ANYWHERE = pairs("anywhere", [("<think>", "</think>")], Where.ANYWHERE)
RENAMED = Rename(("reasoning_content",))
INLINE = ResponsePlan(Inline(THINK))


def plan(reasoning: Reasoning, family: Family = THINK, *, starts_inside: bool = False) -> ResponsePlan:
    on_error = OnError.DROP if isinstance(reasoning, Strip) else OnError.PASS
    return ResponsePlan(reasoning, on_error, extract=Extract(family, starts_inside))


def said(raw: bytes, index: int = 0) -> dict[str, Any]:
    """What a client reads of a choice: the texts under each name, the finish reason."""
    seen = accumulate(documents_of(raw)).get(index, {})
    return {name: value for name, value in seen.items() if name != "role"}


def contents(*texts: str, finish: bool = True) -> bytes:
    chunks = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": text}) for text in texts)]
    return stream(*chunks, *([chunk({}, finish_reason="stop")] if finish else []))


# --- extract ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, None])
@pytest.mark.parametrize(("reasoning", "name"), [(Keep(), "reasoning"), (RENAMED, "reasoning_content")])
def test_tagged_text_goes_to_the_apis_own_place(reasoning: Reasoning, name: str, size: int | None) -> None:
    raw = contents("<thi", "nk>Let me", " see</thi", "nk>Hello ", "<b", ">you</b> <")
    after = rewrite_stream(raw, plan(reasoning), size)
    assert said(after) == {name: "Let me see", "content": "Hello <b>you</b> <", "finish_reason": "stop"}
    assert after.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize("size", [1, 7, None])
def test_stripped_nothing_of_it_is_left(size: int | None) -> None:
    after = rewrite_stream(contents("<think>Secret", " plan</th", "ink>Hi"), plan(Strip()), size)
    assert said(after) == {"content": "Hi", "finish_reason": "stop"}
    assert b"Secret" not in after
    assert b"think" not in after


@pytest.mark.parametrize("reasoning", [Keep(), RENAMED, Strip()])
def test_an_answer_without_tags_keeps_its_bytes(reasoning: Reasoning) -> None:
    raw = contents("Use the ", "`<think>` tag", " & \\ so on", " ", "\n")
    assert rewrite_stream(raw, plan(reasoning)) == raw


def test_tags_are_matched_on_decoded_text() -> None:
    raw = event('{"choices":[{"index":0,"delta":{"content":"\\u003cthink\\u003ehm\\u003c/think\\u003e\\u00e9"}}]}')
    assert said(rewrite_stream(raw, plan(Keep()))) == {"reasoning": "hm", "content": "é"}


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        ("<a>", "<a>"),
        ("<a>", r"\u003ca>"),
        ("<a>", r"\u003Ca\u003E"),
        ("\\a", r"\\a"),
        ('"a', r"\"a"),
        ("</a", r"<\/a"),
        ("</a", r"\u003C/a"),
        ("\ta", r"\ta"),
        ("◁a", "◁a"),
        ("◁a", r"\u25C1a"),
        ("😀a", r"\ud83d\ude00a"),
    ],
)
def test_also_after_many_events_that_are_alike_and_however_a_tag_is_written(tag: str, written: str) -> None:
    raw = stream(*(f'{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}' for text in [*"bbbb", written, "c"]))
    family = pairs("own", [(tag, "</a>")], Where.ANYWHERE)
    assert said(rewrite_stream(raw, plan(Keep(), family))) == {"content": "bbbb", "reasoning": "c"}


def test_what_is_held_back_leaves_before_the_finish() -> None:
    documents = documents_of(rewrite_stream(contents("<thin"), plan(Keep())))
    assert [one["choices"][0]["delta"].get("content") for one in documents] == ["", "<thin", None]
    assert documents[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b""])
def test_what_is_held_back_leaves_at_the_end_of_a_stream_without_a_finish(end: bytes) -> None:
    raw = event(chunk({"content": "<thin"}, logprobs=logprobs("<thin"))) + end
    after = rewrite_stream(raw, plan(Keep()))
    assert said(after) == {"content": "<thin"}
    assert after.endswith(end)


def test_what_is_held_back_leaves_before_a_tool_call() -> None:
    call = chunk({"tool_calls": [{"index": 0, "id": "a"}]})
    documents = documents_of(rewrite_stream(stream(chunk({"content": "<"}), call), plan(Keep())))
    assert [one["choices"][0]["delta"] for one in documents] == [{"content": "<"}, call["choices"][0]["delta"]]


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_what_is_held_back_leaves_with_nothing_else_of_its_document(reasoning: Reasoning) -> None:
    beside = {"reasoning_content": "Secret", "reasoning_opaque": "s", "x_beside": "o"}
    first = chunk({"content": "a <"} | beside, logprobs=logprobs("a", "<")) | {"usage": {"total_tokens": 1}}
    for name in ("x_unknown", "prompt_logprobs"):
        first[name] = [1]
    held_back = rewrite_documents(plan(reasoning, ANYWHERE), first, chunk({}, finish_reason="stop"))[1]
    assert held_back == {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {"content": "<"}}],
    }


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_what_is_held_back_of_a_choice_leaves_without_the_others(reasoning: Reasoning) -> None:
    first, second = chunk({"content": "a <"}), chunk({"content": "hello"}, index=1)
    first["choices"] += [*second["choices"], *chunk(index=2)["choices"]]
    raw = rewrite_stream(stream(first, chunk({}, finish_reason="stop")), plan(reasoning, ANYWHERE))
    assert (said(raw)["content"], said(raw, 1)) == ("a <", {"content": "hello"})
    assert len(documents_of(raw)[1]["choices"]) == 1


@pytest.mark.parametrize("size", [1, None])
@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_tags_are_matched_across_chunks_that_repeat_the_whole_message(reasoning: Reasoning, size: int | None) -> None:
    texts = ["<th", "ink>Secret", "</th", "ink>1 <", " 2", " <"]
    chunks = [
        chunk({"role": "assistant", "content": text}, message={"role": "assistant", "content": "".join(texts[: n + 1])})
        for n, text in enumerate(texts)
    ]
    raw = stream(*chunks, chunk({"content": ""}, message=chunks[-1]["choices"][0]["message"], finish_reason="stop"))
    documents = documents_of(rewrite_stream(raw, plan(reasoning, ANYWHERE), size))
    deltas = [choice["delta"] for document in documents for choice in document["choices"]]
    assert "".join(delta.get("content", "") for delta in deltas) == "1 < 2 <"
    assert "".join(delta.get("reasoning", "") for delta in deltas) == ("" if reasoning == Strip() else "Secret")
    messages = [choice["message"] for one in documents for choice in one["choices"] if "message" in choice]
    assert messages[-1]["content"] == "1 < 2 <"
    shown = [message["content"] for message in messages]
    assert all("Secret" not in text for text in shown)
    assert shown[2:] == sorted(shown[2:], key=len)  # nothing older is sent once more


def test_tool_arguments_are_never_read() -> None:
    call = chunk({"tool_calls": [{"index": 0, "function": {"arguments": "<think>x</think>"}}]})
    assert rewrite_stream(stream(call), plan(Strip())) == stream(call)


def test_choices_are_read_each_for_itself() -> None:
    raw = stream(
        chunk({"content": "<think>a"}),
        chunk({"content": "b"}, index=1),
        chunk({"content": "</think>c"}),
        chunk({"content": "d"}, index=1),
    )
    after = rewrite_stream(raw, plan(Keep()))
    assert said(after) == {"reasoning": "a", "content": "c"}
    assert said(after, 1) == {"content": "bd"}


def test_the_role_stays_in_front() -> None:
    documents = documents_of(rewrite_stream(stream(chunk({"role": "assistant", "content": "<think>a"})), plan(Keep())))
    assert "role" in documents[0]["choices"][0]["delta"]


def test_a_text_may_begin_inside_the_block() -> None:
    after = rewrite_stream(contents("a", "</think>b"), plan(Keep(), starts_inside=True))
    assert said(after) == {"reasoning": "a", "content": "b", "finish_reason": "stop"}


def test_several_pieces_in_one_delta_keep_their_order() -> None:
    raw = stream(chunk({"content": "a<think>b</think>c<think>d</think>"}))
    documents = documents_of(rewrite_stream(raw, plan(Keep(), ANYWHERE)))
    assert [one["choices"][0]["delta"] for one in documents] == [
        {"content": "a"},
        {"reasoning": "b"},
        {"content": "c"},
        {"reasoning": "d"},
    ]


def test_a_body_is_extracted_in_place() -> None:
    document = body({"content": "<think>a</think>b", "reasoning_content": None}, logprobs=logprobs("a", "b"))
    after = rewrite_json(plan(RENAMED), document)["choices"][0]
    assert after["message"] == {"role": "assistant", "content": "b", "reasoning_content": "a"}
    assert after["logprobs"] == logprobs("a", "b")
    assert rewrite_json(plan(Strip()), document) == body({"content": "b"})


def test_under_strip_metadata_of_the_tags_goes_too() -> None:
    raw = stream(
        chunk({"content": "<think>a"}, logprobs=logprobs("<think>", "a")),
        chunk({"content": "</think>b"}, logprobs=logprobs("</think>", "b")),
        chunk({"content": "c"}, logprobs=logprobs("c")),
    )
    choices = [one["choices"][0] for one in documents_of(rewrite_stream(raw, plan(Strip())))]
    assert [(choice["delta"], choice.get("logprobs")) for choice in choices] == [
        ({"content": "b"}, None),
        ({"content": "c"}, logprobs("c")),
    ]


FRAGMENTS = st.sampled_from(["<think>", "</think>", "<", "<thi", "nk>", "</thi", "a", "b ", "\n", "\\", '"', "é"])
TEXTS = st.lists(FRAGMENTS, max_size=5).map("".join)


@given(st.lists(TEXTS, max_size=6), st.sampled_from([Keep(), RENAMED, Strip()]), st.booleans())
def test_stream_body_and_every_split_agree(texts: list[str], reasoning: Reasoning, starts_inside: bool) -> None:
    one = plan(reasoning, starts_inside=starts_inside)
    raw = contents(*texts)
    whole = rewrite_stream(raw, one)
    assert {rewrite_stream(raw, one, size) for size in (1, 7)} == {whole}
    message = rewrite_json(one, body({"content": "".join(texts)}))["choices"][0]["message"]
    streamed = said(whole)
    for name in ("content", "reasoning", "reasoning_content"):
        assert streamed.get(name, "") == message.get(name, "")


@given(st.lists(TEXTS, max_size=8), st.sampled_from([Keep(), Strip()]), st.sampled_from([THINK, ANYWHERE]))
def test_the_fast_path_and_the_exact_one_agree(texts: list[str], reasoning: Reasoning, family: Family) -> None:
    raw = contents(*(text for text in texts for _ in range(4)))
    quick, _ = rewrite_chunks([raw], plan(reasoning, family))
    find, FastPath.find = FastPath.find, lambda *_: None  # type: ignore[method-assign]
    try:
        assert rewrite_chunks([raw], plan(reasoning, family))[0] == quick
    finally:
        FastPath.find = find  # type: ignore[method-assign]


# --- other APIs -------------------------------------------------------------------------------------------------

GEMINI = RequestFacts("h", "/v1beta/models/g:streamGenerateContent", "POST", (), None, "gemini")


def gemini(*parts: dict[str, Any], **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, "index": 0} | candidate]}


def gemini_after(one: ResponsePlan, *documents: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The parts of each event that the client gets."""
    machine = StreamRewriter(AnswerRewriter(one, GEMINI), ContentHint.EVENTS, None, 10.0, 0.0)
    after = documents_of(b"".join([*machine.feed(b"".join(map(event, documents)), 0.0), *machine.finish()]))
    return [document["candidates"][0]["content"]["parts"] for document in after]


def gemini_body_after(one: ResponsePlan, body: Any) -> Any:
    return json.loads(rewrite_body(json.dumps(body).encode(), AnswerRewriter(one, GEMINI)))


def test_the_texts_of_one_message_continue_each_other() -> None:
    texts = gemini({"text": "<think>a"}, {"text": "Secret</think>c"})
    shown = [{"text": ""}, {"text": "c"}]
    assert gemini_body_after(plan(Strip()), texts)["candidates"][0]["content"]["parts"] == shown
    chunks = [gemini({"text": "<think>a"}), gemini({"text": "Secret</think>c"})]
    assert "Secret" not in str(gemini_body_after(plan(Strip()), chunks))
    content = [{"type": "text", "text": "<think>a"}, {"type": "text", "text": "Secret</think>c"}]
    after = rewrite_json(plan(Strip()), body({"content": content}))["choices"][0]["message"]["content"]
    assert [part["text"] for part in after] == ["", "c"]
    kept = rewrite_json(plan(Keep()), body({"content": content}))["choices"][0]["message"]
    assert kept == {"role": "assistant", "content": after, "reasoning": "aSecret"}


def test_only_the_first_of_several_texts_starts_inside() -> None:
    texts = gemini({"text": "a</think>b"}, {"text": "c"})
    after = gemini_body_after(plan(Strip(), starts_inside=True), texts)
    assert after == gemini({"text": "b"}, {"text": "c"})


def test_texts_of_a_message_without_tags_keep_their_bytes() -> None:
    texts = gemini({"text": "a <"}, {"text": " b"})
    assert gemini_body_after(plan(Strip(), ANYWHERE), texts) == texts
    assert gemini_after(plan(Strip(), ANYWHERE), texts) == [texts["candidates"][0]["content"]["parts"]]


def test_several_texts_in_one_delta_keep_their_order() -> None:
    events = gemini_after(plan(Keep(), ANYWHERE), gemini({"text": "a"}, {"text": "b<think>x</think>d"}))
    parts = [part for parts in events for part in parts if part["text"]]
    assert parts == [{"text": "ab"}, {"text": "x", "thought": True}, {"text": "d"}]


@pytest.mark.parametrize("reasoning", [Keep(), Strip()])
def test_a_part_that_is_held_back_leaves_without_those_beside_it(reasoning: Reasoning) -> None:
    beside: list[dict[str, Any]] = [
        {"text": "Secret", "thought": True},
        {"inlineData": {"data": "AAAA"}},
        {"text": "b <"},
    ]
    events = gemini_after(plan(reasoning, ANYWHERE), gemini(*beside), gemini({"text": ""}, finishReason="STOP"))
    assert events[1:] == [[{"text": "<"}], [{"text": ""}]]


OLLAMA = RequestFacts("h", "/api/chat", "POST", (), None, "ollama")


def ollama(content: str, **members: Any) -> bytes:
    line = {"model": "m", "message": {"role": "assistant", "content": content}, "done": False} | members
    return json.dumps(line).encode() + b"\n"


def lines_after(raw: bytes, one: ResponsePlan) -> list[Any]:
    machine = StreamRewriter(AnswerRewriter(one, OLLAMA), ContentHint.LINES, None, 10.0, 0.0)
    return [json.loads(line) for line in b"".join([*machine.feed(raw, 0.0), *machine.finish()]).splitlines()]


def test_lines_of_another_api_are_extracted_and_inlined() -> None:
    raw = ollama("<think>a</th") + ollama("ink>b") + ollama("", done=True)
    messages = [line["message"] for line in lines_after(raw, plan(Keep()))]
    assert "".join(message.get("thinking", "") for message in messages) == "a"
    assert "".join(message["content"] for message in messages) == "b"
    hidden = ollama("", message={"role": "assistant", "content": "", "thinking": "a"})
    raw = hidden + ollama("b") + ollama("", done=True)
    assert "".join(line["message"]["content"] for line in lines_after(raw, INLINE)) == "<think>a</think>b"
