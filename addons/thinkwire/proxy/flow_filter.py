"""mitmproxy's filter expressions, as far as they can be evaluated when only the request is known.

Compiles them, and makes up a flow to evaluate them on when there is no traffic. Does not know the rule file.
"""

from collections.abc import Callable, Iterator
from typing import Final, cast

from mitmproxy import flowfilter
from mitmproxy.connection import Client, Server
from mitmproxy.flow import Flow
from mitmproxy.http import Headers, HTTPFlow, Request

ABOUT_THE_ANSWER: Final[dict[type, str | None]] = {
    # an operator that looks at the response or at what follows it, and the one about the request alone
    flowfilter.FAsset: None,
    flowfilter.FBod: "~bq",
    flowfilter.FBodResponse: "~bq",
    flowfilter.FCode: None,
    flowfilter.FContentType: "~tq",
    flowfilter.FContentTypeResponse: "~tq",
    flowfilter.FErr: None,
    flowfilter.FHead: "~hq",
    flowfilter.FHeadResponse: "~hq",
    flowfilter.FReplay: "~replayq",
    flowfilter.FReplayServer: "~replayq",
    flowfilter.FReq: None,
    flowfilter.FResp: None,
    flowfilter.FWebSocket: None,
}

DEEPEST = 64
"""Levels of `!`, `&` and `|`; mitmproxy evaluates them recursively, so a deeper filter could fail on live traffic."""
TOO_DEEP = "this filter is nested too deeply"


def compile_filter(text: str) -> Callable[[object], bool]:
    """A test for flows. ValueError, with a text for the user, if the expression is not valid or needs the response."""
    try:
        expression = flowfilter.parse(text)
    except ValueError as error:
        raise ValueError(_why_invalid(text, error)) from error
    for operator, depth in _operators(expression):
        if depth > DEEPEST:
            raise ValueError(TOO_DEEP)
        if type(operator) in ABOUT_THE_ANSWER:
            raise ValueError(_needs_answer(operator))
    return lambda flow: bool(expression(cast(Flow, flow)))


def make_flow(host: str, path: str, method: str, headers: list[tuple[str, str]], body: bytes) -> HTTPFlow:
    """A flow for a request that was never sent; its connections have dummy addresses."""
    nowhere = ("", 0)
    client = Client(peername=nowhere, sockname=nowhere, timestamp_start=0)
    flow = HTTPFlow(client, Server(address=(host, 443)))
    fields = [(name.encode(), value.encode("utf-8", "surrogateescape")) for name, value in headers]
    flow.request = Request.make(method, f"https://{host}{path}", body, Headers(fields))
    return flow


def _why_invalid(text: str, error: ValueError) -> str:
    if not text.strip():
        return "this filter is empty"
    # flowfilter has one message for all problems; only a bad regular expression raises ValueError by itself.
    if type(error.__cause__) is ValueError:
        return "a regular expression in this filter is not valid"
    return "this is not a filter expression that mitmproxy understands"


def _needs_answer(operator: object) -> str:
    name = f"~{getattr(operator, 'code', '')}"
    instead = ABOUT_THE_ANSWER[type(operator)]
    message = f"`{name}` looks at the answer, but rules are chosen when only the request is known"
    return f"{message}; `{instead}` looks at the request alone" if instead else message


def _operators(expression: object) -> Iterator[tuple[object, int]]:
    """The expression and all its parts, from left to right, each with its depth."""
    pending = [(expression, 0)]
    while pending:
        operator, depth = pending.pop()
        yield operator, depth
        if isinstance(operator, flowfilter.FAnd | flowfilter.FOr):
            pending += [(part, depth + 1) for part in reversed(operator.lst)]
        elif isinstance(operator, flowfilter.FNot):
            pending.append((operator.itm, depth + 1))
