"""`explain`: the rule of each setting, and the first condition that failed of each other rule."""

from pathlib import Path

from tests.ruleset.loading import request, rules

RULES = """
  - id: members
    request: {remove: [user], set: {reasoning.effort: low}}
  - id: other-host
    when: {host: [a.example, b.example], model: x}
    response: {reasoning: keep}
  - id: neither
    when:
      - body: {include_reasoning: false}
      - header: {x-thinkwire: strip, authorization: "Bearer a"}
      - {stream: true, dialect: chat-*}
    response: {reasoning: keep}
  - id: hide
    when: {body: {effort: {exists: true}}}
    response: {reasoning: strip, keepalive: 2.5}
  - id: late
    response: {reasoning: {rename: [reasoning, thinking]}}
"""


def test_every_setting_and_every_other_rule_has_its_reason(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, RULES)
    facts = request(
        {"include_reasoning": True, "effort": None, "user": "me"},
        headers=(("x-thinkwire", "strip"), ("authorization", "Bearer secret")),
        model="m",
    )
    file = tmp_path / "rules.yaml"
    assert (
        ruleset.explain(facts)
        == f"""\
POST api.example.com/v1/chat/completions (dialect chat-completions, model m, no stream)

request.remove user                   members ({file}:4)
request.set reasoning.effort = "low"  members ({file}:4)
response.reasoning = strip            hide ({file}:15)
response.keepalive = 2.5              hide ({file}:15)

rules that set nothing here:
  other-host ({file}:6)
    host is "api.example.com", wanted "a.example" or "b.example"
  neither ({file}:9)
    body include_reasoning is true, wanted false
    header authorization is set (not shown), wanted "Bearer a"
    stream is false, wanted true
  late ({file}:18)
    matches, but what it sets was already set"""
    )


def test_what_is_absent_is_called_absent_and_defaults_are_named(tmp_path: Path) -> None:
    ruleset = rules(
        tmp_path,
        """
  - {id: a, when: {body: {a.b: x}}, response: {reasoning: {strip: {opaque: keep}}}}
  - {id: b, when: {header: {x-a: "*"}}, response: {reasoning: {rename: thinking}}}
  - {id: c, when: {model: "*"}, response: {on_error: drop}}
  - {id: d, when: {filter: "~m POST"}, response: {on_error: drop}}
  - {id: e, when: {body: {list: {exists: false}}}, response: {on_error: drop}}
  - {id: f, response: {on_error: pass}}
""",
    )
    text = ruleset.explain(request({"a": {}, "list": ["x" * 100]}, dialect=None))
    assert "(dialect unknown, model unknown, no stream)" in text
    assert 'body a.b is absent, wanted "x"' in text
    assert 'header x-a is absent, wanted "*"' in text
    assert 'model is absent, wanted "*"' in text
    assert 'filter "~m POST" does not match (there is no flow to look at)' in text
    assert "body list is a list, wanted absent" in text
    assert "response.on_error = pass   f (" in text
    assert text.splitlines()[3] == "response.reasoning = keep  default"


def test_what_a_client_sent_is_cut_and_cannot_drive_the_terminal(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - {id: a, when: {body: {user: x}, path: /*}, response: {reasoning: strip}}\n")
    text = ruleset.explain(request({"user": "\x1b[2J\ud800" + "x" * 100}, path="/\x07"))
    assert text.replace("\n", "").isprintable()
    assert "x" * 40 + "..., wanted" in text
    assert "x" * 61 not in text


def test_several_headers_of_one_name_are_all_shown(tmp_path: Path) -> None:
    ruleset = rules(tmp_path, "  - {id: a, when: {header: {x-a: c}}, response: {reasoning: strip}}\n")
    assert 'header x-a is "a" and "b", wanted "c"' in ruleset.explain(request(headers=(("x-a", "a"), ("x-a", "b"))))
