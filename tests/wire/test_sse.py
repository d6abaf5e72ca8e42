"""Framing of event streams: no byte is lost, and the data is what other readers see."""

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.splits import drain, run_at_every_split, splits
from tests.wire.oracle import read_events
from thinkwire.wire.splice import Edit, splice
from thinkwire.wire.sse import Frame, FrameSplitter, comment

BOM = b"\xef\xbb\xbf"


def frames_of(*chunks: bytes) -> list[Frame]:
    return drain(FrameSplitter(), chunks)


def raws_of(*chunks: bytes) -> list[bytes]:
    return [frame.raw for frame in frames_of(*chunks)]


def data_of(raw: bytes) -> list[bytes | None]:
    """The frames' contents, wherever the stream is cut; the LF of a split CR LF is not a frame of its own here."""
    data: list[bytes | None] = run_at_every_split(
        FrameSplitter, raw, lambda frames: [frame.data for frame in frames if not frame.is_line_feed]
    )
    return data


def joined(frames: list[Frame]) -> bytes:
    return b"".join(frame.raw for frame in frames)


# Strategies: streams of pieces that matter, and the same streams cut anywhere.

LINE_ENDS = st.sampled_from([b"\n", b"\r", b"\r\n"])
PIECES = st.one_of(
    LINE_ENDS,
    st.sampled_from([b"data:", b"data: ", b"data", b":", b" ", b"event: x", b"id:1", b"retry: 5", b"database:", b"\0"]),
    st.sampled_from([BOM, b"\xef", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0b", b"\x0c", b"[DONE]", b'{"a":1}']),
    st.binary(max_size=3),
)
ANYTHING = st.lists(PIECES, max_size=30).map(b"".join)


@st.composite
def chunked(draw: st.DrawFn, streams: st.SearchStrategy[bytes]) -> list[bytes]:
    """A stream and a way to cut it, with empty chunks here and there."""
    raw = draw(streams)
    cuts = sorted(draw(st.lists(st.integers(0, len(raw)), max_size=12)))
    return [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]


ODD_TEXT = st.sampled_from([b"\xc2\x85", b"\xe2\x80\xa8", b"\x0b", b"\x0c", b"\x1c", b"\0", b":", b" "])
TEXT = st.lists(st.one_of(ODD_TEXT, st.binary(max_size=4).map(lambda raw: raw.translate(None, b"\r\n")))).map(b"".join)
UNNAMED_LINES = st.one_of(
    st.builds(b"".join, st.tuples(st.sampled_from([b"data:", b"data: ", b"data:  "]), TEXT)),
    st.sampled_from([b"data", b":", b": comment", b"database: x", b"datum", b" data: x", b"\0data: x", b"data\0: x"]),
)
NAMED_LINES = st.one_of(
    UNNAMED_LINES, st.builds(b"".join, st.tuples(st.sampled_from([b"event:", b"id: ", b"retry: "]), TEXT))
)


def streams_of(lines: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Valid streams: whole lines, often empty ones, each ended in one of the three ways."""
    ended = st.tuples(st.one_of(st.just(b""), lines, lines), LINE_ENDS)
    return st.lists(ended, max_size=12).map(lambda pairs: b"".join(line + end for line, end in pairs))


def dispatched(chunks: Iterable[bytes]) -> list[bytes]:
    """The data of complete frames; httpx-sse does not return an event that no empty line ends."""
    splitter = FrameSplitter()
    return [frame.data for chunk in chunks for frame in splitter.feed(chunk) if frame.data is not None]


# No byte is lost.


@given(chunked(ANYTHING))
@example([b"data: x\r", b"\n\r", b"\n"])
@example([b"\r", b"\n", b"\n"])
@example([BOM[:1], BOM[1:], b"\r", b"", b"\n"])
def test_frames_joined_are_the_stream(chunks: list[bytes]) -> None:
    frames = frames_of(*chunks)
    assert joined(frames) == b"".join(chunks)
    assert all(frame.raw for frame in frames)


@given(chunked(ANYTHING))
def test_a_frame_is_handed_out_with_the_bytes_that_complete_it(chunks: list[bytes]) -> None:
    fed = b""
    splitter = FrameSplitter()
    out = b""
    for chunk in chunks:
        fed += chunk
        out += joined(splitter.feed(chunk))
        held = fed[len(out) :]
        assert out + held == fed
        # Nothing that is held back contains an empty line, and so a whole block.
        assert not any(end in held for end in (b"\n\n", b"\r\r", b"\n\r", b"\r\n\r", b"\r\n\n"))
        assert not held.startswith((b"\r", b"\n"))


@given(ANYTHING)
def test_data_does_not_depend_on_the_cuts(raw: bytes) -> None:
    data_of(raw)


@given(ANYTHING)
def test_line_feed_frames_come_only_after_a_frame_that_ends_in_cr(raw: bytes) -> None:
    for chunks in splits(raw):
        frames = frames_of(*chunks)
        for before, frame in zip([None, *frames], frames, strict=False):
            if frame.is_line_feed:
                assert frame.raw == b"\n"
                assert frame.data is None
                assert before is not None
                assert before.raw.endswith(b"\r")


# The data is what another reader sees.


@given(chunked(streams_of(UNNAMED_LINES)))
def test_httpx_sse_sees_the_same_data(chunks: list[bytes]) -> None:
    assert dispatched(chunks) == read_events(b"".join(chunks))


@given(chunked(streams_of(NAMED_LINES)))
def test_httpx_sse_sees_the_same_data_among_other_fields(chunks: list[bytes]) -> None:
    # It also dispatches events without data if they have a name or an id.
    ours = [data for data in dispatched(chunks) if data]
    assert ours == [data for data in read_events(b"".join(chunks)) if data]


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        (b"data: x\n\n", [b"x"]),
        (b"data:x\n\n", [b"x"]),
        (b"data:  x\n\n", [b" x"]),
        (b"data:\n\n", [b""]),
        (b"data: \n\n", [b""]),
        (b"data\n\n", [b""]),
        (b"data:x:y\n\n", [b"x:y"]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"data: a\ndata\ndata:b\n\n", [b"a\n\nb"]),
        (b"data\ndata\n\n", [b"\n"]),
        (b"event: e\ndata: a\n: c\ndata: b\nid: 1\n\n", [b"a\nb"]),
        (b"data: x\r\n\r\n", [b"x"]),
        (b"data: x\r\r", [b"x"]),
        (b"data: x\r\n\r", [b"x"]),
        (b"data: x\n\r\n", [b"x"]),
        (b"data: x\r\n\n", [b"x"]),
        (b"data: a\rdata: b\ndata: c\r\ndata: d\n\r", [b"a\nb\nc\nd"]),
        (b"data: a\n\ndata: b\r\rdata: c\r\n\r\ndata: d\n\n", [b"a", b"b", b"c", b"d"]),
        (b": comment\n\n", [None]),
        (b":\n\n", [None]),
        (b"retry: 5\n\n", [None]),
        (b"id\n\n", [None]),
        (b"database: x\n\n", [None]),
        (b"datab\n\n", [None]),
        (b"dat: x\n\n", [None]),
        (b" data: x\n\n", [None]),
        (b"Data: x\n\n", [None]),
        (b"data : x\n\n", [None]),
        (b"\0data: x\n\n", [None]),
        (b"data: \0x\0\n\n", [b"\0x\0"]),
        (b"data: a\xe2\x80\xa8b\xc2\x85c\x0bd\x0ce\x1cf\n\n", [b"a\xe2\x80\xa8b\xc2\x85c\x0bd\x0ce\x1cf"]),
        (
            b"id: \xc2\x85\x1d\r\ndata: a\xe2\x80\xa8b\xc2\x85c\x0bd\x0ce\r\n\r\n",
            [b"a\xe2\x80\xa8b\xc2\x85c\x0bd\x0ce"],
        ),
        (BOM + b"data: x\n\n", [b"x"]),
        (BOM + b"data: x\r\n\r\n", [b"x"]),
        (BOM + b": c\ndata: x\n\n", [b"x"]),
        (BOM + b"\n\n", [None]),
        (b"\n", [None]),
        (b"\n\n\r\n\r", [None] * 4),
        (b"\n\ndata: x\n\n\n", [None, None, b"x", None]),
        (b"data: x", [b"x"]),
        (b"data: x\n", [b"x"]),
        (b"data: x\r", [b"x"]),
        (b"data: x\r\n", [b"x"]),
        (b"data: a\n\ndata: b\ndata: c", [b"a", b"b\nc"]),
        (b"da", [None]),
        (b"data", [b""]),
        (b"", []),
    ],
)
def test_data_of_a_stream_at_every_split(raw: bytes, data: list[bytes | None]) -> None:
    assert data_of(raw) == data


def test_a_bom_is_skipped_although_httpx_sse_keeps_it() -> None:
    raw = BOM + b"data: x\n\n"
    assert read_events(raw) == []
    assert dispatched([raw]) == [b"x"]


def test_an_event_that_nothing_ends_is_handed_out_last_although_httpx_sse_drops_it() -> None:
    raw = b"data: a\n\ndata: b\n"
    assert read_events(raw) == [b"a"]
    assert data_of(raw) == [b"a", b"b"]


# Where frames end.


@pytest.mark.parametrize("end", [b"\n\n", b"\r\r", b"\r\n\r\n", b"\n\r\n", b"\r\n\n", b"\r\r\n", b"\n\r"])
def test_each_pair_of_line_ends_ends_a_frame(end: bytes) -> None:
    assert raws_of(b"data: x" + end + b"data: y" + end) == [b"data: x" + end, b"data: y" + end]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_one_line_end_ends_no_frame(end: bytes) -> None:
    assert raws_of(b"data: x" + end + b"data: y") == [b"data: x" + end + b"data: y"]


def test_a_crlf_torn_apart_is_one_line_end() -> None:
    splitter = FrameSplitter()
    assert splitter.feed(b"data: x\r") == []
    assert splitter.feed(b"\n") == []
    assert splitter.feed(b"data: y\r") == []
    assert [frame.raw for frame in splitter.feed(b"\n\n")] == [b"data: x\r\ndata: y\r\n\n"]


def test_a_cr_at_the_end_of_a_chunk_ends_the_frame_at_once() -> None:
    splitter = FrameSplitter()
    (frame,) = splitter.feed(b"data: x\r\n\r")
    assert (frame.raw, frame.data) == (b"data: x\r\n\r", b"x")


def test_the_lf_after_a_cr_that_ended_a_frame_is_a_line_feed_frame() -> None:
    splitter = FrameSplitter()
    splitter.feed(b"data: x\r\n\r")
    assert splitter.feed(b"") == []
    line_feed, frame = splitter.feed(b"\ndata: y\n\n")
    assert (line_feed.raw, line_feed.is_line_feed, line_feed.data) == (b"\n", True, None)
    assert (frame.raw, frame.is_line_feed) == (b"data: y\n\n", False)


def test_only_the_first_lf_after_a_cr_is_a_line_feed_frame() -> None:
    splitter = FrameSplitter()
    splitter.feed(b"data: x\r\r")
    assert [frame.is_line_feed for frame in splitter.feed(b"\n")] == [True]
    assert [frame.is_line_feed for frame in splitter.feed(b"\n")] == [False]


def test_an_lf_after_a_cr_and_other_bytes_is_an_empty_line() -> None:
    assert [frame.is_line_feed for frame in frames_of(b"data: x\r\r", b"data: y\n\n", b"\n")] == [False] * 3


def test_empty_lines_are_frames_of_their_own() -> None:
    assert raws_of(b"\r\n\n\r\rdata: x\n\n") == [b"\r\n", b"\n", b"\r", b"\r", b"data: x\n\n"]


def test_what_is_left_at_the_end_is_the_last_frame() -> None:
    splitter = FrameSplitter()
    assert splitter.feed(b"data: x\n") == []
    assert [frame.raw for frame in splitter.finish()] == [b"data: x\n"]
    assert splitter.finish() == []


def test_a_stream_that_ends_with_a_frame_leaves_nothing() -> None:
    splitter = FrameSplitter()
    splitter.feed(b"data: x\n\n")
    assert splitter.finish() == []


@pytest.mark.parametrize(
    ("chunks", "is_between"),
    [
        ([], True),
        ([b"data: x\n"], False),
        ([b"data: x\n\n"], True),
        ([b"data: x\n\nd"], False),
        ([b"data: x\r\n\r"], False),
        ([b"data: x\r\n\r", b""], False),
        ([b"data: x\r\n\r", b"\n"], True),
        ([b"data: x\r\n\r", b"d"], False),
        ([b"data: x\r\r", b"data: x\n\n"], True),
    ],
)
def test_the_splitter_knows_whether_the_next_bytes_begin_a_frame(chunks: list[bytes], is_between: bool) -> None:
    splitter = FrameSplitter()
    for chunk in chunks:
        splitter.feed(chunk)
    assert splitter.is_between_frames == is_between


# What is no event.


@pytest.mark.parametrize(
    ("raw", "is_foreign"),
    [
        (b'{"error": 1}', True),
        (b'{"error": 1}\n\n', True),
        (b'{"error":\r\n1}\r\n\r\n', True),
        (b"<html>\n<p>bad gateway</p>\n\n", True),
        (b"database: x\n\n", True),
        (b"events\n\n", True),
        (BOM + b"{}\n\n", True),
        (b"{}\ndata: x\n\n", False),
        (b"{}\nid\n\n", False),
        (b"event: x\n\n", False),
        (b"event\n\n", False),
        (b"retry: 1\n\n", False),
        (b"id: 1\n\n", False),
        (b": comment\n\n", False),
        (BOM + b": comment\n\n", False),
        (b"data: x\n\n", False),
        (b"\n", False),
        (b"\r\n", False),
        (BOM + b"\n\n", False),
    ],
)
def test_a_frame_is_foreign_if_it_has_lines_and_none_is_a_field(raw: bytes, is_foreign: bool) -> None:
    assert [frame.is_foreign for frame in frames_of(raw)][:1] == [is_foreign]


@pytest.mark.parametrize(
    ("raw", "after"),
    [
        (b'{"a":1}\ndata: x\n\n', b"data: x\n\n"),
        (b'data: x\r\n{"a":1}\r\nid: 1\r\n\r\n', b"data: x\r\nid: 1\r\n\r\n"),
        (b'data: x\r[1]\r{"b":2}\r\r', b"data: x\r\r"),
        (BOM + b'{"a":1}\ndata: x\n\n', BOM + b"data: x\n\n"),
        (b'data: x\n{"a":1}', b"data: x\n"),
        (b'data: {"a":1}\ndata: [1]\n\n', b'data: {"a":1}\ndata: [1]\n\n'),
        (b"data: x\nother: {}\ntext\n\n", b"data: x\nother: {}\ntext\n\n"),
        (b"data: x\n\n", b"data: x\n\n"),
    ],
)
def test_lines_of_bare_json_can_be_taken_out_of_a_frame(raw: bytes, after: bytes) -> None:
    (frame,) = frames_of(raw)
    assert frame.without_bare_json() == after


def test_a_comment_is_a_frame_without_data() -> None:
    (frame,) = frames_of(comment("keep-alive"))
    assert frame.raw == b": keep-alive\n\n"
    assert (frame.data, frame.is_foreign) == (None, False)
    assert read_events(b"data: a\n\n" + comment("keep-alive") + b"data: b\n\n") == [b"a", b"b"]


# Edits of the data.


def edited(raw: bytes, *edits: tuple[int, int, str]) -> bytes:
    return Frame(raw).with_data(Edit(*edit) for edit in edits)


@pytest.mark.parametrize(
    ("raw", "edits", "after"),
    [
        (b"data: abc\n\n", [(1, 2, "X")], b"data: aXc\n\n"),
        (b"data:abc\r\n\r\n", [(0, 3, "X")], b"data:X\r\n\r\n"),
        (b"data: abc\n\n", [(0, 0, "<"), (3, 3, ">")], b"data: <abc>\n\n"),
        (BOM + b"id: 7\rdata:abc\r: abc\r\r", [(1, 3, "")], BOM + b"id: 7\rdata:a\r: abc\r\r"),
        (b"data: abc\nevent: x\ndata: def\n\n", [(1, 2, "X"), (5, 6, "Y")], b"data: aXc\nevent: x\ndata: dYf\n\n"),
        (b"data: abc\ndata: def\n\n", [(3, 4, "")], b"data: abcdef\n\n"),
        (b"data: abc\r\ndata: def\r\n\r\n", [(2, 5, "-")], b"data: ab-ef\r\n\r\n"),
        (b"data: abc\ndata:\ndata: def\n\n", [(3, 5, "")], b"data: abcdef\n\n"),
        (b"data: abc", [(3, 3, "!")], b"data: abc!"),
        (b"data: a\n\n", [(1, 1, "\nb\nc")], b"data: a\ndata: b\ndata: c\n\n"),
    ],
)
def test_an_edit_leaves_all_but_its_span(raw: bytes, edits: list[tuple[int, int, str]], after: bytes) -> None:
    assert edited(raw, *edits) == after


def test_an_edit_beyond_the_data_is_refused() -> None:
    with pytest.raises(IndexError):
        edited(b"data: a\ndata: b\n\n", (4, 5, ""))


def test_no_edits_give_the_same_bytes() -> None:
    assert edited(b"event: x\r\ndata:abc\rdata: d\n\n") == b"event: x\r\ndata:abc\rdata: d\n\n"


@st.composite
def edited_frames(draw: st.DrawFn) -> tuple[bytes, bytes, bytes, list[Edit]]:
    """What comes before the data lines, these lines, what comes after them, and edits of their data.

    JSON never begins a line of data with a blank that matters, so no line does here: the one after `data:` is eaten.
    """
    end = draw(LINE_ENDS)
    others = st.lists(st.sampled_from([b": c", b"event: x", b"id: 1", b"other"]), max_size=2)
    head = b"".join(line + end for line in draw(others))
    tail = b"".join(line + end for line in draw(others)) + end
    texts = draw(st.lists(st.text("ab{}é", max_size=6).map(str.encode), min_size=1, max_size=4))
    lines = b"".join(draw(st.sampled_from([b"data:", b"data: "])) + text + end for text in texts)
    data = b"\n".join(texts)
    places = sorted(draw(st.lists(st.integers(0, len(data)), max_size=6)))
    news = st.text("xy\n", max_size=3)
    edits = [Edit(start, stop, draw(news)) for start, stop in zip(places[::2], places[1::2], strict=False)]
    return head, lines, tail, edits


@given(edited_frames())
def test_data_read_again_is_the_edited_data(case: tuple[bytes, bytes, bytes, list[Edit]]) -> None:
    head, lines, tail, edits = case
    frame = Frame(head + lines + tail)
    assert frame.data is not None
    after = frame.with_data(edits)
    assert after.startswith(head)
    assert after.endswith(tail)
    (again,) = frames_of(after)
    assert again.data == splice(frame.data, edits)


# Linear in time, bounded in memory.


def seconds(feed_all: Callable[[], object]) -> float:
    """CPU time of the quickest of a few runs, which is the one that nothing disturbed."""
    times = []
    gc.disable()  # its full collections come when they like, and look at all objects of the test run
    try:
        for _ in range(4):
            start = time.process_time()
            feed_all()
            times.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(times)


def slices(raw: bytes, size: int) -> list[bytes]:
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def one_huge_event(size: int) -> list[bytes]:
    return slices(b"data: " + b"x" * size + b"\n\n", 65536)


def one_huge_event_of_many_lines(size: int) -> list[bytes]:
    return slices(b"data: x\n" * (size // 64) + b"\n", 4096)


def many_events_in_one_chunk(size: int) -> list[bytes]:
    return [b"data: x\n\n" * (size // 40)]


def many_empty_lines_in_one_chunk(size: int) -> list[bytes]:
    return [b"\r\n" * (size // 40)]


def one_byte_per_chunk(size: int) -> list[bytes]:
    return slices(b"data: " + b"x" * (size // 32) + b"\n\n", 1)


def one_byte_per_chunk_with_many_lines(size: int) -> list[bytes]:
    return slices(b"data: x\r" * (size // 128) + b"\r", 1)


@pytest.mark.parametrize(
    "stream",
    [
        one_huge_event,
        one_huge_event_of_many_lines,
        many_events_in_one_chunk,
        many_empty_lines_in_one_chunk,
        one_byte_per_chunk,
        one_byte_per_chunk_with_many_lines,
    ],
)
@pytest.mark.no_cover
def test_four_times_the_bytes_take_about_four_times_as_long(stream: Callable[[int], list[bytes]]) -> None:
    small, large = stream(1 << 20), stream(1 << 22)
    # 16 if quadratic. One small run may be shorter than the clock's step, hence the sum.
    assert seconds(lambda: frames_of(*large)) < 8 * seconds(lambda: frames_of(*small)) + 0.01


@pytest.mark.no_cover
def test_the_splitter_does_not_keep_what_it_returned() -> None:
    splitter = FrameSplitter()
    event = b"data: " + b"x" * 1000 + b"\n\n"
    tracemalloc.start()
    try:
        for _ in range(2000):
            assert len(splitter.feed(event)) == 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(event)
