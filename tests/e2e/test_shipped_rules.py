"""The other shipped rule files, each as it is: `thinkwire_rules=rules/NAME.yaml`."""

from __future__ import annotations

import pytest

from .bodies import QUESTION, STREAM_QUESTION, TEXT, THOUGHT, body_answer, dump, stream_answer
from .client import ask
from .fixtures import StartMitmdump
from .mitmdump import PROJECT
from .upstream import Upstream
from .view import read_view

READ = {
    "reasoning-content": {"reasoning_content": THOUGHT},
    "both": {"reasoning": THOUGHT, "reasoning_content": THOUGHT},
    "strip": {},
    "think-tags": {"reasoning": THOUGHT},
}


@pytest.mark.parametrize(("name", "reasoning"), READ.items())
@pytest.mark.parametrize("hides", [False, True], ids=["", "include_reasoning false"])
def test_a_shipped_file_does_what_its_name_says(
    upstream: Upstream, mitmdump_with: StartMitmdump, name: str, reasoning: dict[str, str], hides: bool
) -> None:
    mitmdump = mitmdump_with({"thinkwire_rules": str(PROJECT / "rules" / f"{name}.yaml")})
    wish = {"include_reasoning": False} if hides else {}
    upstream.answer(stream_answer())
    streamed = read_view(ask(mitmdump.port, {**STREAM_QUESTION, **wish}).body).choice(0)
    upstream.answer(body_answer())
    whole = read_view(ask(mitmdump.port, {**QUESTION, **wish}).body).choice(0)
    for choice in (streamed, whole):
        assert choice.reasoning == ({} if hides else reasoning)
        assert (choice.role, choice.content, choice.finish) == ("assistant", TEXT, "stop")
    assert [request.body for request in upstream.requests] == [dump(STREAM_QUESTION), dump(QUESTION)]
