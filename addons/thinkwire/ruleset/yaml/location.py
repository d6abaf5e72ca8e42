"""Where in a rule file one of pydantic's errors is.

Does not know what is wrong there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thinkwire.ruleset.problem import Source, Span
from thinkwire.ruleset.yaml.node import Key, YamlNode


@dataclass(frozen=True, slots=True)
class Location:
    """Where an error is."""

    source: Source
    node: YamlNode
    """The value, or the innermost one that exists."""
    keys: tuple[Key, ...]
    """The keys on the way to it."""
    on_key: bool
    """Is the last key itself wrong, rather than its value?"""
    in_list: bool

    @property
    def path(self) -> str:
        """The keys joined by dots, with `*` for those of the user's own."""
        return _join(self.keys)

    @property
    def parent(self) -> str:
        """The path without the last key."""
        return _join(self.keys[:-1])

    @property
    def name(self) -> str:
        if not self.keys:
            return "a rule file"
        key = f"`{self.keys[-1].text}`"
        return f"an entry of {key}" if self.in_list else key

    @property
    def span(self) -> Span:
        return self.keys[-1].span if self.on_key else self.node.span

    @property
    def text(self) -> str:
        """What is written there, if it is short."""
        text = self.source.text[self.node.span.start : self.node.span.end]
        return text if len(text) <= 40 and "\n" not in text else "..."


def locate(source: Source, root: YamlNode, loc: Iterable[str | int]) -> Location:
    """The location of one of pydantic's `loc`s; whatever is no key or position in it (tags of unions) is skipped."""
    node, keys, on_key, in_list = root, [], False, False
    for element in loc:
        if isinstance(element, int) and element < len(node.items):
            node, in_list = node.items[element], True
        elif isinstance(element, str) and (child := node.get(element)) is not None:
            keys.append(node.key(element))
            node, in_list = child, False
        elif element == "[key]":
            on_key = True
    return Location(source, node, tuple(keys), on_key, in_list)


def _join(keys: Sequence[Key]) -> str:
    names = [key.text for key in keys]
    if names[:3] == ["rules", "when", "body"]:
        names[3:4] = ["*"] * len(names[3:4])
    return ".".join(names)
