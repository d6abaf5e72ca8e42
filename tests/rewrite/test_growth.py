"""The work grows as the answer does: four times the items take about four times as long."""

import gc
import time
from typing import Any

import pytest

from tests.dialects.api import Api, dump, events
from tests.rewrite.answers import STRIP
from thinkwire.dialects.apis.anthropic_messages import ANTHROPIC_MESSAGES
from thinkwire.dialects.apis.cohere import COHERE
from thinkwire.dialects.apis.gemini import GEMINI
from thinkwire.dialects.apis.openai_responses import OPENAI_RESPONSES
from thinkwire.dialects.core.dialect import Dialect
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

SAID, THOUGHT = {"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b"}
ITEM = {"type": "message", "content": [{"type": "output_text", "text": "a"}]}
CITED = [{"type": "TEXT_CONTENT", "content_index": 0}]


def message(count: int) -> Any:
    return {"type": "message", "usage": {}, "content": [SAID, THOUGHT] * count}


def response(count: int) -> Any:
    return {"object": "response", "output": [ITEM, {"type": "reasoning", "summary": []}] * count}


def candidates(count: int) -> Any:
    return {"candidates": [{"content": {"parts": [{"text": "a"}]}}] * 2 * count}


def cited(count: int) -> Any:
    return {
        "id": "x",
        "finish_reason": "C",
        "message": {"content": [THOUGHT, SAID] * count, "citations": CITED * count},
    }


def blocks(count: int) -> bytes:
    return events(
        *(
            {"type": f"content_block_{name}", "index": index, **more}
            for index in range(count)
            for name, more in (("start", {"content_block": (SAID, THOUGHT)[index % 2]}), ("stop", {}))
        )
    )


def took(dialect: Dialect, raw: bytes, *, is_stream: bool) -> float:
    """Seconds of this process, without those of the collector, which come when they please."""
    answer = AnswerRewriter(STRIP, Api(dialect, "/").request)
    gc.collect()
    gc.disable()
    try:
        begin = time.process_time()
        if is_stream:
            machine = StreamRewriter(answer, ContentHint.EVENTS, None, 10.0, 0.0)
            machine.feed(raw, 0.0)
            machine.finish()
        else:
            rewrite_body(raw, answer)
        return time.process_time() - begin
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("dialect", "make", "count"),
    [
        (ANTHROPIC_MESSAGES, message, 2000),
        (OPENAI_RESPONSES, response, 1000),
        (GEMINI, candidates, 1000),
        (COHERE, cited, 1000),
        (ANTHROPIC_MESSAGES, blocks, 500),
    ],
)
@pytest.mark.no_cover
def test_the_work_is_linear(dialect: Dialect, make: Any, count: int) -> None:
    few, many = (made if isinstance(made, bytes) else dump(made) for made in (make(count), make(4 * count)))
    least = [min(took(dialect, raw, is_stream=make is blocks) for _ in range(3)) for raw in (few, many)]
    assert least[1] < 10 * least[0]  # four times would be linear, sixteen times quadratic
