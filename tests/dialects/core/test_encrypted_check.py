"""A value that claims to be encrypted is only kept if nobody can read it."""

import base64
import gzip
import hashlib
import time
import zlib

import pytest

from thinkwire.dialects.core.encrypted_check import is_readable

TEXT = "First I count the letters, then I answer."
RAW = TEXT.encode()


def packed(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


READABLE = {
    "plain, as Ollama has it": TEXT,
    "one character": "嗯",
    "base64": packed(RAW),
    "base64 without padding": packed(RAW).rstrip("="),
    "base64 with + and /": base64.b64encode((TEXT + "??>>").encode()).decode(),
    "zlib with a prefix": "sglang:v1:" + packed(zlib.compress(RAW)),
    "short zlib": packed(zlib.compress(b"hm")),
    "white space": packed(b"First\n\tI count.\r\n"),
    "Chinese": packed("嗯,我先数字母".encode()),
    "one Chinese character": packed("嗯".encode()),
    "JSON": packed(b'{"thinking":"Secret"}'),
    "one word": packed(b"Secret"),
    "one word in capitals": packed(b"SECRET"),
    "base64 twice": packed(packed(RAW).encode()),
    "zlib, base64 twice": packed(packed(zlib.compress(RAW)).encode()),
    "hex in base64": packed(RAW.hex().encode()),
    "hex": RAW.hex(),
    "hex in capitals with a prefix": "v1:" + RAW.hex().upper(),
    "gzip": packed(gzip.compress(RAW, mtime=0)),
    "bare deflate": packed(zlib.compress(RAW, wbits=-zlib.MAX_WBITS)),
    "long zlib": packed(zlib.compress(RAW * 100_000)),
    "long bare deflate": packed(zlib.compress("嗯".encode() * 100_000)[2:-4]),
    "base64 after many colons": "a:" * 20 + packed(RAW),
}


@pytest.mark.parametrize("value", READABLE.values(), ids=READABLE)
def test_plain_and_packed_reasoning_is_readable(value: str) -> None:
    assert is_readable(value)


CIPHERTEXT = hashlib.sha512(b"").digest()


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(f"gAAAAABo{packed(CIPHERTEXT)}", id="Fernet"),
        pytest.param(packed(CIPHERTEXT * 4), id="base64"),
        pytest.param(packed(packed(CIPHERTEXT).encode()), id="base64 twice, as Gemini has it"),
        pytest.param(CIPHERTEXT.hex(), id="hex"),
        pytest.param("v1:" + packed(CIPHERTEXT), id="base64 with a prefix"),
        "EqQBCgIYAhIM",
        "RXRrRUNrZ0k=",
        "x",
        "",
    ],
)
def test_signatures_and_ciphertexts_are_not(value: str) -> None:
    assert not is_readable(value)


@pytest.mark.parametrize(
    "value",
    ["a:" * 500_000, "." * 1_000_000, packed(zlib.compress(bytes(50_000_000)))],
    ids=["colons", "dots", "a bomb"],
)
@pytest.mark.no_cover
def test_no_value_takes_long(value: str) -> None:
    begin = time.process_time()
    is_readable(value)
    assert time.process_time() - begin < 1
