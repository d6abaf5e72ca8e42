"""Ollama's own API, `/api/chat` and `/api/generate` (docs/apis.md, "Ollama"), and SGLang's copy of it.

One object per line; the last one has `done: true`. Without a stream it is one object of the same shape. An answer is
one item, without a number. Ollama's OpenAI-compatible endpoints are chat completions.
"""

from typing import Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape
from thinkwire.dialects.core.insertion import as_member
from thinkwire.dialects.core.parts import ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import to_json

_MESSAGE: Final = open_shape(
    {"role": fields.ROLE, "content": fields.TEXT, "thinking": fields.REASONING, "tool_calls": fields.TOOL_CALL}
)
_DOCUMENT: Final = open_shape(
    {
        **dict.fromkeys(("model", "created_at", "remote_model", "remote_host"), fields.ENVELOPE),
        "message": _MESSAGE,  # chat
        "thinking": fields.REASONING,  # generate
        "response": fields.TEXT,
        "tool_calls": fields.TOOL_CALL,
        "context": fields.TRANSCRIPT,  # token ids of the whole exchange
        "logprobs": fields.TOKENS,
        "_debug_info": fields.TRANSCRIPT,  # the rendered prompt, with the reasoning of earlier turns
        "done": fields.FINISH,
        "done_reason": fields.FINISH,
        "total_duration": fields.USAGE,
        "load_duration": fields.USAGE,
        "prompt_eval_count": fields.USAGE,
        "prompt_eval_duration": fields.USAGE,
        "eval_count": fields.USAGE,
        "eval_duration": fields.USAGE,
        "error": fields.ERROR,
    },
    label=Level(opens=True),
)

_OWN_SETTINGS: Final = frozenset(("options", "keep_alive", "think"))


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and isinstance(body.get("prompt"), str) and not _OWN_SETTINGS.isdisjoint(body)


def _wants_stream(request: RequestFacts) -> bool:
    """Streaming is the default: only `stream: false` asks for a single object."""
    return not (isinstance(request.body, dict) and request.body.get("stream") is False)


def _matches_document(root: Node) -> bool:
    done, message, response = (root.child(name) for name in ("done", "message", "response"))
    has_answer = (message is not None and message.raw[:1] == "{") or (response is not None and response.is_string)
    return has_answer and done is not None and done.raw in ("true", "false")


def _write(kind: Kind, text: str, _item: ItemKey, like: Node) -> list[str]:
    envelope = like.texts_of(("model", "created_at"))
    thinking, content = (text, "") if kind is Kind.REASONING else ("", text)
    reasoning = {"thinking": thinking} if thinking else {}
    if like.child("response") is not None:
        members = to_json({"response": content, **reasoning, "done": False})
    else:
        members = to_json({"message": {"role": "assistant", "content": content, **reasoning}, "done": False})
    return [f"{{{','.join([*envelope, members[1:-1]])}}}"]


OLLAMA: Final = Dialect(
    name="ollama",
    handling=Handling(
        strip="`thinking`, the `context` ids of an answer that had any, and token metadata that covers it; counts stay",
        sent_back="as `thinking` in the assistant message; `/api/generate` accepts `context`",
    ),
    matches_path=at_path(r"/api/(?:chat|generate)/?\Z"),
    matches_body=_matches_body,
    wants_stream=_wants_stream,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_member("thinking"),
    text_member=("content", "", ""),
    error=lambda _status, message: to_json({"error": message}),
)
