"""Chat completions: OpenAI's API, and what everybody else made of it (dialects.md sections 2, 3 and 5-20).

The tables read like those sections: a member's name, and what it is. Members that are not named are unknown: they
stay, and an event that holds one with a value is worth sending.
"""

import re
from typing import Any, Final

from thinkwire.dialects.dialect import Dialect
from thinkwire.dialects.parts import Extent, Kind, Level, Owner, Place
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

__all__ = ["CHAT_COMPLETIONS", "SPELLINGS"]

SPELLINGS: Final = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought", "cot_summary")
"""All names of the reasoning text on a delta or message. Where two differ, the one that comes first here wins."""

ENVELOPE: Final = Place(Kind.ENVELOPE)
OTHER: Final = Place(Kind.OTHER)
REASONING: Final = Place(Kind.REASONING)
OPAQUE: Final = Place(Kind.OPAQUE)
TOKENS: Final = Place(Kind.TOKENS)
REASONING_TOKENS: Final = Place(Kind.REASONING_TOKENS)
TRANSCRIPT: Final = Place(Kind.TRANSCRIPT)


# --- reasoning --------------------------------------------------------------------------------------------------

# One element of `reasoning_details` (OpenRouter, Snowflake, MiniMax), `thinking_blocks` or `reasoning_items`
# (LiteLLM). What is not named here may be text of any kind and counts as reasoning.
_BLOCK_MEMBERS: Final[dict[str, Any]] = {
    "type": ENVELOPE,
    "id": ENVELOPE,
    "format": ENVELOPE,
    "index": ENVELOPE,
    "status": ENVELOPE,
    "text": REASONING,
    "summary": REASONING,
    "thinking": REASONING,
    "signature": OPAQUE,
    "data": OPAQUE,
    "encrypted_content": OPAQUE,
}
_TEXT_LIST: Final = Shape(
    elements=Shape(members={"type": ENVELOPE, "text": REASONING}, other=REASONING, label=REASONING), label=REASONING
)
_BLOCK: Final = Shape(
    members=_BLOCK_MEMBERS | {"summary": _TEXT_LIST, "content": _TEXT_LIST}, other=REASONING, label=REASONING
)
_BLOCKS: Final = Shape(elements=_BLOCK, label=Level(blocks=True))

_REASONING_MEMBERS: Final[dict[str, Any]] = {
    **{name: Place(Kind.REASONING, rank=rank) for rank, name in enumerate(SPELLINGS)},
    "reasoning_details": _BLOCKS,
    "thinking_blocks": _BLOCKS,
    "reasoning_items": _BLOCKS,
    "reasoning_encrypted": OPAQUE,  # Venice
    "reasoning_opaque": OPAQUE,  # Copilot
    "encrypted_content": OPAQUE,  # xAI
}


# --- token metadata ---------------------------------------------------------------------------------------------

_TOKEN_MEMBERS: Final[dict[str, Any]] = {
    # DeepSeek keeps the thought's tokens beside the answer's.
    "logprobs": Shape(members={"reasoning_content": REASONING_TOKENS}, label=Place(Kind.TOKENS)),
    "top_logprobs": TOKENS,  # Together
    "token_ids": TOKENS,  # vLLM, Fireworks
    "response_token_ids": TOKENS,  # SGLang
    "output_token_ids": TOKENS,
    "tokens": TOKENS,  # Cerebras
    "token_id": TOKENS,  # Together
    "sampling_mask": TOKENS,  # vLLM derender
    "reasoning_logprobs": REASONING_TOKENS,  # Cerebras
    "raw_output": TRANSCRIPT,  # Fireworks: the untouched text and its ids
    "hidden_states": TRANSCRIPT,  # SGLang
    "routed_experts": TRANSCRIPT,  # vLLM: one row for each token
    "routing_matrix": TRANSCRIPT,
    "meta_info": TRANSCRIPT,  # SGLang: all that the engine knows
}


# --- a message or delta -----------------------------------------------------------------------------------------

_COPY: Final = Shape(
    members=_REASONING_MEMBERS | _TOKEN_MEMBERS, other=OTHER, label=Level(bears_names=True, is_copy=True)
)
# Mistral: `content` is a text or a list, and the thought stands in the list.
_CONTENT: Final = Shape(
    elements=Shape(
        switch="type",
        cases={
            "thinking": Shape(members={}, label=REASONING),
            "text": Shape(members={"type": ENVELOPE, "text": Place(Kind.TEXT)}, other=OTHER),
        },
        members={},
        label=Place(Kind.TEXT),
    ),
    label=Place(Kind.TEXT, splits=True),
)
_MESSAGE_MEMBERS: Final[dict[str, Any]] = {
    **_REASONING_MEMBERS,
    **_TOKEN_MEMBERS,
    "role": Place(Kind.ROLE),
    "content": _CONTENT,
    "refusal": Place(Kind.REFUSAL),
    "tool_calls": Place(Kind.TOOL_CALL),
    "function_call": Place(Kind.TOOL_CALL),
    "name": ENVELOPE,  # MiniMax, on each delta
    "channel": ENVELOPE,  # Groq: `analysis` beside the reasoning
    "provider_specific_fields": _COPY,  # LiteLLM
}


def _message(extent: Extent) -> Shape:
    return Shape(members=_MESSAGE_MEMBERS, other=OTHER, label=Level(bears_names=True, extent=extent))


# --- a choice ---------------------------------------------------------------------------------------------------

_CHOICE: Final = Shape(
    members={
        **_REASONING_MEMBERS,  # OpenRouter's text completions keep them here
        **_TOKEN_MEMBERS,
        "index": Place(Kind.OWNER),
        "delta": _message(Extent.DELTA),
        "message": _message(Extent.WHOLE),
        "finish_reason": Place(Kind.FINISH),
        "native_finish_reason": ENVELOPE,
        "usage": Place(Kind.USAGE),  # Kimi
        "text": TOKENS,  # Together repeats each piece here
        "error": Place(Kind.ERROR),
        "provider_specific_fields": _COPY,
    },
    other=OTHER,
    label=Level(opens=True, bears_names=True),
)


# --- the document -----------------------------------------------------------------------------------------------

_DOCUMENT: Final = Shape(
    members={
        **_TOKEN_MEMBERS,
        "id": ENVELOPE,
        "object": ENVELOPE,
        "created": ENVELOPE,
        "model": ENVELOPE,
        "system_fingerprint": ENVELOPE,
        "service_tier": ENVELOPE,
        "provider": ENVELOPE,
        "obfuscation": ENVELOPE,
        "p": ENVELOPE,
        "request_id": ENVELOPE,  # GLM
        "metadata": ENVELOPE,  # SGLang: the version of the weights
        "choices": Shape(elements=_CHOICE),
        "usage": Place(Kind.USAGE),
        # Groq quotes what the model wrote when a tool call failed.
        "error": Shape(members={"failed_generation": TRANSCRIPT}, other=Place(Kind.ERROR), label=Place(Kind.ERROR)),
        "sglext": TRANSCRIPT,  # SGLang: ids of input and output, experts
        "__verbose": TRANSCRIPT,  # llama.cpp: raw text, tokens, prompt
    },
    other=OTHER,
)


# --- the dialect ------------------------------------------------------------------------------------------------

_PATH: Final = re.compile(r"/chat/completions(?:/batch)?/?\Z")
_MARKS: Final = frozenset(("choices", "sglext"))


def _asks_by_body(body: object) -> bool:
    return isinstance(body, dict) and isinstance(body.get("messages"), list)


def _model(path: str, body: object) -> str | None:
    if isinstance(body, dict) and isinstance(body.get("model"), str):
        return str(body["model"])
    deployment = re.search(r"/deployments/([^/]+)/", path)  # Azure
    return deployment[1] if deployment else None


def _knows(root: Node) -> bool:
    kind = root.child("object")
    if kind is not None and kind.raw == '"text_completion"':  # the legacy API, where `text` is the answer
        return False
    return any(child.key in _MARKS for child in root.children)


_KEPT_IN_WRITTEN: Final = ("id", "object", "created", "model", "system_fingerprint", "service_tier", "provider")
_MEMBER_OF_KIND: Final = {Kind.REASONING: "reasoning", Kind.TEXT: "content", Kind.REFUSAL: "refusal"}


def _write(kind: Kind, text: str, owner: Owner, like: Node) -> list[str]:
    members = [like.text[node.start : node.end] for node in like.children if node.key in _KEPT_IN_WRITTEN]
    delta = f"{{{to_json(_MEMBER_OF_KIND[kind])}:{to_json(text)}}}"
    members.append(f'"choices":[{{"index":{owner.number},"delta":{delta},"finish_reason":null}}]')
    return [f"{{{','.join(members)}}}"]


def _error(status: int, message: str) -> str:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return to_json({"error": {"message": message, "type": kind, "param": None, "code": None}})


CHAT_COMPLETIONS: Final = Dialect(
    name="chat-completions",
    asks_by_path=lambda path: _PATH.search(path) is not None,
    asks_by_body=_asks_by_body,
    model=_model,
    wants_stream=lambda _path, body: isinstance(body, dict) and body.get("stream") is True,
    table=lambda _request: _DOCUMENT,
    knows=_knows,
    write=_write,
    error=_error,
)
