"""Earlier turns of Gemini: the signatures of calls come back."""

import json
from typing import Any

from tests.rewrite.answers import event
from tests.rewrite.history.session import CALL_PART, KEEP, Session, gemini_answer


def test_the_signatures_of_calls_come_back() -> None:
    session = Session("gemini", KEEP)
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    calls = [{"functionCall": {"name": "f", "args": {"a": number}}} for number in (1, 2)]
    parts = [{"text": "Hm", "thought": True}, calls[0] | {"thoughtSignature": "abc"}, calls[1]]
    raw = b"".join(
        event({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}) for part in parts
    )
    session.answered(asked, raw + event({"candidates": [{"index": 0, "finishReason": "STOP"}]}))
    result = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}
    again = {"contents": [*asked["contents"], {"role": "model", "parts": calls}, result]}
    assert json.loads(session.asked(again).raw)["contents"][1]["parts"] == [parts[1], calls[1]]
    kept = {"contents": [*asked["contents"], {"role": "model", "parts": parts[1:]}, result]}
    assert session.asked(kept).raw == json.dumps(kept).encode()


def test_the_same_call_again_has_a_signature_of_its_own() -> None:
    session = Session("gemini", KEEP)
    poll = {"functionCall": {"name": "poll", "args": {}}}
    result = {"role": "user", "parts": [{"functionResponse": {"name": "poll", "response": {"done": False}}}]}
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "q"}]}]
    for turn in range(3):
        session.answered({"contents": contents}, gemini_answer(poll | {"thoughtSignature": f"s{turn}"}))
        contents = [*contents, {"role": "model", "parts": [poll]}, result]
    after = json.loads(session.asked({"contents": contents}).raw)["contents"]
    assert [one["parts"][0]["thoughtSignature"] for one in after if one["role"] == "model"] == ["s0", "s1", "s2"]


def test_the_same_question_again_gets_the_last_signature() -> None:
    session = Session("gemini", KEEP)
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    for signature in ("of yesterday", "of today"):
        session.answered(asked, gemini_answer(CALL_PART | {"thoughtSignature": signature}))
    again = {"contents": [*asked["contents"], {"role": "model", "parts": [CALL_PART]}]}
    after = json.loads(session.asked(again).raw)["contents"]
    assert after[1]["parts"][0]["thoughtSignature"] == "of today"


def test_the_later_ones_of_several_calls_lack_nothing() -> None:
    gemini = Session("gemini", KEEP)
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    other = {"functionCall": {"name": "f", "args": {}, "id": "g2"}}
    gemini.answered(asked, gemini_answer(CALL_PART | {"thoughtSignature": "s"}, other))
    both = {"contents": [*asked["contents"], {"role": "model", "parts": [CALL_PART, other]}]}
    assert gemini.asked(both).notes == ["reasoning put back: 1"]


def test_a_call_is_found_without_its_id_and_in_contents_of_its_own() -> None:
    asked = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    session = Session("gemini", KEEP)
    session.answered(asked, gemini_answer({"text": "Look"}, CALL_PART | {"thoughtSignature": "s"}))
    bare = {"functionCall": {"name": "f", "args": {}}}
    split = [{"role": "model", "parts": [{"text": "Look"}]}, {"role": "model", "parts": [bare]}]
    after = json.loads(session.asked({"contents": [*asked["contents"], *split]}).raw)["contents"]
    assert after[2]["parts"] == [bare | {"thoughtSignature": "s"}]
    signed = bare | {"thought_signature": "mine"}
    kept = {"contents": [*asked["contents"], {"role": "model", "parts": [signed]}]}
    assert session.asked(kept).raw == json.dumps(kept).encode()
