"""Requests with earlier turns, and what is forwarded of them."""

import json
from typing import Any

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.core.tag_families import Family
from thinkwire.rewrite.history.mapper import Mapped, map_history
from thinkwire.rewrite.plan import History, RequestPlan, To

CALLS = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
THINKING = {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "b3BhcXVl"}
MISTRAL = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
TEXT = {"type": "text", "text": "a"}


def mapped(
    body: dict[str, Any] | bytes,
    history: History | To,
    dialect: str = "chat-completions",
    host: str = "provider.test",
    model: str = "m",
    family: Family | None = None,
) -> Mapped:
    facts = RequestFacts(host, "/", "POST", (), None, dialect, model)
    raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    plan = RequestPlan(history=history if isinstance(history, History) else History(history))
    return map_history(raw, plan, facts, family, lambda _turn: None)


def message(assistant: dict[str, Any], history: History | To, **more: Any) -> dict[str, Any]:
    """The assistant's message after it was mapped, between two that are not touched."""
    body = {"model": "m", "messages": [{"role": "user", "content": "q"}, {"role": "assistant", **assistant}]}
    after = json.loads(mapped(body, history, **more).raw, object_pairs_hook=once)
    assert after["messages"][0] == body["messages"][0]
    return {name: value for name, value in after["messages"][1].items() if name != "role"}


def once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({name for name, _ in members}) == len(members)
    return dict(members)
