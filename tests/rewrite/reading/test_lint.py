"""Each thing that trips clients is found where it is, and nothing is found where nothing is."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import needs_corpus
from tests.dialects import test_corpus as corpus
from tests.flows import QUESTION, SSE, exchange
from tests.linting import END, GOOD, USAGE, found, lint
from tests.rewrite.answers import body, chunk, event, logprobs, stream
from thinkwire.rewrite.reading.event_reader import FrameReader
from thinkwire.rewrite.reading.lint import Subject, findings
from thinkwire.rewrite.reading.transcript import Assembler
from thinkwire.rewrite.stream.sniff import ContentHint


def messages(*documents: Any) -> Any:
    raw = b"".join(event(document) for document in documents)
    return exchange(raw, url="http://h/v1/messages", question={"model": "m", "stream": True, "messages": []})


def block(index: int, kind: str, *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": {"type": kind}},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


THINKING = {"type": "thinking_delta", "thinking": "Hm"}
SIGNATURE = {"type": "signature_delta", "signature": "c2ln"}
TEXT = {"type": "text_delta", "text": "Hi"}
MESSAGE_START = {"type": "message_start", "message": {"type": "message", "content": [], "usage": {"input_tokens": 1}}}
MESSAGE_END = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}


def test_a_good_answer_is_clean(tmp_path: Path) -> None:
    assert found(tmp_path, exchange(GOOD)) == []
    assert found(tmp_path, exchange(json.dumps(body({"content": "Hi"}) | {"usage": {"total_tokens": 1}}).encode(),
                                    kind="application/json")) == []  # fmt: skip
    signed = messages(MESSAGE_START, *block(0, "thinking", THINKING, SIGNATURE), *block(1, "text", TEXT), MESSAGE_END)
    assert found(tmp_path, signed) == []


def test_the_kind_of_a_stream_is_no_matter(tmp_path: Path) -> None:
    for kind in (SSE, "text/plain", f"{SSE}; charset=utf-8"):
        assert found(tmp_path, exchange(GOOD, kind=kind)) == []


def test_an_answer_without_a_finish_reason_is_found(tmp_path: Path) -> None:
    raw = stream(chunk({"content": "Hi"}), chunk({"content": "Ho"}, index=1), END, USAGE)
    code, lines = lint(tmp_path, exchange(raw))
    assert code == 1
    assert [line["rule"] for line in lines] == ["no-finish-reason"]
    assert lines[0]["text"].startswith("choice 1 has no finish reason")


def test_a_status_that_says_under_way_is_no_finish_reason(tmp_path: Path) -> None:
    raw = event({"type": "response.created", "response": {"status": "in_progress", "usage": {"a": 1}}})
    raw += event({"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"})
    flow = exchange(raw, url="http://h/v1/responses", question={"input": "?", "stream": True})
    assert ("no-finish-reason", "problem", None) in found(tmp_path, flow)


def test_a_stream_without_its_end_mark_is_found_where_the_api_has_one(tmp_path: Path) -> None:
    assert found(tmp_path, exchange(GOOD.replace(b"data: [DONE]\n\n", b""))) == [("no-end-mark", "problem", None)]
    assert found(tmp_path, messages(MESSAGE_START, *block(0, "text", TEXT), MESSAGE_END)) == []


def test_two_names_with_different_texts_are_found(tmp_path: Path) -> None:
    same, other = ({"reasoning": "Hm", "reasoning_content": text} for text in ("Hm", "Oh"))
    raw = stream(chunk(same), chunk(other), chunk({"content": "Hi"}), END, USAGE)
    assert found(tmp_path, exchange(raw)) == [("names-differ", "problem", 2)]


def test_reasoning_after_the_answer_is_found(tmp_path: Path) -> None:
    late = chunk({"reasoning": "Hm"})
    raw = stream(chunk({"content": "Hi"}), late, late, END, USAGE)
    assert found(tmp_path, exchange(raw)) == [("reasoning-after-answer", "problem", 2)]
    blank = stream(chunk({"content": "\n"}), late, chunk({"content": "Hi"}), END, USAGE)
    assert found(tmp_path, exchange(blank)) == []


def test_reasoning_after_the_answer_is_a_note_where_the_api_allows_it(tmp_path: Path) -> None:
    flow = messages(MESSAGE_START, *block(0, "text", TEXT), *block(1, "thinking", THINKING, SIGNATURE), MESSAGE_END)
    assert found(tmp_path, flow) == [("reasoning-after-answer", "note", 6)]


@pytest.mark.parametrize(
    ("pieces", "tag"),
    [
        (("<thi", "nk>Hm, so ", "what"), "<think>"),
        (("\n<mm:think>", "Hm"), "<mm:think>"),
        (("Hi <|channel|>", "analysis<|message|>Hm"), "<|channel|>analysis"),
    ],
)
def test_a_tag_that_nothing_closes_is_found(tmp_path: Path, pieces: tuple[str, ...], tag: str) -> None:
    raw = stream(*(chunk({"content": piece}) for piece in pieces), END, USAGE)
    code, (line,) = lint(tmp_path, exchange(raw))
    assert (code, line["rule"], line["event"]) == (1, "unclosed-tag", 1)
    assert json.dumps(tag)[:-1] in line["text"]


@pytest.mark.parametrize("text", ["<think>Hm</think>Hi", "The tag `<think>` opens a thought.", "a < b"])
def test_tags_that_are_closed_or_quoted_are_not(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, exchange(stream(chunk({"content": text}), END, USAGE))) == []


def test_token_metadata_that_does_not_spell_its_text_is_found(tmp_path: Path) -> None:
    raw = stream(
        chunk({"content": "Hi"}, logprobs=logprobs("H", "i")),
        chunk({"content": " you"}, logprobs=logprobs("Hm", " you")),
        chunk({}, logprobs=logprobs("!")),
        END,
        USAGE,
    )
    assert found(tmp_path, exchange(raw)) == [("tokens-differ", "problem", 2)]
    document = body({"content": "Hi"}, logprobs=logprobs("Oh")) | {"usage": {"total_tokens": 1}}
    flow = exchange(json.dumps(document).encode(), kind="application/json")
    assert found(tmp_path, flow) == [("tokens-differ", "problem", 1)]


def test_gaps_in_numbers_are_found(tmp_path: Path) -> None:
    flow = messages(MESSAGE_START, *block(0, "text", TEXT), *block(2, "text", TEXT), MESSAGE_END)
    assert found(tmp_path, flow) == [("index-gap", "problem", 5)]
    first = messages(MESSAGE_START, *block(1, "text", TEXT), MESSAGE_END)
    assert found(tmp_path, first) == [("index-gap", "problem", 2)]
    again = messages(MESSAGE_START, *block(0, "text", TEXT), MESSAGE_START, *block(0, "text", TEXT), MESSAGE_END)
    assert found(tmp_path, again) == []


def test_numbers_of_events_that_do_not_follow_each_other_are_found(tmp_path: Path) -> None:
    def at(number: int, kind: str, **members: Any) -> bytes:
        return event({"type": f"response.{kind}", "sequence_number": number, **members})

    delta = {"output_index": 0, "delta": "Hi"}
    done = {"response": {"status": "completed", "usage": {"a": 1}}}
    numbers = (0, 1, 3, 3, 4)
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("created", {}),
        *[("output_text.delta", delta)] * 3,
        ("completed", done),
    ]
    raw = b"".join(at(number, kind, **members) for number, (kind, members) in zip(numbers, kinds, strict=True))
    flow = exchange(raw, url="http://h/v1/responses", question={"input": "?", "stream": True})
    assert found(tmp_path, flow) == [("index-gap", "problem", 3), ("index-gap", "problem", 4)]


def test_thinking_without_a_signature_is_found(tmp_path: Path) -> None:
    flow = messages(
        MESSAGE_START,
        *block(0, "thinking", THINKING),
        *block(1, "thinking", THINKING, SIGNATURE),
        *block(2, "text", TEXT),
        MESSAGE_END,
    )
    assert found(tmp_path, flow) == [("unsigned-thinking", "problem", 3)]
    content = [{"type": "thinking", "thinking": "Hm", "signature": ""}, {"type": "text", "text": "Hi"}]
    document = {"type": "message", "model": "m", "content": content, "stop_reason": "end_turn", "usage": {"a": 1}}
    whole = exchange(json.dumps(document).encode(), kind="application/json", url="http://h/v1/messages")
    assert found(tmp_path, whole) == [("unsigned-thinking", "problem", 1)]


def test_missing_usage_is_a_problem_only_where_it_was_asked_for(tmp_path: Path) -> None:
    raw = stream(chunk({"content": "Hi"}), END)
    assert found(tmp_path, exchange(raw)) == [("no-usage", "note", None)]
    question = QUESTION | {"stream_options": {"include_usage": True}}
    assert found(tmp_path, exchange(raw, question=question)) == [("no-usage", "problem", None)]


def test_a_silence_is_found_where_times_are_known(tmp_path: Path) -> None:
    pieces = GOOD[:-40], GOOD[-40:-10], GOOD[-10:]
    flow = exchange(*pieces, times=[0.5, 11.0, 14.0])
    assert found(tmp_path, flow) == [("silence", "problem", 4)]
    assert len(found(tmp_path, flow, arguments=("--gap", "2"))) == 2
    assert found(tmp_path, flow, arguments=("--gap", "11")) == []
    assert found(tmp_path, exchange(*pieces)) == []


def test_an_event_that_is_not_json_is_found(tmp_path: Path) -> None:
    raw = event("{broken") + event("Bad Gateway") + GOOD
    assert found(tmp_path, exchange(raw)) == [("not-json", "problem", 1), ("not-json", "problem", 2)]
    page = exchange(b"Bad Gateway", kind="application/json")
    assert ("not-json", "problem", 1) in found(tmp_path, page)


def test_an_answer_that_broke_off_is_found_once(tmp_path: Path) -> None:
    half = GOOD[: GOOD.index(b'"Hi"')]
    assert found(tmp_path, exchange(half)) == [("broken-off", "problem", 2)]
    assert found(tmp_path, exchange(GOOD[:95], error="peer closed"))[-1] == ("broken-off", "problem", None)
    silent = exchange(error="connection refused")
    silent.response = None
    assert found(tmp_path, silent) == [("broken-off", "problem", None)]
    short = exchange(GOOD, headers=[("content-length", "9999")])
    assert found(tmp_path, short) == [("broken-off", "problem", None)]


def test_an_end_without_an_empty_line_is_a_note(tmp_path: Path) -> None:
    assert found(tmp_path, exchange(GOOD[:-2])) == [("broken-off", "note", 5)]


def test_an_error_in_the_answer_is_found(tmp_path: Path) -> None:
    raw = b"".join(map(event, [chunk({"content": "Hi"}), {"error": {"message": "overloaded"}}]))
    assert found(tmp_path, exchange(raw)) == [("error-inside", "problem", 2)]


# --- what others have recorded ------------------------------------------------------------------------------------

KNOWN = {
    "bedrock-converse/kimi-k2-thinking-tool.2.json": {"unclosed-tag"},
    "llamacpp-live/messages-body.json": {"unsigned-thinking"},
    "llamacpp-live/messages-stream.sse": {"unsigned-thinking"},
    "minimax/inline-think-stream.sse": {"no-end-mark"},
    "minimax/reasoning-split-stream.sse": {"no-end-mark"},
    "openrouter/stream-error.sse": {"error-inside"},
    "snowflake-cortex/claude-stream.sse": {"no-finish-reason"},
    "snowflake-cortex/claude.json": {"no-finish-reason"},
    "vllm-live/chat-none-tags-tool-stream.sse": {"tokens-differ"},  # those of the tool call's own tags
    "vllm-live/interval4-chat-stream-logprobs-ids.sse": {"tokens-differ"},  # with the end-of-turn token
    "vllm-live/interval4-chat-stream-n2.sse": {"tokens-differ"},
    "vllm-live/interval4-chat-stream-tool.sse": {"tokens-differ"},
}
"""What is wrong with recorded answers, each of which was looked at."""


@needs_corpus
@pytest.mark.parametrize("path", [path for path in corpus.answers() if corpus.expected(path)], ids=corpus.name_of)
def test_in_recorded_answers_is_found_what_is_there_and_no_more(path: Path) -> None:
    reader, assembler = (
        FrameReader(corpus.LABELS.get(path.suffix, ContentHint.JSON)),
        Assembler(corpus.UNKNOWN, keeps_updates=True),
    )
    said = [assembler.read(one) for one in [*reader.feed(path.read_bytes(), None), *reader.finish()]]
    assert assembler.dialect is not None
    assert reader.form is not None
    problems = findings(Subject(said, assembler.dialect, reader.form, corpus.UNKNOWN))
    assert {one.rule for one in problems if not one.is_note} == KNOWN.get(corpus.name_of(path), set())
