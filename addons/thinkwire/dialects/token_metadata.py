"""The forms in which servers list tokens one by one, and what such a list spells (dialects.md sections 2.6 and 5-16).

The forms are told apart by their shape, whatever the member is called; it does not decide what happens to a list.
"""

from dataclasses import dataclass

__all__ = ["TokenList", "read_tokens"]


@dataclass(frozen=True, slots=True)
class TokenList:
    """What a list of tokens says of itself."""

    count: int
    """How many tokens; 0 for a copy of the text that does not tell them apart, -1 where the form is not known."""
    spells: bytes | None
    """The tokens' bytes, joined; None where there is no text to go by."""
    is_bare: bool
    """Only numbers: ids or probabilities, without any text."""


def read_tokens(value: object) -> TokenList:
    """Read the value of a part of kind TOKENS. What has no known form is a list of which nothing can be verified."""
    match value:
        case bool():
            return _UNKNOWN
        case int() | float():  # Together: the `token_id` of a delta, and `logprobs` as a number
            return TokenList(1, None, is_bare=True)
        case str():  # Together: `text` repeats the piece of text
            return TokenList(0, _bytes(value), is_bare=False)
        case list():
            return _read_list(value)
        case {"tokens": list(tokens)}:  # legacy: parallel lists
            return _read_list(tokens)
        case {"content": list() | None as content} if isinstance(value, dict):  # OpenAI
            return _read_list([*(content or ()), *_list(value.get("refusal"))])
        case {"refusal": list(refusal)}:
            return _read_list(refusal)
        case _:
            return _UNKNOWN


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


_UNKNOWN = TokenList(-1, None, is_bare=False)


def _read_list(entries: list[object]) -> TokenList:
    if all(isinstance(entry, int | float) and not isinstance(entry, bool) for entry in entries):
        return TokenList(len(entries), None, is_bare=True)
    pieces = [_entry_bytes(entry) for entry in entries]
    spelled = None if None in pieces else b"".join(piece for piece in pieces if piece is not None)
    return TokenList(len(entries), spelled, is_bare=False)


def _entry_bytes(entry: object) -> bytes | None:
    match entry:
        case str():
            return _bytes(entry)
        case {"bytes": list(numbers)} if all(isinstance(n, int) and 0 <= n < 256 for n in numbers):
            return bytes(numbers)
        case {"token": str(token)}:
            return _bytes(token)
        case _:
            return None


def _bytes(text: str) -> bytes | None:
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
