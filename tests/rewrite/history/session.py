"""One caller's requests and answers, with a memory between them; and the answers of each API that is asked."""

import json
from typing import Any

import pytest

from tests.rewrite.answers import STRIP, chunk, event, stream
from tests.rewrite.extract.test_extractor import framed, message
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.registry import CONVERSATIONS
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.history.mapper import Mapped, map_history
from thinkwire.rewrite.history.memory import Memory
from thinkwire.rewrite.history.recorder import ReasoningCapture
from thinkwire.rewrite.plan import History, Keep, RequestPlan, ResponsePlan, To
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

CALLER = b"c" * 16
KEEP = ResponsePlan(Keep())
CHAT = "chat-completions"
SIZES = pytest.mark.parametrize("size", [1, 7, None])


class Session:
    """One caller's requests and answers."""

    def __init__(self, dialect: str, plan: ResponsePlan = STRIP, host: str = "provider.test") -> None:
        self.memory = Memory(1_000_000, 60.0, lambda: 0.0)
        self.dialect = dialect
        self.plan = plan
        self.host = host

    def answered(self, request: dict[str, Any], raw: bytes, size: int | None = None) -> bytes:
        """What the client gets of an answer."""
        machine = StreamRewriter(self._answer(request), self._label, None, 10.0, 0.0)
        step = size or len(raw)
        pieces = [one for at in range(0, len(raw), step) for one in machine.feed(raw[at : at + step], 0.0)]
        return b"".join([*pieces, *machine.finish()])

    def answered_whole(self, request: dict[str, Any], body: dict[str, Any]) -> None:
        rewrite_body(json.dumps(body).encode(), self._answer(request))

    def asked(self, request: dict[str, Any], history: History | To = To.KEEP) -> Mapped:
        plan = RequestPlan(history=history if isinstance(history, History) else History(history), restore=True)
        raw = json.dumps(request, ensure_ascii=False).encode()
        extract = self.plan.extract
        family = extract.family if extract is not None else None
        return map_history(raw, plan, self._facts(request), family, lambda turn: self.memory.recall(CALLER, turn))

    def said(self, request: dict[str, Any], history: History | To = To.KEEP) -> dict[str, Any]:
        """The assistant's message in the request that goes up."""
        messages = json.loads(self.asked(request, history).raw)["messages"]
        return next(dict(one) for one in messages if one["role"] == "assistant")

    @property
    def _label(self) -> ContentHint:
        return ContentHint.LINES if self.dialect == "ollama" else ContentHint.EVENTS

    def _facts(self, request: dict[str, Any]) -> RequestFacts:
        return RequestFacts(self.host, "/", "POST", (), request, self.dialect, request.get("model"))

    def _answer(self, request: dict[str, Any]) -> AnswerRewriter:
        conversation = CONVERSATIONS[self.dialect]
        user = conversation.last_user(request)
        hearing = ReasoningCapture(self.memory, CALLER, conversation, user, self.plan.extract)
        return AnswerRewriter(self.plan, self._facts(request), capture=hearing)


USER = {"role": "user", "content": "q"}
ASKED = {"model": "deepseek-v4", "messages": [USER]}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "x"}
NEXT = {"model": "deepseek-v4", "messages": [USER, CALLED, RESULT]}
WORDS = ["Hm,", " é", " \ud83d", "\ude00", ' "so"'] + [f" {number}" for number in range(20)]
THOUGHT = "".join(WORDS).encode("utf-16", "surrogatepass").decode("utf-16")


def calling(name: str = "reasoning_content") -> bytes:
    head = CALL | {"index": 0, "function": {"name": "f", "arguments": ""}}
    pieces = ['{"a"', ": 1", "}"]
    return stream(
        chunk({"role": "assistant", "content": ""}),
        *(json.dumps(chunk({name: word})) for word in WORDS),
        chunk({"tool_calls": [head]}),
        *(chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in pieces),
        chunk(finish_reason="tool_calls"),
    )


THINKING = {"type": "thinking", "thinking": "é Hm so", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "b3BhcXVl"}
SAID = {"type": "text", "text": "Look:"}
USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}
MORE = {"type": "tool_use", "id": "t2", "name": "f", "input": {}}
MESSAGES_ASKED = {"model": "claude", "messages": [USER]}


def blocks(*content: dict[str, Any]) -> bytes:
    documents = message()[:1]
    for index, block in enumerate(content):
        begun, deltas = dict(block), []
        if block["type"] == "thinking":
            begun |= {"thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": char} for char in block["thinking"]]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif block["type"] == "text":
            begun["text"] = ""
            deltas = [{"type": "text_delta", "text": char} for char in block["text"]]
        elif block["type"] == "tool_use":
            begun["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        documents.append({"type": "content_block_start", "index": index, "content_block": begun})
        documents += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        documents.append({"type": "content_block_stop", "index": index})
    return framed([*documents, *message()[-2:]])


def messages_next(*content: dict[str, Any]) -> dict[str, Any]:
    said = {"role": "assistant", "content": list(content)}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}]}
    return {"model": "claude", "messages": [USER, said, result]}


CALL_PART = {"functionCall": {"name": "f", "args": {}, "id": "g1"}}


def gemini_answer(*parts: dict[str, Any]) -> bytes:
    contents = ({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} for part in parts)
    return b"".join(map(event, contents)) + event({"candidates": [{"index": 0, "finishReason": "STOP"}]})


REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "xyz"}
FUNCTION = {"id": "fc_1", "type": "function_call", "call_id": "k1", "name": "f", "arguments": "{}"}
ANSWER = {"id": "m1", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}


def response(*items: dict[str, Any]) -> bytes:
    frame = {"id": "r", "object": "response", "status": "in_progress"}
    documents: list[dict[str, Any]] = [{"type": "response.created", "response": frame}]
    for index, item in enumerate(items):
        for event_ in ("added", "done"):
            documents.append({"type": f"response.output_item.{event_}", "output_index": index, "item": item})
    done = frame | {"status": "completed", "output": list(items)}
    return framed([*documents, {"type": "response.completed", "response": done}])
