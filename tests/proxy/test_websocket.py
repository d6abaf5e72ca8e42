"""What a changed message must look like for mitmproxy to cut it into frames."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkwire.proxy.websocket import without_torn_characters


def frames(document: bytes, size: int) -> str:
    """As mitmproxy does it: each frame is decoded by itself."""
    return "".join(document[at : at + size].decode("utf-8", "replace") for at in range(0, len(document), size))


@given(text=st.text(st.sampled_from("aé…🙂")), size=st.integers(12, 20))
def test_every_frame_can_be_decoded_by_itself(text: str, size: int) -> None:
    document = json.dumps({"text": text}, ensure_ascii=False).encode()
    sent = without_torn_characters(document, size)
    assert frames(sent, size).encode() == sent
    assert json.loads(sent) == {"text": text}


@pytest.mark.parametrize(
    ("document", "sent"),
    [
        ('["abcé"]', '["abcé"]'),
        ('["abé"]', '["ab\\u00e9"]'),
        ('["a🙂"]', '["a\\ud83d\\ude42"]'),
    ],
)
def test_only_a_character_on_a_border_is_escaped(document: str, sent: str) -> None:
    assert without_torn_characters(document.encode(), 5) == sent.encode()
