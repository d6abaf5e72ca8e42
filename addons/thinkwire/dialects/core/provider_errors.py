"""Errors that a rule would have avoided (docs/apis.md, "Errors about earlier reasoning").

The texts are the providers', matched by the words that say what is wrong. Gateways wrap them, quote them and drop the
quotation marks around names, so a pattern allows any mark, or none.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

ERROR_EVENT: Final = "error"
"""The name of the server-sent event that carries an error, in all APIs that name their events."""


@dataclass(frozen=True, slots=True)
class ProviderError:
    """One row: what the provider says, and what a rule can do about it."""

    pattern: re.Pattern[str]
    provider: str
    setting: str
    """As it is written in a rule file."""
    shown_in: str = ""
    """The shipped rule file that shows it."""


def _says(words: str) -> re.Pattern[str]:
    """Matches the words, any quotation mark (escaped or missing) for a `'`, and any white space for a blank."""
    pattern = re.escape(words).replace("'", r"\W{0,2}")
    return re.compile(pattern.replace(r"\ ", r"\s+"), re.IGNORECASE)


def _says_one_of(*texts: str) -> re.Pattern[str]:
    return re.compile("|".join(_says(text).pattern for text in texts), re.IGNORECASE)


_SEND_BACK: Final = "`history: reasoning_content` and `restore: true`"
_RESTORE: Final = "`restore: true`"
_UNSIGNED: Final = "`history: {unsigned: drop}`"

PROVIDER_ERRORS: Final[tuple[ProviderError, ...]] = (
    ProviderError(  # V4
        _says("'reasoning_content' in the thinking mode must be passed back"),
        "DeepSeek",
        _SEND_BACK,
        "rules/deepseek.yaml",
    ),
    ProviderError(  # V4 in its Messages API, which has no `reasoning_content`
        _says("'content[].thinking' in the thinking mode must be passed back"),
        "DeepSeek",
        _RESTORE,
        "rules/anthropic.yaml",
    ),
    ProviderError(  # V3.2
        _says("missing 'reasoning_content' field in the assistant message"),
        "DeepSeek",
        _SEND_BACK,
        "rules/deepseek.yaml",
    ),
    ProviderError(  # R1
        _says_one_of(
            "'reasoning_content' is an intermediate result for display purposes",
            "remove the 'reasoning_content' from your message",
        ),
        "DeepSeek R1",
        "`history: drop`",
    ),
    ProviderError(
        _says("'reasoning_content' is missing in assistant tool call message"),
        "Kimi",
        _SEND_BACK,
        "rules/kimi.yaml",
    ),
    ProviderError(
        _says("expected 'thinking' or 'redacted_thinking', but found"),
        "Anthropic",
        _RESTORE,
        "rules/anthropic.yaml",
    ),
    ProviderError(  # another provider's signature, or none
        _says_one_of("invalid 'signature' in 'thinking' block", "thinking.signature: field required"),
        "Anthropic",
        _UNSIGNED,
        "rules/anthropic.yaml",
    ),
    ProviderError(
        _says_one_of(
            "'redacted_thinking' blocks in the latest assistant message cannot be modified",
            "'redacted_thinking' blocks, the blocks must match the parameters",
        ),
        "Anthropic",
        "`history: keep`",
    ),
    ProviderError(
        _says("missing a 'thought_signature'"),
        "Gemini",
        _RESTORE,
        "rules/gemini.yaml",
    ),
    ProviderError(
        _says_one_of(
            "corrupted thought signature",
            "invalid thought signature",
            "thought signature is not valid",
        ),
        "Gemini",
        _RESTORE,
        "rules/gemini.yaml",
    ),
    ProviderError(
        _says("was provided without its required 'reasoning' item"),
        "The Responses API",
        _RESTORE,
        "rules/openai-responses.yaml",
    ),
    ProviderError(
        _says("of type 'reasoning' was provided without its required following item"),
        "The Responses API",
        _RESTORE,
        "rules/openai-responses.yaml",
    ),
    ProviderError(  # it has nowhere to put them; its exact words are not known
        re.compile(
            r"\bredacted_thinking\b[^.]{0,60}?\b(?:not supported|unsupported|not allowed|cannot be)"
            r"|\b(?:unsupported|not support|cannot accept)\b[^.]{0,60}?\bredacted_thinking\b",
            re.IGNORECASE,
        ),
        "SGLang",
        "`history: drop`",
    ),
)
"""The first match counts. The last row is the vaguest: Anthropic names the same block."""

MAX_CHARACTERS: Final = 65_536
"""An error says early what is wrong; a longer one quotes the request."""


def advice_for(text: str) -> str | None:
    """What to write in a rule file so that an error with this body does not come again; None if nothing is known."""
    texts = "\n".join(_strings(text[:MAX_CHARACTERS]))
    for error in PROVIDER_ERRORS:
        if error.pattern.search(texts):
            see = f", see {error.shown_in}" if error.shown_in else ""
            return f"{error.provider} refused: add {error.setting}{see}"
    return None


def _strings(text: str) -> Iterator[str]:
    """All strings of a JSON text, unescaped; any other text as it is.

    A gateway may put the provider's body into its own as a string, which is a JSON text again.
    """
    values: list[object] = [text]
    while values:
        match values.pop():
            case str(value):
                inner = _parse(value)
                if inner is None:
                    yield value
                else:
                    values.append(inner)
            case list(elements):
                values += reversed(elements)
            case dict(members):
                values += reversed(members.values())
            case _:
                pass


def _parse(text: str) -> object:
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
