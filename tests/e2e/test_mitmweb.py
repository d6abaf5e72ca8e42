"""mitmweb with the addon: what its panes show of live and recorded answers, asked by a program and in a browser.

One process for all; it has read every recording before the first test.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mitmproxy import http
from mitmproxy import io as flow_io

from .bodies import EVENTS, SSE, STREAM_QUESTION, STRIP, TEXT, THOUGHT
from .browser import Page, open_page
from .client import Reply, ask
from .mitmweb import Mitmweb, reverse_mitmweb
from .test_offline import read_flows
from .test_recordings import ALL, EXPECTED, FOLDER, answer_of, joined_in, original
from .upstream import Answer, Upstream


@pytest.fixture(scope="module")
def mitmweb(session_upstream: Upstream, confdir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mitmweb]:
    joined = joined_in(tmp_path_factory.mktemp("mitmweb"), ALL)
    with reverse_mitmweb(session_upstream.url, ["-r", str(joined)], {}, confdir) as mitmweb:
        yield mitmweb
        assert "Traceback" not in mitmweb.log
        assert "please report this" not in mitmweb.log


def stream(mitmweb: Mitmweb, upstream: Upstream, answer: Answer, headers: dict[str, str]) -> tuple[str, Reply]:
    """An answer through the proxy: the id of its flow, and what the client got."""
    upstream.answer(answer)
    before = {flow["id"] for flow in mitmweb.flows}
    reply = ask(mitmweb.port, STREAM_QUESTION, headers=headers)
    (flow,) = (flow["id"] for flow in mitmweb.flows if flow["id"] not in before)
    return flow, reply


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_is_shown_assembled(mitmweb: Mitmweb, name: str) -> None:
    (one,) = read_flows(FOLDER / f"{name}.flow")
    flow = mitmweb.wait_for_flow(one.id)
    shown = mitmweb.content(flow)
    assert shown["view_name"] == "thinkwire"
    words = " ".join(shown["text"].split())
    assert f" reasoning {' '.join(EXPECTED[name].reasoning.split())} " in words
    assert f" content {EXPECTED[name].content} " in words or not EXPECTED[name].content
    assert shown["text"].count("\nreasoning ") == EXPECTED[name].choices
    assert mitmweb.body(flow) == original(name).replace(b'"reasoning_content":', b'"reasoning":')
    assert mitmweb.content(flow, "thinkwire-original")["text"] == original(name).decode()


@pytest.mark.parametrize("name", ALL)
def test_every_recording_is_read(mitmweb: Mitmweb, name: str) -> None:
    for one in read_flows(FOLDER / f"{name}.flow"):
        flow = mitmweb.wait_for_flow(one.id)
        assert mitmweb.content(flow)["view_name"] == "thinkwire" or one.request.path.startswith("/v9/")
        assert mitmweb.content(flow, "thinkwire-original")["text"] == answer_of(one).decode()


def test_a_streamed_answer_is_shown_and_its_bytes_are_one_view_away(mitmweb: Mitmweb, upstream: Upstream) -> None:
    flow, reply = stream(mitmweb, upstream, Answer(EVENTS, headers=[SSE]), STRIP)
    shown = mitmweb.content(flow)
    assert shown["view_name"] == "thinkwire"
    assert "hidden    from the client: 2 events of reasoning\n" in shown["text"]
    _, client, provider = shown["text"].split("\n\n")
    assert THOUGHT not in client
    assert f"reasoning {THOUGHT}\n" in provider
    assert f"content   {TEXT}\n" in client
    assert mitmweb.body(flow) == reply.raw_body
    assert mitmweb.content(flow, "raw")["text"] == reply.text
    assert mitmweb.content(flow, "thinkwire-original")["text"] == b"".join(EVENTS).decode()
    assert mitmweb.content(flow, message="request")["view_name"] == "JSON"


def test_a_stream_that_broke_off_is_shown_as_far_as_it_came(mitmweb: Mitmweb, upstream: Upstream) -> None:
    flow, reply = stream(mitmweb, upstream, Answer(EVENTS[:4], headers=[SSE], ending="cut"), {})
    assert reply.ending == "broken"
    text = mitmweb.content(flow)["text"]
    assert f"reasoning {THOUGHT}\n" in text
    assert "\nbroke off " in text
    assert mitmweb.body(flow) == reply.raw_body


def test_flows_that_are_saved_hold_what_the_client_got(mitmweb: Mitmweb, upstream: Upstream) -> None:
    flow, reply = stream(mitmweb, upstream, Answer(EVENTS, headers=[SSE]), STRIP)
    saved = flow_io.FlowReader(io.BytesIO(mitmweb.get("flows/dump"))).stream()
    one = next(one for one in saved if one.id == flow)
    assert isinstance(one, http.HTTPFlow)
    assert one.response is not None
    assert one.response.content == reply.raw_body
    assert "Count" not in repr(one.get_state())


def choose(page: Page, view: str) -> str:
    """Take a view from the menu of the pane; what it shows."""
    page.evaluate("document.querySelector('.contentview .controls a:last-of-type').click()")
    item = f"[...document.querySelectorAll('.dropdown-menu a')].find(one => one.innerText.trim() == '{view}')"
    page.wait_for(f"!!{item}")
    page.evaluate(f"{item}.click()")
    return shown_by(page, view)


def shown_by(page: Page, view: str) -> str:
    name = "document.querySelector('.contentview h5')?.innerText.toLowerCase()"
    page.wait_for(f"{name} == '{view}' && !!document.querySelector('.contentview pre')")
    lines = "[...document.querySelectorAll('.contentview pre > *')].map(line => line.innerText.trimEnd())"
    return "\n".join(page.evaluate(lines))


def test_a_browser_shows_the_answer_and_the_original(mitmweb: Mitmweb, upstream: Upstream, tmp_path: Path) -> None:
    flow, _ = stream(mitmweb, upstream, Answer(EVENTS, headers=[SSE]), STRIP)
    token = mitmweb.url.partition("?")[2]
    with open_page(f"{mitmweb.url.partition('?')[0]}?{token}#/flows/{flow}/response", tmp_path / "profile") as page:
        text = shown_by(page, "thinkwire")
        page.screenshot(tmp_path / "thinkwire.png")
        assert text.split("\n\n")[0].endswith("from the client: 2 events of reasoning")
        assert f"reasoning {THOUGHT}" in text
        assert "reasoning_content" in choose(page, "thinkwire-original")
        raw = choose(page, "raw")
        page.screenshot(tmp_path / "raw.png")
        assert json.dumps(TEXT[:-1]) in raw
        assert "reasoning" not in raw
