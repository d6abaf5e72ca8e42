"""One message of the assistant's in a request: what it holds of reasoning, whatever carries it. It only reads."""

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from thinkwire.dialects.core.parts import Kind, Part, Update
from thinkwire.dialects.core.tag_families import Family
from thinkwire.rewrite.extract.tag_reader import TagReader
from thinkwire.rewrite.plan import Opaque
from thinkwire.rewrite.removal import remove_reasoning
from thinkwire.wire.json_tree import Node
from thinkwire.wire.splice import Edits

__all__ = ["AssistantMessage", "Tags"]


class Tags(NamedTuple):
    """The tags that a message's text may begin with."""

    family: Family
    opens: tuple[str, ...]


class AssistantMessage:
    """A message and its reasoning."""

    def __init__(self, update: Update, tags: Tags) -> None:
        self.update = update
        self._tags = tags

    @property
    def node(self) -> Node:
        return self.update.node

    @property
    def parts(self) -> list[Part]:
        """All that is of the thought, placeholders included."""
        return [part for part in self.update.of(Kind.REASONING, Kind.OPAQUE) if not part.is_flag]

    @property
    def named(self) -> list[Part]:
        """The members that hold the reasoning as a text, the one that counts first."""
        texts = [part for part in self.parts if part.node.is_string and part.is_meaningful and _is_named(part)]
        return sorted(texts, key=lambda part: (_depth(part.node), _rank(part)))

    @property
    def blocks(self) -> list[Node]:
        return [block for part in self.parts for block in part.blocks]

    @property
    def has_thought(self) -> bool:
        """Is anything of a thought there, tagged text aside?"""
        return any(part.is_meaningful for part in self.parts)

    @property
    def is_redacted(self) -> bool:
        return any(_type(block) == "redacted_thinking" for block in self.blocks)

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
        if lists:  # two lists hold the same thought twice
            return "\n".join(next(iter(lists.values())))
        return self.tagged[0] if self.tagged is not None else ""

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
    def tagged(self) -> tuple[str, str] | None:
        """The thought that the visible text begins with, between tags, and what follows it."""
        if self.visible is None or self.visible.is_empty:
            return None
        value = str(self.visible.value)
        reader = TagReader(self._tags.family, starts_inside=False)
        pieces = [*reader.feed(value), *reader.finish()]
        spoken = [piece for piece in pieces if piece.text.strip()]
        is_blank = value.lstrip().startswith(self._tags.opens)  # a block of nothing is one, too
        if not is_blank and not (spoken and spoken[0].is_reasoning):
            return None
        thought = "".join(piece.text for piece in pieces if piece.is_reasoning)
        rest = "".join(piece.text for piece in pieces if not piece.is_reasoning)
        return thought.strip("\n"), rest.lstrip("\n")

    def drop_unsigned(self, edits: Edits) -> None:
        """Take out the thinking blocks without a signature, and forget them. A thought in a list is never signed."""
        unsigned = {block for block in self.blocks if _has_text(block) and not _is_signed(block)}
        gone = [part for part in self.parts if part.blocks and unsigned.issuperset(part.blocks)]
        remove_reasoning(replace(self.update, parts=gone), Opaque.DROP, edits)
        for block in unsigned - {block for part in gone for block in part.blocks}:
            edits.remove(block)
        self.update = replace(self.update, parts=[part for part in self.update.parts if part not in gone])


def _is_named(part: Part) -> bool:
    return (part.spec is not None and part.spec.rank is not None) or part.node.key == "thinking"


def _rank(part: Part) -> int:
    return part.spec.rank if part.spec is not None and part.spec.rank is not None else 0


def _depth(node: Node) -> int:
    return 0 if node.parent is None else 1 + _depth(node.parent)


def _type(block: Node) -> object:
    kind = block.child("type")
    return kind.value if kind is not None and kind.is_string else None


def _has_text(block: Node) -> bool:
    thinking = block.child("thinking")
    return _type(block) == "thinking" and (thinking is None or thinking.is_string)


def _is_signed(block: Node) -> bool:
    signature = block.child("signature")
    return signature is not None and signature.is_string and not signature.is_empty


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
