"""Every recorded answer: recognised as its API, kept to the byte, and stripped without a trace."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer

from tests.corpus import CORPUS, needs_corpus
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, OnError, ResponsePlan, Strip
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

pytestmark = needs_corpus

STRIP = ResponsePlan(Strip(), OnError.DROP)
KEEP = ResponsePlan()
LABELS = {".sse": ContentHint.EVENTS, ".ndjson": ContentHint.LINES, ".eventstream": ContentHint.AWS}
UNKNOWN = RequestFacts("h", "/", "POST", ())
"""A request that gives no hint: answers are recognised by themselves."""

OF_FOLDER = {
    "anthropic": "anthropic-messages",
    "bedrock-converse": "bedrock-converse",
    "cohere": "cohere",
    "gemini": "gemini",
    "gemini-interactions": "gemini-interactions",
    "ollama-native": "ollama",
    "openai-responses": "openai-responses",
}
"""All other folders hold chat completions."""
LIVE = ("llamacpp-live", "vllm-live")
OF_LIVE: dict[str, str | None] = {
    "messages-": "anthropic-messages",
    "responses-": "openai-responses",
    "completion-": "llamacpp-completion",
    "completions-": "completions",
    "tokenize-": None,  # no answer of a model
}


def answers() -> list[Path]:
    suffixes = (".sse", ".json", ".ndjson", ".eventstream")
    return [
        path
        for path in sorted(CORPUS.rglob("*"))
        if path.suffix in suffixes and not path.name.endswith((".request.json", ".timing.json"))
    ]


def expected(path: Path) -> str | None:
    for beginning, name in OF_LIVE.items():
        if path.parent.name in LIVE and path.name.startswith(beginning):
            return name
    if path.name.startswith("error-"):
        return None
    return OF_FOLDER.get(path.parent.name, "chat-completions")


each_answer = pytest.mark.parametrize("path", answers(), ids=lambda path: path.relative_to(CORPUS).as_posix())


def rewritten(path: Path, plan: ResponsePlan, size: int | None = None) -> tuple[bytes, str | None]:
    """The answer after rewriting, and the API that it was recognised as."""
    answer = AnswerRewriter(plan, UNKNOWN)
    raw = path.read_bytes()
    if path.suffix == ".json":
        return rewrite_body(raw, answer), getattr(answer.dialect, "name", None)
    machine = StreamRewriter(answer, LABELS[path.suffix], None, plan.keepalive, 0.0)
    step = size or len(raw)
    pieces = [piece for at in range(0, len(raw), step) for piece in machine.feed(raw[at : at + step], 0.0)]
    pieces += machine.finish()
    assert b"" not in pieces
    return b"".join(pieces), getattr(answer.dialect, "name", None)


def documents_of(path: Path, raw: bytes) -> list[Any]:
    if path.suffix == ".json":
        return [json.loads(raw)]
    if path.suffix == ".ndjson":
        return [json.loads(line) for line in raw.splitlines() if line.strip()]
    if path.suffix == ".eventstream":
        buffer = EventStreamBuffer()
        buffer.add_data(raw)
        return [json.loads(message.payload) for message in buffer]
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    texts = (line[5:].strip() for line in lines if line.startswith(b"data:"))
    return [json.loads(text) for text in texts if text and text != b"[DONE]"]


# --- what a reader of the wire formats would call reasoning: by names and types, not by our tables ---------------

THOUGHT_KEYS = {
    "reasoning", "reasoning_content", "reasoning_details", "reasoningContent", "thinking", "tool_plan",
    "encrypted_content",
}  # fmt: skip
THOUGHT_TYPES = {
    "reasoning", "thinking", "redacted_thinking", "thinking_delta", "signature_delta", "summary_text",
    "reasoning_text", "thought", "thought_summary", "thought_signature", "THINKING_CONTENT", "PLAN",
}  # fmt: skip
SETTINGS = {"effort", "summary", "context", "generate_summary", "mode"}


def is_reasoning(key: str, value: Any) -> bool:
    if key == "reasoning" and isinstance(value, dict) and set(value) <= SETTINGS:
        return False  # the request's settings, echoed
    if key in THOUGHT_KEYS:
        return True
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    return value.get("thought") is True or (
        isinstance(kind, str) and (kind in THOUGHT_TYPES or kind.startswith("response.reasoning"))
    )


def texts_in(value: Any, inside: bool, key: str = "") -> Iterator[str]:
    inside = inside or is_reasoning(key, value)
    if isinstance(value, dict):
        for name, member in value.items():
            yield from texts_in(member, inside, name)
    elif isinstance(value, list):
        for member in value:
            yield from texts_in(member, inside)
    elif isinstance(value, str) and inside and key not in ("type", "id", "format", "item_id", "status"):
        yield value


def visible_in(value: Any, key: str = "") -> Iterator[str]:
    if is_reasoning(key, value):
        return
    if isinstance(value, dict):
        for name, member in value.items():
            yield from visible_in(member, name)
    elif isinstance(value, list):
        for member in value:
            yield from visible_in(member)
    elif isinstance(value, str):
        yield value


def runs_of(text: str, length: int = 4) -> set[str]:
    words = text.split()
    return {" ".join(words[at : at + length]) for at in range(len(words) - length + 1)}


# --- the checks -------------------------------------------------------------------------------------------------


def test_there_are_recordings() -> None:
    assert len(answers()) >= 119


@each_answer
def test_an_answer_is_recognised_as_its_api_by_itself(path: Path) -> None:
    assert rewritten(path, STRIP)[1] == expected(path)


@each_answer
def test_kept_it_keeps_every_byte(path: Path) -> None:
    assert rewritten(path, KEEP, 7)[0] == path.read_bytes()


@each_answer
def test_stripped_the_output_does_not_depend_on_how_the_bytes_are_cut(path: Path) -> None:
    if path.suffix != ".json":
        whole = rewritten(path, STRIP)[0]
        assert rewritten(path, STRIP, 7)[0] == whole
        assert rewritten(path, STRIP, 1)[0] == whole


@each_answer
def test_stripped_no_trace_of_the_reasoning_is_left(path: Path) -> None:
    before = documents_of(path, path.read_bytes())
    after = documents_of(path, rewritten(path, STRIP)[0])
    thought = "".join(text for document in before for text in texts_in(document, inside=False))
    visible = "".join(text for document in before for text in visible_in(document))
    leaked = runs_of("".join(text for document in after for text in visible_in(document))) & runs_of(thought)
    assert leaked <= runs_of(visible)
    left = [text for document in after for text in texts_in(document, inside=False) if text]
    assert not left


@each_answer
def test_stripped_the_visible_text_is_all_there(path: Path) -> None:
    before = documents_of(path, path.read_bytes())
    after = documents_of(path, rewritten(path, STRIP)[0])
    for names in (("text",), ("content",), ("arguments",), ("partial_json",), ("response",)):
        assert said(after, names) == said(before, names)


def said(documents: list[Any], names: tuple[str, ...]) -> str:
    """The values under these names, outside of reasoning and of token metadata."""

    def walk(value: Any, key: str = "") -> Iterator[str]:
        if is_reasoning(key, value) or key in ("logprobs", "logprobsResult"):
            return
        if isinstance(value, dict):
            for name, member in value.items():
                yield from walk(member, name)
        elif isinstance(value, list):
            for member in value:
                yield from walk(member, key if key in names else "")
        elif isinstance(value, str) and key in names:
            yield value

    return "".join(text for document in documents for text in walk(document))


# --- reasoning in the text ----------------------------------------------------------------------------------------

THINK = FAMILIES["think"]
EXTRACTED = ResponsePlan(extract=Extract(THINK))
INLINED = ResponsePlan(Inline(THINK))
WITH_TAGS = {
    "bedrock-converse/kimi-k2-thinking-tool.2.json",
    "groq/qwen3-effort-think-tags.json",
    "groq/raw-think-tags.json",
    "llamacpp-live/chat-none-tags-in-content.sse",
    "minimax/inline-think-stream.sse",
    "minimax/inline-think.json",
    "together/r1-inline-think-stream.sse",
    "together/r1-inline-think.json",
    "vllm-live/chat-history-prompt-stream.sse",
    "vllm-live/chat-none-tags-body.json",
    "vllm-live/chat-none-tags-in-content.sse",
    "vllm-live/chat-none-tags-tool-stream.sse",
    "vllm-live/completions-body.json",
    "vllm-live/completions-stream.sse",
}


def name_of(path: Path) -> str:
    return path.relative_to(CORPUS).as_posix()


def frames_of(raw: bytes) -> list[bytes]:
    """Without pings, which may come before the opening of a block that is held back until its text arrives."""
    return [frame for frame in raw.split(b"\n\n") if b'"ping"' not in frame]


@pytest.mark.parametrize("path", [path for path in answers() if name_of(path) not in WITH_TAGS], ids=name_of)
def test_answers_without_tags_are_not_changed_by_extract(path: Path) -> None:
    assert frames_of(rewritten(path, EXTRACTED, 7)[0]) == frames_of(path.read_bytes())


@each_answer
@pytest.mark.parametrize("plan", [EXTRACTED, INLINED], ids=["extract", "inline"])
def test_extracted_or_inlined_the_output_does_not_depend_on_how_the_bytes_are_cut(
    path: Path, plan: ResponsePlan
) -> None:
    whole = rewritten(path, plan)[0]
    assert rewritten(path, plan, 7)[0] == whole
    assert b"thinkwire~" not in whole  # the marks and gaps of ours


OF_BLOCKS = ("anthropic-messages", "bedrock-converse", "openai-responses")


@pytest.mark.parametrize(
    "path",
    [path for path in answers() if expected(path) in OF_BLOCKS],
    ids=name_of,
)
def test_inlined_no_block_of_reasoning_is_left(path: Path) -> None:
    after = documents_of(path, rewritten(path, INLINED)[0])
    assert not [text for document in after for text in texts_in(document, inside=False) if text]
