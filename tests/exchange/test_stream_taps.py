"""What the callables of streamed bodies return, and what they report."""

from collections.abc import Iterator

from thinkwire.exchange.stream_taps import pass_on, report_input, report_output, split


def test_pieces_are_of_at_most_so_many_bytes_and_never_empty() -> None:
    tap = split(lambda chunk: [chunk, b"\xc3\xa9"] if chunk else b"", 1)
    assert list(tap(b"ab")) == [b"a", b"b", b"\xc3", b"\xa9"]
    assert list(tap(b"")) == []
    assert list(split(pass_on, 3)(b"abcdefg")) == [b"abc", b"def", b"g"]


def test_a_piece_is_reported_when_it_leaves_and_not_before_a_stall() -> None:
    told: list[object] = []

    def stalling(_chunk: bytes) -> Iterator[bytes]:
        yield b"a"
        told.append("stall")
        yield b"b"

    for piece in report_input(report_output(stalling, told.append), told.append)(b"ab"):
        told.append(("sent", piece))
    assert told == [b"ab", b"a", ("sent", b"a"), "stall", b"b", ("sent", b"b")]
