"""`dialects`: what a file declares is known to its rules, to the files around it, and before what is built in."""

from pathlib import Path

import pytest

from tests.ruleset.loading import SHIPPED, load_file, load_text
from thinkwire.cli import main as cli
from thinkwire.dialects.registry import DIALECTS, request_facts
from thinkwire.rewrite.plan import Keep, Strip
from thinkwire.ruleset.choose import Ruleset
from thinkwire.ruleset.problem import Code

ONE = "version: 1\ndialects:\n  - {{id: {id}, path: [{path}, /more/{id}], places: {{reasoning: thought}}}}\n"
HIDE = "rules:\n  - {{id: hide, when: {{dialect: {id}}}, response: {{reasoning: strip}}}}\n"


def loaded(folder: Path, text: str, **others: str) -> Ruleset:
    for stem, other in others.items():
        (folder / f"{stem}.yaml").write_text(other)
    result = load_text(folder, text)
    assert result.problems == ()
    assert result.ruleset is not None
    return result.ruleset


def names(ruleset: Ruleset) -> list[str]:
    return [dialect.name for dialect in ruleset.dialects]


def test_declared_dialects_come_before_built_in_ones_and_our_own_before_included_ones(tmp_path: Path) -> None:
    ruleset = loaded(
        tmp_path,
        "include: [a.yaml]\n" + ONE.format(id="own", path="/own"),
        a=ONE.format(id="included", path="/included"),
    )
    assert names(ruleset) == ["own", "included", *(dialect.name for dialect in DIALECTS)]
    assert [dialect.name for dialect in ruleset.declared] == ["own", "included"]


def test_a_rule_may_ask_for_a_dialect_of_any_file(tmp_path: Path) -> None:
    own = ONE.format(id="own", path="/own")
    loaded(tmp_path, own + HIDE.format(id="own"))
    loaded(tmp_path, "version: 1\ninclude: [a.yaml]\n" + HIDE.format(id="own"), a=own)
    loaded(tmp_path, "include: [a.yaml]\n" + own, a="version: 1\n" + HIDE.format(id="own"))


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/more/own"])
def test_a_request_to_a_declared_path_is_of_that_dialect_whatever_it_looks_like(tmp_path: Path, path: str) -> None:
    ruleset = loaded(tmp_path, ONE.format(id="own", path='"*/chat/completions"') + HIDE.format(id="own"))
    body = b'{"model": "m", "messages": [], "stream": true}'
    facts = request_facts("h", path, "POST", [], body, ruleset.dialects)
    assert (facts.dialect, facts.model, facts.stream) == ("own", "m", True)
    choice = ruleset.choose(facts)
    assert choice.plan.response.reasoning == Strip()
    assert choice.dialects is ruleset.dialects
    other = request_facts("h", "/chat", "POST", [], body, ruleset.dialects)
    assert other.dialect == "chat-completions"
    assert ruleset.choose(other).plan.response.reasoning == Keep()


def test_an_id_that_two_files_share_is_reported_in_the_including_one(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(ONE.format(id="same", path="/a"))
    (problem,) = load_text(tmp_path, "include: [a.yaml]\n" + ONE.format(id="same", path="/b")).problems
    assert (problem.code, problem.file.name, problem.line, problem.col) == (Code.DUPLICATE_DIALECT, "rules.yaml", 4, 10)


def test_a_rule_and_a_dialect_may_share_an_id(tmp_path: Path) -> None:
    loaded(tmp_path, ONE.format(id="hide", path="/x") + HIDE.format(id="hide"))


def test_a_dialect_that_another_file_lacks_is_suggested(tmp_path: Path) -> None:
    (problem,) = load_text(tmp_path, ONE.format(id="talkative", path="/x") + HIDE.format(id="talktive")).problems
    assert (problem.code, problem.hint) == (Code.UNKNOWN_DIALECT, "did you mean `talkative`?")


def test_a_broken_place_hides_no_other_problem(tmp_path: Path) -> None:
    text = "version: 1\ndialects:\n  - {id: a, path: /x, places: {reasoning: [a..b, a, a], text: a.b}}\n"
    found = [(problem.code.value, problem.col) for problem in load_text(tmp_path, text).problems]
    assert found == [("bad-place", 44), ("duplicate-place", 53), ("contradictory-places", 63)]


def test_check_counts_dialects(capsys: pytest.CaptureFixture[str]) -> None:
    path = SHIPPED / "example-dialect.yaml"
    assert cli.main(["check", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: 4 rules, 2 dialects, no problems\n"


def test_explain_names_a_declared_dialect_with_its_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = tmp_path / "request.json"
    body.write_text('{"request": {"model_name": "m", "stream": true}}')
    path = SHIPPED / "example-dialect.yaml"
    assert cli.main(["explain", str(path), "--path", "/api/v9/talk?x=1", "--body", str(body)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("POST localhost/api/v9/talk (dialect talkative, model m, stream)\n")
    assert "response.reasoning = strip  example-dialect-hide (" in out


def test_the_shipped_example_leaves_other_apis_to_the_default_rules() -> None:
    ruleset = load_file(SHIPPED / "example-dialect.yaml").ruleset
    assert ruleset is not None
    facts = request_facts("h", "/v1/chat/completions", "POST", [], b"{}", ruleset.dialects)
    (rule,) = ruleset.choose(facts).rules
    assert rule.id == "default-rename"
