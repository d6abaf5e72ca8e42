"""Bedrock's InvokeModel: its own path and errors, around documents that are the model's own."""

import json

import pytest

from tests.dialects.api import Api
from tests.rewrite.answers import STRIP
from thinkwire.dialects.apis.bedrock_invoke import BEDROCK_INVOKE

API = Api(BEDROCK_INVOKE, "/model/m/invoke")


@pytest.mark.parametrize("document", [{}, {"content": [{"type": "thinking"}]}, {"choices": [{"message": {}}]}])
def test_no_document_is_its_own(document: object) -> None:
    assert not API.matches_document(document)


def test_a_body_is_rewritten_as_that_of_the_models_own_api() -> None:
    message = {"role": "assistant", "content": "Hi", "reasoning_content": "Secret"}
    before = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    after = json.loads(API.body(before, STRIP))
    assert after["choices"][0]["message"] == {"role": "assistant", "content": "Hi"}


def test_an_error_is_that_of_aws() -> None:
    assert json.loads(BEDROCK_INVOKE.error(429, "slow")) == {"__type": "ThrottlingException", "message": "slow"}
