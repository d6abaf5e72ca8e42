"""Which token metadata of an update may stay, given the action that the table of states names.

It compares what the lists spell with what the update shows; it does not edit.
"""

from thinkwire.dialects.core.parts import Kind, Part, Update
from thinkwire.dialects.core.token_metadata import TokenList, read_tokens
from thinkwire.rewrite.strip.states import MetadataAction


def kept_parts(update: Update, parts: list[Part], action: MetadataAction) -> list[Part]:
    """Those of the parts of token metadata that may stay."""
    if action is MetadataAction.KEEP or not parts:
        return parts
    if action is MetadataAction.DROP:
        return []
    text = _visible_text(update)
    lists = [(part, read_tokens(part.node.value)) for part in parts if part.kind is Kind.TOKENS]
    if action is MetadataAction.KEEP_UNLESS_MORE:
        calls = any(part.is_meaningful for part in update.of(Kind.TOOL_CALL))
        return [] if not calls and any(_is_more(tokens, text) for _, tokens in lists) else parts
    spelled = {tokens.count for _, tokens in lists if tokens.spells is not None and tokens.spells == text} - {0}
    has_texts = any(tokens.count != 0 and not tokens.is_bare for _, tokens in lists)
    keeps_bare = action is MetadataAction.KEEP_IF_SPELLED_OR_BARE and not has_texts
    return [
        part
        for part, tokens in lists
        if (tokens.spells is not None and tokens.spells == text)
        or (tokens.is_bare and (keeps_bare or tokens.count in spelled))
    ]


def _visible_text(update: Update) -> bytes | None:
    """The bytes of the update's text and refusal; None if they are not plain text."""
    pieces: list[bytes] = []
    for part in update.of(Kind.TEXT, Kind.REFUSAL):
        value = (part.node.value if part.shown is None else part.shown) if part.is_meaningful else ""
        if not isinstance(value, str):
            return None
        pieces.append(value.encode("utf-8", "surrogatepass"))
    return b"".join(pieces)


def _is_more(tokens: TokenList, text: bytes | None) -> bool:
    """Do the tokens hold the text and more than it? Servers trim white space at its ends."""
    if tokens.spells is None or text is None:
        return False
    spelled, shown = tokens.spells.strip(), text.strip()
    return shown in spelled and shown != spelled
