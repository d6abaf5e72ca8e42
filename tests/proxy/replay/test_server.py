"""The server of recorded answers: only the token gets one, once. `e2e/test_replay.py` measures its times."""

from __future__ import annotations

import asyncio

from thinkwire.proxy.replay.recordings import ReplayAnswer
from thinkwire.proxy.replay.server import TOKEN_HEADER, ReplayServer, ScheduledAnswer

ANSWER = ReplayAnswer(
    200, "OK", (("X-Odd", "1"), ("content-type", "text/plain")), None, 0.0, ((0.0, b"a"), (0.0, b"bc"))
)


async def fetch(server: ReplayServer, token: str) -> bytes:
    reader, writer = await asyncio.open_connection(*server.address)
    writer.write(f"GET / HTTP/1.1\r\nhost: h\r\n{TOKEN_HEADER}: {token}\r\nconnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer


def served(answer: ReplayAnswer | None, *, breaks_off: bool = False, times: int = 1) -> list[bytes]:
    async def run() -> list[bytes]:
        server = ReplayServer()
        started = asyncio.get_running_loop().time()
        token = server.expect(ScheduledAnswer(answer, 0.0, breaks_off, started))
        answers = [await fetch(server, token) for _ in range(times)]
        server.stop()
        return answers

    return asyncio.run(run())


def test_an_answer_comes_with_its_headers_and_chunk_for_chunk() -> None:
    (answer,) = served(ANSWER)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\nX-Odd: 1\r\n")
    assert body == b"1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"


def test_an_answer_that_broke_off_has_no_end() -> None:
    (answer,) = served(ANSWER, breaks_off=True)
    assert answer.endswith(b"2\r\nbc\r\n")


def test_where_there_was_no_answer_the_connection_is_closed() -> None:
    assert served(None, breaks_off=True) == [b""]


def test_a_token_is_good_for_one_answer() -> None:
    first, second = served(ANSWER, times=2)
    assert (bool(first), second) == (True, b"")


def test_what_is_forgotten_or_unknown_gets_nothing() -> None:
    async def run() -> list[bytes]:
        server = ReplayServer()
        token = server.expect(ScheduledAnswer(ANSWER, 0.0, False, asyncio.get_running_loop().time()))
        server.forget(token)
        answers = [await fetch(server, one) for one in (token, "guessed")]
        server.stop()
        return answers

    assert asyncio.run(run()) == [b"", b""]
