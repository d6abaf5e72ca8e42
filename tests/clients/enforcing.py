"""Providers that want their reasoning back: each plays a tool loop, and returns 400 if a request breaks its rule.

The rules and the words of the errors are those of docs/apis.md, "Errors about earlier reasoning". Which turn is asked
for follows from the tool results in the request, so that one provider serves any number of callers, in any order.
"""

from __future__ import annotations

import base64
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tests.dialects.apis.test_anthropic_messages import delta, raw_of, redacted, start, stop, text, thinking
from tests.e2e.bodies import DONE, JSON, SSE, USAGE, chunk, dump, envelope, frame
from tests.e2e.upstream import Answer, Request

Document = dict[str, Any]

SECRET: Final = "Secret"
"""Begins each thought."""
CIPHER: Final = "Cipher"
"""Begins each signature and each encrypted form, but Gemini's."""
TOOL: Final = "look"
FINAL: Final = "All done."


CLOSES = ("connection", "close")
"""The upstream closes each connection; unless it says so, the next request may go to one that is closing."""


@dataclass(frozen=True)
class Step:
    """A turn of the loop that the provider is going to take."""

    calls: int = 1
    says: bool = False
    thinks: bool = True


LOOP: Final = tuple(Step(says=number % 3 == 2) for number in range(12))


@dataclass(frozen=True)
class Saying:
    """What is said in one turn."""

    number: int
    thought: str
    text: str
    places: tuple[str, ...]
    """What its calls ask for; no two of a conversation ask for the same."""

    @property
    def calls(self) -> list[tuple[str, str]]:
        """The ids of the calls, and their arguments."""
        return [(f"call_{place}", dump({"place": place}).decode()) for place in self.places]


class Refused(Exception):
    """The request breaks the provider's rule."""


class Provider(ABC):
    """Answers with the next turn of its script, for each caller with thoughts of its own."""

    credential: ClassVar[str] = "authorization"
    missing: ClassVar[str]
    """What a caller is told who has lost a thought."""
    changed: ClassVar[str]
    """What a caller is told who sends another thought than it got."""

    def __init__(self, *script: Step) -> None:
        self.script: Sequence[Step] = script or LOOP
        self.filled: set[str] = set()
        """The calls for whose thoughts something else came that the provider takes."""

    def respond(self, request: Request) -> Answer:
        caller = (request.header(self.credential) or "").removeprefix("Bearer ")
        body = json.loads(request.body)
        try:
            self.check(caller, body)
        except Refused as refused:
            return Answer([dump(self.error(str(refused)))], status=400, headers=[JSON, CLOSES], framing="length")
        answered = {f"call_{place}" for place in self.answered(body)}
        steps = (step for step in range(len(self.script)) if not answered.issuperset(self._ids(step)))
        saying = self.saying(caller, next(steps, len(self.script)))
        if self.wants_stream(request, body):
            return Answer(self.stream(caller, saying), headers=[SSE, CLOSES])
        return Answer([dump(self.body(caller, saying))], headers=[JSON, CLOSES], framing="length")

    def saying(self, caller: str, number: int) -> Saying:
        if number == len(self.script):
            return Saying(number, _thought(caller, number), FINAL, ())
        step = self.script[number]
        thought = _thought(caller, number) if step.thinks else ""
        places = tuple(f"{number}-{call}" for call in range(step.calls))
        return Saying(number, thought, f"Turn {number}." if step.says else "", places)

    def _ids(self, number: int) -> list[str]:
        return [identity for identity, _ in self.saying("", number).calls]

    def said_for(self, caller: str, identity: str) -> Saying:
        """The turn that made a call."""
        return self.saying(caller, int(identity.removeprefix("call_").partition("-")[0]))

    def wants_stream(self, request: Request, body: Document) -> bool:
        return body.get("stream") is True

    @abstractmethod
    def check(self, caller: str, body: Document) -> None:
        """Raises Refused."""

    @abstractmethod
    def answered(self, body: Document) -> Iterable[str]:
        """The places of the calls whose results are in the request."""

    @abstractmethod
    def error(self, message: str) -> Document: ...

    @abstractmethod
    def stream(self, caller: str, saying: Saying) -> list[bytes]: ...

    @abstractmethod
    def body(self, caller: str, saying: Saying) -> Document: ...


def _thought(caller: str, number: int) -> str:
    return f'{SECRET} {number} of {caller}:\n"so" \\ é 😀 </think> end'


def _pieces(text: str) -> list[str]:
    return [text[at : at + 9] for at in range(0, len(text), 9)]


# --- chat completions ---------------------------------------------------------------------------------------------


class ChatProvider(Provider):
    """Thoughts are `reasoning_content`."""

    changed = "`reasoning_content` differs from what was sent"

    def check(self, caller: str, body: Document) -> None:
        for index, message in enumerate(body["messages"]):
            if message["role"] == "assistant":
                self.check_message(caller, index, message)

    @abstractmethod
    def check_message(self, caller: str, index: int, message: Document) -> None: ...

    def check_thought(self, caller: str, message: Document, filler: str) -> None:
        """A thought that comes back is the one that was sent for just these calls."""
        for call in message["tool_calls"]:
            sent = self.said_for(caller, call["id"]).thought
            if message["reasoning_content"] == filler:
                self.filled.add(call["id"])
            elif message["reasoning_content"] != sent:
                raise Refused(self.changed)

    def answered(self, body: Document) -> Iterable[str]:
        return [
            message["tool_call_id"].removeprefix("call_") for message in body["messages"] if message["role"] == "tool"
        ]

    def error(self, message: str) -> Document:
        error = {"message": message, "type": "invalid_request_error", "param": None, "code": "invalid_request_error"}
        return {"error": error}

    def stream(self, caller: str, saying: Saying) -> list[bytes]:
        head = {"role": "assistant", "content": None, "reasoning_content": ""}
        thoughts = [chunk({"content": None, "reasoning_content": piece}) for piece in _pieces(saying.thought)]
        texts = [chunk({"content": piece, "reasoning_content": None}) for piece in _pieces(saying.text)]
        calls = []
        for index, (identity, arguments) in enumerate(saying.calls):
            begun = {"id": identity, "type": "function", "function": {"name": TOOL, "arguments": ""}}
            deltas = [{"index": index, **begun}]
            deltas += [{"index": index, "function": {"arguments": piece}} for piece in _pieces(arguments)]
            calls += [chunk({"tool_calls": [one]}) for one in deltas]
        finish = chunk({"content": ""}, "tool_calls" if calls else "stop")
        return [chunk(head), *thoughts, *texts, *calls, finish, envelope([], usage=USAGE), DONE]

    def body(self, caller: str, saying: Saying) -> Document:
        calls = [
            {"id": identity, "type": "function", "function": {"name": TOOL, "arguments": arguments}}
            for identity, arguments in saying.calls
        ]
        message = {"role": "assistant", "content": saying.text, "reasoning_content": saying.thought}
        choice = {
            "index": 0,
            "message": message | ({"tool_calls": calls} if calls else {}),
            "finish_reason": "tool_calls" if calls else "stop",
        }
        head = {"id": "cc-1", "object": "chat.completion", "created": 1700000000, "model": "m-think"}
        return {**head, "choices": [choice], "usage": USAGE}


class DeepSeek(ChatProvider):
    """V4: each message with calls has the member, be it empty."""

    missing = "The `reasoning_content` in the thinking mode must be passed back to the API."

    def check_message(self, caller: str, index: int, message: Document) -> None:
        if message.get("tool_calls"):
            if not isinstance(message.get("reasoning_content"), str):
                raise Refused(self.missing)
            self.check_thought(caller, message, filler="")


class Kimi(ChatProvider):
    """An empty thought is none; a space will do."""

    missing = "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"

    def check_message(self, caller: str, index: int, message: Document) -> None:
        if message.get("tool_calls"):
            if not message.get("reasoning_content"):
                raise Refused(f"{self.missing.removesuffix(' 1')} {index}")
            self.check_thought(caller, message, filler=" ")


class DeepSeekR1(ChatProvider):
    """The first API with thoughts: none may come back."""

    missing = ""
    changed = "The `reasoning_content` field must not be part of the input messages"

    def check_message(self, caller: str, index: int, message: Document) -> None:
        if "reasoning_content" in message:
            raise Refused(self.changed)


# --- Anthropic Messages -------------------------------------------------------------------------------------------

_THOUGHTS = ("thinking", "redacted_thinking")


class Anthropic(Provider):
    """The turn that is going on begins with its thoughts; those that come back are as they were, where they were."""

    credential = "x-api-key"
    missing = (
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` "
        "is enabled, a final `assistant` message must start with a thinking block"
    )
    changed = (
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks "
        "must remain as they were in the original response."
    )

    def content(self, caller: str, saying: Saying) -> list[Document]:
        blocks = [self._thinking(caller, saying, "")]
        if saying.number % 4 == 3:
            blocks.append({"type": "redacted_thinking", "data": f"{CIPHER} {caller} {saying.number}+/="})
        if saying.text:
            blocks.append({"type": "text", "text": saying.text})
            if saying.places:
                blocks.append(self._thinking(caller, saying, " again"))
        for identity, arguments in saying.calls:
            blocks.append({"type": "tool_use", "id": identity, "name": TOOL, "input": json.loads(arguments)})
        return blocks

    def _thinking(self, caller: str, saying: Saying, more: str) -> Document:
        signature = f"{CIPHER}{more} {caller} {saying.number}"
        return {"type": "thinking", "thinking": saying.thought + more, "signature": signature}

    def check(self, caller: str, body: Document) -> None:
        assert body["thinking"]["type"] == "enabled"
        messages = body["messages"]
        asked = [index for index, one in enumerate(messages) if one["role"] == "user" and not _is_result(one)]
        for index, message in enumerate(messages):
            content = message["content"]
            if message["role"] != "assistant" or isinstance(content, str):
                continue
            first = content[0]["type"]
            if index > asked[-1] and first not in _THOUGHTS:
                raise Refused(
                    self.missing.replace("messages.1.", f"messages.{index}.").replace("`tool_use`", f"`{first}`", 1)
                )
            if any(block["type"] in _THOUGHTS for block in content):
                self._check_blocks(caller, index, content)

    def _check_blocks(self, caller: str, index: int, content: list[Document]) -> None:
        calls = [block["id"] for block in content if block["type"] == "tool_use"]
        saying = self.said_for(caller, calls[0]) if calls else self.saying(caller, len(self.script))
        sent = self.content(caller, saying)
        signatures = [block.get("signature", block.get("data")) for block in sent]
        for at, block in enumerate(content):
            if block["type"] in _THOUGHTS and block.get("signature", block.get("data")) not in signatures:
                raise Refused(f"messages.{index}.content.{at}: Invalid `signature` in `thinking` block")
        if content != sent:
            raise Refused(f"messages.{index}.content.0: {self.changed}")

    def answered(self, body: Document) -> Iterable[str]:
        return [
            block["tool_use_id"].removeprefix("call_")
            for message in body["messages"]
            if _is_result(message)
            for block in message["content"]
        ]

    def error(self, message: str) -> Document:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}, "request_id": "req_1"}

    def stream(self, caller: str, saying: Saying) -> list[bytes]:
        body = self.body(caller, saying)
        events = [{"type": "message_start", "message": body | {"content": [], "stop_reason": None}}]
        for index, block in enumerate(body["content"]):
            match block:
                case {"type": "thinking", "thinking": str() as thought, "signature": str() as signature}:
                    events += thinking(index, *_pieces(thought), signature=signature)
                case {"type": "redacted_thinking", "data": str() as data}:
                    events += redacted(index, data)
                case {"type": "text", "text": str() as said}:
                    events += text(index, *_pieces(said))
                case {"id": identity, "input": given}:
                    pieces = _pieces(dump(given).decode())
                    deltas = [delta(index, "input_json_delta", partial_json=piece) for piece in pieces]
                    begun = start(index, "tool_use", id=identity, name=TOOL, input={})
                    events += [begun, *deltas, stop(index)]
        end = {"stop_reason": body["stop_reason"], "stop_sequence": None}
        events += [
            {"type": "message_delta", "delta": end, "usage": body["usage"]},
            {"type": "message_stop"},
        ]
        return [raw_of([one]) for one in events]

    def body(self, caller: str, saying: Saying) -> Document:
        return {
            "id": f"msg_{saying.number}",
            "type": "message",
            "role": "assistant",
            "model": "m-think",
            "content": self.content(caller, saying),
            "stop_reason": "tool_use" if saying.places else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 11, "output_tokens": 23},
        }


def _is_result(message: Document) -> bool:
    content = message["content"]
    return isinstance(content, list) and all(block["type"] == "tool_result" for block in content)


# --- Gemini -------------------------------------------------------------------------------------------------------


class Gemini(Provider):
    """Gemini 3: the first call of each step of the running turn has its signature."""

    credential = "x-goog-api-key"
    missing = (
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance."
    )
    changed = "Corrupted thought signature."
    has_ids: ClassVar[bool] = True

    def parts(self, caller: str, saying: Saying) -> list[Document]:
        parts: list[Document] = [{"text": piece, "thought": True} for piece in _pieces(saying.thought)]
        if saying.text:
            parts.append({"text": saying.text})
        for at, (identity, arguments) in enumerate(saying.calls):
            call = {"name": TOOL, "args": json.loads(arguments)} | ({"id": identity} if self.has_ids else {})
            signature = {} if at else {"thoughtSignature": self._signature(caller, saying.number)}
            parts.append({"functionCall": call, **signature})
        return parts

    def _signature(self, caller: str, number: int) -> str:
        return base64.b64encode(f"??>> {caller} {number}".encode()).decode()

    def check(self, caller: str, body: Document) -> None:
        contents = body["contents"]
        asked = [index for index, one in enumerate(contents) if any("text" in part for part in _parts_of(one, "user"))]
        for index, content in enumerate(contents):
            calls = [part for part in _parts_of(content, "model") if "functionCall" in part]
            for at, part in enumerate(calls):
                place = part["functionCall"]["args"]["place"]
                signature = part.get("thoughtSignature")
                if signature is None and not at and index > asked[-1]:
                    raise Refused(
                        f"{self.missing} Additional data, function call `default_api:{TOOL}` , position {index + 1}."
                    )
                sent = self._signature(caller, int(place.partition("-")[0]))
                if signature is not None and signature.translate(_URL_SAFE) != sent:
                    raise Refused(self.changed)

    def answered(self, body: Document) -> Iterable[str]:
        return [
            part["functionResponse"]["response"]["place"]
            for content in body["contents"]
            for part in _parts_of(content, "user")
            if "functionResponse" in part
        ]

    def error(self, message: str) -> Document:
        return {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}

    def wants_stream(self, request: Request, body: Document) -> bool:
        return ":streamGenerateContent" in request.path

    def stream(self, caller: str, saying: Saying) -> list[bytes]:
        parts = self.parts(caller, saying)
        pieces = [frame(_response([part])) for part in parts]
        return [*pieces, frame(_response([{"text": ""}], finishReason="STOP"))]

    def body(self, caller: str, saying: Saying) -> Document:
        return _response(self.parts(caller, saying), finishReason="STOP")


class GeminiWithoutIds(Gemini):
    """As most of its servers: a call is known by what it asks for."""

    has_ids = False


_URL_SAFE = str.maketrans("-_", "+/")


def _parts_of(content: Document, role: str) -> list[Document]:
    parts: list[Document] = content["parts"] if content["role"] == role else []
    return parts


def _response(parts: list[Document], **candidate: Any) -> Document:
    one = {"content": {"parts": parts, "role": "model"}, "index": 0} | candidate
    return {"candidates": [one], "modelVersion": "m-think", "responseId": "r1"}


# --- OpenAI Responses ---------------------------------------------------------------------------------------------


class Responses(Provider):
    """An item that comes back with its id comes behind its reasoning item, which is as it was."""

    missing = "Item 'fc_0-0' of type 'function_call' was provided without its required 'reasoning' item: 'rs_0'."
    changed = "could not be verified. Reason: Encrypted content could not be decrypted or parsed."

    def output(self, caller: str, saying: Saying) -> list[Document]:
        items = [self._thought(caller, saying)]
        if saying.text:
            part = {"type": "output_text", "text": saying.text, "annotations": [], "logprobs": []}
            message = {"type": "message", "id": f"msg_{saying.number}", "role": "assistant", "status": "completed"}
            items.append({**message, "content": [part]})
        for place, (identity, arguments) in zip(saying.places, saying.calls, strict=True):
            call = {"type": "function_call", "id": f"fc_{place}", "call_id": identity, "name": TOOL}
            items.append({**call, "arguments": arguments, "status": "completed"})
        return items

    def _thought(self, caller: str, saying: Saying) -> Document:
        return {
            "type": "reasoning",
            "id": f"rs_{saying.number}",
            "summary": [{"type": "summary_text", "text": saying.thought}],
            "encrypted_content": f"{CIPHER} {caller} {saying.number}",
        }

    def check(self, caller: str, body: Document) -> None:
        assert body["store"] is False
        open_thought, thoughts = "", set()
        for item in [*body["input"], {}]:
            owner = f"rs_{_turn_of_item(item)}"
            if open_thought not in ("", owner):
                raise Refused(
                    f"Item '{open_thought}' of type 'reasoning' was provided without its required following item."
                )
            if item.get("type") == "reasoning":
                if item["id"] in thoughts:
                    raise Refused(f"Duplicate item found with id {item['id']}.")
                if item != self._thought(caller, self.saying(caller, _turn_of_item(item))):
                    raise Refused(f"The encrypted content {item['encrypted_content']} {self.changed}")
                open_thought = item["id"]
                thoughts.add(open_thought)
            elif "id" in item and owner not in thoughts:
                raise Refused(
                    f"Item '{item['id']}' of type '{item['type']}' was provided without its required 'reasoning' item: "
                    f"'{owner}'."
                )
            else:
                open_thought = ""

    def answered(self, body: Document) -> Iterable[str]:
        return [
            item["call_id"].removeprefix("call_")
            for item in body["input"]
            if item.get("type") == "function_call_output"
        ]

    def error(self, message: str) -> Document:
        return {"error": {"message": message, "type": "invalid_request_error", "param": "input", "code": None}}

    def stream(self, caller: str, saying: Saying) -> list[bytes]:
        body = self.body(caller, saying)
        documents: list[Document] = [{"type": "created", "response": body | {"status": "in_progress", "output": []}}]
        for index, item in enumerate(body["output"]):
            documents += _events_of(index, item)
        documents.append({"type": "completed", "response": body})
        events = [
            {**one, "type": f"response.{one['type']}", "sequence_number": number}
            for number, one in enumerate(documents)
        ]
        return [f"event: {one['type']}\n".encode() + frame(one) for one in events]

    def body(self, caller: str, saying: Saying) -> Document:
        return {
            "id": f"resp_{saying.number}",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "model": "m-think",
            "output": self.output(caller, saying),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }


def _turn_of_item(item: Document) -> int:
    """Ids say which turn an item is of; -1 for those of the caller."""
    _, _, place = item.get("id", "").partition("_")
    return int(place.partition("-")[0]) if place else -1


def _events_of(index: int, item: Document) -> list[Document]:
    place = {"output_index": index, "item_id": item["id"]}
    inside: list[Document] = []
    begun = dict(item)
    match item:
        case {"type": "reasoning", "summary": [{"text": str() as thought} as part]}:
            begun |= {"summary": [], "encrypted_content": CIPHER}
            place["summary_index"] = 0
            inside = [{"type": "reasoning_summary_part.added", "part": part | {"text": ""}}]
            inside += [{"type": "reasoning_summary_text.delta", "delta": piece} for piece in _pieces(thought)]
            inside += [
                {"type": "reasoning_summary_text.done", "text": thought},
                {"type": "reasoning_summary_part.done", "part": part},
            ]
        case {"type": "message", "content": [{"text": str() as said} as part]}:
            begun |= {"status": "in_progress", "content": []}
            place["content_index"] = 0
            inside = [{"type": "content_part.added", "part": part | {"text": ""}}]
            inside += [{"type": "output_text.delta", "delta": piece, "logprobs": []} for piece in _pieces(said)]
            inside += [
                {"type": "output_text.done", "text": said, "logprobs": []},
                {"type": "content_part.done", "part": part},
            ]
        case {"arguments": str() as arguments}:
            begun |= {"status": "in_progress", "arguments": ""}
            inside = [{"type": "function_call_arguments.delta", "delta": piece} for piece in _pieces(arguments)]
            inside.append({"type": "function_call_arguments.done", "arguments": arguments})
    return [
        {"type": "output_item.added", "output_index": index, "item": begun},
        *({**one, **place} for one in inside),
        {"type": "output_item.done", "output_index": index, "item": item},
    ]
