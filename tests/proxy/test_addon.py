"""Which parts of the addon see each hook, in which order; and its options, when they change while mitmproxy runs."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from mitmproxy import flow, http
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.test import taddons

from tests.flows import recorded_flow, write_flows
from thinkwire.proxy.addon import Thinkwire

CHUNKS = [b'data: {"choices":[{"index":0,"delta":{"reasoning":"Hm"}}]}\n\n', b"data: [DONE]\n\n"]


def order(hook: str) -> list[str]:
    return [step.__qualname__ for step in Thinkwire().steps[hook]]


def test_each_row_of_the_table_is_a_hook() -> None:
    assert all(callable(getattr(Thinkwire, hook)) for hook in Thinkwire().steps)


@pytest.mark.parametrize(
    ("hook", "recorder", "rules"),
    [
        ("requestheaders", "Recorder.requestheaders", "Exchanges.requestheaders"),
        ("request", "Recorder.request", "Exchanges.request"),
        ("responseheaders", "Recorder.responseheaders", "Exchanges.responseheaders"),
        ("response", "Recorder.response", "Exchanges.response"),
        ("websocket_message", "Recorder.websocket_message", "Exchanges.websocket_message"),
    ],
)
def test_what_is_recorded_has_not_been_edited(hook: str, recorder: str, rules: str) -> None:
    assert order(hook).index(recorder) < order(hook).index(rules)


def test_a_recording_answers_what_nothing_else_has_answered() -> None:
    assert order("request")[-1] == "Redirect.answer"


def test_a_replayed_request_is_restored_before_anything_looks_at_it() -> None:
    assert order("responseheaders")[0] == order("error")[0] == "Redirect.restore"


def test_taps_lie_around_each_other_in_the_order_in_which_a_chunk_passes_them() -> None:
    inwards = [
        name for name in reversed(order("responseheaders")) if name.endswith((".tap", "Exchanges.responseheaders"))
    ]
    assert inwards == ["Recorder.tap", "AnswerStore.tap", "Faults.tap", "Exchanges.responseheaders"]


def test_an_exchange_is_released_after_everything_that_asks_it() -> None:
    assert order("response")[-1] == order("error")[-1] == "Exchanges.release"


@pytest.fixture
def addon() -> Iterator[Thinkwire]:
    addon = Thinkwire()
    with taddons.context(Proxyserver(), addon) as context:  # type: ignore[no-untyped-call]
        context.configure(addon, thinkwire_rules="")
        yield addon


def start(addon: Thinkwire) -> http.HTTPFlow:
    """A live request that has passed the addon, and the headers of its answer."""
    one = recorded_flow({"stream": True}, headers=[("content-type", "text/event-stream")])
    one.live, answer, one.response = True, one.response, None
    addon.requestheaders(one)
    addon.request(one)
    assert answer is not None
    one.response, answer.raw_content = answer, None
    addon.responseheaders(one)
    return one


def test_a_step_that_fails_does_not_keep_the_others_from_being_taken(addon: Thinkwire) -> None:
    def fail(_flow: object, _state: object) -> None:
        raise RuntimeError("boom")

    one = start(addon)
    addon.steps["response"] = (fail, *addon.steps["response"])
    with pytest.raises(RuntimeError, match="boom"):
        addon.response(one)
    assert addon._states.of(one).exchange is None


@pytest.mark.parametrize("breaks_off", [False, True])
def test_nothing_keeps_a_flow_that_is_over(addon: Thinkwire, breaks_off: bool) -> None:
    one = start(addon)
    assert one.response is not None
    assert callable(one.response.stream)
    for chunk in CHUNKS:
        assert [*one.response.stream(chunk)]
    if breaks_off:
        one.error = flow.Error("Client disconnected.")
        addon.error(one)
    else:
        addon.response(one)
    left = weakref.ref(one)
    del one
    gc.collect()
    assert left() is None
    assert [*addon._states] == []


def test_what_a_replay_needs_of_mitmproxy_is_set_back_when_it_is_over(tmp_path: Path) -> None:
    path = str(write_flows(tmp_path / "one.flow", recorded_flow()))
    addon = Thinkwire()
    with taddons.context(Proxyserver(), addon) as context:  # type: ignore[no-untyped-call]

        def options() -> tuple[str, str | None]:
            return context.options.connection_strategy, context.options.stream_large_bodies

        context.options.update(stream_large_bodies="3m")
        for files, expected in (
            ([path], ("lazy", None)),
            ([path, path], ("lazy", None)),
            ([], ("eager", "3m")),
            ([], ("eager", "3m")),
            ([path], ("lazy", None)),
        ):
            context.configure(addon, thinkwire_replay=files)
            assert options() == expected


def test_under_observe_a_warning_says_that_there_are_no_faults(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = str(write_flows(tmp_path / "one.flow", recorded_flow()))
    addon = Thinkwire()
    with taddons.context(Proxyserver(), addon) as context:  # type: ignore[no-untyped-call]
        context.configure(addon, thinkwire_replay=[path], thinkwire_fault=["cut-after=3"])
        assert "thinkwire_fault" not in caplog.text
        context.configure(addon, thinkwire_observe=True)
        assert "thinkwire_fault: there is none as long as thinkwire_observe is set" in caplog.text
        caplog.clear()
        context.configure(addon, thinkwire_fault=["none"])
        assert caplog.text == ""
