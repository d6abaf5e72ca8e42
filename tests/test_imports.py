"""Imports run one way, and none goes back to the left:

`cli -> html -> proxy -> playback -> exchange -> ruleset -> rewrite -> dialects -> wire`
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ADDONS = Path(__file__).parents[1] / "addons"
LAYERS = ("cli", "html", "proxy", "playback", "exchange", "ruleset", "rewrite", "dialects", "wire")
OUTSIDE = {
    "mitmproxy": ("proxy", "playback", "exchange"),
    "tornado": ("proxy",),
    "jinja2": ("html",),
    "markupsafe": ("html",),
    "ruamel": ("ruleset",),
    "pydantic": ("ruleset",),
    "pydantic_core": ("ruleset",),
}
"""Packages that only some layers may know."""


def layer_of(module: str) -> str | None:
    """`thinkwire.wire.sse` -> `wire`, `thinkwire.cli.show` -> `cli`; None for the package itself and for others'."""
    names = module.split(".")
    if names[0] != "thinkwire" or len(names) == 1:
        return None
    return names[1]


def imported(tree: ast.AST, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Every module that is imported, wherever the import stands, with its line."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = [*start, *(node.module or "").split(".")] if node.module else start
            # `from thinkwire import wire` imports a module as well as `from thinkwire.wire import sse` does.
            yield from ((node.lineno, ".".join([*base, alias.name])) for alias in node.names)


def bad_arrows(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """What a module imports and must not, as `line: importing -> imported`."""
    own = layer_of(module)
    found = []
    for line, name in imported(ast.parse(source), module, is_package=is_package):
        other = layer_of(name)
        outside = name.partition(".")[0]
        to_the_left = other in LAYERS and own in LAYERS and LAYERS.index(other) < LAYERS.index(own)
        inside_out = other in LAYERS and own is None
        if to_the_left or inside_out or own not in OUTSIDE.get(outside, (own,)):
            found.append(f"{line}: {module} -> {name}")
    return found


def modules() -> Iterator[tuple[Path, str, bool]]:
    for path in sorted((ADDONS / "thinkwire").rglob("*.py")):
        names = path.relative_to(ADDONS).with_suffix("").parts
        is_package = names[-1] == "__init__"
        yield path, ".".join(names[:-1] if is_package else names), is_package


@pytest.mark.parametrize(("path", "module", "is_package"), [pytest.param(*m, id=m[1]) for m in modules()])
def test_module_imports_only_what_is_right_of_it(path: Path, module: str, is_package: bool) -> None:
    assert bad_arrows(path.read_text(encoding="utf-8"), module, is_package=is_package) == []


def test_every_module_belongs_to_a_layer() -> None:
    assert len([*modules()]) > 150  # else the folders have moved, and nothing was read
    assert {layer_of(module) for _, module, _ in modules()} == {None, *LAYERS}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("thinkwire.wire.sse", "from thinkwire.dialects.registry import NAMES"),
        ("thinkwire.wire.sse", "import thinkwire.rewrite.plan as plan"),
        ("thinkwire.wire.sse", "from ..dialects import registry"),
        ("thinkwire.wire.sse", "from .. import dialects"),
        ("thinkwire.wire.sse", "from thinkwire import cli"),
        ("thinkwire.rewrite.plan", "def f():\n    from ..ruleset.load import load"),
        ("thinkwire.ruleset.load", "from thinkwire.proxy.flow_filter import compile_filter"),
        ("thinkwire.ruleset.load", "import mitmproxy.http"),
        ("thinkwire.cli.main", "from mitmproxy import http"),
        ("thinkwire.rewrite.plan", "import ruamel.yaml"),
        ("thinkwire.proxy.addon", "from pydantic import BaseModel"),
        ("thinkwire.dialects.chat", "try:\n    from pydantic_core import x\nexcept ImportError:\n    pass"),
    ],
)
def test_a_bad_arrow_is_caught(module: str, source: str) -> None:
    assert len(bad_arrows(source, module)) == 1


def test_a_package_reads_relative_imports_from_itself() -> None:
    assert bad_arrows("from . import dialects", "thinkwire", is_package=True) == ["1: thinkwire -> thinkwire.dialects"]
    assert bad_arrows("from .sse import Event", "thinkwire.wire", is_package=True) == []
    assert len(bad_arrows("from ..rewrite import plan", "thinkwire.wire", is_package=True)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("thinkwire.cli.main", "from thinkwire.wire import sse"),
        ("thinkwire.proxy.addon", "from ..ruleset.load import load\nimport mitmproxy"),
        ("thinkwire.ruleset.load", "import ruamel.yaml, pydantic\nfrom . import model"),
        ("thinkwire.wire.sse", "import json\nfrom collections.abc import Iterator"),
    ],
)
def test_a_good_arrow_passes(module: str, source: str) -> None:
    assert bad_arrows(source, module) == []


APIS = re.compile(
    r"anthropic|openai|gemini|google|ollama|mistral|cohere|bedrock|dashscope|sglang|vllm|llama|g4f|perplexity|groq"
    r"|deepseek|chat.completions",
    re.IGNORECASE,
)


def test_the_rewriting_mentions_no_api() -> None:
    """A new API is a new table; where the rewriting wants to know one by name, the seam is wrong."""
    for path in sorted((ADDONS / "thinkwire" / "rewrite").rglob("*.py")):
        mentions = [line for line in path.read_text(encoding="utf-8").splitlines() if APIS.search(line)]
        assert not mentions, path.name
