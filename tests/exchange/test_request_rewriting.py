"""Whose memory a request may see; what is put back is tested with the histories."""

from mitmproxy import http
from mitmproxy.test import tflow

from thinkwire.exchange.request_rewriting import caller_of


def caller(*, path: str = "/", address: str = "10.0.0.1", **headers: str) -> bytes:
    flow = tflow.tflow()
    flow.request = http.Request.make("POST", f"http://h{path}", b"", http.Headers(**headers))  # type: ignore[arg-type]
    flow.client_conn.peername = (address, 1)
    return caller_of(flow)


def test_a_caller_is_known_by_the_credential_wherever_it_comes_from() -> None:
    assert caller(authorization="Bearer a", address="10.0.0.1") == caller(authorization="Bearer a", address="10.0.0.2")
    assert caller(path="/?key=a", address="10.0.0.1") == caller(path="/?key=a", address="10.0.0.2")


def test_other_credentials_are_other_callers() -> None:
    callers = [
        caller(authorization="Bearer a"),
        caller(authorization="Bearer b"),
        caller(x_api_key="Bearer a"),
        caller(path="/?key=a"),
    ]
    assert len({*callers}) == len(callers)


def test_without_a_credential_the_address_is_the_caller() -> None:
    assert caller() == caller()
    assert caller() != caller(address="10.0.0.2")


def test_a_digest_does_not_show_the_credential() -> None:
    assert b"secret" not in caller(authorization="secret")
