"""One assistant message in a request: the reasoning in it, whatever carries it. It only reads."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple

from thinkwire.dialects.core.parts import Kind, Part, Update
from thinkwire.wire.json_tree import Node

_REDACTED: Final = "redacted_thinking"


class TaggedText(NamedTuple):
    """A visible text that begins with a tagged block."""

    reasoning: str
    rest: str
    """What follows the block."""


type ReadTags = Callable[[str], TaggedText | None]
"""Reads a visible text; None if it does not begin with a tagged block."""


class AssistantMessage:
    """A message and its reasoning."""

    def __init__(self, update: Update, read_tags: ReadTags) -> None:
        self.update = update
        self._read_tags = read_tags

    @property
    def node(self) -> Node:
        return self.update.node

    @property
    def parts(self) -> list[Part]:
        """All that is part of the reasoning, placeholders included."""
        return [part for part in self.update.of(Kind.REASONING, Kind.OPAQUE) if not part.is_flag]

    @property
    def named(self) -> list[Part]:
        """The members that hold the reasoning as a text, the one that counts first."""
        texts = [part for part in self.parts if part.node.is_string and part.is_meaningful and _is_named(part)]
        return sorted(texts, key=lambda part: (part.node.depth, part.rank))

    @property
    def blocks(self) -> list[Node]:
        return [block for part in self.parts for block in part.blocks]

    @property
    def has_reasoning(self) -> bool:
        """Is there any reasoning, apart from tagged text?"""
        return any(part.is_meaningful for part in self.parts)

    @property
    def untranslatable(self) -> str:
        """The type of a block that no other form can hold, because only the provider can read it; empty if none."""
        return _REDACTED if any(block.string("type") == _REDACTED for block in self.blocks) else ""

    @property
    def has_calls(self) -> bool:
        return any(part.is_meaningful for part in self.update.of(Kind.TOOL_CALL))

    @property
    def count(self) -> int:
        """How many blocks of reasoning there are, whatever carries them."""
        return len(self.blocks) or int(bool(self.text))

    @cached_property
    def text(self) -> str:
        """The reasoning as one text, its blocks joined by a newline."""
        if self.named:
            return str(self.named[0].node.value)
        lists: dict[Node | None, list[str]] = {}
        for part in self.parts:
            member = part.node if part.node.is_list else part.node.parent
            if texts := _texts_of(part):
                lists.setdefault(member, []).extend(texts)
        if lists:  # two lists hold the same reasoning twice
            return "\n".join(next(iter(lists.values())))
        return self.tagged.reasoning if self.tagged is not None else ""

    @cached_property
    def content(self) -> Node | None:
        return self.node.child("content")

    @property
    def has_readable_content(self) -> bool:
        """Is the content a text, a list or nothing, as it should be?"""
        return self.content is None or self.content.is_string or self.content.is_list or self.content.raw == "null"

    @cached_property
    def visible(self) -> Node | None:
        """The node of the text that is visible first: the content itself, or a part of it."""
        content = self.content
        if content is None or not content.is_list:
            return content if content is not None and content.is_string else None
        texts = [part.node for part in self.update.of(Kind.TEXT) if part.node.is_string and part.node.key == "text"]
        return texts[0] if texts else None

    @cached_property
    def tagged(self) -> TaggedText | None:
        """The tagged reasoning that the visible text begins with, and what follows it."""
        if self.visible is None or self.visible.is_empty:
            return None
        return self._read_tags(str(self.visible.value))

    @property
    def unsigned_blocks(self) -> set[Node]:
        """The thinking blocks without a signature. Reasoning in a list is never signed."""
        return {block for block in self.blocks if _has_text(block) and not block.string("signature")}

    def forget(self, parts: list[Part]) -> None:
        """Leave these parts out of what the message holds."""
        self.update = replace(self.update, parts=[part for part in self.update.parts if part not in parts])


def _is_named(part: Part) -> bool:
    return part.is_named or part.node.key == "thinking"


def _has_text(block: Node) -> bool:
    thinking = block.child("thinking")
    return block.string("type") == "thinking" and (thinking is None or thinking.is_string)


def _texts_of(part: Part) -> list[str]:
    """The texts of the blocks in a part, those without a word left out; blocks and leaves are in their order."""
    leaves = [leaf.node for leaf in part.leaves if leaf.kind is Kind.REASONING and leaf.node.is_string]
    texts: list[str] = []
    at = 0
    for block in part.blocks:
        begin = at
        while at < len(leaves) and leaves[at].at < block.end:
            at += 1
        texts.append("".join(str(leaf.value) for leaf in leaves[begin:at]))
    return list(filter(None, texts))
