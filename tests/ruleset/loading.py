"""Loads rule files for tests: from text, with the real shipped files and the real filters."""

from pathlib import Path

from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.proxy.flow_filter import compile_filter
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.load import Loaded, load

SHIPPED = Path(__file__).parents[2] / "rules"
ONE = "version: 1\nrules:\n  - id: {id}\n    response: {{reasoning: strip}}\n"
"""A rule file with one rule."""


def load_file(path: Path, shipped: Path = SHIPPED) -> Loaded:
    return load(path, shipped=shipped, compile_filter=compile_filter)


def load_text(folder: Path, text: str) -> Loaded:
    path = folder / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    return load_file(path)


def rules(folder: Path, text: str) -> Ruleset:
    """The ruleset of a file that must be free of errors; `version: 1` and `rules:` are put in front."""
    loaded = load_text(folder, "version: 1\nrules:\n" + text)
    assert loaded.ruleset is not None, loaded.problems
    return loaded.ruleset


def request(
    body: object = None,
    *,
    host: str = "api.example.com",
    path: str = "/v1/chat/completions",
    method: str = "POST",
    headers: tuple[tuple[str, str], ...] = (),
    model: str | None = None,
    dialect: str | None = "chat-completions",
    stream: bool = False,
) -> RequestFacts:
    return RequestFacts(host, path, method, headers, body, dialect, model, stream)


def write(folder: Path, **texts: str) -> Path:
    """Writes files by their stems; returns the one called main."""
    for stem, text in texts.items():
        (folder / f"{stem}.yaml").write_text(text, encoding="utf-8")
    return folder / "main.yaml"


def ids(path: Path, shipped: Path = SHIPPED) -> list[str]:
    """The ids of all rules of a file, in order."""
    loaded = load_file(path, shipped)
    assert loaded.ruleset is not None, loaded.problems
    return [rule.origin.id for rule in loaded.ruleset.rules]
