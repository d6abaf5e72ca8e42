"""APIs that the rule file declares: the shipped example as it is, and a reload in the middle of an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from .bodies import JSON, SSE, dump, frame
from .client import ask, conversation
from .fixtures import StartMitmdump
from .mitmdump import PROJECT, Mitmdump, reverse_mitmdump
from .test_rule_file import RELOAD_LIMIT, TAKEN, replace_file
from .upstream import Answer, Gate, Upstream

PATH = "/gateway/v9/talk"
QUESTION = {"request": {"model_name": "m", "stream": True}}

THINK = frame({"id": "t1", "choices": [{"index": 0, "delta": {"thoughts": "Secret"}}]})
SAY = frame({"id": "t1", "choices": [{"index": 0, "delta": {"say": "Hi"}}], "new": 1.0})
END = frame({"id": "t1", "choices": [{"index": 0, "delta": {}, "finish": "end"}], "usage": {"thought": 7}})

RULES = """\
version: 1
dialects:
  - id: talkative
    path: "*/v9/talk"
    places: {reasoning: "choices[*].delta.%s", owner: "choices[*].index", envelope: id}
rules:
  - id: hide
    when: {dialect: talkative}
    response: {reasoning: strip}
"""


@pytest.fixture
def example(upstream: Upstream, mitmdump_with: StartMitmdump) -> Mitmdump:
    return mitmdump_with({"thinkwire_rules": str(PROJECT / "rules" / "example-dialect.yaml")})


def test_a_declared_stream_is_stripped_and_the_log_names_the_rule(example: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([THINK, SAY, END], headers=[SSE]))
    mark = example.log.mark()
    assert ask(example.port, QUESTION, path=PATH).body == SAY + END
    example.log.wait_for(r"example-dialect-hide .*: 1 event dropped", mark, RELOAD_LIMIT)
    assert upstream.request.body == dump(QUESTION)


def test_a_declared_body_is_stripped(example: Mitmdump, upstream: Upstream) -> None:
    whole = (
        b'{"choices": [{"index": 0, "message": {"thoughts": "Secret", "say": "Hi"}, "token_ids": [1, 2]}], "n": 1.0}'
    )
    upstream.answer(Answer([whole], headers=[JSON], framing="length"))
    reply = ask(example.port, QUESTION, path=PATH)
    assert reply.body == b'{"choices": [{"index": 0, "message": {"say": "Hi"}}], "n": 1.0}'


def test_other_apis_are_treated_as_without_the_declaration(example: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(Answer([frame({"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}}]})], headers=[SSE]))
    assert b'"delta":{"reasoning":"hm"}' in ask(example.port, {"stream": True}).body


def test_a_reload_declares_for_new_requests_and_not_for_a_stream_under_way(
    upstream: Upstream, confdir: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "my-rules.yaml"
    rules.write_text(RULES % "thoughts")
    with reverse_mitmdump(upstream.url, {"thinkwire_rules": str(rules)}, confdir) as mitmdump:
        gate = Gate()
        upstream.answer(Answer([SAY, gate, THINK, END], headers=[SSE]))
        with conversation(mitmdump.port, QUESTION, path=PATH) as under_way:
            under_way.read_until(b'"say":"Hi"')
            mark = mitmdump.log.mark()
            replace_file(rules, RULES % "say")
            mitmdump.log.wait_for(TAKEN, mark, RELOAD_LIMIT)
            gate.open()
            assert under_way.read_reply().body == SAY + END
        upstream.answer(Answer([THINK, SAY], headers=[SSE]))
        assert b"Secret" in ask(mitmdump.port, QUESTION, path=PATH).body
