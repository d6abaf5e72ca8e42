"""Which API a document is of, if neither the request nor the headers of the answer tell."""

import json

import pytest

from tests.rewrite.answers import STRIP
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

CANDIDATES = b'"candidates":[{"content":{"parts":[{"thought":true,"text":"Secret"}]}}]'
THINKING = b'"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Secret"}'
INTERACTION = b'"delta":{"type":"thought_summary","content":{"type":"text","text":"Secret"}}'
DOCUMENTS = (
    b"[{%s}]" % CANDIDATES,
    b'{"response":null,%s}' % CANDIDATES,
    b'[{"response":{%s}}]' % CANDIDATES,
    b'{%s,"choices":[]}' % THINKING,
    b'{%s,"usageMetadata":{}}' % THINKING,
    b'{"event_type":"st\\u0065p.delta","index":0,%s}' % INTERACTION,
    b'{"output":{"thoughts":[{"thought":"Secret"}],"text":""}}',
    b'{"role":"assistant","content":[{"type":"thinking","thinking":"Secret"}]}',
)


@pytest.mark.parametrize(
    ("dialect", "hidden", "shown", "member"),
    [
        ("openai-responses", "response.reasoning_text.delta", "response.output_text.delta", "delta"),
        ("lm-studio", "reasoning.delta", "message.delta", "content"),
    ],
)
def test_the_name_of_an_event_comes_for_a_type_that_is_missing(
    dialect: str, hidden: str, shown: str, member: str
) -> None:
    def events(name: str, text: str) -> bytes:
        documents = [json.dumps({member: f"{text} {number}"}) for number in range(9)]
        return b"".join(f"event: {name}\ndata: {one}\n\n".encode() for one in documents)

    said = events(shown, "Loud")
    answer = AnswerRewriter(STRIP, RequestFacts("h", "/", "POST", (), None, dialect))
    machine = StreamRewriter(answer, ContentHint.EVENTS, None, 10.0, 0.0)
    assert b"".join([*machine.feed(events(hidden, "Secret") + said, 0.0), *machine.finish()]) == said


@pytest.mark.parametrize("dialect", [None, "chat-completions", "gemini"])
@pytest.mark.parametrize(
    ("label", "frame"), [(ContentHint.JSON, b"%s"), (ContentHint.EVENTS, b"data: %s\n\n"), (ContentHint.UNSURE, b"%s")]
)
@pytest.mark.parametrize("document", DOCUMENTS, ids=repr)
def test_a_document_is_known_by_what_it_holds(
    document: bytes, label: ContentHint, frame: bytes, dialect: str | None
) -> None:
    answer = AnswerRewriter(STRIP, RequestFacts("h", "/", "POST", (), None, dialect))
    machine = StreamRewriter(answer, label, None, 10.0, 0.0)
    assert b"Secret" not in b"".join([*machine.feed(frame % document, 0.0), *machine.finish()])
    assert not answer.tally.unreadable
