"""Record, replay, record again: what a recording holds is what a recording of its replay holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from mitmproxy import http

from .bodies import QUESTION, STREAM_QUESTION, STRIP, body_answer, stream_answer
from .client import Reply, ask
from .fixtures import StartMitmdump
from .mitmdump import Mitmdump
from .test_offline import read_flows
from .test_replay import start_replay
from .upstream import Upstream

ASKED = [(STREAM_QUESTION, STRIP), (STREAM_QUESTION | {"user": "u"}, {}), (QUESTION, {})]


def ask_all(mitmdump: Mitmdump, upstream: Upstream | None = None) -> list[Reply]:
    replies = []
    for question, headers in ASKED:
        if upstream is not None:
            upstream.answer(stream_answer() if question.get("stream") else body_answer())
        replies.append(ask(mitmdump.port, question, headers={"authorization": "Bearer sk-of-the-client", **headers}))
    return replies


def said(flow: http.HTTPFlow) -> tuple[object, ...]:
    """What both sides said, the client's connection aside."""
    assert flow.response is not None
    ours = [name for name in ("x-thinkwire", "authorization") if name in flow.request.headers]
    return (
        flow.request.method,
        flow.request.path,
        flow.request.raw_content,
        [flow.request.headers[name] for name in ours],
        flow.response.status_code,
        flow.response.headers["content-type"],
        flow.response.raw_content,
    )


@pytest.mark.parametrize("speed", ["0", "50"])
def test_a_recording_of_a_replay_holds_what_was_replayed(
    upstream: Upstream, mitmdump_with: StartMitmdump, confdir: Path, tmp_path: Path, speed: str
) -> None:
    first, second = tmp_path / "first.flow", tmp_path / "second.flow"
    live = ask_all(mitmdump_with({"thinkwire_record": str(first)}), upstream)
    options = {"thinkwire_record": str(second), "thinkwire_replay_speed": speed}
    for replaying in start_replay([first], options, confdir):
        replayed = ask_all(replaying)
    assert [reply.body for reply in replayed] == [reply.body for reply in live]
    assert [said(flow) for flow in read_flows(second)] == [said(flow) for flow in read_flows(first)]
    assert b"sk-of-the-client" not in first.read_bytes() + second.read_bytes()
