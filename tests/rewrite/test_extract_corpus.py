"""Recorded answers that carry the reasoning inside the text, extracted; what they hold is written down by hand."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest

from tests.corpus import CORPUS, Recorded, chat_answers, needs_corpus
from tests.e2e.view import objects_in
from tests.rewrite.answers import CHAT_REQUEST, accumulate, rewrite_stream
from thinkwire.dialects.core.tag_families import FAMILIES
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, Keep, OnError, Reasoning, Rename, ResponsePlan, Strip
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

pytestmark = needs_corpus

THINK = FAMILIES["think"]
RUN = 4
"""Words in a row that count as a trace of the thought."""
TAG = re.compile(rb'think>|think\\u003e|"</"|"think"')
NEAR = 100
"""Bytes before and behind a tag, where a long recording is cut at every place."""


class Text(NamedTuple):
    """A text by its length and how it begins and ends."""

    length: int
    begin: str
    end: str

    def is_in(self, text: str) -> bool:
        return len(text) == self.length and text.startswith(self.begin) and text.endswith(self.end)


class Told(NamedTuple):
    """What an answer says, and where."""

    reasoning: Text
    content: Text
    starts_inside: bool = False
    finish: str = "stop"


TINY = Told(Text(9, "ELGM EJEL", "ELGM EJEL"), Text(9, "roro oprr", "roro oprr"))
"""What the random model of our own says."""
TOLD = {
    "minimax/inline-think.json": Told(Text(7, "\ninner\n", "\ninner\n"), Text(7, "\n\ninner", "\n\ninner")),
    "minimax/inline-think-stream.sse": Told(
        Text(109, "\nThe user wants a proof", "straightforward and concise.\n"),
        Text(388, "\n\n**Proof.** An integer is odd", "by definition, it is even.\n\n∎"),
    ),
    "together/r1-inline-think.json": Told(
        Text(914, '\nOkay, the user just said "Hello".', "best to treat it as genuine.\n"),
        Text(179, "\nHello! 😊  \nHow can I", "What's on your mind? 💬"),
    ),
    "together/r1-inline-think-stream.sse": Told(
        Text(1430, '\nOkay, the user asked "How do I cross', "don't sound like a paranoid robot.\n"),
        Text(2557, "\nCrossing the street safely requires", "it could save your life! 🌟"),
    ),
    "groq/raw-think-tags.json": Told(
        Text(4038, "\nOkay, so I want to make Uruguayan alfajores.", "to try these Uruguayan alfajores!\n"),
        Text(1927, "\n\nTo make Uruguayan alfajores, follow", "with a cup of coffee or tea!"),
    ),
    "groq/qwen3-effort-think-tags.json": Told(
        Text(702, "\nOkay, let's see... The user is asking", 'output "4" without any explanation.\n'),
        Text(3, "\n\n4", "\n\n4"),
    ),
    "llamacpp-live/chat-none-tags-in-content.sse": Told(
        Text(99, "\nThe question is about light.", "so blue wins over red.\n"),
        Text(79, "\n\nThe sky is blue because", "more strongly than red light."),
        starts_inside=True,
    ),
    "vllm-live/chat-none-tags-body.json": TINY,
    "vllm-live/chat-none-tags-in-content.sse": TINY,
    "vllm-live/chat-none-tags-tool-stream.sse": Told(
        Text(9, "ELGM EJEL", "ELGM EJEL"), Text(0, "", ""), finish="tool_calls"
    ),
}
REPEATS_PROMPT = "vllm-live/chat-history-prompt-stream.sse"
"""The client's own words have tags as well, and stay whatever the rules are."""
PLAIN = [answer for answer in chat_answers() if answer.name not in (*TOLD, REPEATS_PROMPT)]
"""Those without a block of tags; at Perplexity, the model did without one in the recording."""
PLANS: list[tuple[Reasoning, str]] = [(Keep(), "reasoning"), (Rename(("reasoning_content",)), "reasoning_content")]


def plan(reasoning: Reasoning, extract: Extract | None) -> ResponsePlan:
    return ResponsePlan(reasoning, OnError.DROP if isinstance(reasoning, Strip) else OnError.PASS, extract=extract)


def rewritten(answer: Recorded, one: ResponsePlan, size: int | None = None) -> bytes:
    if answer.is_stream:
        return rewrite_stream(answer.raw, one, size)
    return rewrite_body(answer.raw, AnswerRewriter(one, CHAT_REQUEST))


def recorded(name: str) -> tuple[Recorded, Told, Extract]:
    return Recorded(CORPUS / name), TOLD[name], Extract(THINK, TOLD[name].starts_inside)


def said(answer: Recorded, raw: bytes) -> dict[str, Any]:
    (choice,) = accumulate(answer.documents(raw)).values()
    return choice


@pytest.mark.parametrize("size", [1, 7, None])
@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize(("reasoning", "member"), PLANS, ids=["keep", "rename"])
def test_the_reasoning_and_the_answer_are_extracted(
    name: str, reasoning: Reasoning, member: str, size: int | None
) -> None:
    answer, told, extract = recorded(name)
    seen = said(answer, rewritten(answer, plan(reasoning, extract), size))
    assert told.reasoning.is_in(seen[member])
    assert told.content.is_in(seen["content"])
    assert seen["finish_reason"] == told.finish


@pytest.mark.parametrize("reasoning", [Keep(), Strip()], ids=["keep", "strip"])
@pytest.mark.parametrize("name", ["minimax/inline-think-stream.sse", "llamacpp-live/chat-none-tags-in-content.sse"])
def test_it_does_not_matter_where_the_bytes_are_cut(name: str, reasoning: Reasoning) -> None:
    answer, _, extract = recorded(name)
    one = plan(reasoning, extract)
    whole = rewritten(answer, one)
    tags = [match.start() for match in re.finditer(TAG, answer.raw)]
    near = [at for tag in tags for at in range(max(0, tag - NEAR), min(len(answer.raw), tag + NEAR))]
    for at in near if len(answer.raw) > 4 * NEAR * len(tags) else range(len(answer.raw) + 1):
        machine = StreamRewriter(AnswerRewriter(one, CHAT_REQUEST), ContentHint.EVENTS, None, 10.0, 0.0)
        pieces = [*machine.feed(answer.raw[:at], 0.0), *machine.feed(answer.raw[at:], 0.0), *machine.finish()]
        assert b"".join(pieces) == whole, at


@pytest.mark.parametrize("size", [1, 7, None])
@pytest.mark.parametrize("name", TOLD)
def test_stripped_no_trace_of_the_reasoning_is_left(name: str, size: int | None) -> None:
    answer, told, extract = recorded(name)
    after = rewritten(answer, plan(Strip(), extract), size)
    seen = said(answer, after)
    assert told.content.is_in(seen["content"])
    assert not {"reasoning", "reasoning_content"} & seen.keys()
    assert b"think>" not in after
    assert b"u003cthink" not in after
    thought = said(answer, rewritten(answer, plan(Keep(), extract)))["reasoning"].split()
    runs = {" ".join(thought[at : at + RUN]) for at in range(max(1, len(thought) - RUN + 1))}
    for text in texts_by_name(answer.documents(after)):
        shown = " ".join(text.split())
        # Words that the answer has, too, are no trace.
        assert not [run for run in runs if run in shown and run not in " ".join(seen["content"].split())]


def texts_by_name(documents: list[Any]) -> Iterable[str]:
    """What a client reads that joins the texts under each name, whatever it is."""
    joined: dict[str, str] = {}
    for document in documents:
        for item in objects_in(document):
            for name, value in item.items():
                joined[name] = joined.get(name, "") + (value if isinstance(value, str) else "")
    return joined.values()


@pytest.mark.parametrize("name", TOLD)
def test_inlined_again_it_is_the_text_that_came(name: str) -> None:
    answer, _, extract = recorded(name)
    after = said(answer, rewritten(answer, plan(Inline(THINK), extract)))
    assert after["content"] == said(answer, answer.raw)["content"]
    assert "reasoning" not in after


@pytest.mark.parametrize("answer", PLAIN, ids=lambda answer: answer.name)
@pytest.mark.parametrize("reasoning", [Keep(), Rename(("reasoning",)), Strip()], ids=["keep", "rename", "strip"])
def test_where_nothing_is_tagged_nothing_is_different(answer: Recorded, reasoning: Reasoning) -> None:
    assert rewritten(answer, plan(reasoning, Extract(THINK))) == rewritten(answer, plan(reasoning, None))
