"""Clients with a tool loop, each made of an official library; they keep of an answer what is not thought.

What they send back is put together by hand, as applications do it: role, text, calls.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import anthropic
import openai
from google import genai
from google.genai import types

from .enforcing import TOOL, Document

QUESTION = "What is where?"


class Call(NamedTuple):
    identity: str
    place: str


@dataclass(frozen=True)
class Turn:
    """What a client was shown of one answer."""

    text: str
    thought: str
    calls: Sequence[Call]
    shown: str
    """All of it, in the order it came."""


@dataclass(frozen=True)
class Asking:
    """How a client asks."""

    port: int
    key: str
    model: str
    streams: bool
    headers: dict[str, str]
    returns: str | None = None
    """What is added to a thought that is sent back; None: it is forgotten."""


class Client(ABC):
    """Keeps one conversation."""

    refusal: ClassVar[type[Exception]]
    """What its library raises on a 400."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.url = f"http://127.0.0.1:{asking.port}"
        self.history: list[Any] = []

    def ask(self, text: str) -> Turn:
        self.history.append(self.question(text))
        return self.proceed()

    def look(self, calls: Iterable[Call]) -> Turn:
        """Send the results of the calls."""
        self.history += self.results(calls)
        return self.proceed()

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def question(self, text: str) -> Any: ...

    @abstractmethod
    def results(self, calls: Iterable[Call]) -> list[Any]: ...

    @abstractmethod
    def proceed(self) -> Turn:
        """Ask for the next turn, and keep what a client keeps of it."""


class _OpenAIClient(Client):
    """What both APIs of the `openai` client have in common."""

    refusal = openai.BadRequestError

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        self._api = openai.OpenAI(
            base_url=f"{self.url}/v1", api_key=asking.key, max_retries=0, default_headers=asking.headers
        )

    def close(self) -> None:
        self._api.close()

    def question(self, text: str) -> Any:
        return {"role": "user", "content": text}


class ChatClient(_OpenAIClient):
    """Chat completions, with the `openai` client."""

    def results(self, calls: Iterable[Call]) -> list[Any]:
        return [{"role": "tool", "tool_call_id": call.identity, "content": f"at {call.place}"} for call in calls]

    def proceed(self) -> Turn:
        deltas = self._stream() if self.asking.streams else [self._whole()]
        content, thought, calls = "", "", dict[int, Document]()
        for one in deltas:
            content += one.get("content") or ""
            thought += one.get("reasoning") or ""
            for at, call in enumerate(one.get("tool_calls") or []):
                known = calls.setdefault(call.get("index", at), {"id": call.get("id"), "arguments": ""})
                known["arguments"] += call["function"]["arguments"]
        message: Document = {"role": "assistant", "content": content or None}
        if calls:
            message["tool_calls"] = [
                {"id": one["id"], "type": "function", "function": {"name": TOOL, "arguments": one["arguments"]}}
                for one in calls.values()
            ]
        if self.asking.returns is not None:
            message["reasoning_content"] = thought + self.asking.returns
        self.history.append(message)
        asked = [Call(one["id"], json.loads(one["arguments"])["place"]) for one in calls.values()]
        return Turn(content, thought, asked, repr(deltas))

    def _stream(self) -> list[Document]:
        with self._api.chat.completions.create(model=self.asking.model, messages=self.history, stream=True) as stream:
            return [choice.delta.model_dump(exclude_unset=True) for event in stream for choice in event.choices]

    def _whole(self) -> Document:
        answer = self._api.chat.completions.create(model=self.asking.model, messages=self.history)
        return answer.choices[0].message.model_dump(exclude_unset=True)


class MessagesClient(Client):
    """Anthropic Messages, with the `anthropic` client."""

    refusal = anthropic.BadRequestError

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        self._api = anthropic.Anthropic(
            base_url=self.url, api_key=asking.key, max_retries=0, default_headers=asking.headers
        )

    def close(self) -> None:
        self._api.close()

    def question(self, text: str) -> Any:
        return {"role": "user", "content": text}

    def results(self, calls: Iterable[Call]) -> list[Any]:
        content = [
            {"type": "tool_result", "tool_use_id": call.identity, "content": f"at {call.place}"} for call in calls
        ]
        return [{"role": "user", "content": content}]

    def proceed(self) -> Turn:
        how: Any = {
            "model": self.asking.model,
            "max_tokens": 2048,
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "messages": self.history,
        }
        if self.asking.streams:
            with self._api.messages.stream(**how) as stream:
                shown = [repr(event) for event in stream]
                message = stream.get_final_message()
        else:
            message = self._api.messages.create(**how)
            shown = [repr(message)]
        thought, text, calls, kept = "", "", [], []
        for block in message.content:
            entry = block.model_dump(exclude_unset=True)
            match block.type:
                case "thinking":
                    thought += block.thinking
                    if self.asking.returns is not None:
                        kept.append(entry | {"thinking": block.thinking + self.asking.returns})
                case "text":
                    text += block.text
                    kept.append({"type": "text", "text": block.text})
                case "tool_use":
                    calls.append(Call(block.id, str(block.input["place"])))
                    kept.append({"type": "tool_use", "id": block.id, "name": block.name, "input": block.input})
                case _ if self.asking.returns is not None:
                    kept.append(entry)
        self.history.append({"role": "assistant", "content": kept})
        return Turn(text, thought, calls, "".join(shown))


class GeminiClient(Client):
    """Gemini, with the `google-genai` client."""

    refusal = genai.errors.ClientError

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        options = types.HttpOptions(base_url=self.url, headers=asking.headers)
        self._api = genai.Client(api_key=asking.key, http_options=options)

    def close(self) -> None:
        self._api.close()

    def question(self, text: str) -> Any:
        return types.Content(role="user", parts=[types.Part(text=text)])

    def results(self, calls: Iterable[Call]) -> list[Any]:
        parts = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=call.identity or None, name=TOOL, response={"place": call.place, "is": "there"}
                )
            )
            for call in calls
        ]
        return [types.Content(role="user", parts=parts)]

    def proceed(self) -> Turn:
        how: Any = {"model": self.asking.model, "contents": self.history}
        if self.asking.streams:
            answers = list(self._api.models.generate_content_stream(**how))
        else:
            answers = [self._api.models.generate_content(**how)]
        thought, text, calls, kept = "", "", [], []
        for part in _parts_of(answers):
            if part.thought:
                thought += part.text or ""
            elif part.function_call is not None:
                call = part.function_call
                calls.append(Call(call.id or "", (call.args or {})["place"]))
                signature = part.thought_signature if self.asking.returns is not None else None
                if signature is not None:
                    signature += (self.asking.returns or "").encode()
                kept.append(types.Part(function_call=call, thought_signature=signature))
            elif part.text:
                text += part.text
                kept.append(types.Part(text=part.text))
        self.history.append(types.Content(role="model", parts=kept))
        return Turn(text, thought, calls, repr(answers))


def _parts_of(answers: Iterable[types.GenerateContentResponse]) -> list[types.Part]:
    contents = [one.content for answer in answers for one in answer.candidates or []]
    return [part for content in contents if content is not None for part in content.parts or []]


class ResponsesClient(_OpenAIClient):
    """OpenAI Responses, with the `openai` client; the conversation is the caller's."""

    def results(self, calls: Iterable[Call]) -> list[Any]:
        return [
            {"type": "function_call_output", "call_id": call.identity, "output": f"at {call.place}"} for call in calls
        ]

    def proceed(self) -> Turn:
        how: Any = {
            "model": self.asking.model,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "input": self.history,
        }
        if self.asking.streams:
            with self._api.responses.stream(**how) as stream:
                shown = [repr(event) for event in stream]
                response: Any = stream.get_final_response()
        else:
            response = self._api.responses.create(**how)
            shown = [repr(response)]
        thought, calls = "", []
        for item in response.output:
            entry = item.model_dump(exclude_unset=True)
            match item.type:
                case "reasoning":
                    thought += "".join(part.text for part in item.summary)
                    if self.asking.returns is None:
                        continue
                    entry["encrypted_content"] += self.asking.returns
                case "function_call":
                    calls.append(Call(item.call_id, json.loads(item.arguments)["place"]))
                    entry.pop("parsed_arguments", None)
                case "message":
                    for part in entry["content"]:
                        part.pop("parsed", None)
            self.history.append(entry)
        return Turn(response.output_text, thought, calls, "".join(shown))
