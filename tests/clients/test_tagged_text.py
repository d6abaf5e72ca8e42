"""What users of the official clients see where a provider leaves the thought in the text, or where it is put there."""

from __future__ import annotations

import json
from pathlib import Path

import anthropic
import openai
import pytest

from tests.dialects.apis.test_anthropic_messages import raw_of, text, thinking, tool
from tests.e2e.bodies import DONE, SSE, chunk
from tests.e2e.fixtures import StartMitmdump
from tests.e2e.mitmdump import PROJECT, Mitmdump
from tests.e2e.upstream import Answer, Upstream
from tests.rewrite.extract.test_extractor import framed, response

from .test_anthropic_sdk import BEGIN, END, STRIP

TAGGED = ["<thi", "nk>Secret", " plan</th", "ink>Hel", "lo <b>"]
INLINE = """version: 1
rules:
  - id: as-text
    why: the client can only show text
    response:
      reasoning: inline
"""


@pytest.fixture
def told_apart(mitmdump_with: StartMitmdump) -> Mitmdump:
    return mitmdump_with({"thinkwire_rules": str(PROJECT / "rules" / "think-tags.yaml")})


@pytest.fixture
def inlined(mitmdump_with: StartMitmdump, tmp_path: Path) -> Mitmdump:
    rules = tmp_path / "inline.yaml"
    rules.write_text(INLINE)
    return mitmdump_with({"thinkwire_rules": str(rules)})


def blocks_read(proxy: Mitmdump, wish: dict[str, str]) -> list[tuple[str, str]]:
    """The blocks of the message that the anthropic client builds."""
    with (
        anthropic.Anthropic(base_url=f"http://127.0.0.1:{proxy.port}", api_key="none", max_retries=0) as client,
        client.messages.stream(
            model="m-think", max_tokens=64, messages=[{"role": "user", "content": "Hi"}], extra_headers=wish
        ) as stream,
    ):
        message = stream.get_final_message()
    return [
        (block.type, str(getattr(block, "thinking", getattr(block, "text", json.dumps(getattr(block, "input", ""))))))
        for block in message.content
    ]


@pytest.mark.parametrize("wish", [{}, STRIP], ids=["default", "strip"])
def test_anthropic_reads_tagged_text_as_a_block_of_thought(
    told_apart: Mitmdump, upstream: Upstream, wish: dict[str, str]
) -> None:
    events = [*BEGIN, *text(0, *TAGGED), *tool(1), *END]
    upstream.answer(Answer([raw_of([one]) for one in events], headers=[SSE]))
    expected = [("text", "Hello <b>"), ("tool_use", '{"f": "a"}')]
    assert blocks_read(told_apart, wish) == (expected if wish else [("thinking", "Secret plan"), *expected])


def test_anthropic_reads_an_inlined_thought_as_text(inlined: Mitmdump, upstream: Upstream) -> None:
    events = [*BEGIN, *thinking(0, "Hm", " so"), *text(1, "Hello"), *tool(2), *END]
    upstream.answer(Answer([raw_of([one]) for one in events], headers=[SSE]))
    assert blocks_read(inlined, {}) == [
        ("text", "<think>Hm so</think>"),
        ("text", "Hello"),
        ("tool_use", '{"f": "a"}'),
    ]


def said(proxy: Mitmdump, upstream: Upstream, events: list[bytes], wish: dict[str, str]) -> dict[str, str]:
    """The fields of text that the openai client sums up."""
    upstream.answer(Answer([*events, chunk({}, "stop"), DONE], headers=[SSE]))
    result: dict[str, str] = {}
    with (
        openai.OpenAI(base_url=f"http://127.0.0.1:{proxy.port}/v1", api_key="none", max_retries=0) as client,
        client.chat.completions.create(
            model="m-think", messages=[{"role": "user", "content": "Hi"}], stream=True, extra_headers=wish
        ) as stream,
    ):
        for one in stream:
            for name in ("content", "reasoning"):
                delta = one.choices[0].delta if one.choices else None
                result[name] = result.get(name, "") + (getattr(delta, name, None) or "")
    return result


@pytest.mark.parametrize("wish", [{}, STRIP], ids=["default", "strip"])
def test_openai_reads_tagged_text_as_reasoning(told_apart: Mitmdump, upstream: Upstream, wish: dict[str, str]) -> None:
    events = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": one}) for one in TAGGED)]
    reasoning = "" if wish else "Secret plan"
    assert said(told_apart, upstream, events, wish) == {"reasoning": reasoning, "content": "Hello <b>"}


def test_openai_reads_inlined_reasoning_as_content(inlined: Mitmdump, upstream: Upstream) -> None:
    events = [chunk({"role": "assistant"}), chunk({"reasoning_content": "Hm"}), chunk({"content": "Hello"})]
    assert said(inlined, upstream, events, {}) == {"reasoning": "", "content": "<think>Hm</think>Hello"}


def output_read(proxy: Mitmdump, wish: dict[str, str]) -> list[tuple[str, str]]:
    """The items of the response that the openai client builds, event by event."""
    with (
        openai.OpenAI(base_url=f"http://127.0.0.1:{proxy.port}/v1", api_key="none", max_retries=0) as client,
        client.responses.stream(model="m-think", input="Hi", extra_headers=wish) as stream,
    ):
        output = stream.get_final_response().output
    return [
        (item.type, "".join(part.text for part in (getattr(item, "summary", None) or getattr(item, "content", []))))
        for item in output
    ]


@pytest.mark.parametrize("wish", [{}, STRIP], ids=["default", "strip"])
def test_openai_reads_tagged_text_as_an_item(told_apart: Mitmdump, upstream: Upstream, wish: dict[str, str]) -> None:
    upstream.answer(Answer([framed([one]) for one in response(*TAGGED)], headers=[SSE]))
    expected = [("message", "Hello <b>")]
    assert output_read(told_apart, wish) == (expected if wish else [("reasoning", "Secret plan"), *expected])
