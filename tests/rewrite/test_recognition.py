"""Whose answer a document is, where neither the request nor the labels of the answer say so."""

import pytest

from tests.rewrite.answers import STRIP
from thinkwire.dialects.request import RequestFacts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.stream import Label, StreamRewriter

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


@pytest.mark.parametrize("dialect", [None, "chat-completions", "gemini"])
@pytest.mark.parametrize(
    ("label", "frame"), [(Label.JSON, b"%s"), (Label.EVENTS, b"data: %s\n\n"), (Label.UNSURE, b"%s")]
)
@pytest.mark.parametrize("document", DOCUMENTS, ids=repr)
def test_a_document_is_known_by_what_it_holds(document: bytes, label: Label, frame: bytes, dialect: str | None) -> None:
    answer = AnswerRewriter(STRIP, RequestFacts("h", "/", "POST", (), None, dialect))
    machine = StreamRewriter(answer, label, None, 10.0, 0.0)
    assert b"Secret" not in b"".join([*machine.feed(frame % document, 0.0), *machine.finish()])
    assert not answer.tally.unreadable
