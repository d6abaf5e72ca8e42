"""Content codings: decoded at every split, and honest about what is missing or damaged."""

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise

import brotli
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.splits import run_at_every_split
from thinkwire.wire.codings import CodingError, Decoder, decoder_for

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b'data: {"reasoning": "\xc3\xa9"}\r\n\r\n' * 5 + bytes(range(256))


def raw_deflate(text: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(text) + compressor.flush()


def flushed_gzip(text: bytes) -> bytes:
    """As servers send streams: flushed after each event."""
    compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    pieces = [
        compressor.compress(text[at : at + 50]) + compressor.flush(zlib.Z_SYNC_FLUSH) for at in range(0, len(text), 50)
    ]
    return b"".join(pieces) + compressor.flush()


def gzip_of(text: bytes) -> bytes:
    return gzip.compress(text, mtime=0)


CODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip_of),
    "flushed gzip": ("gzip", flushed_gzip),
    "x-gzip": ("x-gzip", gzip_of),
    "deflate with its zlib frame": ("deflate", zlib.compress),
    "deflate with its zlib frame, best": ("deflate", lambda text: zlib.compress(text, 9)),
    "raw deflate": ("deflate", raw_deflate),
    "raw deflate, stored": ("deflate", lambda text: zlib.compress(text, 0)[2:-4]),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
    "gzip, br": ("gzip, br", lambda text: brotli.compress(gzip_of(text))),
    "deflate, gzip, zstd": ("deflate, gzip, zstd", lambda text: zstd.compress(gzip_of(raw_deflate(text)))),
    "gzip twice": ("gzip,gzip", lambda text: gzip_of(gzip_of(text))),
}
EACH_CODING = pytest.mark.parametrize("name", CODINGS)


class Body:
    """A decoder as a machine that is fed."""

    def __init__(self, header: str) -> None:
        decoder = decoder_for(header)
        assert decoder is not None
        self.decoder: Decoder = decoder

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        yield self.decoder.decode(chunk)

    def finish(self) -> Iterator[bytes]:
        yield b" complete" if self.decoder.is_complete else b" incomplete"


def decoded(header: str, raw: bytes) -> bytes:
    text: bytes = run_at_every_split(lambda: Body(header), raw, b"".join)
    return text


def decode_once(header: str, raw: bytes) -> tuple[bytes, bool]:
    body = Body(header)
    return body.decoder.decode(raw), body.decoder.is_complete


@EACH_CODING
def test_each_coding_is_undone_at_every_split(name: str) -> None:
    header, code = CODINGS[name]
    assert decoded(header, code(TEXT)) == TEXT + b" complete"


@EACH_CODING
def test_an_empty_text_is_undone_at_every_split(name: str) -> None:
    header, code = CODINGS[name]
    assert decoded(header, code(b"")) == b" complete"


@EACH_CODING
def test_a_body_without_a_byte_is_complete_and_empty(name: str) -> None:
    header, _ = CODINGS[name]
    assert decoded(header, b"") == b" complete"


@EACH_CODING
def test_a_truncated_body_is_incomplete_wherever_it_ends(name: str) -> None:
    header, code = CODINGS[name]
    raw = code(TEXT)
    for end in range(1, len(raw)):
        text, is_complete = decode_once(header, raw[:end])
        assert TEXT.startswith(text)
        assert not is_complete


@EACH_CODING
def test_what_is_decoded_is_returned_with_the_byte_that_completes_it(name: str) -> None:
    header, code = CODINGS[name]
    raw = code(TEXT)
    for end in range(len(raw) + 1):
        body = Body(header)
        by_byte = b"".join(body.decoder.decode(raw[at : at + 1]) for at in range(end))
        if end % 16 == 0 or end == len(raw):
            assert by_byte == decode_once(header, raw[:end])[0]


@EACH_CODING
@given(text=st.binary(max_size=300), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_any_text_is_undone(name: str, text: bytes, cuts: list[int]) -> None:
    header, code = CODINGS[name]
    raw = code(text)
    body = Body(header)
    places = [0, *sorted(cuts), len(raw)]
    pieces = [body.decoder.decode(raw[start:end]) for start, end in pairwise(places)]
    assert b"".join(pieces) == text
    assert body.decoder.is_complete


@EACH_CODING
@given(st.data())
def test_damaged_bytes_raise_coding_error_and_nothing_else(name: str, data: st.DataObject) -> None:
    header, code = CODINGS[name]
    raw = code(TEXT)
    start = data.draw(st.integers(0, len(raw) - 1))
    new = data.draw(st.binary(max_size=4))
    damaged = raw[:start] + new + raw[start + len(new) :]
    size = data.draw(st.integers(1, len(raw)))
    decoder = Body(header).decoder
    with suppress(CodingError):
        for at in range(0, len(damaged), size):
            decoder.decode(damaged[at : at + size])


@EACH_CODING
@given(raw=st.binary(max_size=40))
@example(raw=b"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff")
@example(raw=b"\x1f\x8b\x08\xff\xff\xff\xff\xff\xff\xff")
@example(raw=b"\x78\xbb\x00\x00\x00\x00")
@example(raw=b"\xff" * 20)
def test_arbitrary_bytes_raise_coding_error_and_nothing_else(name: str, raw: bytes) -> None:
    header, _ = CODINGS[name]
    body = Body(header)
    with suppress(CodingError):
        body.decoder.decode(raw)
    with suppress(CodingError):
        body.decoder.decode(raw)


@pytest.mark.parametrize("name", ["gzip", "deflate with its zlib frame", "raw deflate", "br", "zstd", "gzip, br"])
def test_a_body_of_other_bytes_is_damaged(name: str) -> None:
    header, _ = CODINGS[name]
    with pytest.raises(CodingError) as caught:
        Body(header).decoder.decode(b"\x8fthis is no compressed text, as anybody can see")
    assert str(caught.value)


@pytest.mark.parametrize("name", ["gzip", "deflate with its zlib frame", "zstd with a checksum"])
def test_a_wrong_checksum_is_damage(name: str) -> None:
    header, code = {
        **CODINGS,
        "zstd with a checksum": (
            "zstd",
            lambda text: zstd.compress(text, options={zstd.CompressionParameter.checksum_flag: 1}),
        ),
    }[name]
    raw = bytearray(code(TEXT))
    raw[-6 if header == "gzip" else -1] ^= 1
    with pytest.raises(CodingError):
        Body(header).decoder.decode(bytes(raw))


# gzip: members and padding.


def test_gzip_members_follow_each_other() -> None:
    raw = gzip_of(b"one") + gzip_of(b"") + gzip_of(b"two")
    assert decoded("gzip", raw) == b"onetwo complete"


def test_a_truncated_second_gzip_member_is_incomplete() -> None:
    assert decode_once("gzip", gzip_of(b"one") + gzip_of(b"two")[:-1]) == (b"onetwo", False)


@pytest.mark.parametrize("padding", [b"\0", b"\0" * 100, b"junk", b"\0\x1f\x8b", b"\n"])
@pytest.mark.parametrize("name", ["gzip", "deflate with its zlib frame", "raw deflate"])
def test_padding_after_the_end_is_ignored(name: str, padding: bytes) -> None:
    header, code = CODINGS[name]
    assert decoded(header, code(b"text") + padding) == b"text complete"


def test_a_second_gzip_member_that_is_damaged_is_damage() -> None:
    with pytest.raises(CodingError):
        decode_once("gzip", gzip_of(b"one") + b"\x1f\x8b\x00\x00")


# zstd: frames.


def test_zstd_frames_follow_each_other() -> None:
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    raw = zstd.compress(b"one") + skippable + zstd.compress(b"") + zstd.compress(b"two")
    assert decoded("zstd", raw) == b"onetwo complete"


def test_a_truncated_second_zstd_frame_is_incomplete() -> None:
    assert decode_once("zstd", zstd.compress(b"one") + zstd.compress(b"two")[:-1])[1] is False


# deflate: with and without its frame.


@pytest.mark.parametrize("level", range(10))
@pytest.mark.parametrize("text", [b"", b"a", b"a" * 1000, TEXT])
def test_the_first_byte_distinguishes_raw_deflate_from_a_zlib_frame(level: int, text: bytes) -> None:
    framed = zlib.compress(text, level)
    for raw in (framed, framed[2:-4]):
        body = Body("deflate")
        assert body.decoder.decode(raw[:1]) == b""
        assert body.decoder.decode(raw[1:]) == text
        assert body.decoder.is_complete


@pytest.mark.parametrize("window", range(9, 16))
def test_a_zlib_frame_may_name_a_smaller_window(window: int) -> None:
    compressor = zlib.compressobj(wbits=window)
    assert decoded("deflate", compressor.compress(TEXT) + compressor.flush()) == TEXT + b" complete"


# Headers.


@pytest.mark.parametrize("header", ["", " ", "identity", "Identity", ",", "identity, identity", " , identity ,"])
def test_identity_hands_the_bytes_on(header: str) -> None:
    decoder = decoder_for(header)
    assert decoder is not None
    assert decoder.is_identity
    assert decoder.decode(b"any\0\xff") == b"any\0\xff"
    assert decoder.is_complete


@pytest.mark.parametrize("header", ["gzip", "GZip", " gzip ", "identity, gzip", "gzip,", "gzip, identity", "X-GZIP"])
def test_names_mind_neither_case_nor_blanks(header: str) -> None:
    decoder = decoder_for(header)
    assert decoder is not None
    assert not decoder.is_identity
    assert decoder.decode(gzip_of(TEXT)) == TEXT


@pytest.mark.parametrize(
    "header", ["compress", "gzip, compress", "unknown, br", "gzip br", "gzip;q=1", "*", "aes128gcm"]
)
def test_an_unknown_coding_has_no_decoder(header: str) -> None:
    assert decoder_for(header) is None


def test_decoders_share_nothing() -> None:
    one, other = Body("gzip").decoder, Body("gzip").decoder
    raw = gzip_of(TEXT)
    begun = one.decode(raw[:20])
    assert other.decode(raw) == TEXT
    assert begun + one.decode(raw[20:]) == TEXT


def gzip_events(events: list[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    for event in events:
        yield compressor.compress(event) + compressor.flush(zlib.Z_SYNC_FLUSH)


def br_events(events: list[bytes]) -> Iterator[bytes]:
    compressor = brotli.Compressor()
    for event in events:
        yield compressor.process(event) + compressor.flush()


def zstd_events(events: list[bytes]) -> Iterator[bytes]:
    compressor = zstd.ZstdCompressor()
    for event in events:
        yield compressor.compress(event, zstd.ZstdCompressor.FLUSH_BLOCK)


@pytest.mark.parametrize(("header", "code"), [("gzip", gzip_events), ("br", br_events), ("zstd", zstd_events)])
def test_an_event_that_the_server_flushed_is_not_held_back(
    header: str, code: Callable[[list[bytes]], Iterator[bytes]]
) -> None:
    events = [f"data: {number}\n\n".encode() for number in range(20)]
    decoder = Body(header).decoder
    assert [decoder.decode(chunk) for chunk in code(events)] == events


def test_a_hundred_megabytes_out_of_a_few_bytes_are_undone() -> None:
    decoder = Body("gzip").decoder
    bomb = gzip_of(bytes(100_000_000))
    assert sum(len(decoder.decode(bomb[at : at + 4096])) for at in range(0, len(bomb), 4096)) == 100_000_000
    assert decoder.is_complete
