"""Answers for tests: made, rewritten without a proxy, and read as a client reads them."""

import json
from collections.abc import Iterable
from typing import Any

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import OnError, Opaque, Rename, ResponsePlan, Strip, TokenMetadata
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint
from thinkwire.rewrite.tally import Tally

STRIP = ResponsePlan(Strip(), OnError.DROP)
STRIP_ALL = ResponsePlan(Strip(TokenMetadata.ALL), OnError.DROP)
STRIP_KEEP_OPAQUE = ResponsePlan(Strip(opaque=Opaque.KEEP), OnError.DROP)
TO_REASONING = ResponsePlan(Rename(("reasoning",)))
TO_REASONING_CONTENT = ResponsePlan(Rename(("reasoning_content",)))
TO_BOTH = ResponsePlan(Rename(("reasoning", "reasoning_content")))

CHAT_REQUEST = RequestFacts("provider.test", "/v1/chat/completions", "POST", (), None, "chat-completions")


def chunk(delta: dict[str, Any] | None = None, index: int = 0, **choice: Any) -> dict[str, Any]:
    """One chunk of a chat stream with one choice; `choice` are more members of the choice."""
    members = {"index": index, "delta": delta or {}, "finish_reason": None} | choice
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [members]}


def body(message: dict[str, Any], **choice: Any) -> dict[str, Any]:
    members = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"} | choice
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [members]}


def logprobs(*tokens: str) -> dict[str, Any]:
    return {"content": [{"token": token, "logprob": -0.5, "bytes": list(token.encode())} for token in tokens]}


def event(document: Any) -> bytes:
    text = document if isinstance(document, str) else json.dumps(document, ensure_ascii=False)
    return b"data: " + text.encode() + b"\n\n"


def stream(*documents: Any) -> bytes:
    return b"".join(map(event, documents)) + b"data: [DONE]\n\n"


def rewriter(
    plan: ResponsePlan, label: ContentHint = ContentHint.EVENTS, request: RequestFacts = CHAT_REQUEST
) -> StreamRewriter:
    return StreamRewriter(AnswerRewriter(plan, request), label, None, plan.keepalive, 0.0)


def rewrite_chunks(
    chunks: Iterable[bytes], plan: ResponsePlan, label: ContentHint = ContentHint.EVENTS
) -> tuple[bytes, Tally]:
    answer = AnswerRewriter(plan, CHAT_REQUEST)
    machine = StreamRewriter(answer, label, None, plan.keepalive, 0.0)
    pieces = [piece for one in chunks for piece in machine.feed(one, 0.0)] + machine.finish()
    assert b"" not in pieces  # mitmproxy would frame it as the end of the body
    return b"".join(pieces), answer.tally


def rewrite_stream(raw: bytes, plan: ResponsePlan, size: int | None = None) -> bytes:
    """The stream after rewriting; fed in pieces of `size` bytes, or at once."""
    step = size or max(1, len(raw))
    return rewrite_chunks((raw[at : at + step] for at in range(0, len(raw), step)), plan)[0]


def rewrite_documents(plan: ResponsePlan, *documents: Any) -> list[Any]:
    """The documents of a chat stream that the client gets, parsed, without the end mark."""
    return documents_of(rewrite_stream(stream(*documents), plan))


def rewrite_json(plan: ResponsePlan, document: Any) -> Any:
    raw = json.dumps(document, ensure_ascii=False).encode()
    return json.loads(rewrite_body(raw, AnswerRewriter(plan, CHAT_REQUEST)))


def documents_of(raw: bytes) -> list[Any]:
    """The parsed data of the events, the end mark left out; one data line for each event."""
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    texts = [line[5:].strip() for line in lines if line.startswith(b"data:")]
    return [json.loads(text) for text in texts if text != b"[DONE]"]


def accumulate(documents: Iterable[Any]) -> dict[int, dict[str, Any]]:
    """Per choice, what a client that adds deltas up (or takes a message) sees."""
    seen: dict[int, dict[str, Any]] = {}
    for document in documents:
        for choice in document.get("choices") or []:
            one = seen.setdefault(choice.get("index", 0), {})
            for name, value in (choice.get("delta") or choice.get("message") or {}).items():
                if isinstance(value, str) and name != "role":
                    one[name] = one.get(name, "") + value
                elif value:
                    one.setdefault(name, value)
            if choice.get("finish_reason"):
                one["finish_reason"] = choice["finish_reason"]
    return seen
