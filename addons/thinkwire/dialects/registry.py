"""All dialects. A new API is one file beside this one and one line here."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from thinkwire.dialects.apis.anthropic_messages import ANTHROPIC_MESSAGES
from thinkwire.dialects.apis.bedrock_converse import BEDROCK_CONVERSE
from thinkwire.dialects.apis.bedrock_invoke import BEDROCK_INVOKE
from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.apis.cohere import COHERE
from thinkwire.dialects.apis.completions import COMPLETIONS
from thinkwire.dialects.apis.dashscope import DASHSCOPE
from thinkwire.dialects.apis.g4f import G4F
from thinkwire.dialects.apis.gemini import GEMINI
from thinkwire.dialects.apis.gemini_interactions import GEMINI_INTERACTIONS
from thinkwire.dialects.apis.llamacpp_completion import LLAMACPP_COMPLETION
from thinkwire.dialects.apis.lm_studio import LM_STUDIO
from thinkwire.dialects.apis.mistral_conversations import MISTRAL_CONVERSATIONS
from thinkwire.dialects.apis.ollama import OLLAMA
from thinkwire.dialects.apis.openai_responses import OPENAI_RESPONSES
from thinkwire.dialects.apis.sglang_generate import SGLANG_GENERATE
from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.dialects.history.base import Conversation
from thinkwire.dialects.history.chat import CHAT_CONVERSATION, OLLAMA_CONVERSATION
from thinkwire.dialects.history.gemini import GEMINI_CONVERSATION
from thinkwire.dialects.history.messages import MESSAGES_CONVERSATION
from thinkwire.dialects.history.responses import RESPONSES_CONVERSATION
from thinkwire.wire.json_tree import Unreadable, read

DIALECTS: Final[tuple[Dialect, ...]] = (
    CHAT_COMPLETIONS,
    OPENAI_RESPONSES,
    ANTHROPIC_MESSAGES,
    BEDROCK_CONVERSE,
    BEDROCK_INVOKE,
    GEMINI,
    GEMINI_INTERACTIONS,
    OLLAMA,
    LM_STUDIO,
    LLAMACPP_COMPLETION,
    SGLANG_GENERATE,
    G4F,
    COMPLETIONS,
    MISTRAL_CONVERSATIONS,
    COHERE,
    DASHSCOPE,
)
CONVERSATIONS: Final[dict[str | None, Conversation]] = {
    CHAT_COMPLETIONS.name: CHAT_CONVERSATION,
    OPENAI_RESPONSES.name: RESPONSES_CONVERSATION,
    ANTHROPIC_MESSAGES.name: MESSAGES_CONVERSATION,
    GEMINI.name: GEMINI_CONVERSATION,
    OLLAMA.name: OLLAMA_CONVERSATION,
}
"""The APIs whose requests bring reasoning back, by their names."""
NAMES: Final = tuple(dialect.name for dialect in DIALECTS)


def dialect_of_request(path: str, body: object, dialects: tuple[Dialect, ...] = DIALECTS) -> Dialect | None:
    """The API that a request is for: by its path, else by the shape of its body; of several, the first.

    A list of messages is the shape of chat completions, but not theirs alone: what else the body holds goes first.
    """
    by_path = (dialect for dialect in dialects if dialect.matches_path(path))
    by_body = (dialect for dialect in dialects if dialect.matches_body(body))
    return next(by_path, None) or min(by_body, key=lambda dialect: dialect is CHAT_COMPLETIONS, default=None)


def request_facts(
    host: str,
    path: str,
    method: str,
    headers: Iterable[tuple[str, str]],
    body: bytes | None,
    dialects: tuple[Dialect, ...] = DIALECTS,
) -> RequestFacts:
    """A request as the rules see it. `path` is without its query; `body` is decoded of any content coding."""
    parsed = _parse(body)
    facts = RequestFacts(host, path, method, tuple((name.lower(), value) for name, value in headers), parsed)
    dialect = dialect_of_request(path, parsed, dialects)
    if dialect is None:
        return facts
    return replace(facts, dialect=dialect.name, model=dialect.model(facts), stream=dialect.wants_stream(facts))


def streams_a_list(request: RequestFacts) -> bool:
    """May the answer be a list that is sent element by element?"""
    return request.stream and any(one.streams_a_list for one in DIALECTS if one.name == request.dialect)


def _parse(body: bytes | None) -> object:
    if not body or body.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return read(body.decode("latin-1"), None).value
    except (Unreadable, json.JSONDecodeError, RecursionError):
        return None
