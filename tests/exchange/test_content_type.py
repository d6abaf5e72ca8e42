"""What the headers of an answer say of its body."""

import pytest
from mitmproxy import http

from thinkwire.exchange.content_type import label_of
from thinkwire.rewrite.stream.rewriter import Label


def label(*types: str, asked_for_stream: bool = True) -> Label | None:
    headers = http.Headers([(b"content-type", type_.encode()) for type_ in types])
    response = http.Response(b"HTTP/1.1", 200, b"OK", headers, b"", None, 0, 0)
    return label_of(response, asked_for_stream=asked_for_stream, streams_a_list=False)


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("text/event-stream", Label.EVENTS),
        (" Text/Event-Stream ; charset=utf-8", Label.EVENTS),
        ("application/json", Label.JSON),
        ("application/vnd.amazon.eventstream", Label.AWS),
        ("text/plain", Label.UNSURE),
        ("text/html", None),
    ],
)
def test_a_type_says_how_to_read_the_body(type_: str, expected: Label | None) -> None:
    assert label(type_) is expected


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
    assert label(type_) is Label.LINES


def test_of_several_types_the_first_counts() -> None:
    assert label("text/event-stream", "text/event-stream") is Label.EVENTS
    assert label("text/event-stream;charset=utf-8, application/json") is Label.EVENTS
    assert label("application/json, application/json") is Label.JSON
