"""The tree of a YAML file: values that know where they are.

Plain values. Does not know YAML's syntax, nor what a rule is.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from thinkwire.ruleset.problem import Span
from thinkwire.ruleset.yaml.scalar import Scalar


class NodeKind(Enum):
    """What a value is, in the user's words."""

    MAPPING = "a mapping"
    LIST = "a list"
    TEXT = "text"
    NUMBER = "a number"
    BOOLEAN = "true/false"
    NULL = "null"
    NOTHING = "nothing"
    """Nothing is written where a value belongs: `when:` and the line ends."""
    BROKEN = "broken"
    """Already reported."""


@dataclass(frozen=True, slots=True)
class Key:
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class YamlNode:
    kind: NodeKind
    span: Span
    scalar: Scalar = None
    entries: tuple[tuple[Key, "YamlNode"], ...] = ()
    """Of a mapping; no key twice."""
    items: tuple["YamlNode", ...] = ()
    """Of a list."""

    def get(self, name: str) -> "YamlNode | None":
        """The value under this key; None if there is none, or this is not a mapping."""
        return next((node for key, node in self.entries if key.text == name), None)

    def items_of(self, name: str) -> tuple["YamlNode", ...]:
        """The elements of the list under this key; none if there is no list."""
        value = self.get(name)
        return value.items if value else ()

    def texts_of(self, name: str) -> list["YamlNode"]:
        """The texts in the list under this key, even if it has other things in it."""
        return [item for item in self.items_of(name) if item.kind is NodeKind.TEXT]

    @property
    def texts(self) -> list["YamlNode"]:
        """The text itself, or those in the list."""
        return [node for node in (self, *self.items) if node.kind is NodeKind.TEXT]

    def key(self, name: str) -> Key:
        """The key of this name, which must exist."""
        return next(key for key, _ in self.entries if key.text == name)


class Unusable:
    """The type of UNUSABLE: a value that no key accepts, because nothing is written or it was already reported."""


UNUSABLE = Unusable()


def plain(node: YamlNode) -> Any:
    """The value in Python's own types, with UNUSABLE if there is none."""
    match node.kind:
        case NodeKind.MAPPING:
            return {key.text: plain(value) for key, value in node.entries}
        case NodeKind.LIST:
            return [plain(item) for item in node.items]
        case NodeKind.NOTHING | NodeKind.BROKEN:
            return UNUSABLE
    return node.scalar
