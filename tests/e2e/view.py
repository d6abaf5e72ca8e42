"""A chat-completions body, streamed or whole, or one of Ollama, as an application reads it.

The same code reads what the upstream wrote and what the client got. An event stream is told by its first byte;
an unfinished last event counts, because real gateways end that way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .blocks import updates_in_blocks
from .items import updates_in_items

SPELLINGS = ("reasoning", "reasoning_content")
LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|\Z)")
MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Event:
    """One SSE event that has a data line, with all its bytes up to and including the empty line."""

    raw: bytes
    data: bytes

    @property
    def name(self) -> str | None:
        """What its `event:` line says."""
        names = [line[1] for line in LINE.finditer(self.raw) if line[1].startswith(b"event:")]
        return names[-1].removeprefix(b"event:").strip().decode() if names else None

    @property
    def is_end_mark(self) -> bool:
        return self.data.strip() == b"[DONE]"


@dataclass
class Choice:
    """What a client has put together for one choice."""

    role: str | None = None
    content: str = ""
    reasoning: dict[str, str] = field(default_factory=dict)
    """By the name of the member that carried it."""
    finish: str | None = None
    calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    logprob_tokens: list[str] = field(default_factory=list)
    token_ids: list[int] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    """`reasoning` and `content` as they came, repeats merged."""
    says_more: bool = False
    """Did a text come after the finish?"""


@dataclass
class View:
    """Everything that can be read in one body."""

    events: list[Event] = field(default_factory=list)
    documents: list[Any] = field(default_factory=list)
    unreadable: list[bytes] = field(default_factory=list)
    choices: dict[int, Choice] = field(default_factory=dict)

    def choice(self, index: int) -> Choice:
        return self.choices.setdefault(index, Choice())

    @property
    def usages(self) -> list[Any]:
        counts = [item.get("usage") or item.get("usageMetadata") for item in self.objects()]
        return [count for count in counts if isinstance(count, dict)]

    def objects(self) -> Iterator[dict[str, Any]]:
        """Every JSON object at any depth."""
        for document in self.documents:
            yield from objects_in(document)


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from objects_in(item)


def paired(text: str) -> str:
    """Surrogate halves that met when texts were joined are one character; a lone half stays."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def split_events(body: bytes) -> list[Event]:
    events: list[Event] = []
    raw, data = b"", []
    for line in LINE.finditer(body.removeprefix(MARK)):
        raw += line[0]
        if line[1].startswith(b"data:"):
            data.append(line[1].removeprefix(b"data:").removeprefix(b" "))
        elif not line[1] and data:
            events.append(Event(raw, b"\n".join(data)))
        if not line[1]:
            raw, data = b"", []
    return events


def read_view(body: bytes) -> View:
    view = View()
    if body.removeprefix(MARK).lstrip()[:1] in (b"{", b"["):
        texts = _json_texts(body)
    else:
        view.events = split_events(body)
        texts = [event.data for event in view.events if not event.is_end_mark]
    for text in texts:
        try:
            document = json.loads(text)
        except ValueError:
            view.unreadable.append(text)
        else:
            view.documents.append(document)
            for item in _updates_in(document):
                _read_update(view.choice(item.get("index", 0)), item)
    return view


def _json_texts(body: bytes) -> list[bytes]:
    """A body of JSON: several objects in lines, or one text."""
    lines = [line for line in body.splitlines() if line.strip()]
    return lines if len(lines) > 1 and all(line.startswith(b"{") for line in lines) else [body]


def _updates_in(document: Any) -> list[dict[str, Any]]:
    """The choices of a document, or what a line of Ollama or a document of Anthropic's says in the form of one."""
    if not isinstance(document, dict):
        return []
    if "candidates" in document:
        return [_candidate(item) for item in document["candidates"]]
    if "done" in document and "message" in document:
        message = document["message"]
        return [
            {
                "message": message | {"reasoning": message.get("thinking")},
                "finish_reason": document.get("done_reason"),
            }
        ]
    return updates_in_blocks(document) or updates_in_items(document) or document.get("choices") or []


def _candidate(item: dict[str, Any]) -> dict[str, Any]:
    """What a candidate of Gemini says in the form of a choice."""
    parts = item.get("content", {}).get("parts", [])
    text, thought = (
        "".join(part.get("text", "") for part in parts if bool(part.get("thought")) == is_thought)
        for is_thought in (False, True)
    )
    message = {"content": text, "reasoning": thought}
    return {"index": item.get("index", 0), "message": message, "finish_reason": item.get("finishReason")}


def _read_update(choice: Choice, item: dict[str, Any]) -> None:
    message = item.get("delta") or item.get("message") or {}
    choice.role = choice.role or message.get("role")
    for name in SPELLINGS:
        if isinstance(text := message.get(name), str):
            choice.reasoning[name] = choice.reasoning.get(name, "") + text
            _step(choice, "reasoning", text)
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content if part.get("type") == "text")
    choice.content += content or ""
    _step(choice, "content", content)
    for position, piece in enumerate(message.get("tool_calls") or []):
        _read_call(choice.calls.setdefault(piece.get("index", position), {}), piece)
    choice.logprob_tokens += [entry["token"] for entry in (item.get("logprobs") or {}).get("content") or []]
    choice.token_ids += item.get("token_ids") or []
    choice.finish = item.get("finish_reason") or choice.finish


def _read_call(call: dict[str, Any], piece: dict[str, Any]) -> None:
    function = piece.get("function") or {}
    call["id"] = piece.get("id") or call.get("id")
    call["name"] = function.get("name") or call.get("name")
    call["arguments"] = call.get("arguments", "") + (function.get("arguments") or "")


def _step(choice: Choice, kind: str, text: str | None) -> None:
    choice.says_more |= bool(text and choice.finish)
    if text and choice.order[-1:] != [kind]:
        choice.order.append(kind)
