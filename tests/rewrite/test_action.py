"""The seam between actions and who runs them: what an action that does nothing answers, and what counts as left."""

from typing import Any

import pytest

from tests.dialects.api import Api
from tests.rewrite.answers import chunk
from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.dialects.core.parts import Extent, Kind
from thinkwire.rewrite.action import Action, Document, Outcome, is_anything_left
from thinkwire.rewrite.tally import Effect
from thinkwire.wire.splice import Edits

CHAT = Api(CHAT_COMPLETIONS, "/v1/chat/completions")


def test_the_action_that_does_nothing_leaves_a_document_as_it_is() -> None:
    updates, edits = CHAT.updates(chunk({"reasoning": "Hm"})), Edits()
    outcome = Action().apply(Document(updates[0].node, updates, Extent.DELTA, CHAT_COMPLETIONS), edits)
    assert outcome == Outcome()
    assert (outcome.effect, outcome.is_sent, bool(edits)) == (Effect.NONE, True, False)
    assert not [*Action().finish(CHAT_COMPLETIONS)]


@pytest.mark.parametrize(
    ("delta", "choice", "is_left"),
    [
        ({"reasoning": "Hm"}, {}, False),
        ({"reasoning": "Hm", "content": ""}, {}, False),
        ({"reasoning": "Hm", "content": "Hi"}, {}, True),
        ({"reasoning": "Hm", "role": "assistant"}, {}, True),
        ({"reasoning": "Hm"}, {"finish_reason": "stop"}, True),
        ({"reasoning": "Hm", "unheard_of": 1}, {}, True),
    ],
)
def test_the_envelope_and_empty_members_are_nothing_left(
    delta: dict[str, Any], choice: dict[str, Any], is_left: bool
) -> None:
    updates, edits = CHAT.updates(chunk(delta, **choice)), Edits()
    for update in updates:
        for part in update.of(Kind.REASONING):
            edits.remove(part.node)
    assert is_anything_left(updates, edits) == is_left
