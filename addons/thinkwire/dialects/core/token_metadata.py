"""The forms in which servers list tokens one by one, and what such a list spells (docs/apis.md, "Token metadata").

A form is recognised by its shape, whatever the member is called. What happens to a list is decided elsewhere.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class TokenList:
    """What a list of tokens holds."""

    count: int
    """How many tokens; 0 for a copy of the text that does not separate them, -1 if the form is unknown."""
    spells: bytes | None
    """The tokens' bytes, joined; None if there is no text to go by."""
    is_bare: bool
    """Only numbers: ids or probabilities, without any text."""


def read_tokens(value: Any) -> TokenList:
    """Read the value of a part of kind TOKENS. If its form is unknown, nothing in the list can be verified."""
    match value:
        case bool():
            return _UNKNOWN
        case int() | float():  # Together: the `token_id` of a delta, and `logprobs` as a number
            return TokenList(1, None, is_bare=True)
        case str():  # Together: `text` repeats the piece of text
            return TokenList(0, _bytes(value), is_bare=False)
        case list():
            return _read_list(value)
        case {"tokens": list(tokens)} if _holds_only(value, _PARALLEL) and _have_one_length(value):
            return _read_list(tokens)
        case {"chosenCandidates": list(tokens)} if _holds_only(value, _GEMINI) and _has_as_many(value, tokens):
            return _read_list(tokens)
        case {"text": str(text), "token_ids": list(ids)} if _holds_only(value, _COHERE):
            return TokenList(len(ids), _bytes(text) or None, is_bare=False)
        case {"content": _} | {"refusal": _} if _holds_only(value, _OPENAI):
            return _read_list([entry for entries in value.values() for entry in entries or ()])
        case _:
            return _UNKNOWN


type _Types = Mapping[str, tuple[type, ...]]

_UNKNOWN: Final = TokenList(-1, None, is_bare=False)
_OPENAI: Final[_Types] = {"content": (list,), "refusal": (list,)}
_GEMINI: Final[_Types] = {
    "chosenCandidates": (list,),
    "topCandidates": (list,),
    "logProbabilitySum": (int, float),
}
_COHERE: Final[_Types] = {"text": (str,), "token_ids": (list,), "logprobs": (list,)}
_PARALLEL: Final[_Types] = dict.fromkeys(
    ("tokens", "token_logprobs", "top_logprobs", "text_offset", "token_ids"), (list,)
)
_ENTRY: Final[_Types] = {
    "token": (str,),
    "bytes": (list,),
    "top_logprobs": (list,),
    "top_probs": (list,),  # llama.cpp, after sampling
    **dict.fromkeys(("logprob", "prob", "id", "token_id", "text_offset", "sampling_logprob"), (int, float)),
    **dict.fromkeys(("logProbability", "tokenId"), (int, float)),  # Gemini
}
_NAMED_BY_NUMBER: Final = re.compile(r"token_id:\d+|bytes:(?:\\x[0-9a-fA-F]{2})+")
"""Token names that are not text: vLLM's on request, OpenAI's for parts of a character."""


def _holds_only(value: dict[str, Any], known: _Types) -> bool:
    """Does it have only these members, of these types or null? Any other could hold text that nothing checks."""
    return all(member is None or isinstance(member, known.get(name, ())) for name, member in value.items())


def _have_one_length(value: dict[str, Any]) -> bool:
    return len({len(member) for member in value.values() if member is not None}) == 1


def _has_as_many(value: dict[str, Any], tokens: list[Any]) -> bool:
    """Are there alternatives for exactly these tokens?"""
    return len(value.get("topCandidates") or tokens) == len(tokens)


def _read_list(entries: list[Any]) -> TokenList:
    if all(isinstance(entry, int | float) and not isinstance(entry, bool) for entry in entries):
        return TokenList(len(entries), None, is_bare=True)
    # A token that spells nothing may well be one of the tags around reasoning.
    pieces = [_entry_bytes(entry) or None for entry in entries]
    spelled = None if None in pieces else b"".join(piece for piece in pieces if piece is not None)
    return TokenList(len(entries), spelled, is_bare=False)


def _entry_bytes(entry: Any) -> bytes | None:
    match entry:
        case str():
            return _bytes(entry)
        case {"token": str(token), "bytes": [_, *_] as numbers} if _holds_only(entry, _ENTRY):
            return _agreed(token, numbers)
        case {"token": str(token)} if _holds_only(entry, _ENTRY):
            return _bytes(token)
        case {"text": str(text), "token_ids": list()} if _holds_only(entry, _COHERE):
            return _bytes(text)
        case _:
            return None


def _agreed(token: str, numbers: list[Any]) -> bytes | None:
    """The bytes of a token, unless its name shows a different text; part of a character has no name of its own."""
    if not all(isinstance(number, int) and 0 <= number < 256 for number in numbers):
        return None
    raw = bytes(numbers)
    whole_characters = token.replace("\ufffd", "")
    agrees = raw.decode("utf-8", "ignore") == whole_characters or _NAMED_BY_NUMBER.fullmatch(token)
    return raw if agrees else None


def _bytes(text: str) -> bytes | None:
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
