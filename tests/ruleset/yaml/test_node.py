"""The tree of a YAML file: looking up keys, and plain values."""

from pathlib import Path

from thinkwire.ruleset.problem import Source
from thinkwire.ruleset.yaml.node import UNUSABLE, YamlNode, plain
from thinkwire.ruleset.yaml.tree import parse


def read(text: str) -> YamlNode:
    root, _ = parse(Source(Path("rules.yaml"), text))
    assert root is not None
    return root


def test_a_key_is_looked_up_in_mappings_only() -> None:
    root = read("a: [b]\n")
    assert root.key("a").text == "a"
    value = root.get("a")
    assert value is not None
    assert (root.get("b"), value.get("b")) == (None, None)


def test_plain_values_are_python_s_own_and_nothing_is_unusable() -> None:
    assert plain(read("a: [1, x, null, {b: true}]\nc:\n")) == {"a": [1, "x", None, {"b": True}], "c": UNUSABLE}


def test_the_elements_and_texts_of_a_list_are_there_although_others_are_wrong() -> None:
    root = read("a: [b, 1, c]\nd: e\n")
    assert [node.scalar for node in root.items_of("a")] == ["b", 1, "c"]
    assert [node.scalar for node in root.texts_of("a")] == ["b", "c"]
    assert (root.items_of("d"), root.texts_of("missing")) == ((), [])
    text = root.get("d")
    assert text is not None
    assert text.texts == [text]
