"""YAML as rule files may use it: what keys and values are, and where."""

from pathlib import Path

from tests.ruleset.loading import ONE, ids, load_text, request, rules
from thinkwire.rewrite.plan import Keep, Strip


def test_yes_and_on_are_text_even_if_the_file_claims_an_older_yaml(tmp_path: Path) -> None:
    text = (
        "%YAML 1.1\n---\nversion: 1\nrules:\n  - id: a\n    when: {body: {x: on}}\n    response: {reasoning: strip}\n"
    )
    ruleset = load_text(tmp_path, text).ruleset
    assert ruleset is not None
    assert ruleset.choose(request({"x": "on"})).plan.response.reasoning == Strip()
    assert ruleset.choose(request({"x": True})).plan.response.reasoning == Keep()


def test_keys_are_the_text_that_is_written(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - id: a\n    request: {set: {a: {1: x, 0x1F: y, true: z, null: n}}}\n")
    ((_, value),) = ruleset.choose(request()).plan.request.set
    assert value == '{"1": "x", "0x1F": "y", "true": "z", "null": "n"}'


def test_a_byte_order_mark_and_crlf_and_a_document_start_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_bytes(b"\xef\xbb\xbf---\r\n" + ONE.format(id="a").replace("\n", "\r\n").encode())
    assert ids(path) == ["a"]


def test_places_count_characters_and_lines_as_editors_do(tmp_path: Path) -> None:
    text = 'version: 1\r\n# \u2028 \N{NEXT LINE}\r\n"\u65e5\u672c": {"\U0001f600": 1}\r\n'
    (problem,) = load_text(tmp_path, text).problems
    assert (problem.line, problem.col, problem.length) == (3, 1, 4)
