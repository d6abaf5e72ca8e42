"""What a user of the official `openai` client sees of faults: the errors that an application has to expect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.e2e.bodies import QUESTION, TEXT, body_answer, stream_answer
from tests.e2e.fixtures import StartMitmdump
from tests.e2e.mitmdump import Mitmdump
from tests.e2e.upstream import LIMIT, Upstream

RULES = """\
version: 1
rules:
  - {id: refused, when: {header: {x-fault: refused}}, response: {fault: {status_first: 429, live: true}}}
  - {id: retried, when: {header: {x-fault: retried}}, response: {fault: {status_first: 429, live: true}}}
  - {id: cut, when: {header: {x-fault: cut}}, response: {fault: {cut_after: 4, live: true}}}
  - {id: error, when: {header: {x-fault: error}}, response: {fault: {error_after: 4, live: true}}}
  - {id: done, when: {header: {x-fault: done}}, response: {fault: {drop_done: true, live: true}}}
  - {id: split, when: {header: {x-fault: split}}, response: {fault: {split: 1, live: true}}}
  - {id: stall, when: {header: {x-fault: stall}}, response: {fault: {stall: {after: 4, seconds: 86400}, live: true}}}
"""
BEFORE = "Three"
"""What the first four events say."""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "rules.yaml"
    path.write_text(RULES)
    return path


@pytest.fixture
def faulty(upstream: Upstream, mitmdump_with: StartMitmdump, rules: Path) -> Mitmdump:
    upstream.answer(stream_answer())
    return mitmdump_with({"thinkwire_rules": str(rules)})


def client(faulty: Mitmdump, fault: str, **options: Any) -> openai.OpenAI:
    settings: dict[str, Any] = {"max_retries": 0, **options}
    url = f"http://127.0.0.1:{faulty.port}/v1"
    return openai.OpenAI(base_url=url, api_key="none", default_headers={"x-fault": fault}, **settings)


def read_into(texts: list[str], client: openai.OpenAI) -> None:
    with client, client.chat.completions.create(model="m", messages=QUESTION["messages"], stream=True) as stream:
        for event in stream:
            texts += [choice.delta.content or "" for choice in event.choices]


def test_a_refused_request_is_a_rate_limit(faulty: Mitmdump, upstream: Upstream) -> None:
    with pytest.raises(openai.RateLimitError) as caught:
        read_into([], client(faulty, "refused"))
    assert caught.value.response.headers["retry-after"] == "1"
    assert upstream.requests == []


def test_a_client_that_tries_again_is_answered(faulty: Mitmdump, upstream: Upstream) -> None:
    upstream.answer(body_answer())
    with client(faulty, "retried", max_retries=1) as again:
        completion = again.chat.completions.create(model="m", messages=QUESTION["messages"])
    assert completion.choices[0].message.content == TEXT
    assert len(upstream.requests) == 1


def test_an_answer_that_is_cut_is_a_broken_connection(faulty: Mitmdump) -> None:
    texts: list[str] = []
    with pytest.raises((openai.APIConnectionError, httpx.RemoteProtocolError)):
        read_into(texts, client(faulty, "cut"))
    assert "".join(texts) == BEFORE


def test_an_error_in_the_middle_is_one_to_the_application(faulty: Mitmdump) -> None:
    texts: list[str] = []
    with pytest.raises(openai.APIError, match="thinkwire made this error up"):
        read_into(texts, client(faulty, "error"))
    assert "".join(texts) == BEFORE


@pytest.mark.parametrize("fault", ["done", "split"])
def test_this_client_needs_no_end_mark_and_takes_pieces(faulty: Mitmdump, fault: str) -> None:
    texts: list[str] = []
    read_into(texts, client(faulty, fault))
    assert "".join(texts) == TEXT


def test_an_answer_that_stalls_runs_into_the_timeout(faulty: Mitmdump) -> None:
    def lose_patience(response: Any) -> None:
        """From here on: how soon an answer begins is not what is tried."""
        response.request.extensions["timeout"]["read"] = 1.0

    texts: list[str] = []
    http_client = openai.DefaultHttpxClient(event_hooks={"response": [lose_patience]})
    with pytest.raises((openai.APITimeoutError, httpx.ReadTimeout)):
        read_into(texts, client(faulty, "stall", timeout=LIMIT, http_client=http_client))
    assert "".join(texts) == BEFORE
