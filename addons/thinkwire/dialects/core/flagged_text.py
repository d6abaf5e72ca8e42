"""Texts that a member beside them flags as reasoning, and the tags around it (docs/apis.md,
"Gemini, OpenAI-compatible").

Gemini's chat completions write reasoning into `content`, between tags, and say so in another member. Flags and tags
come from the tables; without a flag it looks for no tags.
"""

import re
from functools import cache

from thinkwire.dialects.core.parts import Extent, Kind, Part, Update


def split_flagged_texts(update: Update) -> None:
    """Make the reasoning in an update's texts parts of its own, if a flag says that there is any.

    A flagged delta is reasoning, up to its closing tag if it holds one. In a flagged snapshot only text between tags
    is: there the flag can be about a signature, with nothing but the answer beside it.
    """
    if not any(part.is_flag and part.node.raw == "true" for part in update.parts):
        return
    for part in update.of(Kind.TEXT):
        if part.spec is not None and part.spec.tags is not None and part.node.is_string and part.is_meaningful:
            _split(part, part.spec.tags, update)


def _split(text: Part, tags: tuple[str, str], update: Update) -> None:
    raw = text.node.raw
    if update.extent is Extent.SNAPSHOT and not _at_beginning(tags[0]).match(raw):
        return
    close = _anywhere(tags[1]).match(raw)
    rest = f'"{raw[close.end() :]}' if close is not None else '""'
    if rest != '""':
        update.parts.append(Part(Kind.REASONING, text.node, text.spec, rest=rest))
        return
    text.kind = Kind.REASONING
    text.rest = rest if update.extent is Extent.SNAPSHOT else None


def after_closing_tag(raw: str, tags: tuple[str, str]) -> str | None:
    """What follows the closing tag in a text that begins with it; None if it does not. Both are JSON strings."""
    match = _at_beginning(tags[1]).match(raw)
    return f'"{raw[match.end() :]}' if match is not None else None


@cache
def _at_beginning(tag: str) -> re.Pattern[str]:
    return re.compile(rf'"(?:[ ]|\\[nrt])*+{_escaped(tag)}')


@cache
def _anywhere(tag: str) -> re.Pattern[str]:
    return re.compile(rf'"(?:[^\\]|\\.)*?{_escaped(tag)}', re.DOTALL)


def _escaped(tag: str) -> str:
    """A pattern for the tag, however a JSON string may escape it."""
    plain = {"/": r"\\?/"}
    return "".join(rf"(?:{plain.get(char, re.escape(char))}|\\u00(?i:{ord(char):02x}))" for char in tag)
