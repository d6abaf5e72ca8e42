"""What most requests say in their bodies."""

import pytest

from thinkwire.dialects.core.request_facts import RequestFacts, model_in_body, stream_in_body


@pytest.mark.parametrize(
    ("body", "model", "stream"),
    [
        ({"model": "m", "stream": True}, "m", True),
        ({"model": 1, "stream": "true"}, None, False),
        ({"stream": 1}, None, False),
        ({}, None, False),
        ([], None, False),
        (None, None, False),
    ],
)
def test_model_and_stream_are_members_of_the_body(body: object, model: str | None, stream: bool) -> None:
    facts = RequestFacts("h", "/", "POST", (), body)
    assert (model_in_body(facts), stream_in_body(facts)) == (model, stream)


def test_printed_facts_do_not_show_the_body() -> None:
    assert "secret" not in repr(RequestFacts("h", "/", "POST", (), {"content": "secret"}))
