"""What a body is, by its first bytes: events, lines, a list, one JSON text, or nothing of ours."""

import json

import pytest

from tests.rewrite.answers import STRIP, body, chunk, event, rewrite_chunks, rewrite_stream, rewriter
from thinkwire.rewrite.stream.sniff import BodyFormat, ContentHint, Sniffer

HIDDEN = event(chunk({"reasoning": "Secret"}))
HELLO = event(chunk({"content": "Hi"}))

# --- bodies that are labelled as something else --------------------------------------------------------------


def test_a_json_body_labelled_as_an_event_stream_is_a_body() -> None:
    document = json.dumps(body({"content": "a", "reasoning": "Secret"}), indent=2).replace("\n", "\n\n").encode()
    after = rewrite_stream(document, STRIP, 7)
    assert json.loads(after) == body({"content": "a"})
    error = b' {"error": {"message": "no"}}'
    assert rewrite_stream(error, STRIP) == error


def test_bare_json_after_events_is_a_body() -> None:
    error = b'{\n "error": {"message": "overloaded"}\n}\n'
    assert rewrite_stream(HELLO + error, STRIP) == HELLO + error
    whole = json.dumps(body({"content": "a", "reasoning": "Secret"})).encode()
    assert b"Secret" not in rewrite_stream(HELLO + whole, STRIP)
    assert b"Secret" not in rewrite_stream(HELLO + whole.replace(b'"Secret"', b'\n\n"Secret"'), STRIP)


@pytest.mark.parametrize("beginning", [b"", b"\xef\xbb\xbf", b"\n\n", b": hello\n\n", b"event: x\n", b"id: 1\n"])
def test_plain_text_that_begins_as_events_do_is_events(beginning: bytes) -> None:
    raw = beginning + HELLO + HIDDEN
    for size in (1, 2, 5, len(raw)):
        pieces = (raw[at : at + size] for at in range(0, len(raw), size))
        assert rewrite_chunks(pieces, STRIP, ContentHint.UNSURE)[0] == beginning + HELLO


@pytest.mark.parametrize(
    "text", [b"Hello data: x", b"dat", b"reply", b"<html>", b"\xef\xbb", b"", b"  ", b"evening: x"]
)
def test_other_plain_text_passes_at_every_split(text: bytes) -> None:
    for size in (1, 2, 3, 10):
        pieces = (text[at : at + size] for at in range(0, len(text), size))
        assert rewrite_chunks(pieces, STRIP, ContentHint.UNSURE)[0] == text


def test_a_bare_json_line_before_the_events_does_not_swallow_them() -> None:
    for size in (1, 7, None):
        assert rewrite_stream(b'{"warming":1}\n\n' + HIDDEN + HELLO, STRIP, size) == b'{"warming":1}\n\n' + HELLO


def test_blanks_before_the_first_event_go_on_at_once() -> None:
    one = rewriter(STRIP)
    assert one.feed(b"\r\n", 0.0) == [b"\r\n"]
    assert one.feed(b"\n", 0.0) == [b"\n"]
    assert one.feed(HELLO, 0.0) == [HELLO]


# --- the sniffer itself --------------------------------------------------------------------------------------


def sniffed(label: ContentHint, raw: bytes, size: int) -> tuple[BodyFormat, bytes]:
    """What the body is, and all its bytes, in the order in which they go on."""
    sniffer, passed = Sniffer(label), b""
    for at in range(0, len(raw), size):
        blanks, form, held = sniffer.feed(raw[at : at + size])
        passed += blanks
        if form is not None:
            return form, passed + held + raw[at + size :]
    form, held = sniffer.finish()
    return form, passed + held


@pytest.mark.parametrize("size", [1, 2, 1000])
@pytest.mark.parametrize(
    ("label", "raw", "form"),
    [
        (ContentHint.EVENTS, b"data: {}\n\n", BodyFormat.EVENTS),
        (ContentHint.EVENTS, b"<html>", BodyFormat.EVENTS),
        (ContentHint.EVENTS, b" {}", BodyFormat.BODY),
        (ContentHint.EVENTS, b'{"a":1}\n\ndata: {}', BodyFormat.EVENTS),
        (ContentHint.EVENTS, b'{"a":1}\n{"a":2}', BodyFormat.LINES),
        (ContentHint.UNSURE, b"retry: 3\n\n", BodyFormat.EVENTS),
        (ContentHint.UNSURE, b"retries", BodyFormat.RAW),
        (ContentHint.UNSURE, b"[1]", BodyFormat.BODY),
        (ContentHint.UNSURE, b"\r\n", BodyFormat.RAW),
        (ContentHint.JSON, b"data: {}", BodyFormat.BODY),
        (ContentHint.LIST, b" [{}", BodyFormat.LIST),
        (ContentHint.LIST, b'{"error": 1}', BodyFormat.BODY),
        (ContentHint.LINES, b"{}\n{}", BodyFormat.LINES),
        (ContentHint.LINES, b"data: {}", BodyFormat.EVENTS),
        (ContentHint.AWS, b"\x00\x00\x00\x10", BodyFormat.MESSAGES),
    ],
)
def test_the_first_bytes_show_it_however_they_are_cut_and_none_is_lost(
    label: ContentHint, raw: bytes, form: BodyFormat, size: int
) -> None:
    assert sniffed(label, raw, size) == (form, raw)


def test_nothing_is_settled_while_the_bytes_could_still_become_a_field() -> None:
    sniffer = Sniffer(ContentHint.UNSURE)
    assert sniffer.feed(b"\n dat") == (b"\n ", None, b"")
    assert sniffer.feed(b"a:") == (b"", BodyFormat.EVENTS, b"data:")
