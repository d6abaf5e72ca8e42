"""The legacy text completions, `/v1/completions` (docs/apis.md, "Completions").

The answer is `text`. Only OpenRouter separates reasoning here; everyone else leaves it in the text, between the
model's own tags. Choices with a `delta` or a `message` are chat completions.
"""

from typing import Final

from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS, REASONING_MEMBERS, TOKEN_MEMBERS
from thinkwire.dialects.core import fields
from thinkwire.dialects.core.dialect import Dialect, Handling, at_path
from thinkwire.dialects.core.fields import open_shape
from thinkwire.dialects.core.insertion import as_member
from thinkwire.dialects.core.parts import FieldSpec, ItemKey, Kind, Level
from thinkwire.wire.json_tree import Node, Shape
from thinkwire.wire.splice import to_json

_CHOICE: Final = open_shape(
    {
        **REASONING_MEMBERS,
        **TOKEN_MEMBERS,
        "index": FieldSpec(Kind.ITEM),
        "text": fields.TEXT,
        "finish_reason": fields.FINISH,
        "native_finish_reason": fields.ENVELOPE,  # OpenRouter
        "error": fields.ERROR,
    },
    label=Level(opens=True),
)
_DOCUMENT: Final = open_shape(
    {
        **TOKEN_MEMBERS,
        **dict.fromkeys(
            ("id", "object", "created", "model", "system_fingerprint", "service_tier", "provider"), fields.ENVELOPE
        ),
        "metadata": fields.ENVELOPE,  # SGLang: the version of the weights
        "choices": Shape(elements=_CHOICE),
        "usage": fields.USAGE,
        "error": fields.ERROR,
        "sglext": fields.TRANSCRIPT,  # SGLang
        "__verbose": fields.TRANSCRIPT,  # llama.cpp: raw text and tokens, in each chunk
    }
)

_OBJECT: Final = "text_completion"


def _matches_body(body: object) -> bool:
    return isinstance(body, dict) and isinstance(body.get("prompt"), str | list) and isinstance(body.get("model"), str)


def _matches_document(root: Node) -> bool:
    choices, kind = root.child("choices"), root.child("object")
    if choices is None:
        return False
    if not choices.children:
        return kind is not None and kind.value == _OBJECT
    return all(
        choice.child("text") is not None and choice.child("delta") is None and choice.child("message") is None
        for choice in choices.children
    )


_COPIED: Final = ("id", "object", "created", "model", "system_fingerprint", "provider")


def _write(kind: Kind, text: str, item: ItemKey, like: Node) -> list[str]:
    members = like.texts_of(_COPIED)
    texts = {"text": "", "reasoning": text} if kind is Kind.REASONING else {"text": text}
    choice = to_json({"index": item.number, **texts, "logprobs": None, "finish_reason": None})
    members.append(f'"choices":[{choice}]')
    return [f"{{{','.join(members)}}}"]


COMPLETIONS: Final = Dialect(
    name="completions",
    handling=Handling(
        strip="`reasoning` and its details if a choice has them, and token metadata that covers them",
        rename="nothing: rename is for chat completions",
        sent_back="as part of the next prompt, which is the client's own text",
    ),
    matches_path=at_path(r"(?<!/chat)/completions/?\Z"),
    matches_body=_matches_body,
    model=CHAT_COMPLETIONS.model,
    table=lambda _request: _DOCUMENT,
    matches_document=_matches_document,
    write=_write,
    insert=as_member("reasoning"),
    error=CHAT_COMPLETIONS.error,
    end_mark="[DONE]",
)
