"""Lines of JSON: bytes in, raw lines out, at every split."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkwire.wire.ndjson import Line, LineSplitter
from thinkwire.wire.splice import Edit

STREAMS = st.lists(st.sampled_from([b'{"a":1}', b"\n", b"\r\n", b" ", b"\r", b"\xef\xbb\xbf", b"x"])).map(b"".join)


def lines_of(raw: bytes, size: int) -> list[Line]:
    splitter = LineSplitter()
    found = [one for at in range(0, len(raw), size) for one in splitter.feed(raw[at : at + size])]
    return found + splitter.finish()


@given(STREAMS, st.sampled_from([1, 2, 3, 1000]))
def test_lines_are_the_same_wherever_the_bytes_are_cut(raw: bytes, size: int) -> None:
    pieces = raw.split(b"\n")
    expected = [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
    assert [line.raw for line in lines_of(raw, size)] == expected


def test_a_line_is_returned_as_soon_as_its_end_arrives() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b'{"a":1}') == []
    (line,) = splitter.feed(b'\n{"b"')
    assert line.raw == b'{"a":1}\n'
    assert [rest.raw for rest in splitter.finish()] == [b'{"b"']
    assert splitter.finish() == []


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        (b'{"a":1}\r\n', b'{"a":1}\r\n'),
        (b'\xef\xbb\xbf{"a":1}\n', b'{"a":1}\n'),
        (b'\x1e{"a":1}\n', b'{"a":1}\n'),
        (b', {"a":1}\n', b'{"a":1}\n'),
        (b'data: {"a":1}\n', b'{"a":1}\n'),
        (b"\n", None),
        (b" \t\r\n", None),
        (b"data: \n", None),
    ],
    ids=repr,
)
def test_the_document_of_a_line_comes_after_what_may_precede_it(raw: bytes, data: bytes | None) -> None:
    assert Line(raw).data == data


def test_edits_change_only_the_document() -> None:
    line = Line(b'data: {"a":1}\r\n')
    assert line.with_data([Edit(5, 6, "2")]) == b'data: {"a":2}\r\n'
    assert line.raw[line.raw_at(5) :] == b"1}\r\n"


def test_another_document_is_a_line_of_its_own() -> None:
    assert json.loads(Line(b'{"a":1}\r\n').like('{"b":2}', "")) == {"b": 2}
    assert Line.separator.join([b"1\n", b"2\n"]) == b"1\n2\n"


@pytest.mark.parametrize(("raw", "is_indented"), [(b" {}", True), (b"\t{}", True), (b"{}", False), (b"", False)])
def test_indentation_is_white_space_at_the_start(raw: bytes, is_indented: bool) -> None:
    assert Line(raw).is_indented == is_indented
