"""Lines and lists of JSON documents, rewritten one by one."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import STRIP, TO_REASONING, chunk, rewrite_chunks, stream
from thinkwire.rewrite.stream.sniff import ContentHint

HIDDEN = chunk({"reasoning_content": "Secret"})
HELLO = chunk({"content": "Hi"})
BYE = chunk({}, finish_reason="stop")


def lines(*documents: Any, end: str = "\n") -> bytes:
    return "".join(json.dumps(one) + end for one in documents).encode()


def listed(*documents: Any, between: str = ",\r\n") -> bytes:
    return f"[{between.join(map(json.dumps, documents))}\n]".encode()


def rewritten(raw: bytes, label: ContentHint, size: int = 10_000, plan: Any = STRIP) -> bytes:
    return rewrite_chunks((raw[at : at + size] for at in range(0, len(raw), size)), plan, label)[0]


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_lines_are_dropped_or_kept_whole(size: int, end: str) -> None:
    raw = lines(HIDDEN, HIDDEN, HIDDEN, HELLO, BYE, end=end)
    expected = lines(HELLO, BYE, end=end)
    assert rewritten(raw, ContentHint.LINES, size).replace(b"\n", b"") == expected.replace(b"\n", b"")
    assert rewritten(raw, ContentHint.LINES, size, TO_REASONING) == raw.replace(b"reasoning_content", b"reasoning")


def test_a_last_line_without_an_end_counts() -> None:
    assert rewritten(lines(HELLO, HIDDEN)[:-1], ContentHint.LINES) == lines(HELLO)


def test_a_line_that_cannot_be_read_is_dropped_or_passed() -> None:
    raw = b'{"choices": Secret}\n' + lines(HELLO)
    assert rewritten(raw, ContentHint.LINES) == lines(HELLO)
    assert rewritten(raw, ContentHint.LINES, plan=TO_REASONING) == raw


@pytest.mark.parametrize("label", [ContentHint.EVENTS, ContentHint.UNSURE])
def test_lines_that_are_labelled_as_something_else_are_lines(label: ContentHint) -> None:
    raw = lines(HELLO, HIDDEN, BYE)
    for size in (1, 7, 10_000):
        assert rewritten(raw, label, size) == lines(HELLO, BYE)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    "documents",
    [[HELLO, BYE], [HIDDEN, HELLO, BYE], [HELLO, HIDDEN, BYE], [HELLO, HIDDEN], [HIDDEN, HIDDEN], [HIDDEN], []],
    ids=repr,
)
def test_what_is_left_of_a_list_is_a_list(documents: list[Any], size: int) -> None:
    left = [one for one in documents if one is not HIDDEN]
    raw = listed(*documents)
    assert json.loads(rewritten(raw, ContentHint.LIST, size)) == left
    assert rewritten(raw, ContentHint.LIST, size, TO_REASONING) == raw.replace(b"reasoning_content", b"reasoning")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"[%s]\n%s", b"[]\n"),
        (b"[null,%s,[1]]", b"[null,[1]]"),
        (b'["a, b" , %s]', b'["a, b" ]'),
        (b"[%s,null,%s,1]", b"[null,1]"),
        (b"[%s , %s , {}]", b"[  {}]"),
        (b"[%s]\n[%s, []]", b"[]\n[ []]"),
    ],
    ids=repr,
)
def test_a_comma_goes_only_with_the_element_beside_it(before: bytes, after: bytes) -> None:
    raw = before.replace(b"%s", json.dumps(HIDDEN).encode())
    for size in (1, 7, 10_000):
        assert rewritten(raw, ContentHint.LIST, size) == after
        assert rewritten(raw, ContentHint.LIST, size, TO_REASONING) == raw.replace(b"reasoning_content", b"reasoning")


@pytest.mark.parametrize("raw", [b'[]\n{"type":"x","b":1}', b"[null,{}]", b"[]{}[],", b'[] "a{b" {}'], ids=repr)
def test_a_list_without_reasoning_comes_out_as_it_went_in(raw: bytes) -> None:
    for size in (1, 7, 10_000):
        assert rewritten(raw, ContentHint.LIST, size, TO_REASONING) == raw


def test_an_object_where_a_list_was_expected_is_a_body() -> None:
    error = b'{"error": {"message": "no"}}'
    assert rewritten(error, ContentHint.LIST, 3) == error


def test_an_element_leaves_as_soon_as_it_is_complete() -> None:
    pieces = [b"[" + json.dumps(HELLO).encode(), b",", json.dumps(BYE).encode(), b"]"]
    assert b"".join(pieces) == rewritten(b"".join(pieces), ContentHint.LIST)


PRETTY = json.dumps(HIDDEN, indent=1).encode() + b"\n"
TORN = b'{"choices": [{"index": 0, "delta": {"reasoning_content": "a\nSecret"}}]}\n'


@pytest.mark.parametrize("label", [ContentHint.LINES, ContentHint.EVENTS, ContentHint.UNSURE])
@pytest.mark.parametrize("raw", [PRETTY + PRETTY, PRETTY + lines(HELLO), TORN + lines(HELLO)], ids=repr)
def test_the_lines_of_a_document_that_has_several_share_its_fate(raw: bytes, label: ContentHint) -> None:
    for size in (1, 7, 10_000):
        assert b"Secret" not in rewritten(raw, label, size)
        assert rewritten(raw, label, size, TO_REASONING) == raw


def test_a_line_within_a_document_of_several_is_no_document() -> None:
    raw = b'{"choices": [\n  {"delta": {"reasoning_content": "Secret"}}\n]}\n\n' + lines(HELLO)
    assert rewritten(raw, ContentHint.LINES) == b"\n" + lines(HELLO)


@pytest.mark.parametrize(
    ("label", "lead"),
    [
        (ContentHint.LINES, b"\xef\xbb\xbf"),
        (ContentHint.LINES, b"\x1e"),
        (ContentHint.LINES, b" ,"),
        (ContentHint.UNSURE, b"\xef\xbb\xbf"),
        (ContentHint.UNSURE, b"\x1e"),
    ],
)
def test_a_line_is_read_after_what_separates_it_from_the_one_before(label: ContentHint, lead: bytes) -> None:
    raw = lines(HELLO) + lead + lines(HIDDEN) + lead + lines(BYE)
    for size in (1, 7, 10_000):
        assert rewritten(raw, label, size) == lines(HELLO) + lead + lines(BYE)
        assert rewritten(raw, label, size, TO_REASONING) == raw.replace(b"reasoning_content", b"reasoning")


@pytest.mark.parametrize("label", [ContentHint.LINES, ContentHint.UNSURE])
def test_a_record_separator_may_begin_the_lines(label: ContentHint) -> None:
    raw = b"\x1e" + lines(HIDDEN) + b"\x1e" + lines(HELLO)
    for size in (1, 7, 10_000):
        assert rewritten(raw, label, size).replace(b"\x1e", b"") == lines(HELLO)


@pytest.mark.parametrize("begin", [b"", b": ping\n\n", b"\xef\xbb\xbf"], ids=repr)
def test_events_that_are_labelled_as_lines_are_events(begin: bytes) -> None:
    raw = begin + stream(HIDDEN, HELLO)
    for size in (1, 7, 10_000):
        assert rewritten(raw, ContentHint.LINES, size) == begin + stream(HELLO)


def test_events_among_lines_are_stripped() -> None:
    raw = lines(HELLO) + b": ping\n\n" + stream(HIDDEN, BYE)
    assert rewritten(raw, ContentHint.LINES) == lines(HELLO) + b": ping\n\n\n" + stream(BYE)


def test_other_text_among_lines_passes() -> None:
    raw = lines(HELLO) + b"upstream is busy\n" + lines(BYE) + b"[DONE]\n"
    assert rewritten(raw, ContentHint.LINES) == raw


def test_a_list_whose_commas_begin_its_lines_is_one_body() -> None:
    raw = b'[{"a": 1}\n, {"b": 2}]'
    assert rewritten(raw, ContentHint.UNSURE) == raw
