"""What the headers of an answer say about its body."""

import pytest
from mitmproxy import http

from thinkwire.dialects.registry import request_facts
from thinkwire.exchange.content_type import content_hint
from thinkwire.rewrite.stream.sniff import ContentHint


def hint(*types: str) -> ContentHint | None:
    headers = http.Headers([(b"content-type", type_.encode()) for type_ in types])
    response = http.Response(b"HTTP/1.1", 200, b"OK", headers, b"", None, 0, 0)
    return content_hint(response, request_facts("h", "/v1/chat/completions", "POST", [], b'{"stream": true}'))


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("text/event-stream", ContentHint.EVENTS),
        (" Text/Event-Stream ; charset=utf-8", ContentHint.EVENTS),
        ("application/json", ContentHint.JSON),
        ("application/vnd.amazon.eventstream", ContentHint.AWS),
        ("text/plain", ContentHint.UNSURE),
        ("text/html", None),
    ],
)
def test_a_type_says_how_to_read_the_body(type_: str, expected: ContentHint | None) -> None:
    assert hint(type_) is expected


@pytest.mark.parametrize(
    "type_",
    [
        "application/x-ndjson",
        "application/ndjson",
        "text/x-ndjson",
        "application/jsonl",
        "application/x-jsonl",
        "application/json-lines",
        "application/jsonlines",
        "application/x-jsonlines",
        "application/json-seq",
        "application/stream+json",
    ],
)
def test_lines_have_many_names(type_: str) -> None:
    assert hint(type_) is ContentHint.LINES


def test_of_several_types_the_first_counts() -> None:
    assert hint("text/event-stream", "text/event-stream") is ContentHint.EVENTS
    assert hint("text/event-stream;charset=utf-8, application/json") is ContentHint.EVENTS
    assert hint("application/json, application/json") is ContentHint.JSON
