"""What passes for encrypted is only kept where nobody can read it."""

import base64
import gzip
import hashlib
import time
import zlib

import pytest

from thinkwire.dialects.core.encrypted_check import is_readable

THOUGHT = "First I count the letters, then I answer."


BARE = zlib.compressobj(wbits=-zlib.MAX_WBITS)


def packed(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


@pytest.mark.parametrize(
    "value",
    [
        THOUGHT,  # Ollama
        "嗯",
        packed(THOUGHT.encode()),
        packed(THOUGHT.encode()).rstrip("="),
        base64.b64encode((THOUGHT + "??>>").encode()).decode(),
        "sglang:v1:" + packed(zlib.compress(THOUGHT.encode())),
        packed(zlib.compress(b"hm")),
        packed(b"First\n\tI count.\r\n"),
        packed("嗯,我先数字母".encode()),
        packed("嗯".encode()),
        packed(b'{"thinking":"Secret"}'),
        packed(b"Secret"),
        packed(b"SECRET"),
        packed(packed(THOUGHT.encode()).encode()),
        packed(packed(zlib.compress(THOUGHT.encode())).encode()),
        packed(THOUGHT.encode().hex().encode()),
        THOUGHT.encode().hex(),
        "v1:" + THOUGHT.encode().hex().upper(),
        packed(gzip.compress(THOUGHT.encode())),
        packed(BARE.compress(THOUGHT.encode()) + BARE.flush()),
        packed(zlib.compress(THOUGHT.encode() * 100_000)),
        packed(zlib.compress("嗯".encode() * 100_000)[2:-4]),
        "a:" * 20 + packed(THOUGHT.encode()),
    ],
)
def test_plain_and_packed_thoughts_are_readable(value: str) -> None:
    assert is_readable(value)


CIPHERTEXT = hashlib.sha512(b"").digest()


@pytest.mark.parametrize(
    "value",
    [
        f"gAAAAABo{packed(CIPHERTEXT)}",
        packed(CIPHERTEXT * 4),
        packed(packed(CIPHERTEXT).encode()),  # Gemini
        CIPHERTEXT.hex(),
        "v1:" + packed(CIPHERTEXT),
        "EqQBCgIYAhIM",
        "RXRrRUNrZ0k=",
        "x",
        "",
    ],
)
def test_signatures_and_ciphertexts_are_not(value: str) -> None:
    assert not is_readable(value)


@pytest.mark.parametrize("value", ["a:" * 500_000, "." * 1_000_000, packed(zlib.compress(bytes(50_000_000)))])
def test_no_value_takes_long(value: str) -> None:
    begin = time.process_time()
    is_readable(value)
    assert time.process_time() - begin < 1
