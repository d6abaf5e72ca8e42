"""Earlier turns of Anthropic Messages: signed blocks come back unchanged, in their places."""

from typing import Any

import pytest

from tests.rewrite.answers import STRIP
from tests.rewrite.history.session import (
    KEEP,
    MESSAGES_ASKED,
    MORE,
    REDACTED,
    SAID,
    SIZES,
    THINKING,
    USE,
    USER,
    Session,
    blocks,
    messages_next,
)
from thinkwire.rewrite.plan import History, ResponsePlan


@SIZES
@pytest.mark.parametrize("plan", [STRIP, KEEP])
@pytest.mark.parametrize(
    "content",
    [
        (THINKING, USE),
        (THINKING, REDACTED, SAID, USE),
        (REDACTED, SAID, THINKING, USE, THINKING | {"thinking": "again"}, MORE),
    ],
)
def test_signed_blocks_come_back_where_they_stood(
    content: tuple[dict[str, Any], ...], plan: ResponsePlan, size: int | None
) -> None:
    session = Session("anthropic-messages", plan)
    session.answered(MESSAGES_ASKED, blocks(*content), size)
    visible = [block for block in content if block not in (REDACTED,) and block["type"] != "thinking"]
    assert session.said(messages_next(*visible))["content"] == list(content)
    body = {"type": "message", "role": "assistant", "content": list(content), "stop_reason": "tool_use", "usage": {}}
    whole = Session("anthropic-messages", plan)
    whole.answered_whole(MESSAGES_ASKED, body)
    assert whole.said(messages_next(*visible))["content"] == list(content)


def test_blocks_stand_first_where_the_client_left_others_out() -> None:
    session = Session("anthropic-messages")
    session.answered(MESSAGES_ASKED, blocks(THINKING, SAID, USE))
    assert session.said(messages_next(USE))["content"] == [THINKING, USE]


def test_a_text_message_gets_its_blocks_back() -> None:
    session = Session("anthropic-messages")
    session.answered(MESSAGES_ASKED, blocks(THINKING, SAID))
    said = {"role": "assistant", "content": "Look:"}
    assert session.said({"messages": [USER, said]})["content"] == [THINKING, SAID]


def test_a_signed_block_comes_back_for_one_that_has_lost_its_signature() -> None:
    session = Session("anthropic-messages", KEEP)
    session.answered(MESSAGES_ASKED, blocks(THINKING, USE))
    bare = {"type": "thinking", "thinking": THINKING["thinking"]}
    unsigned = History(drops_unsigned=True)
    assert session.said(messages_next(bare, USE), unsigned)["content"] == [THINKING, USE]


def test_each_of_several_calls_finds_the_reasoning_of_all() -> None:
    session = Session("anthropic-messages", KEEP)
    session.answered(MESSAGES_ASKED, blocks(THINKING, USE, MORE))
    assert session.said(messages_next(USE))["content"] == [THINKING, USE]
    assert session.said(messages_next(MORE))["content"] == [THINKING, MORE]
    assert len(session.memory) == 1


def test_another_message_in_the_stream_is_heard_for_itself() -> None:
    session = Session("anthropic-messages", KEEP)
    second = THINKING | {"thinking": "another thought"}
    session.answered(MESSAGES_ASKED, blocks(THINKING, USE) + blocks(second, MORE))
    assert session.said(messages_next(MORE))["content"] == [second, MORE]
