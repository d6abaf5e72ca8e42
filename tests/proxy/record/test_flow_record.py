"""What a record of an exchange holds, and what it leaves out."""

from mitmproxy import http
from mitmproxy.test import tflow

from thinkwire.proxy.record.flow_record import FlowRecord


def record(*chunks: bytes, noted: list[tuple[float, int]] | None = None) -> tuple[FlowRecord, http.HTTPFlow]:
    live = tflow.tflow(resp=True)
    one = FlowRecord(live.request, noted)
    one.add_request(live.request)
    assert live.response is not None
    one.response = live.response.copy()
    for chunk in chunks:
        one.add_chunk(chunk)
    return one, live


def test_addresses_of_the_client_are_not_kept() -> None:
    one, live = record(b"a")
    live.client_conn.peername = ("10.1.2.3", 4)
    kept = one.flow(live, None)
    assert kept.client_conn.peername == ("127.0.0.1", 0)
    assert kept.server_conn.address == live.server_conn.address


def test_the_body_is_what_came_and_each_chunk_has_its_time() -> None:
    one, live = record(b"ab", b"c")
    kept = one.flow(live, None)
    assert kept.response is not None
    assert kept.response.raw_content == b"abc"
    (first, size), (second, _) = one.chunks(kept) or []
    assert (size, first <= second) == (2, True)


def test_a_body_that_had_to_be_made_anew_is_one_chunk() -> None:
    one, live = record(b"ab", b"c")
    kept = one.flow(live, None)
    assert kept.response is not None
    kept.response.raw_content = b"redacted"
    ((_, size),) = one.chunks(kept) or []
    assert size == len(b"redacted")


def test_times_that_do_not_fit_the_body_are_unknown() -> None:
    one, live = record(b"abc", noted=[(0.5, 3)])
    assert one.chunks(one.flow(live, None)) == [[0.5, 3]]
    one, live = record(b"abc", noted=[(0.5, 4)])
    assert one.chunks(one.flow(live, None)) is None


def test_a_chunk_before_the_end_of_the_request_came_at_once() -> None:
    one, _ = record()
    assert one.since_request(0.0) == 0.0
