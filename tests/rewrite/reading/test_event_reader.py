"""Bodies are cut into events with their numbers and times, whatever they are made of."""

import gzip

import pytest

from tests.rewrite.answers import chunk, event, stream
from tests.splits import splits
from thinkwire.dialects.core.parts import Extent
from thinkwire.rewrite.reading.event_reader import Event, FrameReader
from thinkwire.rewrite.stream.sniff import BodyFormat, ContentHint
from thinkwire.wire.codings import decoder_for

LINES = b'{"a": 1}\n\n{"b": 2}\n'
BODIES = {
    "events": (
        ContentHint.EVENTS,
        b": ping\n\ndata: {}\n\nevent: x\ndata: [1]\r\n\r\ndata: [DONE]\n\n",
        BodyFormat.EVENTS,
    ),
    "lines": (ContentHint.LINES, LINES, BodyFormat.LINES),
    "list": (ContentHint.LIST, b'[{"a": 1},\n{"b": [2]}]', BodyFormat.LIST),
    "body": (ContentHint.JSON, b'{"a":\n1}', BodyFormat.BODY),
    "unsure, lines": (ContentHint.UNSURE, LINES, BodyFormat.LINES),
    "unsure, text": (ContentHint.UNSURE, b"Bad Gateway", BodyFormat.RAW),
    "error of a gateway": (ContentHint.EVENTS, b'{"error": "x"}', BodyFormat.RAW),
}


def events_of(label: ContentHint, chunks: list[bytes]) -> tuple[list[Event], BodyFormat | None]:
    reader = FrameReader(label)
    events = [one for at, piece in enumerate(chunks) for one in reader.feed(piece, float(at))]
    return [*events, *reader.finish()], reader.form


@pytest.mark.parametrize("name", BODIES)
def test_the_events_do_not_depend_on_how_the_bytes_are_cut(name: str) -> None:
    label, raw, form = BODIES[name]
    found = {
        tuple(
            (one.number, one.raw.strip(), one.text.strip(), one.name, one.extent) for one in events_of(label, pieces)[0]
        )
        for pieces in splits(raw)
    }
    assert len(found) == 1
    assert {events_of(label, pieces)[1] for pieces in splits(raw)} <= {form, BodyFormat.BODY}


def test_comments_and_blank_lines_are_no_events() -> None:
    events, _ = events_of(ContentHint.EVENTS, [b": ping\n\nretry: 5\n\ndata: {}\n\n\n\nevent: e\ndata: 1\n\n"])
    assert [(one.number, one.text, one.name) for one in events] == [(1, "{}", ""), (2, "1", "e")]


def test_the_time_of_an_event_is_that_of_its_last_byte() -> None:
    reader = FrameReader(ContentHint.EVENTS)
    raw = event(chunk({"content": "Hi"}))
    assert reader.feed(raw[:20], 1.0) == []
    (first,) = reader.feed(raw[20:], 2.5)
    assert first.time == 2.5


def test_an_event_that_the_end_of_the_body_cuts_says_so() -> None:
    events, _ = events_of(ContentHint.EVENTS, [stream(chunk({"content": "Hi"})) + b'data: {"cho'])
    assert [one.is_cut for one in events] == [False, False, True]


def test_a_body_is_one_event_and_a_whole() -> None:
    (body,), form = events_of(ContentHint.JSON, [b'{"a": ', b"1}"])
    assert (body.text, body.extent, form) == ('{"a": 1}', Extent.SNAPSHOT, BodyFormat.BODY)


def test_a_coding_is_undone_and_its_damage_is_told() -> None:
    packed = gzip.compress(stream(chunk({"content": "Hi"})))
    for raw, damage in ((packed, ""), (packed[:-9], "too early"), (packed[:10] + b"\xff" * 9, "damaged")):
        reader = FrameReader(ContentHint.EVENTS, decoder_for("gzip"))
        events = [*reader.feed(raw, 0.0), *reader.finish()]
        assert damage in reader.damage
        assert bool(reader.damage) == bool(damage)
        assert len(events) == 2 or damage


def test_a_damaged_message_of_an_aws_stream_is_an_event_with_a_reason() -> None:
    (only,) = events_of(ContentHint.AWS, [b"no message of theirs, at all"])[0]
    assert "length" in only.damage
