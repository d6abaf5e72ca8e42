"""Answers as moments: who said what, and when; over made-up answers, and over all that others have recorded."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import Recorded, chat_answers, needs_corpus
from tests.dialects import test_corpus as corpus
from tests.e2e.view import read_view
from tests.rewrite.answers import CHAT_REQUEST, body, chunk, event, logprobs, stream
from tests.rewrite.test_corpus import reasoning
from thinkwire.dialects.core.parts import Extent, Kind, Update
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.reading.event_reader import FrameReader
from thinkwire.rewrite.reading.transcript import Assembled, Assembler, EventContent, Moment, assembled
from thinkwire.rewrite.stream.sniff import ContentHint

UNKNOWN = RequestFacts("h", "/", "POST", ())


def read(raw: bytes, label: ContentHint = ContentHint.EVENTS, request: RequestFacts = UNKNOWN) -> list[EventContent]:
    """What is said; the way that reads every event, and the quick one must agree."""
    events = [*(reader := FrameReader(label)).feed(raw, 1.5), *reader.finish()]
    thorough, quick = Assembler(request, keeps_updates=True), Assembler(request)
    said = [thorough.read(one) for one in events]
    assert [replace(one, updates=[]) for one in said] == [quick.read(one) for one in events]
    return said


def moments(raw: bytes, label: ContentHint = ContentHint.EVENTS, request: RequestFacts = UNKNOWN) -> list[Moment]:
    return [moment for said in read(raw, label, request) for moment in said.moments]


def spoken(found: list[Moment]) -> list[tuple[Kind, str]]:
    return [(moment.kind, moment.text) for moment in found]


def dump(document: Any) -> bytes:
    return json.dumps(document).encode()


def call(index: int, arguments: str, name: str | None = None) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments} | ({"name": name} if name else {})}]}


def pieces(answer: Assembled, choice: int | str = 0) -> list[tuple[Kind, str, str]]:
    return [(piece.kind, piece.name, piece.text) for piece in answer.choices[choice].pieces]


def test_events_that_recur_are_not_read_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    read_updates, times_read = AnswerRewriter.updates, []

    def updates(self: AnswerRewriter, text: str, extent: Extent, name: str = "") -> list[Update]:
        times_read.append(text)
        return read_updates(self, text, extent, name)

    monkeypatch.setattr(AnswerRewriter, "updates", updates)
    texts = [f' "{number}" \u00e4\n' for number in range(100)]
    raw = stream(*(chunk({kind: text}, index=n) for kind in ("reasoning", "content") for text in texts for n in (0, 1)))
    reader, assembler = FrameReader(ContentHint.EVENTS), Assembler(UNKNOWN)
    found = [one for event in reader.feed(raw) for one in assembler.read(event).moments]
    assert [(one.kind, one.text) for one in found if one.choice == 1] == [
        (kind, text) for kind in (Kind.REASONING, Kind.TEXT) for text in texts
    ]
    assert len(times_read) == 4


def test_events_of_another_name_do_not_recur() -> None:
    data = b'data: {"output_index": 0, "delta": "Hm"}\n\n'
    named = [b"event: response." + name + b".delta\n" + data for name in (b"reasoning_text", b"output_text")]
    request = RequestFacts("h", "/v1/responses", "POST", (), dialect="openai-responses")
    found = moments(b"".join(named * 2), request=request)
    assert [one.kind for one in found] == [Kind.REASONING, Kind.TEXT] * 2


# --- chat completions ---------------------------------------------------------------------------------------------


def test_a_stream_says_its_thought_its_answer_and_its_end() -> None:
    raw = stream(
        chunk({"role": "assistant", "content": None}),
        chunk({"reasoning_content": "Hm"}),
        chunk({"reasoning_content": ".", "content": ""}),
        chunk({"content": "Hi"}),
        chunk(finish_reason="stop"),
        {"choices": [], "usage": {"total_tokens": 3}},
    )
    found = moments(raw)
    assert spoken(found) == [
        (Kind.REASONING, "Hm"),
        (Kind.REASONING, "."),
        (Kind.TEXT, "Hi"),
        (Kind.FINISH, "stop"),
        (Kind.USAGE, '{"total_tokens": 3}'),
    ]
    assert [moment.event for moment in found] == [2, 3, 4, 5, 6]
    assert {moment.time for moment in found} == {1.5}
    assert found[-1].value == {"total_tokens": 3}


def test_a_whole_body_says_the_same_as_the_stream() -> None:
    message = {"reasoning": "Hm.", "content": "Hi", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    whole = assembled(moments(dump(body(message)), ContentHint.JSON))
    assert pieces(whole) == [(Kind.REASONING, "", "Hm."), (Kind.TEXT, "", "Hi"), (Kind.TOOL_CALL, "f", "{}")]
    assert whole.choices[0].finish == "stop"


def test_reasoning_under_two_names_is_said_once() -> None:
    found = moments(
        stream(chunk({"reasoning": "Hm", "reasoning_content": "Hm", "reasoning_details": [{"text": "Hm"}]}))
    )
    assert spoken(found) == [(Kind.REASONING, "Hm")]


def test_choices_are_told_apart() -> None:
    raw = stream(chunk({"content": "A"}), chunk({"content": "B"}, index=1), chunk({"content": "a"}))
    answer = assembled(moments(raw))
    assert {number: choice.text(Kind.TEXT) for number, choice in answer.choices.items()} == {0: "Aa", 1: "B"}


def test_choices_of_a_body_that_say_the_same_are_both_heard() -> None:
    document = body({"content": "Yes"})
    document["choices"].append(document["choices"][0] | {"index": 1})
    answer = assembled(moments(dump(document), ContentHint.JSON))
    assert [choice.text(Kind.TEXT) for choice in answer.choices.values()] == ["Yes", "Yes"]


def test_calls_that_are_made_at_once_are_told_apart() -> None:
    raw = stream(*(chunk(call(*said)) for said in ((0, "", "f"), (1, "", "g"), (0, '{"a"'), (1, "{}"), (0, ": 1}"))))
    assert pieces(assembled(moments(raw))) == [(Kind.TOOL_CALL, "f", '{"a": 1}'), (Kind.TOOL_CALL, "g", "{}")]


def test_token_metadata_is_a_moment_with_the_name_of_its_member() -> None:
    (_, tokens) = moments(stream(chunk({"content": "Hi"}, logprobs=logprobs("Hi"))))
    assert (tokens.kind, tokens.name, tokens.value) == (Kind.TOKENS, "logprobs", logprobs("Hi"))


def test_errors_and_refusals_are_moments() -> None:
    found = moments(stream(chunk({"refusal": "No"}), {"error": {"message": "overloaded"}}), request=CHAT_REQUEST)
    assert spoken(found) == [(Kind.REFUSAL, "No"), (Kind.ERROR, '{"message": "overloaded"}')]


def test_what_cannot_be_read_is_told_and_the_rest_is_read() -> None:
    said = read(event(chunk({"content": "A"})) + b"data: {broken\n\n" + event(chunk({"content": "B"})))
    assert [bool(one.problem) for one in said] == [False, True, False]
    assert assembled(moment for one in said for moment in one.moments).choices[0].text(Kind.TEXT) == "AB"


# --- wholes in a stream -------------------------------------------------------------------------------------------


def responses(*events: dict[str, Any]) -> bytes:
    return b"".join(event({"type": f"response.{one.pop('type')}", **one}) for one in map(dict, events))


THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}
MESSAGE = {"type": "message", "content": [{"type": "output_text", "text": "Hi!"}]}
CALL = {"type": "function_call", "name": "f", "arguments": "{}"}


@pytest.mark.parametrize("numbered", [True, False], ids=["by number", "by name"])
def test_what_a_stream_repeats_as_a_whole_is_said_once(numbered: bool) -> None:
    def at(number: int) -> dict[str, Any]:
        return {"output_index": number} if numbered else {"item_id": f"item{number}"}

    raw = responses(
        {"type": "created", "response": {"status": "in_progress"}},
        {"type": "reasoning_summary_text.delta", "delta": "Hm", **at(0)},
        {"type": "reasoning_summary_text.delta", "delta": ".", **at(0)},
        {"type": "reasoning_summary_text.done", "text": "Hm.", **at(0)},
        {"type": "output_text.delta", "delta": "Hi", **at(1)},
        {"type": "output_text.delta", "delta": "!", **at(1)},
        {"type": "output_text.done", "text": "Hi!", **at(1)},
        {"type": "output_item.added", "item": CALL | {"arguments": "", "id": "item2"}, **at(2)},
        {"type": "function_call_arguments.delta", "delta": "{}", **at(2)},
        {"type": "output_item.done", "item": CALL | {"id": "item2"}, **at(2)},
        {
            "type": "completed",
            "response": {"object": "response", "status": "completed", "output": [THOUGHT, MESSAGE, CALL]},
        },
    )
    answer = assembled(moments(raw))
    assert pieces(answer) == [(Kind.REASONING, "", "Hm."), (Kind.TEXT, "", "Hi!"), (Kind.TOOL_CALL, "f", "{}")]
    assert answer.choices[0].finish == "completed"


def test_a_whole_that_no_delta_has_said_is_heard() -> None:
    raw = responses({"type": "completed", "response": {"object": "response", "output": [THOUGHT, MESSAGE]}})
    assert pieces(assembled(moments(raw))) == [(Kind.REASONING, "", "Hm."), (Kind.TEXT, "", "Hi!")]


def test_texts_that_grow_are_heard_piece_by_piece() -> None:
    lines = b"".join(event({"text": text, "meta_info": {"id": "x"}}) for text in ("H", "Hi", "Hi!"))
    request = RequestFacts("h", "/generate", "POST", (), {"text": "?", "stream": True}, "sglang-generate", None, True)
    found = [moment for moment in moments(lines, request=request) if moment.kind is Kind.TEXT]
    assert [moment.text for moment in found] == ["H", "i", "!"]


# --- blocks -------------------------------------------------------------------------------------------------------


def test_blocks_belong_to_one_choice_and_keep_their_order() -> None:
    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
        {"type": "thinking", "thinking": "So.", "signature": "c2ln"},
        {"type": "text", "text": "Hi"},
    ]
    document = {"type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "end_turn"}
    answer = assembled(moments(dump(document), ContentHint.JSON))
    assert list(answer.choices) == [0]
    assert pieces(answer) == [
        (Kind.REASONING, "", "Hm."),
        (Kind.TEXT, "", "Let me see."),
        (Kind.TOOL_CALL, "f", '{"a": 1}'),
        (Kind.REASONING, "", "So."),
        (Kind.TEXT, "", "Hi"),
    ]
    assert [piece.block for piece in answer.choices[0].pieces] == [0, 1, 2, 3, 4]


def test_a_message_that_begins_anew_is_heard_beside_the_first() -> None:
    def message(text: str) -> list[dict[str, Any]]:
        return [
            {"type": "message_start", "message": {"type": "message", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        ]

    answer = assembled(moments(b"".join(map(event, [*message("One."), *message("Two.")]))))
    assert answer.choices[0].text(Kind.TEXT) == "One.Two."


# --- what others have recorded ------------------------------------------------------------------------------------


def answer_in(path: Path) -> tuple[Assembled, list[EventContent]]:
    said = read(path.read_bytes(), corpus.LABELS.get(path.suffix, ContentHint.JSON))
    return assembled(moment for one in said for moment in one.moments), said


@needs_corpus
@corpus.each_answer
def test_every_recorded_answer_can_be_put_together(path: Path) -> None:
    answer, said = answer_in(path)
    assert not [one.problem for one in said if one.problem]
    if corpus.expected(path) is None:
        return
    assert answer.choices
    visible = "".join(text for one in corpus.documents_of(path, path.read_bytes()) for text in corpus.visible_in(one))
    for choice in answer.choices.values():
        assert all(len(piece.text) <= len(visible) for piece in choice.pieces if piece.kind is Kind.TEXT)


BEYOND_OTHERS = (
    "perplexity/sonar-reasoning.json",  # an empty delta beside the message
    "openai-responses/mistralrs-reasoning.json",  # the thought beside the items
)


def read_alike(answers: list[Recorded]) -> list[Recorded]:
    """Without those of which the other readers do not know all."""
    return [one for one in answers if one.name not in BEYOND_OTHERS]


@needs_corpus
@pytest.mark.parametrize("recorded", read_alike(chat_answers()), ids=lambda recorded: recorded.name)
def test_a_recorded_chat_reads_as_other_readers_read_it(recorded: Recorded) -> None:
    answer, _ = answer_in(recorded.path)
    thoughts = {number: choice.text(Kind.REASONING) for number, choice in answer.choices.items()}
    assert thoughts == reasoning(recorded.documents())
    view = read_view(recorded.raw)
    for number, choice in answer.choices.items():
        seen = view.choices[int(number)]
        assert choice.text(Kind.TEXT) == seen.content
        calls = [(piece.name, piece.text) for piece in choice.pieces if piece.kind is Kind.TOOL_CALL]
        assert calls == [(one["name"], one["arguments"]) for one in seen.calls.values()]
        assert choice.finish == (seen.finish or "")


OTHERS = ("anthropic-messages", "openai-responses", "gemini")


@needs_corpus
@pytest.mark.parametrize(
    "recorded",
    read_alike([Recorded(path) for path in corpus.answers() if corpus.expected(path) in OTHERS]),
    ids=lambda recorded: recorded.name,
)
def test_other_recorded_answers_read_as_other_readers_read_them(recorded: Recorded) -> None:
    answer, _ = answer_in(recorded.path)
    view = read_view(recorded.raw)
    seen = "".join(choice.content for choice in view.choices.values())
    thought = "".join(max(choice.reasoning.values(), default="", key=len) for choice in view.choices.values())
    (only,) = answer.choices.values()
    assert (only.text(Kind.TEXT), only.text(Kind.REASONING)) == (seen, thought)
