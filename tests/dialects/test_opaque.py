"""What passes for encrypted is only kept where nobody can read it."""

import base64
import hashlib
import zlib

import pytest

from thinkwire.dialects.opaque import is_readable

THOUGHT = "First I count the letters, then I answer."


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
    ],
)
def test_plain_and_packed_thoughts_are_readable(value: str) -> None:
    assert is_readable(value)


CIPHERTEXT = hashlib.sha512(b"").digest()


@pytest.mark.parametrize(
    "value", [f"gAAAAABo{packed(CIPHERTEXT)}", packed(CIPHERTEXT * 4), "EqQBCgIYAhIM", "x", "ZXlKLi4u", ""]
)
def test_signatures_and_ciphertexts_are_not(value: str) -> None:
    assert not is_readable(value)
