"""What a user of AWS's own client sees of Bedrock through mitmdump: event streams, bodies, signed requests."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import botocore.session
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError

from tests.dialects.apis import test_anthropic_messages as inner
from tests.dialects.apis.test_bedrock_converse import BEGIN, END, HI, REASONING, body, raw_of, text, thought, tool
from tests.e2e.bodies import JSON
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import Answer, Upstream
from tests.wire.aws_messages import chunk, exception

AWS = ("content-type", "application/vnd.amazon.eventstream")
QUESTION: dict[str, Any] = {"modelId": "vendor.m-v1:0", "messages": [{"role": "user", "content": [{"text": "Hi"}]}]}

type Connect = Callable[[dict[str, str]], Any]


@pytest.fixture
def connect(proxy: Mitmdump) -> Iterator[Connect]:
    """Makes a real client of bedrock-runtime, which signs these headers along with its own."""
    with contextlib.ExitStack() as clients:

        def connect(headers: dict[str, str]) -> Any:
            session = botocore.session.Session()
            session.set_credentials("key", "secret")
            client = session.create_client(
                "bedrock-runtime",
                region_name="us-east-1",
                endpoint_url=f"http://127.0.0.1:{proxy.port}",
                config=Config(retries={"total_max_attempts": 1}, read_timeout=15, proxies={}),
            )
            clients.callback(client.close)

            def add_headers(request: Any, **_: Any) -> None:
                for name, value in headers.items():
                    request.headers[name] = value

            client.meta.events.register("before-sign.*", add_headers)
            return client

        yield connect


STRIP = {"x-thinkwire": "strip"}


def converse_stream(client: Any) -> list[tuple[str, Any]]:
    with contextlib.closing(client.converse_stream(**QUESTION)["stream"]) as stream:
        return [(name, document) for event in stream for name, document in event.items()]


def without_padding(events: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, {key: value for key, value in document.items() if key != "p"}) for name, document in events]


def test_a_stream_is_read_without_its_thoughts(connect: Connect, upstream: Upstream) -> None:
    raw = raw_of([*BEGIN, *thought(0), *text(1, "Hi", " you"), *thought(2), *tool(3), *END])
    upstream.answer(Answer([raw[at : at + 100] for at in range(0, len(raw), 100)], headers=[AWS]))
    left = [*BEGIN, *text(0, "Hi", " you"), *tool(1), *END]
    assert converse_stream(connect(STRIP)) == without_padding(left)


def test_a_stream_is_kept_where_nobody_asks_for_more(connect: Connect, upstream: Upstream) -> None:
    upstream.answer(Answer([raw_of([*BEGIN, *thought(0), *END])], headers=[AWS]))
    assert converse_stream(connect({})) == without_padding([*BEGIN, *thought(0), *END])


def test_a_body_is_read_without_its_thoughts(connect: Connect, upstream: Upstream) -> None:
    whole = body(REASONING, HI, metrics={"latencyMs": 1})
    upstream.answer(Answer([json.dumps(whole).encode()], headers=[JSON], framing="length"))
    answer = connect(STRIP).converse(**QUESTION)
    assert answer["output"]["message"]["content"] == [HI]
    assert answer["stopReason"] == "end_turn"


def test_chunks_of_the_models_own_events_are_read_without_thoughts(connect: Connect, upstream: Upstream) -> None:
    events = [*inner.BEGIN, *inner.thinking(0, "Secret"), *inner.text(1, "Hi"), *inner.END]
    upstream.answer(Answer(list(map(chunk, events)), headers=[AWS]))
    answer = connect(STRIP).invoke_model_with_response_stream(modelId="anthropic.m", body=b"{}")
    read = [json.loads(event["chunk"]["bytes"]) for event in answer["body"]]
    assert read == [*inner.BEGIN, *inner.text(0, "Hi"), *inner.END]


def test_a_models_own_body_is_read_without_thoughts(connect: Connect, upstream: Upstream) -> None:
    whole = inner.body(inner.REASONING, inner.HI)
    upstream.answer(Answer([json.dumps(whole).encode()], headers=[JSON], framing="length"))
    answer = connect(STRIP).invoke_model(modelId="anthropic.m", body=b"{}")
    assert json.loads(answer["body"].read()) == inner.body(inner.HI)


def test_an_exception_in_the_stream_is_one_to_the_client(connect: Connect, upstream: Upstream) -> None:
    raw = raw_of([*BEGIN, *thought(0)[:1]]) + exception("modelStreamErrorException", "oops")
    upstream.answer(Answer([raw], headers=[AWS]))
    with pytest.raises(EventStreamError, match="oops"):
        converse_stream(connect(STRIP))


def test_a_body_that_cannot_be_read_is_an_error_to_the_client(connect: Connect, upstream: Upstream) -> None:
    upstream.answer(Answer([b'{"output":{"message":{"content":[{"reasoningContent"'], headers=[JSON], framing="length"))
    with pytest.raises(ClientError) as caught:
        connect(STRIP).converse(**QUESTION)
    assert caught.value.response["Error"]["Code"] == "InternalServerException"
    assert "withheld" in caught.value.response["Error"]["Message"]


@pytest.mark.parametrize("signed", ["gzip", "identity;q=1"])
def test_a_header_that_is_signed_is_left_alone(connect: Connect, upstream: Upstream, signed: str) -> None:
    upstream.answer(Answer([raw_of([*BEGIN, *thought(0), *END])], headers=[AWS]))
    assert converse_stream(connect({**STRIP, "accept-encoding": signed})) == without_padding([*BEGIN, *END])
    assert "accept-encoding" in str(upstream.request.header("authorization"))
    assert upstream.request.header("accept-encoding") == signed
    assert upstream.request.header("x-thinkwire") == "strip"


def test_a_header_that_is_not_signed_asks_for_what_can_be_read(connect: Connect, upstream: Upstream) -> None:
    upstream.answer(Answer([raw_of([*BEGIN, *END])], headers=[AWS]))
    converse_stream(connect(STRIP))
    assert "accept-encoding" not in str(upstream.request.header("authorization"))
    assert upstream.request.header("accept-encoding") == "identity"
