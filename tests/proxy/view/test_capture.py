"""Both sides of an exchange, and what is left of them when it is over."""

from __future__ import annotations

from typing import cast

from mitmproxy.test import tflow

from thinkwire.exchange.exchange import Exchange
from thinkwire.proxy.view.capture import AnswerCapture, BeforeAfter
from thinkwire.rewrite.tally import Effect


class Over:
    """An exchange that the rules have changed."""

    rules_in_force = "one (r.yaml:1)"
    done = "1 event renamed"
    effects = frozenset({Effect.RENAMED})


def captured(received: list[bytes], sent: list[bytes], *, most_bytes: int = 1000) -> tuple[BeforeAfter, bytes | None]:
    """What is kept of a stream, and the content that its flow has then."""
    flow = tflow.tflow(resp=True)
    assert flow.response is not None
    flow.live, flow.response.raw_content = True, None
    capture = AnswerCapture(flow, most_bytes)
    capture.record.response = flow.response.copy()
    capture.is_streamed = True
    for chunk in received:
        capture.add_received(chunk)
    for piece in sent:
        capture.add_sent(piece)
    return capture.close(flow, flow.response, cast(Exchange, Over())), flow.response.raw_content


def test_the_client_side_becomes_the_content_and_the_provider_side_is_kept() -> None:
    kept, content = captured([b"old", b"er"], [b"new"])
    assert content == b"new"
    assert kept.provider is not None
    assert kept.provider.response is not None
    assert kept.provider.response.raw_content == b"older"
    assert [size for _, size in kept.times] == [3]
    assert kept.size > len(b"older")


def test_an_answer_that_left_as_it_came_is_not_kept_twice() -> None:
    kept, content = captured([b"same"], [b"sa", b"me"])
    assert (content, kept.provider, kept.is_forgotten) == (b"same", None, False)


def test_of_too_long_an_answer_nothing_is_kept() -> None:
    kept, content = captured([b"x" * 60], [b"y" * 60], most_bytes=100)
    assert (content, kept.provider, kept.times, kept.is_forgotten) == (None, None, [], True)


def test_what_is_forgotten_is_marked() -> None:
    kept, _ = captured([b"old"], [b"new"])
    kept.forget()
    assert (kept.provider, kept.is_forgotten) == (None, True)


def test_exchanges_are_numbered_in_the_order_of_their_ends() -> None:
    (first, _), (second, _) = captured([b"a"], [b"b"]), captured([b"a"], [b"b"])
    assert first.number < second.number
