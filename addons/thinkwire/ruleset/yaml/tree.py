"""YAML text -> a tree of values that know where they are.

Knows the parts of YAML that a rule file may use; does not know what a rule is. Built from ruamel.yaml's events rather
than its nodes: its composer recurses and resolves aliases, and both must be refused before they can do harm.
`parse` never raises because of what a file contains: it returns the tree, or None, and all problems.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from thinkwire.ruleset.problem import Code, Problem, Source, Span
from thinkwire.ruleset.yaml.errors import translate_syntax
from thinkwire.ruleset.yaml.node import Key, NodeKind, YamlNode
from thinkwire.ruleset.yaml.scalar import read_plain

DEEPEST = 64
"""Levels of nesting; rules need seven, the rest is room for values of `request.set`."""


def parse(source: Source) -> tuple[YamlNode | None, list[Problem]]:
    """The tree of a file's only document; None if the text is empty, not YAML, or more than one document."""
    builder = _Builder(source)
    try:
        for event in YAML(typ="safe", pure=True).parse(source.text):
            builder.take(event)
    except _GiveUpError:
        return None, builder.problems
    except (YAMLError, ValueError, OverflowError) as error:
        return None, [*builder.problems, translate_syntax(error, source)]
    if builder.root is None:
        builder.report(Code.EMPTY_FILE, Span(0, 0), "there is nothing in this file", "begin it with `version: 1`")
    return builder.root, builder.problems


KINDS = {NoneType: NodeKind.NULL, bool: NodeKind.BOOLEAN, str: NodeKind.TEXT}


class _GiveUpError(Exception):
    """What follows in this file cannot be judged."""


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not come yet; for a mapping, keys and values alternate."""

    kind: NodeKind
    start: int
    nodes: list[YamlNode] = field(default_factory=list)


@dataclass(slots=True)
class _Builder:
    source: Source
    problems: list[Problem] = field(default_factory=list)
    root: YamlNode | None = None
    documents: int = 0
    stack: list[_Open] = field(default_factory=list)

    def report(self, code: Code, span: Span, message: str, hint: str) -> None:
        self.problems.append(self.source.problem(code, span, message, hint))

    def take(self, event: Any) -> None:
        match event:
            case DocumentStartEvent():
                self._begin_document(event)
            case AliasEvent():
                self._add(self._refuse_alias(event))
            case ScalarEvent():
                self._add(self._scalar(event))
            case MappingStartEvent():
                self._open(NodeKind.MAPPING, event)
            case SequenceStartEvent():
                self._open(NodeKind.LIST, event)
            case MappingEndEvent() | SequenceEndEvent():
                self._close(event)

    def _begin_document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            hint = "remove this line, or put what follows into its own file"
            self.report(Code.SEVERAL_DOCUMENTS, _span(event), "a rule file must be a single document", hint)
            raise _GiveUpError

    def _open(self, kind: NodeKind, event: Any) -> None:
        self._refuse_properties(event)
        if len(self.stack) >= DEEPEST:
            message = f"this is nested deeper than {DEEPEST} levels"
            self.report(Code.TOO_DEEP, _span(event), message, "take out some levels")
            raise _GiveUpError
        self.stack.append(_Open(kind, event.start_mark.index))

    def _close(self, event: Any) -> None:
        done = self.stack.pop()
        span = Span(done.start, event.end_mark.index)
        if done.kind is NodeKind.LIST:
            self._add(YamlNode(NodeKind.LIST, span, items=tuple(done.nodes)))
            return
        entries = tuple(self._pair(done.nodes))
        # A mapping that lost all its keys is not an empty one: its problems have been reported.
        kind = NodeKind.BROKEN if done.nodes and not entries else NodeKind.MAPPING
        self._add(YamlNode(kind, span, entries=entries))

    def _add(self, node: YamlNode) -> None:
        if self.stack:
            self.stack[-1].nodes.append(node)
        elif node.kind is not NodeKind.NOTHING:
            self.root = node

    def _pair(self, nodes: list[YamlNode]) -> Iterator[tuple[Key, YamlNode]]:
        seen: dict[str, Key] = {}
        for name, value in zip(nodes[::2], nodes[1::2], strict=True):
            key = self._name(name)
            if key is None:
                continue
            if key.text in seen:
                line = self.source.line_number(seen[key.text].span.start)
                message = f"`{key.text}` is already set on line {line}"
                self.report(Code.DUPLICATE_KEY, key.span, message, "keep one of the two")
                continue
            seen[key.text] = key
            yield key, value

    def _name(self, node: YamlNode) -> Key | None:
        text = self.source.text[node.span.start : node.span.end]
        if node.kind is NodeKind.BROKEN:
            return None
        if text == "<<":
            message = "mappings cannot be merged with `<<` in a rule file"
            self.report(Code.MERGE_KEY, node.span, message, "write the keys out")
            return None
        if "\0" in str(node.scalar):
            self.report(Code.BAD_KEY, node.span, "a key cannot hold a NUL character", "remove it")
            return None
        if node.kind is NodeKind.TEXT:
            return Key(str(node.scalar), node.span)
        if node.kind in (NodeKind.NUMBER, NodeKind.BOOLEAN, NodeKind.NULL):
            return Key(text, node.span)
        self.report(Code.BAD_KEY, node.span, f"a key must be text, found {node.kind.value}", "write `key: value`")
        return None

    def _refuse_alias(self, event: Any) -> YamlNode:
        message = f"the alias `*{event.anchor}` cannot be used in a rule file"
        self.report(Code.ALIAS, _span(event), message, "write the value out where it is needed")
        return YamlNode(NodeKind.BROKEN, _span(event))

    def _refuse_properties(self, event: Any) -> bool:
        """Reports anchors and tags; True if there was a tag, which makes the value meaningless."""
        start = event.start_mark.index
        if event.anchor is not None:
            message = f"the anchor `&{event.anchor}` cannot be used in a rule file"
            span = Span(start, start + len(event.anchor) + 1)
            self.report(Code.ANCHOR, span, message, "remove it; aliases to it cannot be used either")
        if event.tag is not None:
            message = "YAML tags (`!...`) cannot be used in a rule file"
            self.report(Code.TAG, _span(event), message, "remove the tag; quotes make a value text")
        return event.tag is not None

    def _scalar(self, event: Any) -> YamlNode:
        if self._refuse_properties(event):
            return YamlNode(NodeKind.BROKEN, _span(event))
        if any("\ud800" <= char <= "\udfff" for char in event.value):
            message = "this text holds half of a character (a lone surrogate), which cannot be sent"
            self.report(Code.BAD_TEXT, _span(event), message, "write the whole character instead of `\\u` escapes")
            return YamlNode(NodeKind.BROKEN, _span(event))
        if event.style is not None:
            return YamlNode(NodeKind.TEXT, _span(event), event.value)
        return self._plain_scalar(event)

    def _plain_scalar(self, event: Any) -> YamlNode:
        try:
            scalar = read_plain(event.value)
        except ValueError:
            message = "this number is too large, too long, or not one that JSON has"
            self.report(Code.BAD_NUMBER, _span(event), message, "write a smaller number, or put it in quotes")
            return YamlNode(NodeKind.BROKEN, _span(event))
        if not event.value:
            return YamlNode(NodeKind.NOTHING, self._gap_before(event.start_mark.index))
        return YamlNode(KINDS.get(type(scalar), NodeKind.NUMBER), _span(event), scalar)

    def _gap_before(self, index: int) -> Span:
        # YAML places an empty value at the next token, which can be lines further down.
        end = len(self.source.text[:index].rstrip())
        return Span(max(0, end - 1), end)


def _span(event: Any) -> Span:
    return Span(event.start_mark.index, event.end_mark.index)
