"""Chat-completions answers as providers write them, from a list of updates."""

from __future__ import annotations

import json
from typing import Any

from .upstream import Answer, Gate

Update = dict[str, Any]

SSE = ("content-type", "text/event-stream")
JSON = ("content-type", "application/json")
DONE = b"data: [DONE]\n\n"
USAGE = {"prompt_tokens": 11, "completion_tokens": 23, "total_tokens": 34}

THOUGHT = "Count the letters, one by one."
TEXT = "Three."


def dump(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def frame(document: Any) -> bytes:
    """One SSE event."""
    return b"data: " + dump(document) + b"\n\n"


def chunk(delta: Update, finish: str | None = None, **beside: Any) -> bytes:
    """The event of one update; `beside` stands beside the delta."""
    return envelope([{"index": 0, "delta": delta, **beside, "finish_reason": finish}])


def envelope(choices: list[Update], **more: Any) -> bytes:
    head = {"id": "cc-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m-think"}
    return frame({**head, "choices": choices, **more})


def token_logprobs(*tokens: str) -> Update:
    entries = [{"token": token, "logprob": -0.5, "bytes": list(token.encode()), "top_logprobs": []} for token in tokens]
    return {"content": entries, "refusal": None}


ROLE = chunk({"role": "assistant", "content": ""})
THINK_1 = chunk({"reasoning_content": "Count the letters, "})
THINK_2 = chunk({"reasoning_content": "one by one."})
SAY_1 = chunk({"content": "Three"})
SAY_2 = chunk({"content": "."})
FINISH = chunk({}, "stop")
USAGE_EVENT = envelope([], usage=USAGE)

EVENTS = [ROLE, THINK_1, THINK_2, SAY_1, SAY_2, FINISH, USAGE_EVENT, DONE]
STREAM = b"".join(EVENTS)
PLAIN_STREAM = b"".join([ROLE, b": a comment\r\n\r\n", SAY_1, b"id: 7\nretry: 100\n\n", SAY_2, FINISH, DONE])

BODY = dump(
    {
        "id": "cc-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "m-think",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": TEXT, "reasoning_content": THOUGHT},
                "finish_reason": "stop",
            }
        ],
        "usage": USAGE,
    }
)

QUESTION: Update = {"model": "m-think", "messages": [{"role": "user", "content": "How many r are in berry?"}]}
STREAM_QUESTION: Update = {**QUESTION, "stream": True}
STRIP = {"x-thinkwire": "strip"}


def stream_answer(*pieces: bytes | Gate) -> Answer:
    """The events of a stream, each as a chunk of its own."""
    return Answer(pieces or EVENTS, headers=[SSE])


def body_answer(body: bytes = BODY) -> Answer:
    return Answer([body], headers=[JSON], framing="length")
