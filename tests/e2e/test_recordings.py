"""Every recording, read by mitmdump as the README says it; and how the recordings are made."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

import pytest
from mitmproxy import http

from recordings.make import CHUNKS, COMPOSED, KEPT, names_in, write_recording
from tests.corpus import LIVE, needs_corpus
from tests.ruleset.loading import SHIPPED, load_file

from .mitmdump import PROJECT, read_offline, start_mitmdump
from .test_offline import read_flows
from .upstream import LIMIT
from .view import View, read_view

FOLDER = PROJECT / "recordings"
THOUGHT = "The question is about light. Air scatters short waves more than long ones, so blue wins over red.\n"
ANSWER = "The sky is blue because air scatters blue light more strongly than red light."
TORN = "\ufffd" * 6
"""The server sends a character of two tokens as two pieces that are not UTF-8, each replaced three times."""


@dataclass(frozen=True)
class Expected:
    """What a client reads in every choice."""

    reasoning: str
    content: str
    finish: str
    choices: int


EXPECTED = {
    "llamacpp-chat-stream": Expected(THOUGHT, ANSWER, "stop", 1),
    "llamacpp-chat-body": Expected(THOUGHT, ANSWER, "stop", 1),
    "llamacpp-chat-stream-logprobs": Expected(THOUGHT, ANSWER, "stop", 1),
    "llamacpp-chat-stream-n2": Expected(THOUGHT, ANSWER, "stop", 2),
    "llamacpp-chat-stream-utf8": Expected(
        f"瑞利散射让短波长的光更容易散开{TORN}。\n", f"因为空气更强烈地散射蓝光{TORN}。", "stop", 1
    ),
    "llamacpp-chat-stream-cut-in-thought": Expected("The question is about light", "", "length", 1),
}
ALL = sorted(path.stem for path in FOLDER.glob("*.flow"))
Rewritten = dict[str, bytes]


def answer_of(flow: http.HTTPFlow) -> bytes:
    assert flow.response is not None
    assert flow.response.raw_content is not None
    return flow.response.raw_content


def original(name: str) -> bytes:
    (flow,) = read_flows(FOLDER / f"{name}.flow")
    return answer_of(flow)


def rewrite_all(tmp_path: Path, confdir: Path, options: dict[str, str]) -> Rewritten:
    """All recordings in one run."""
    read_offline(["-r", str(joined_in(tmp_path)), "-w", str(tmp_path / "out.flow")], options, confdir)
    flows = read_flows(tmp_path / "out.flow")
    return {name: answer_of(flow) for name, flow in zip(EXPECTED, flows, strict=True)}


def joined_in(folder: Path, names: Iterable[str] = EXPECTED) -> Path:
    """Recordings as one file: flow files may be joined."""
    joined = folder / "joined.flow"
    joined.write_bytes(b"".join((FOLDER / f"{name}.flow").read_bytes() for name in names))
    return joined


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory, confdir: Path) -> Rewritten:
    return rewrite_all(tmp_path_factory.mktemp("renamed"), confdir, {})


@pytest.fixture(scope="module")
def stripped(tmp_path_factory: pytest.TempPathFactory, confdir: Path) -> Rewritten:
    rules = PROJECT / "rules" / "strip.yaml"
    return rewrite_all(tmp_path_factory.mktemp("stripped"), confdir, {"thinkwire_rules": str(rules)})


def assert_reads(view: View, expected: Expected, reasoning: dict[str, str]) -> None:
    assert sorted(view.choices) == list(range(expected.choices))
    for choice in view.choices.values():
        assert choice.reasoning == reasoning
        assert (choice.role, choice.content, choice.finish) == ("assistant", expected.content, expected.finish)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_is_renamed_and_nothing_else_changes(renamed: Rewritten, name: str) -> None:
    assert_reads(read_view(renamed[name]), EXPECTED[name], {"reasoning": EXPECTED[name].reasoning})
    assert renamed[name] == original(name).replace(b'"reasoning_content":', b'"reasoning":')


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_is_stripped(stripped: Rewritten, name: str) -> None:
    view = read_view(stripped[name])
    assert_reads(view, EXPECTED[name], {})
    assert view.usages == read_view(original(name)).usages
    for item in view.objects():
        assert not item.keys() & {"reasoning", "reasoning_content"}


@pytest.mark.parametrize("name", ["llamacpp-chat-stream-logprobs", "llamacpp-chat-stream-n2"])
def test_only_tokens_of_the_answer_are_left_in_a_stripped_recording(stripped: Rewritten, name: str) -> None:
    for index, choice in read_view(stripped[name]).choices.items():
        before = "".join(read_view(original(name)).choice(index).logprob_tokens)
        assert before.startswith(THOUGHT.rstrip())
        assert "".join(choice.logprob_tokens) == ANSWER


def test_plain_mitmproxy_reads_every_recording(tmp_path: Path, confdir: Path) -> None:
    joined = joined_in(tmp_path, ALL)
    read_offline(["-r", str(joined), "-w", str(tmp_path / "out.flow")], {}, confdir, is_plain=True)
    before, after = (
        [(flow.request.url, flow.request.content, answer_of(flow), flow.metadata) for flow in read_flows(path)]
        for path in (joined, tmp_path / "out.flow")
    )
    assert len(before) > len(ALL)
    assert before == after


def test_plain_mitmproxy_serves_every_recording(tmp_path: Path, confdir: Path) -> None:
    joined = joined_in(tmp_path, ALL)
    place = ["--mode", "regular", "--listen-host", "127.0.0.1", "--listen-port", "0"]
    arguments = [*place, "--server-replay", str(joined)]
    mitmdump = start_mitmdump(arguments, {"connection_strategy": "lazy"}, confdir, is_plain=True)
    try:
        mitmdump.wait_until_listening()
        for flow in read_flows(joined):
            assert ask_as_recorded(mitmdump.port, flow) == (200, answer_of(flow))
    finally:
        mitmdump.stop()


def ask_as_recorded(port: int, flow: http.HTTPFlow) -> tuple[int, bytes]:
    """Ask at the recorded host, through a proxy that needs no certificate for it."""
    asked, target = flow.request, flow.request.path
    connection = HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    if asked.scheme == "https":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = HTTPSConnection("127.0.0.1", port, timeout=LIMIT, context=context)
        connection.set_tunnel(asked.host, asked.port)
    else:
        target = asked.url
    connection.request(asked.method, target, asked.content, {"content-type": "application/json"})
    response = connection.getresponse()
    with closing(connection):
        return response.status, response.read()


def test_every_recording_is_used() -> None:
    by_rules = {test.recording.stem for path in SHIPPED.glob("*.yaml") for test in load_file(path).tests}
    kept = {path.stem for path in FOLDER.glob("*.flow")}
    assert kept == by_rules | EXPECTED.keys()
    assert kept == {f"llamacpp-{name}" for name in KEPT} | {f"composed-{name}" for name in names_in(COMPOSED)}


def test_the_terminal_shows_what_changed(confdir: Path) -> None:
    output = read_offline(["-r", str(FOLDER / "llamacpp-chat-stream.flow")], {"flow_detail": "1"}, confdir)
    assert "52 events renamed" in output
    assert '"reasoning":"The"' in output


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_holds_when_each_chunk_came(name: str) -> None:
    (flow,) = read_flows(FOLDER / f"{name}.flow")
    chunks = flow.metadata[CHUNKS]
    assert [moment for moment, _ in chunks] == sorted(moment for moment, _ in chunks)
    if "stream" in name:
        assert sum(size for _, size in chunks) == len(answer_of(flow))


@needs_corpus
@pytest.mark.parametrize("name", KEPT)
def test_making_a_recording_again_gives_the_same_flow(tmp_path: Path, name: str) -> None:
    assert_made_alike(LIVE, name, tmp_path)


@pytest.mark.parametrize("name", names_in(COMPOSED))
def test_a_composed_recording_is_what_its_source_says(tmp_path: Path, name: str) -> None:
    assert_made_alike(COMPOSED, name, tmp_path)


def assert_made_alike(folder: Path, name: str, target: Path) -> None:
    path = write_recording(folder, name, target)
    first = path.read_bytes()
    assert write_recording(folder, name, target).read_bytes() == first
    # Compared as flows, because another version of mitmproxy may write the same flow in another way.
    made, kept = read_flows(path), read_flows(FOLDER / path.name)
    assert [flow.get_state() for flow in made] == [flow.get_state() for flow in kept]


def test_composed_recordings_are_small() -> None:
    assert max(path.stat().st_size for path in FOLDER.glob("composed-*.flow")) < 12_000
