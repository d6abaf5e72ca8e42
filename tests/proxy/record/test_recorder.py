"""What the recorder makes of mitmproxy's hooks, in whatever order they come; its failures are only logged."""

import logging
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from mitmproxy import ctx, exceptions, flow, http, io
from mitmproxy.test import tflow
from mitmproxy.websocket import WebSocketMessage
from wsproto.frame_protocol import Opcode

from recordings import make
from thinkwire.exchange.stream_taps import pass_on
from thinkwire.playback.chunk_times import CHUNKS
from thinkwire.proxy.addon import Thinkwire
from thinkwire.proxy.flow_state import FlowStates
from thinkwire.proxy.record import flow_writer as flow_file
from thinkwire.proxy.record.recorder import Recorder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my.flow"


class Recording:
    """A recorder, and the states of its flows."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        self.recorder = recorder or Recorder()
        self.states = FlowStates()

    def open(self, path: Path) -> None:
        self.recorder.open(path)

    def close(self) -> None:
        self.recorder.close(self.states)

    def request(self, one: http.HTTPFlow, *, is_of_an_api: bool) -> None:
        facts = SimpleNamespace(dialect="chat-completions" if is_of_an_api else None)
        self.states.of(one).exchange = SimpleNamespace(facts=facts, refusal="")  # type: ignore[assignment]
        self.recorder.request(one, self.states.of(one))

    def __getattr__(self, step: str) -> Callable[[http.HTTPFlow], None]:
        return lambda one: getattr(self.recorder, step)(one, self.states.of(one))


@pytest.fixture
def recorder(path: Path) -> Iterator[Recording]:
    recorder = Recording()
    recorder.open(path)
    yield recorder
    recorder.close()


def recorded(path: Path) -> list[http.HTTPFlow]:
    with path.open("rb") as file:
        return [one for one in io.FlowReader(file).stream() if isinstance(one, http.HTTPFlow)]


def live(body: bytes = b"{}") -> http.HTTPFlow:
    one = tflow.tflow()
    one.live = True
    one.request = http.Request.make("POST", "https://api.example/v1/chat/completions", body)
    return one


def ask(recorder: Recording, one: http.HTTPFlow, *, is_of_an_api: bool = True) -> http.HTTPFlow:
    recorder.requestheaders(one)
    recorder.request(one, is_of_an_api=is_of_an_api)
    return one


def begin_answer(recorder: Recording, one: http.HTTPFlow, *, stream: bool = True, body: bytes | None = None) -> None:
    one.response = http.Response.make(200)
    one.response.raw_content = body
    recorder.responseheaders(one)
    one.response.headers["x-ours"] = "changed"
    one.response.stream = pass_on if stream else False
    recorder.tap(one)


def hear(one: http.HTTPFlow, *chunks: bytes) -> list[bytes]:
    assert one.response is not None
    assert callable(one.response.stream)
    pieces: list[bytes] = []
    for chunk in chunks:
        sent = one.response.stream(chunk)
        pieces += [sent] if isinstance(sent, bytes) else sent
    return pieces


def test_the_name_of_the_times_is_that_of_the_recordings_that_are_kept() -> None:
    assert CHUNKS == make.CHUNKS


def test_what_changes_after_the_hooks_is_not_recorded(recorder: Recording, path: Path) -> None:
    one = ask(recorder, live(b'{"a":1}'))
    one.request.text = "edited"
    one.request.headers["x-ours"] = "edited"
    begin_answer(recorder, one)
    assert hear(one, b"ab", b"c", b"") == [b"ab", b"c"]
    recorder.response(one)
    (kept,) = recorded(path)
    assert kept.request.raw_content == b'{"a":1}'
    assert kept.response is not None
    assert kept.response.raw_content == b"abc"
    assert "x-ours" not in {**kept.request.headers, **kept.response.headers}
    assert [size for _, size in kept.metadata[CHUNKS]] == [2, 1]


def test_a_body_that_is_streamed_after_its_headers_is_recorded(recorder: Recording, path: Path) -> None:
    one = ask(recorder, live())
    begin_answer(recorder, one, stream=False)
    assert one.response is not None
    assert one.response.stream is False
    one.response.stream = True  # as `stream_large_bodies` does
    assert hear(one, b"abc", b"d", b"") == [b"abc", b"d"]
    recorder.response(one)
    assert [size for _, size in recorded(path)[0].metadata[CHUNKS]] == [3, 1]


def test_an_answer_before_the_end_of_the_request_has_no_times_before_it(recorder: Recording, path: Path) -> None:
    one = live()
    recorder.requestheaders(one)
    begin_answer(recorder, one)
    hear(one, b"a")
    recorder.request(one, is_of_an_api=True)
    hear(one, b"b")
    recorder.response(one)
    (early, size), (late, _) = recorded(path)[0].metadata[CHUNKS]
    assert (early, size) == (0, 1)
    assert late > 0


def test_an_answer_that_is_whole_before_its_request_is_recorded_with_it(recorder: Recording, path: Path) -> None:
    one = live(b'{"a":1}')
    recorder.requestheaders(one)
    begin_answer(recorder, one)
    hear(one, b"no", b"")
    recorder.response(one)
    assert recorded(path) == []
    recorder.request(one, is_of_an_api=True)
    (kept,) = recorded(path)
    assert (kept.request.raw_content, kept.metadata[CHUNKS]) == (b'{"a":1}', [[0, 2]])


def test_requests_that_are_not_for_an_api_are_not_recorded(recorder: Recording, path: Path) -> None:
    one = ask(recorder, live(), is_of_an_api=False)
    begin_answer(recorder, one)
    assert one.response is not None
    assert one.response.stream is pass_on
    assert hear(one, b"abc") == [b"abc"]
    recorder.response(one)
    unread = live()
    recorder.requestheaders(unread)
    recorder.end(unread)
    assert recorded(path) == []


def test_a_web_socket_is_recorded_once_a_message_is_for_an_api(recorder: Recording, path: Path) -> None:
    for recognised in (False, True):
        one = tflow.twebsocketflow()
        one.live = True
        assert one.websocket is not None
        one.websocket.messages = []
        ask(recorder, one, is_of_an_api=False)
        recorder.responseheaders(one)
        recorder.response(one)
        one.websocket.messages.append(WebSocketMessage(Opcode.TEXT, True, b'{"type":"response.create"}'))
        recorder.websocket_message(one)
        one.websocket.messages[-1].content = b"edited"
        one.websocket.messages[-1].dropped = True
        if recognised:
            record = recorder.states.of(one).record
            assert record is not None
            record.is_of_an_api = True
        recorder.end(one)
    (kept,) = recorded(path)
    assert kept.websocket is not None
    assert [(message.content, message.dropped) for message in kept.websocket.messages] == [
        (b'{"type":"response.create"}', False)
    ]
    assert kept.metadata[CHUNKS] == []


@pytest.mark.parametrize(
    ("noted", "kept"), [([[0.5, 1], [0.75, 2]], [[0.5, 1], [0.75, 2]]), ([[0.5, 7]], None), (None, None)]
)
def test_a_flow_from_a_file_keeps_the_times_that_were_noted(
    recorder: Recording, path: Path, noted: list[list[float]] | None, kept: list[list[float]] | None
) -> None:
    one = live()
    one.live = False
    if noted is not None:
        one.metadata[CHUNKS] = noted
    ask(recorder, one)
    begin_answer(recorder, one, stream=False, body=b"abc")
    recorder.response(one)
    (again,) = recorded(path)
    assert again.metadata.get(CHUNKS) == kept
    assert again.response is not None
    assert again.response.raw_content == b"abc"
    assert one.response is not None
    assert type(one.response) is http.Response


def test_an_error_is_recorded_with_what_came(recorder: Recording, path: Path) -> None:
    one = ask(recorder, live())
    begin_answer(recorder, one)
    hear(one, b"abc")
    one.error = flow.Error("Client disconnected.")
    recorder.end(one)
    (kept,) = recorded(path)
    assert kept.error is not None
    assert kept.error.msg == "Client disconnected."
    assert kept.response is not None
    assert kept.response.raw_content == b"abc"


def test_without_a_file_nothing_is_kept(path: Path) -> None:
    recorder = Recording()
    one = ask(recorder, live())
    begin_answer(recorder, one)
    assert one.response is not None
    assert one.response.stream is pass_on
    recorder.response(one)
    recorder.end(one)
    recorder.close()
    assert not path.exists()


def test_the_file_may_change_while_exchanges_are_under_way(recorder: Recording, path: Path, tmp_path: Path) -> None:
    first, second = ask(recorder, live()), ask(recorder, live())
    recorder.end(first)
    with pytest.raises(OSError, match="directory"):
        recorder.open(tmp_path / "none" / "other.flow")
    recorder.open(tmp_path / "other.flow")
    recorder.end(second)
    assert [one.id for one in recorded(path)] == [first.id]
    assert [one.id for one in recorded(tmp_path / "other.flow")] == [second.id]


def test_a_full_disk_is_logged_once_until_there_is_room(
    recorder: Recording, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_self: object, _flow: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(flow_file.FlowFile, "append", fail)
        for _ in range(3):
            recorder.end(ask(recorder, live()))
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: cannot be written, exchanges are lost: No space left on device"
    ]
    recorder.end(ask(recorder, live()))
    assert len(recorded(path)) == 1


def test_a_bug_is_logged_and_harms_nothing(
    recorder: Recording, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_request: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(http.Request, "copy", fail)
    ask(recorder, live())
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_a_bad_option_while_mitmproxy_runs_leaves_the_old_file(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    addon = Thinkwire()
    addon._is_running = True
    for name, bad in ((path, False), (tmp_path / "none" / "other.flow", True)):
        options = SimpleNamespace(thinkwire_record=str(name), rfile=None)
        monkeypatch.setattr(ctx, "options", options, raising=False)
        with pytest.raises(exceptions.OptionsError, match="No such file") if bad else nullcontext():
            addon._configure_record()
    recording = Recording(addon._recorder)
    recording.end(ask(recording, live()))
    addon.done()
    assert len(recorded(path)) == 1
