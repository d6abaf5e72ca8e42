"""llama.cpp's own completions, `/completion`, `/completions` and `/infill` (docs/apis.md, "llama.cpp completion").

Raw text: the server parses no tags here, so reasoning is in `content`, and its tokens are in the lists beside it. The
endpoints under `/v1` belong to other APIs.
"""

import re
from typing import Final

from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling
from thinkwire.dialects.core.fields import open_shape
from thinkwire.dialects.core.parts import FieldSpec, ItemKey, Kind, Level
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import to_json

_MEMBERS: Final = {
    "index": FieldSpec(Kind.ITEM),  # of several prompts
    "content": fields.TEXT,
    "reasoning_content": fields.REASONING,  # the server sends none; what is extracted from the content goes here
    **dict.fromkeys(("tokens", "completion_probabilities", "probs"), fields.TOKENS),
    "stop": fields.FINISH,
    **dict.fromkeys(("stop_type", "id_slot", "model"), fields.ENVELOPE),
    "tokens_predicted": fields.ENVELOPE,  # in each chunk, and again in `timings` at the end
    "tokens_evaluated": fields.ENVELOPE,
    "timings": fields.USAGE,
    "__verbose": fields.TRANSCRIPT,
    "error": fields.ERROR,
    # `prompt` and `generation_settings`, in the last chunk, repeat what the client sent: they stay.
}
_ONE: Final = open_shape(_MEMBERS, label=Level(opens=True))
_DOCUMENT: Final = open_shape(_MEMBERS, elements=_ONE, label=Level(opens=True))
"""One answer; or, in a body, a list of answers to several prompts."""

# After any prefix; but DashScope's path for applications ends the same way.
_PATH: Final = re.compile(r"\A(?:/completions|(?!.*/api/v1/apps/).*/(?:completion|infill))/?\Z")
_OWN_SETTINGS: Final = frozenset(("n_predict", "n_probs", "cache_prompt", "input_prefix", "input_suffix"))


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and "messages" not in body and not _OWN_SETTINGS.isdisjoint(body)


def _matches_document(root: Node) -> bool:
    if root.raw[:1] == "[":
        return bool(root.children) and all(map(_is_answer, root.children))
    return _is_answer(root)


def _is_answer(node: Node) -> bool:
    content, stop = node.child("content"), node.child("stop")
    is_own = stop is not None and stop.raw in ("true", "false") and node.child("tokens_predicted") is not None
    return is_own and content is not None and content.is_string


def _write(kind: Kind, text: str, item: ItemKey, _like: Node) -> list[str]:
    texts = {"content": "", "reasoning_content": text} if kind is Kind.REASONING else {"content": text}
    return [to_json({"index": item.number, **texts, "tokens": [], "stop": False})]


def _error(status: int, message: str) -> str:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return to_json({"error": {"code": status, "message": message, "type": kind}})


LLAMACPP_COMPLETION: Final = Dialect(
    name="llamacpp-completion",
    handling=Handling(
        strip="what was extracted from the raw text, and token metadata that covers it; prompt and timings stay",
        rename="nothing: rename is for chat completions",
        sent_back="as part of the next prompt, which is the client's own text",
    ),
    matches_path=lambda path: _PATH.search(path) is not None,
    matches_body=_matches_body,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    error=_error,
)
