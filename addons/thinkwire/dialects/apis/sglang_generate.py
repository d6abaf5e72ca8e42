"""SGLang's own `/generate` (docs/apis.md, "SGLang generate").

Raw text: the server parses no tags here. In a stream each document repeats everything so far, unless the server was
started with incremental output, which neither the request nor a document shows. The endpoints under `/v1` belong to
other APIs.
"""

from typing import Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape
from thinkwire.dialects.core.parts import Extent, FieldSpec, ItemKey, Kind, Level
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import to_json

_META_INFO: Final = open_shape(
    {
        "id": fields.ENVELOPE,
        "finish_reason": fields.FINISH,
        **dict.fromkeys(
            (
                "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens", "cached_tokens_details",
                "weight_version", "e2e_latency", "num_retractions", "total_retractions",
            ),
            fields.ENVELOPE,  # in each document
        ),
        "output_token_logprobs": fields.TOKENS,
        "output_top_logprobs": fields.TOKENS,
        "output_token_ids_logprobs": fields.TOKENS,
        "output_token_entropy_val": fields.TOKENS,
        "sampling_mask": fields.TOKENS,
        "hidden_states": fields.TRANSCRIPT,
        "routed_experts": fields.TRANSCRIPT,
        # `input_token_logprobs` and the like list the prompt: they stay.
    }
)  # fmt: skip
_MEMBERS: Final = {
    "index": FieldSpec(Kind.ITEM),  # of several prompts
    "text": fields.TEXT,
    "reasoning_text": fields.REASONING,  # as `/separate_reasoning` names it
    "output_ids": fields.TOKENS,
    "meta_info": _META_INFO,
    "error": fields.ERROR,
}
_LEVEL: Final = Level(opens=True, extent=Extent.SNAPSHOT)
_DOCUMENT: Final = open_shape(_MEMBERS, elements=open_shape(_MEMBERS, label=_LEVEL), label=_LEVEL)
"""One answer; or, in a body, a list of answers to several prompts."""


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and "messages" not in body and "sampling_params" in body


def _model(request: RequestFacts) -> str | None:
    """The server has one model; a request can name one of its adapters."""
    adapter = request.body.get("lora_path") if isinstance(request.body, dict) else None
    return adapter if isinstance(adapter, str) else None


def _matches_document(root: Node) -> bool:
    if root.raw[:1] == "[":
        return bool(root.children) and all(map(_is_answer, root.children))
    return _is_answer(root)


def _is_answer(node: Node) -> bool:
    meta_info = node.child("meta_info")
    has_output = node.child("text") is not None or node.child("output_ids") is not None
    return has_output and meta_info is not None and meta_info.child("finish_reason") is not None


def _write(kind: Kind, text: str, item: ItemKey, like: Node) -> list[str]:
    texts = {"text": "", "reasoning_text": text} if kind is Kind.REASONING else {"text": text}
    meta_info = like.child("meta_info")
    request_id = meta_info.child("id") if meta_info is not None else None
    meta = {"id": None if request_id is None else request_id.value, "finish_reason": None}
    number = {"index": item.number} if like.child("index") is not None else {}
    return [to_json({**texts, "meta_info": meta, **number})]


SGLANG_GENERATE: Final = Dialect(
    name="sglang-generate",
    handling=Handling(
        strip="what was extracted from the raw text, and token metadata that covers it; counts and prompt stay",
        rename="nothing: rename is for chat completions",
        sent_back="as part of the next prompt, which is the client's own text",
    ),
    matches_path=at_path(r"\A/generate/?\Z"),
    matches_body=_matches_body,
    model=_model,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    error=lambda _status, message: to_json({"error": {"message": message}}),
    end_mark="[DONE]",
)
