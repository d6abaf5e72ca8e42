"""A request that leaves for the replay server, and is afterwards what it was."""

from mitmproxy import http

from tests.flows import recorded_flow
from tests.rewrite.answers import CHAT_REQUEST
from thinkwire.proxy.replay.redirected_request import RedirectedRequest
from thinkwire.proxy.replay.server import TOKEN_HEADER


def flow() -> http.HTTPFlow:
    made = recorded_flow({"model": "m"}, url="https://api.example/v1/chat/completions?a=b")
    made.request.headers["accept-encoding"] = "gzip"
    made.request.headers["authorization"] = "Bearer secret"
    return made


def state(flow: http.HTTPFlow) -> object:
    return flow.request.get_state()  # type: ignore[no-untyped-call]


def test_what_leaves_holds_the_token_and_nothing_of_the_request_but_its_length() -> None:
    one = flow()
    size = str(len(one.request.raw_content or b""))
    RedirectedRequest(one, CHAT_REQUEST).send(one, "token", ("127.0.0.1", 1234))
    assert one.server_conn.address == ("127.0.0.1", 1234)
    assert one.request.url == "http://127.0.0.1:1234/"
    assert dict(one.request.headers) == {"host": "127.0.0.1:1234", "content-length": size, TOKEN_HEADER: "token"}


def test_it_is_restored_with_what_was_edited_before_it_left() -> None:
    one = flow()
    redirected = RedirectedRequest(one, CHAT_REQUEST)
    one.request.headers["accept-encoding"] = "identity"
    before = state(one)
    redirected.send(one, "token", ("127.0.0.1", 1234))
    redirected.restore(one)
    assert state(one) == before
    assert redirected.accepted_codings == "gzip"  # as the client sent it


def test_one_that_never_left_stays_as_it_is() -> None:
    one = flow()
    before = state(one)
    RedirectedRequest(one, CHAT_REQUEST).restore(one)
    assert state(one) == before


def test_a_client_without_http_1_1_gets_no_chunks() -> None:
    one = flow()
    one.request.http_version = "HTTP/2.0"
    redirected = RedirectedRequest(one, CHAT_REQUEST)
    redirected.send(one, "token", ("127.0.0.1", 1234))
    assert one.request.http_version == "HTTP/1.1"
    assert one.response is not None
    one.response.headers["transfer-encoding"] = "chunked"
    redirected.restore(one)
    assert one.request.http_version == "HTTP/2.0"
    assert "transfer-encoding" not in one.response.headers
