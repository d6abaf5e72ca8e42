"""Answers in lines of JSON, as Ollama streams them: each line leaves as soon as it is complete."""

from __future__ import annotations

import pytest

from .bodies import QUESTION, STRIP, dump
from .client import ask, conversation
from .mitmdump import Mitmdump
from .upstream import Answer, Gate, Upstream

NDJSON = ("content-type", "application/x-ndjson")
PATH = "/api/chat"


def line(content: str = "", *, done: bool = False, **message: str) -> bytes:
    said = {"role": "assistant", "content": content, **message}
    return dump({"model": "m-think", "created_at": "2026-08-05T08:11:04Z", "message": said, "done": done}) + b"\n"


THINK_1, THINK_2, SAY_1, SAY_2, END = (
    line(thinking="Count the letters, "),
    line(thinking="one by one."),
    line("Three"),
    line("."),
    line(done=True),
)
ROLE = line()
"""What is left of the first hidden line: it brings the role."""


@pytest.mark.parametrize("headers", [{}, STRIP], ids=["rename", "strip"])
def test_a_line_is_not_held_back_while_the_next_one_is(
    proxy: Mitmdump, upstream: Upstream, headers: dict[str, str]
) -> None:
    gate = Gate()
    upstream.answer(Answer([SAY_1, gate, SAY_2, END], headers=[NDJSON]))
    with conversation(proxy.port, QUESTION, path=PATH, headers=headers) as talk:
        talk.read_until(SAY_1)
        gate.open()
        reply = talk.read_reply()
    assert (reply.raw_body, reply.ending) == (SAY_1 + SAY_2 + END, "clean")
    assert reply.header("content-type") == "application/x-ndjson"


def test_a_visible_line_after_a_hidden_thought_is_not_held_back(proxy: Mitmdump, upstream: Upstream) -> None:
    gate = Gate()
    upstream.answer(Answer([THINK_1 + THINK_2[:20], THINK_2[20:] + SAY_1, gate, SAY_2, END], headers=[NDJSON]))
    with conversation(proxy.port, QUESTION, path=PATH, headers=STRIP) as talk:
        talk.read_until(SAY_1)
        gate.open()
        assert talk.read_reply().raw_body == ROLE + SAY_1 + SAY_2 + END


def test_an_error_line_passes(proxy: Mitmdump, upstream: Upstream) -> None:
    error = dump({"error": "the runner went away"}) + b"\n"
    upstream.answer(Answer([THINK_1, error], headers=[NDJSON]))
    reply = ask(proxy.port, QUESTION, path=PATH, headers=STRIP)
    assert (reply.raw_body, reply.ending) == (ROLE + error, "clean")


def test_lines_that_break_off_are_broken_to_the_client(proxy: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([THINK_1, SAY_1], headers=[NDJSON], ending="cut"))
    reply = ask(proxy.port, QUESTION, path=PATH, headers=STRIP)
    assert (reply.raw_body, reply.ending) == (ROLE + SAY_1, "broken")
