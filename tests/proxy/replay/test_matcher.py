"""Which recorded exchange fits a request best, and what is reported if none does."""

from __future__ import annotations

from typing import Any

import pytest
from mitmproxy import http

from tests.flows import CHAT, recorded_flow
from thinkwire.dialects.registry import request_facts
from thinkwire.proxy.replay.matcher import Asked, RecordingIndex, asked_by
from thinkwire.proxy.replay.recordings import ReplayExchange

BASE = "http://127.0.0.1:8080"
USER = {"role": "user", "content": "How is the weather in Rome?"}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "function": {"name": "weather"}}]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}


def asked(flow: http.HTTPFlow) -> Asked:
    request = flow.request
    path = request.path.partition("?")[0]
    return asked_by(flow, request_facts(request.pretty_host, path, request.method, [], request.content))


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **more}


def index(*flows: http.HTTPFlow) -> RecordingIndex:
    recorded = (ReplayExchange("a.flow", n, flow, None, 0.0, breaks_off=True) for n, flow in enumerate(flows, start=1))
    return RecordingIndex([(one, asked(one.flow)) for one in recorded])


def chosen(flows: list[http.HTTPFlow], request: http.HTTPFlow) -> int:
    """The number of the one that is chosen; it must not depend on the order."""
    found = index(*flows).choose(asked(request))
    again = index(*reversed(flows)).choose(asked(request))
    assert found is not None
    assert again is not None
    assert again.flow is found.flow
    return found.number


@pytest.mark.parametrize(
    ("recorded", "request_"),
    [
        ([chat(USER, model="other"), chat(USER)], chat(USER)),
        ([chat(USER, model="other"), chat({"role": "user", "content": "Bye"})], chat(USER)),
        ([chat(USER), chat(USER, stream=True)], chat(USER, stream=True)),
        ([chat(USER, stream=True), chat(USER)], chat(USER)),
        ([chat(USER, stream=True), chat({"role": "user", "content": "Bye"})], chat(USER, stream=False)),
        ([chat({"role": "user", "content": "Is it cold in Oslo?"}), chat(USER)], chat(USER, seed=1)),
        ([chat(USER, seed=1), chat(USER, seed=2)], chat(USER, seed=2)),
        ([chat(USER), chat(USER, CALL, RESULT)], chat(USER, {**CALL, "reasoning": "Look."}, RESULT)),
        ([chat(USER, CALL, RESULT), chat(USER)], chat(USER)),
        ([chat(USER), chat(USER, CALL, RESULT)], chat(USER, CALL, RESULT, {"role": "user", "content": "Thanks"})),
        (
            [chat({"role": "user", "content": "Who is Ada?"}), chat(USER)],
            chat({"role": "user", "content": "how is the weather in Rome today"}),
        ),
        ([None, chat(USER)], chat(USER)),
        ([[1], [2]], [2]),
    ],
)
def test_the_second_fits_best(recorded: list[Any], request_: Any) -> None:
    flows = [recorded_flow(document) for document in recorded]
    assert chosen(flows, recorded_flow(request_)) == 2


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("/v1/responses", {"model": "m", "input": "a"}, {"model": "m", "input": "b"}),
        ("/v1/responses", {"input": [{"content": "a"}]}, {"input": [{"content": "a"}, {"content": "b"}]}),
        ("/v1beta/models/m:generateContent", {"contents": [{"text": "a"}]}, {"contents": [{"text": "b"}]}),
        ("/api/generate", {"model": "m", "prompt": "a"}, {"model": "m", "prompt": "b"}),
        ("/v1/x", {"input": {"messages": [{"content": "a"}]}}, {"input": {"messages": [{"content": "b"}]}}),
    ],
)
def test_every_api_has_its_conversation(path: str, one: Any, other: Any) -> None:
    flows = [recorded_flow(document, url=BASE + path) for document in (one, other)]
    # What else the body holds is less than the conversation.
    assert chosen(flows, recorded_flow({**one, "seed": 1}, url=BASE + path)) == 1
    assert chosen(flows, recorded_flow({**other, "seed": 1}, url=BASE + path)) == 2


def test_query_and_host_decide_between_equals() -> None:
    urls = ["http://a.test/v1/x?alt=sse", "http://b.test/v1/x?alt=sse", "http://b.test/v1/x"]
    flows = [recorded_flow({}, url=url) for url in urls]
    assert [chosen(flows, recorded_flow({}, url=url)) for url in urls] == [1, 2, 3]


def test_equals_are_used_in_turn() -> None:
    one = index(*(recorded_flow(chat(USER)) for _ in range(3)), recorded_flow(chat(USER, CALL)))
    numbers = [found.number for _ in range(4) if (found := one.choose(asked(recorded_flow(chat(USER)))))]
    assert numbers == [1, 2, 3, 1]


def test_a_recorded_tool_loop_plays_in_order() -> None:
    turns = [chat(USER), chat(USER, CALL, RESULT), chat(USER, CALL, RESULT, CALL, RESULT)]
    one = index(*map(recorded_flow, turns))
    for _ in range(2):
        numbers = [found.number for turn in turns if (found := one.choose(asked(recorded_flow(turn))))]
        assert numbers == [1, 2, 3]


@pytest.mark.parametrize(("method", "path"), [("GET", CHAT), ("POST", "/v1/completions"), ("POST", f"{CHAT}/")])
def test_method_and_path_must_be_the_same(method: str, path: str) -> None:
    one = index(recorded_flow(chat(USER)))
    assert one.choose(asked(recorded_flow(chat(USER), method=method, url=BASE + path))) is None


def test_the_nearest_are_named_with_what_differs() -> None:
    paths = ["/v1/models", "/v1/messages", CHAT, "/health", "/v1/messages"]
    one = index(*(recorded_flow({}, url=BASE + path) for path in paths))
    assert one.nearest(asked(recorded_flow(method="GET", url=BASE + CHAT)))[0] == (
        f"number 3 of a.flow is POST {CHAT} (another method)"
    )
    nearest = one.nearest(asked(recorded_flow({}, url=f"{BASE}/v1/message")))
    assert nearest[0] == "number 2 of a.flow is POST /v1/messages (another path)"
    assert len(nearest) == 3
    assert sum("/v1/messages" in line for line in nearest) == 1
    assert one.nearest(asked(recorded_flow(method="GET", url=f"{BASE}/healthy")))[0].endswith(
        "POST /health (another method and another path)"
    )


def test_the_same_request_is_found_without_counting_the_words_of_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the words were counted")

    flows = [recorded_flow(chat({"role": "user", "content": f"How is the weather in {n}?"})) for n in range(20)]
    known = index(*flows)
    monkeypatch.setattr("thinkwire.proxy.replay.matcher._fit", fail)
    found = known.choose(asked(recorded_flow(chat({"role": "user", "content": "How is the weather in 7?"}))))
    assert found is not None
    assert found.number == 8
