"""Chat completions: OpenAI's API, and what other servers have made of it (docs/apis.md, "Chat completions").

The tables read like that section: a member's name, and what it is. Members that are not named are unknown: they stay,
and an event that holds one with a value is worth sending.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape, reasoning_shape
from thinkwire.dialects.core.insertion import around
from thinkwire.dialects.core.parts import Extent, FieldSpec, ItemKey, Kind, Level, level_of
from thinkwire.dialects.core.request_facts import RequestFacts, model_in_body
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import Edits, to_json

SPELLINGS: Final = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought", "cot_summary")
"""All names of the reasoning text in a delta or message. If the texts of two differ, the first one here wins."""

# --- reasoning --------------------------------------------------------------------------------------------------

# One element of `reasoning_details` (OpenRouter, Snowflake, MiniMax), `thinking_blocks` or `reasoning_items`
# (LiteLLM). What is not named here may be text of any kind and counts as reasoning.
_BLOCK_TEXT: Final = FieldSpec(Kind.REASONING, rank=0)
_TEXT_LIST: Final = Shape(
    elements=reasoning_shape({"type": fields.ENVELOPE, "text": _BLOCK_TEXT}, label=_BLOCK_TEXT),
    label=_BLOCK_TEXT,
)
_BLOCK: Final = reasoning_shape(
    {
        **dict.fromkeys(("type", "id", "format", "index", "status"), fields.ENVELOPE),
        "text": _BLOCK_TEXT,
        "thought": _BLOCK_TEXT,  # Perplexity
        "closed": fields.ENVELOPE,  # Mistral
        "thinking": _TEXT_LIST,
        "summary": _TEXT_LIST,
        "content": _TEXT_LIST,
        **dict.fromkeys(("signature", "data", "encrypted_content"), fields.OPAQUE),
    },
    label=_BLOCK_TEXT,
)
_BLOCKS: Final = Shape(elements=_BLOCK, label=Level(blocks=True))

_STRUCTURED_REASONING: Final[dict[str, Any]] = {
    "reasoning_details": _BLOCKS,
    "thinking_blocks": _BLOCKS,
    "reasoning_items": _BLOCKS,
    "reasoning_steps": _BLOCKS,  # Perplexity: its reasoning before each search
    "reasoning_encrypted": fields.OPAQUE,  # Venice
    "reasoning_opaque": fields.OPAQUE,  # Copilot
    "encrypted_content": fields.OPAQUE,  # xAI
}
REASONING_MEMBERS: Final[dict[str, Any]] = {
    **{name: FieldSpec(Kind.REASONING, rank=rank) for rank, name in enumerate(SPELLINGS)},
    **_STRUCTURED_REASONING,
}
"""The reasoning in a delta, a message or a copy of one; OpenRouter's text completions have it, too."""


# --- token metadata ---------------------------------------------------------------------------------------------

TOKEN_MEMBERS: Final[dict[str, Any]] = {
    # DeepSeek lists the reasoning's tokens beside the answer's.
    "logprobs": Shape(members={"reasoning_content": fields.REASONING_TOKENS}, label=fields.TOKENS),
    "top_logprobs": fields.TOKENS,  # Together
    "token_ids": fields.TOKENS,  # vLLM, Fireworks
    "response_token_ids": fields.TOKENS,  # SGLang
    "output_token_ids": fields.TOKENS,
    "tokens": fields.TOKENS,  # Cerebras
    "token_id": fields.TOKENS,  # Together
    "sampling_mask": fields.TOKENS,  # vLLM derender
    "reasoning_logprobs": fields.REASONING_TOKENS,  # Cerebras
    "raw_output": fields.TRANSCRIPT,  # Fireworks: the untouched text and its ids
    "hidden_states": fields.TRANSCRIPT,  # SGLang
    "routed_experts": fields.TRANSCRIPT,  # vLLM: one row for each token
    "routing_matrix": fields.TRANSCRIPT,
    "meta_info": fields.TRANSCRIPT,  # SGLang: everything that the engine knows
}
"""Lists of tokens, at any level."""


# --- a message or delta -----------------------------------------------------------------------------------------

# Copies of the members around them, at any depth: LiteLLM's `provider_specific_fields`, vendors' `extra_content`.
_COPY_MEMBERS: Final[dict[str, Any]] = REASONING_MEMBERS | TOKEN_MEMBERS
_COPY: Final = open_shape(_COPY_MEMBERS, label=Level(allows_rename=True, is_copy=True))
# Gemini flags the content beside it as reasoning here; signatures stay, since the next request needs them.
_GOOGLE: Final = open_shape({"thought": FieldSpec(Kind.REASONING, is_flag=True)}, label=Level(is_copy=True))
_COPIES: Final[dict[str, Any]] = {"provider_specific_fields": _COPY, "extra_content": _COPY}
_COPY_MEMBERS.update(_COPIES)
_COPY_MEMBERS["google"] = _GOOGLE

# `content` is a text or, from Mistral and from servers that pass their history on, a list of typed parts.
_TAGS: Final = ("<thought>", "</thought>")  # Gemini's, around content that is flagged as reasoning
_REASONING_PART: Final = reasoning_shape(_BLOCK.members, label=Level(blocks=True))
CONTENT_PART: Final = Shape(
    switch="type",
    cases=dict.fromkeys(
        ("thinking", "redacted_thinking", "reasoning", "reasoning_text", "summary_text"), _REASONING_PART
    )
    | {"text": open_shape(REASONING_MEMBERS | {"type": fields.ENVELOPE, "text": FieldSpec(Kind.TEXT, tags=_TAGS)})},
    members=REASONING_MEMBERS | {"type": fields.ENVELOPE},
    other=fields.TEXT,
    label=FieldSpec(Kind.TEXT, splits=True, tags=_TAGS),
)
CONTENT: Final = Shape(
    elements=CONTENT_PART,
    switch=CONTENT_PART.switch,
    cases=CONTENT_PART.cases,
    members=CONTENT_PART.members,
    other=CONTENT_PART.other,
    label=CONTENT_PART.label,
)
MESSAGE_MEMBERS: Final[dict[str, Any]] = {
    **REASONING_MEMBERS,
    **TOKEN_MEMBERS,
    **_COPIES,
    "role": fields.ROLE,
    "content": CONTENT,
    "refusal": fields.REFUSAL,
    "tool_calls": Shape(elements=Shape(members=_COPIES), label=fields.TOOL_CALL),
    "function_call": Shape(members=_COPIES, label=fields.TOOL_CALL),
    "name": fields.ENVELOPE,  # MiniMax, in each delta
    "channel": fields.ENVELOPE,  # Groq: `analysis` beside the reasoning
}


def _message(extent: Extent) -> Shape:
    return open_shape(MESSAGE_MEMBERS, label=Level(allows_rename=True, extent=extent))


# If a tool call failed, Groq quotes what the model wrote.
_ERROR: Final = Shape(
    members={
        "failed_generation": fields.TRANSCRIPT,
        "metadata": Shape(members={"failed_generation": fields.TRANSCRIPT}),
    },
    label=fields.ERROR,
)


# --- a choice ---------------------------------------------------------------------------------------------------

_CHOICE: Final = open_shape(
    {
        **REASONING_MEMBERS,  # OpenRouter's text completions have them here
        **TOKEN_MEMBERS,
        "index": FieldSpec(Kind.ITEM),
        "delta": _message(Extent.DELTA),
        "message": _message(Extent.SNAPSHOT),
        "finish_reason": fields.FINISH,
        "native_finish_reason": fields.ENVELOPE,
        "usage": fields.USAGE,  # Kimi
        "text": fields.TOKENS,  # Together repeats each piece here
        "error": _ERROR,
        **_COPIES,
    },
    label=Level(opens=True, allows_rename=True),
)


# --- the document -----------------------------------------------------------------------------------------------

_DOCUMENT: Final = open_shape(
    {
        **TOKEN_MEMBERS,
        **_STRUCTURED_REASONING,
        **_COPIES,
        "reasoning_content": fields.REASONING,  # `reasoning` and `thinking` are echoed settings of the request here
        **dict.fromkeys(
            ("id", "object", "created", "model", "system_fingerprint", "service_tier", "provider", "obfuscation", "p"),
            fields.ENVELOPE,
        ),
        "request_id": fields.ENVELOPE,  # GLM
        "metadata": fields.ENVELOPE,  # SGLang: the version of the weights
        "choices": Shape(elements=_CHOICE),
        "usage": fields.USAGE,
        "error": _ERROR,
        "x_groq": Shape(members={"error": _ERROR}, label=fields.OTHER),
        "sglext": fields.TRANSCRIPT,  # SGLang: ids of input and output, experts
        "__verbose": fields.TRANSCRIPT,  # llama.cpp: raw text, tokens, prompt
    }
)


# --- the dialect ------------------------------------------------------------------------------------------------


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and isinstance(body.get("messages"), list)


def _model(request: RequestFacts) -> str | None:
    deployment = re.search(r"/deployments/([^/]+)/", request.path)  # Azure
    return model_in_body(request) or (deployment[1] if deployment else None)


def _matches_document(root: Node) -> bool:
    choices = root.child("choices")
    if choices is None:
        return root.child("sglext") is not None
    if not choices.children:
        return root.child("type") is None  # a document with a type is an event of another API
    # A choice with neither belongs to the legacy API, whose answer is in `text`.
    return any(choice.child("delta") or choice.child("message") for choice in choices.children)


_COPIED: Final = ("id", "object", "created", "model", "system_fingerprint", "service_tier", "provider")
_MEMBER_OF_KIND: Final = {Kind.REASONING: "reasoning", Kind.TEXT: "content", Kind.REFUSAL: "refusal"}


def _write(kind: Kind, text: str, item: ItemKey, like: Node) -> list[str]:
    members = like.texts_of(_COPIED)
    delta = f"{{{to_json(_MEMBER_OF_KIND[kind])}:{to_json(text)}}}"
    members.append(f'"choices":[{{"index":{item.number},"delta":{delta},"finish_reason":null}}]')
    return [f"{{{','.join(members)}}}"]


def _insert(reasoning: str, node: Node, names: Sequence[str], edits: Edits) -> None:
    """Into the message: appended to the reasoning that it has, by whatever name, or else under the given names."""
    member, message = node, node.parent
    while message is not None and not ((level := level_of(message)) and level.allows_rename):
        member, message = message, message.parent
    if message is None:
        return
    texts = (message.child(name) for name in SPELLINGS)
    present = [text.key for text in texts if text is not None and text.is_string and not text.is_empty]
    for name in present or names:
        existing = message.child(name)
        if existing is None or existing.is_string or existing.is_empty:
            edits.add_text(member, name, reasoning)


def _error(status: int, message: str) -> str:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return to_json({"error": {"message": message, "type": kind, "param": None, "code": None}})


CHAT_COMPLETIONS: Final = Dialect(
    name="chat-completions",
    handling=Handling(
        strip="reasoning under every name, lists of reasoning blocks, copies, and token metadata that covers it",
        rename="the text gets the requested name, whatever it was called; lists of blocks stay",
        sent_back="a member of the assistant message, with the name that the provider reads",
    ),
    matches_path=at_path(r"/(?:chat/completions(?:/batch)?|agents/completions)/?\Z"),
    matches_body=_matches_body,
    model=_model,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=_insert,
    text_element=around('{"type":"text","text":', "}"),
    text_member=("content", "", ""),
    error=_error,
    end_mark="[DONE]",
)
