"""Messages of the AWS event stream: cut at every split, opened, changed with valid checksums, and damaged."""

import base64
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.splits import run_at_every_split
from tests.wire.aws_messages import chunk, event, exception, message, read_all, text_header
from thinkwire.rewrite.stream.documents import Framed
from thinkwire.wire.aws_event_stream import DamagedMessage, Message, MessageSplitter
from thinkwire.wire.json_tree import Unreadable
from thinkwire.wire.splice import Edit

HELLO = event("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Hi"}})
EXCEPTION = exception("throttlingException", "slow down")


def cut(raw: bytes) -> list[bytes]:
    """The raw messages; bytes after a damaged length, which are passed on as they arrive, count as one."""

    def join(messages: list[Message]) -> list[bytes]:
        whole = [one.raw for one in messages if not one.is_rest]
        rest = b"".join(one.raw for one in messages if one.is_rest)
        return [*whole, rest] if rest else whole

    found = run_at_every_split(MessageSplitter, raw, join)
    assert isinstance(found, list)
    return found


def test_messages_are_found_at_every_split() -> None:
    messages = [HELLO, EXCEPTION, message(b"", b""), chunk({"a": 1})]
    assert cut(b"".join(messages)) == messages


def test_a_message_is_returned_as_soon_as_its_last_byte_arrives() -> None:
    splitter = MessageSplitter()
    assert splitter.feed(HELLO[:-1]) == []
    assert [one.raw for one in splitter.feed(HELLO[-1:] + HELLO[:5])] == [HELLO]


def test_an_unfinished_message_is_left_as_it_is() -> None:
    for length in range(1, len(HELLO)):
        assert cut(EXCEPTION + HELLO[:length]) == [EXCEPTION, HELLO[:length]]


@pytest.mark.parametrize("at", range(12))
def test_after_a_damaged_length_all_the_rest_is_one(at: int) -> None:
    damaged = HELLO[:at] + bytes([HELLO[at] ^ 1]) + HELLO[at + 1 :]
    assert cut(EXCEPTION + damaged + HELLO) == [EXCEPTION, damaged + HELLO]


def test_an_invalid_length_is_damage() -> None:
    short = message(b"", b"")
    for length in (0, 15):
        prelude = struct.pack(">II", length, 0)
        raw = prelude + struct.pack(">I", zlib.crc32(prelude)) + short[12:]
        assert cut(raw) == [raw]


@given(st.lists(st.binary(max_size=30), max_size=3), st.binary(max_size=20))
def test_all_bytes_come_out(payloads: list[bytes], rest: bytes) -> None:
    raw = b"".join(message(payload, b"") for payload in payloads) + rest
    splitter = MessageSplitter()
    assert b"".join(one.raw for one in [*splitter.feed(raw), *splitter.finish()]) == raw


# --- what a message holds -----------------------------------------------------------------------------------------


def test_the_document_is_the_payload_of_an_event() -> None:
    assert Message(HELLO).data == b'{"contentBlockIndex":1,"delta":{"text":"Hi"}}'


def test_exceptions_and_messages_without_a_payload_hold_no_document() -> None:
    assert Message(EXCEPTION).data is None
    assert Message(message(b"", text_header(":event-type", "contentBlockStop"))).data is None


def test_a_chunk_holds_its_document_in_base64() -> None:
    assert Message(chunk({"type": "ping"})).data == b'{"type":"ping"}'


def test_a_chunk_that_wraps_nothing_is_read_as_it_is() -> None:
    assert Message(event("chunk", {"a": 1})).data == b'{"a":1}'


def test_headers_of_all_types_are_stepped_over() -> None:
    values = [b"\x00", b"\x01", b"\x02a", b"\x03ab", b"\x04abcd", b"\x05abcdefgh", b"\x06\x00\x02ab", b"\x07\x00\x01a"]
    values += [b"\x08abcdefgh", b"\x09abcdefghijklmnop"]
    headers = b"".join(b"\x01x" + value for value in values) + text_header(":message-type", "exception")
    assert Message(message(b"{}", headers)).data is None


@pytest.mark.parametrize("headers", [b"\x05ab", b"\x01x", b"\x01x\x07\x00", b"\x01x\x07\x00\x09a", b"\x01x\x63abc"])
def test_headers_that_cannot_be_read_are_damage(headers: bytes) -> None:
    with pytest.raises(DamagedMessage, match="headers of a message cannot be read"):
        _ = Message(message(b"{}", headers)).data


@pytest.mark.parametrize("at", range(12, len(HELLO)))
def test_each_flipped_bit_is_damage(at: int) -> None:
    with pytest.raises(DamagedMessage, match="does not match its checksum"):
        _ = Message(HELLO[:at] + bytes([HELLO[at] ^ 4]) + HELLO[at + 1 :]).data


def test_headers_longer_than_the_message_are_damage() -> None:
    raw = bytearray(message(b"{}", b""))
    raw[4:8] = struct.pack(">I", 3)
    raw[8:12] = struct.pack(">I", zlib.crc32(raw[:8]))
    raw[-4:] = struct.pack(">I", zlib.crc32(raw[:-4]))
    with pytest.raises(DamagedMessage, match="shorter than its headers"):
        _ = Message(bytes(raw)).data


@pytest.mark.parametrize("value", ['"a"', '"YQ==?"', "1", "null", '["YQ=="]'])
def test_a_chunk_that_is_not_base64_is_damage(value: str) -> None:
    with pytest.raises(DamagedMessage, match="not base64"):
        _ = Message(event("chunk", b'{"bytes":' + value.encode() + b"}")).data


def test_a_chunk_that_is_not_json_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        _ = Message(event("chunk", b'{"bytes":')).data


# --- changes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("new", ["", "x", "y" * 300])
def test_a_changed_message_has_lengths_and_checksums_that_fit(new: str) -> None:
    document = {"contentBlockIndex": 1, "delta": {"text": new}}
    at = len('{"contentBlockIndex":1,"delta":{"text":"')
    assert Message(HELLO).with_data([Edit(at, at + 2, new)]) == event("contentBlockDelta", document)


def test_in_a_chunk_only_the_document_changes() -> None:
    def payload(inner: bytes) -> bytes:
        return b'{ "x" : 1.0, "bytes" : "' + base64.b64encode(inner) + b'" , "p":"abc"}'

    before = Message(event("chunk", payload(b'{"a": 1, "b": 2}')))
    assert before.with_data([Edit(6, 7, "77")]) == event("chunk", payload(b'{"a": 77, "b": 2}'))


def test_no_piece_of_a_message_can_be_reused_for_another() -> None:
    framed: Framed = Message(HELLO)
    assert framed.raw_at(3) is None
    assert framed.from_raw(EXCEPTION).raw == EXCEPTION


def test_botocore_reads_what_these_tests_write() -> None:
    document = {"contentBlockIndex": 1, "delta": {"text": "Hi"}}
    assert read_all(HELLO + EXCEPTION) == [
        ("contentBlockDelta", document),
        ("throttlingException", {"message": "slow down"}),
    ]
