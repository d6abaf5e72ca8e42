"""`when`: what fits and what does not."""

from pathlib import Path

import pytest

from tests.ruleset.loading import request, rules
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.proxy.flow_filter import make_flow
from thinkwire.rewrite.plan import Strip


def fits(folder: Path, when: str, facts: RequestFacts, flow: object = None) -> bool:
    ruleset = rules(folder, f"  - id: a\n    when: {when}\n    response: {{reasoning: strip}}\n")
    return ruleset.choose(facts, flow).plan.response.reasoning == Strip()


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{host: api.example.com}", True),
        ("{host: API.Example.COM}", True),
        ("{host: '*.example.com'}", True),
        ("{host: example.com}", False),
        ("{host: 'api?example.com'}", True),
        ("{host: apixexample.com}", False),
        ("{host: [other.example, 'api.*']}", True),
        ("{path: '*/chat/completions'}", True),
        ("{path: '/v1/*'}", True),
        ("{path: '/V1/*'}", False),
        ("{path: '/v1/chat'}", False),
        ("{method: POST}", True),
        ("{method: post}", False),
        ("{method: [GET, P*T]}", True),
        ("{model: 'deepseek-*'}", True),
        ("{model: 'Deepseek-*'}", False),
        ("{model: 'deepseek-r1'}", True),
        ("{model: 'deepseek-r'}", False),
        ("{dialect: chat-completions}", True),
        ("{dialect: '*'}", True),
        ("{stream: true}", True),
        ("{stream: false}", False),
        ("{stream: [false, true]}", True),
        ("{header: {X-Client: 'old/*'}}", True),
        ("{header: {x-client: 'OLD/*'}}", False),
        ("{header: {x-client: ['new/*', 'second']}}", True),
        ("{header: {x-client: '*', x-none: '*'}}", False),
        ("{host: api.example.com, model: other}", False),
        ("[{model: other}, {host: api.example.com}]", True),
        ("[{model: other}, {host: other}]", False),
    ],
)
def test_request_line_and_headers(tmp_path: Path, when: str, expected: bool) -> None:
    headers = (("x-client", "old/1.0"), ("x-client", "second"))
    facts = request(headers=headers, model="deepseek-r1", stream=True)
    assert fits(tmp_path, when, facts) is expected


@pytest.mark.parametrize(
    ("value", "body", "expected"),
    [
        ("false", {"a": {"b": False}}, True),
        ("false", {"a": {"b": 0}}, False),
        ("false", {"a": {"b": None}}, False),
        ("false", {"a": {"b": "false"}}, False),
        ("false", {"a": {}}, False),
        ("true", {"a": {"b": True}}, True),
        ("true", {"a": {"b": 1}}, False),
        ("1", {"a": {"b": 1}}, True),
        ("1", {"a": {"b": 1.0}}, True),
        ("1", {"a": {"b": True}}, False),
        ("0", {"a": {"b": False}}, False),
        ("1", {"a": {"b": "1"}}, False),
        ("1.5", {"a": {"b": 1.5}}, True),
        ("'1'", {"a": {"b": 1}}, False),
        ("low", {"a": {"b": "low"}}, True),
        ("l*", {"a": {"b": "low"}}, True),
        ("l*", {"a": {"b": "LOW"}}, False),
        ("'*'", {"a": {"b": ["low"]}}, False),
        ("'*'", {"a": {"b": "x\ny"}}, True),
        ("[low, false, 3]", {"a": {"b": False}}, True),
        ("[low, false, 3]", {"a": {"b": 3}}, True),
        ("[low, false, 3]", {"a": {"b": True}}, False),
        ("[{exists: false}, 3]", {"a": {}}, True),
        ("[{exists: false}, 3]", {"a": {"b": 4}}, False),
        ("{exists: true}", {"a": {"b": None}}, True),
        ("{exists: true}", {"a": {}}, False),
        ("{exists: true}", {"a": "b"}, False),
        ("{exists: false}", {"a": {"b": 0}}, False),
        ("{exists: false}", {"a": {}}, True),
        ("{exists: false}", [1], True),
        ("{exists: false}", None, True),
    ],
)
def test_body_values_match_only_their_own_json_type(tmp_path: Path, value: str, body: object, expected: bool) -> None:
    assert fits(tmp_path, f"{{body: {{a.b: {value}}}}}", request(body)) is expected


def test_no_text_fits_a_request_without_model(tmp_path: Path) -> None:
    assert not fits(tmp_path, "{model: '*'}", request(model=None))


def test_filter_is_asked_about_the_flow_and_never_holds_without_one(tmp_path: Path) -> None:
    flow = make_flow("api.example.com", "/v1/chat/completions?a=1", "POST", [("x-a", "b")], b"{}")
    when = "{filter: '~m POST & ~u a=1 & ~hq x-a'}"
    assert fits(tmp_path, when, request(), flow)
    assert not fits(tmp_path, when, request())
    assert fits(tmp_path, "{filter: ['~m GET', '~bq .']}", request(), flow)
    assert not fits(tmp_path, "{filter: '!~m GET'}", request())


def test_a_glob_full_of_stars_takes_no_time(tmp_path: Path) -> None:
    stars = "*a" * 40
    assert not fits(tmp_path, f"{{model: '{stars}b'}}", request(model="a" * 2000))
    assert fits(tmp_path, f"{{model: '{stars}'}}", request(model="ab" * 2000 + "a"))
