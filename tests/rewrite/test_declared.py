"""Declared APIs, rewritten: what strip takes and leaves, in streams at every split and in bodies."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dialects.declared_api import declare, declared_fields
from tests.rewrite.answers import STRIP, STRIP_KEEP_OPAQUE, TO_REASONING, documents_of, event
from tests.ruleset.loading import SHIPPED, load_file, load_text
from thinkwire.dialects.core.dialect import Dialect
from thinkwire.dialects.declared import paths
from thinkwire.dialects.declared.compiler import clashes
from thinkwire.dialects.declared.paths import PathError, parse_path
from thinkwire.dialects.registry import request_facts
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import ResponsePlan
from thinkwire.rewrite.stream.documents import rewrite_body
from thinkwire.rewrite.stream.rewriter import StreamRewriter
from thinkwire.rewrite.stream.sniff import ContentHint

KEEP = ResponsePlan()
TALK, EVENTS, OTHER = "/api/v9/talk", "/v9/events", "/v1/chat/completions"
SECRET = b"Secret"


def shipped() -> tuple[Dialect, ...]:
    ruleset = load_file(SHIPPED / "example-dialect.yaml").ruleset
    assert ruleset is not None
    return ruleset.dialects


def declared(folder: Path, places: str, more: str = "path: /x") -> tuple[Dialect, ...]:
    """The dialects of a file that declares one more."""
    found = load_text(folder, f"version: 1\ndialects:\n  - id: own\n    {more}\n    places: {places}\n")
    assert found.ruleset is not None, found.problems
    return found.ruleset.dialects


def rewriter(plan: ResponsePlan, path: str, dialects: tuple[Dialect, ...]) -> AnswerRewriter:
    return AnswerRewriter(plan, request_facts("h", path, "POST", [], b"{}", dialects), dialects)


def stream(plan: ResponsePlan, path: str, raw: bytes, dialects: tuple[Dialect, ...], size: int = 0) -> bytes:
    machine = StreamRewriter(rewriter(plan, path, dialects), ContentHint.EVENTS, None, 10.0, 0.0)
    step = size or len(raw)
    sent = [piece for at in range(0, len(raw), step) for piece in machine.feed(raw[at : at + step], 0.0)]
    return b"".join([*sent, *machine.finish()])


def after(path: str, *documents: Any, dialects: tuple[Dialect, ...], plan: ResponsePlan = STRIP) -> list[Any]:
    return documents_of(stream(plan, path, b"".join(map(event, documents)), dialects))


def body(path: str, document: Any, dialects: tuple[Dialect, ...], plan: ResponsePlan = STRIP) -> Any:
    return json.loads(rewrite_body(json.dumps(document).encode(), rewriter(plan, path, dialects)))


def talk(delta: Any, index: int = 0, **choice: Any) -> dict[str, Any]:
    return {"id": "t1", "created": 1, "thoughts_version": 2, "choices": [{"index": index, "delta": delta, **choice}]}


TALK_STREAM: list[dict[str, Any]] = [
    talk({"role": "assistant"}),
    talk({"thoughts": "Secret \U0001f914"}, token_ids=[1]),
    talk({"thoughts": "Secret"}, index=1),
    talk({"thoughts_seal": "c2VhbA9"}),
    talk({"say": "Hi"}, token_ids=[2]),
    talk({"say": "Ho", "mood": 1}, index=1),
    talk({"say": " there"}, token_ids=[3]),
    talk({"thoughts": "Secret", "calls": [{"f": 1.0}]}),
    talk({}, finish="end"),
    {"id": "t1", "usage": {"thought": 7}},
]
EVENT_STREAM: list[dict[str, Any]] = [
    {"type": "open", "answer": {"id": "a"}},
    {"type": "block.start", "index": 0, "block": {"type": "thinking", "text": "Secret"}},
    {"type": "block.delta", "index": 0, "delta": {"type": "thinking", "text": "Secret"}},
    {"type": "block.stop", "index": 0},
    {"type": "block.start", "index": 1, "block": {"type": "text", "text": ""}},
    {"type": "block.delta", "index": 1, "delta": {"type": "text", "text": "Hi"}},
    {"type": "block.stop", "index": 1},
    {"type": "close", "stop_reason": "end", "usage": {"thought": 7}},
]


def test_strip_hides_the_reasoning_of_the_shipped_example_and_leaves_all_else() -> None:
    assert after(TALK, *TALK_STREAM, dialects=shipped()) == [
        talk({"role": "assistant"}),
        talk({"say": "Hi"}),
        talk({"say": "Ho", "mood": 1}, index=1),
        talk({"say": " there"}, token_ids=[3]),
        talk({"calls": [{"f": 1.0}]}),
        talk({}, finish="end"),
        {"id": "t1", "usage": {"thought": 7}},
    ]


def test_blocks_of_reasoning_go_with_all_their_events_and_later_numbers_close_the_gap() -> None:
    assert after(EVENTS, *EVENT_STREAM, dialects=shipped()) == [
        EVENT_STREAM[0],
        *({**document, "index": 0} for document in EVENT_STREAM[4:7]),
        EVENT_STREAM[7],
    ]


@pytest.mark.parametrize(("path", "documents"), [(TALK, TALK_STREAM), (EVENTS, EVENT_STREAM)])
@pytest.mark.parametrize("size", [1, 7])
def test_no_split_makes_a_difference(path: str, documents: list[Any], size: int) -> None:
    dialects = shipped()
    raw = b"".join(map(event, documents))
    whole = stream(STRIP, path, raw, dialects)
    assert stream(STRIP, path, raw, dialects, size) == whole
    assert SECRET not in whole


@pytest.mark.parametrize("plan", [KEEP, TO_REASONING])
@pytest.mark.parametrize(("path", "documents"), [(TALK, TALK_STREAM), (EVENTS, EVENT_STREAM)])
def test_keep_and_rename_leave_every_byte(plan: ResponsePlan, path: str, documents: list[Any]) -> None:
    raw = b"".join(map(event, documents))
    assert stream(plan, path, raw, shipped(), 7) == raw


def test_a_body_loses_the_reasoning_and_what_lists_it() -> None:
    message = {"role": "assistant", "thoughts": "Secret", "thoughts_seal": "c2VhbA9", "say": "Hi"}
    choice = {"index": 0, "message": message, "token_ids": [1, 2], "finish": "end"}
    document = {"id": "t1", "choices": [choice], "usage": {"thought": 7}, "more": 1.0}
    assert body(TALK, document, shipped()) == {
        **document,
        "choices": [{"index": 0, "message": {"role": "assistant", "say": "Hi"}, "finish": "end"}],
    }


def test_chosen_elements_of_a_body_go_whole() -> None:
    blocks = [{"type": "thinking", "text": "Secret"}, {"type": "text", "text": "Hi"}, {"type": "image", "x": 1}]
    assert body(EVENTS, {"content": blocks}, shipped()) == {"content": blocks[1:]}
    assert body(EVENTS, {"content": blocks[:1]}, shipped()) == {"content": []}


def test_opaque_keep_leaves_the_signature() -> None:
    sealed = talk({"thoughts_seal": "c2VhbA9"})
    sent = after(TALK, *TALK_STREAM, dialects=shipped(), plan=STRIP_KEEP_OPAQUE)
    assert sealed in sent
    assert SECRET.decode() not in str(sent)


def test_opaque_keep_leaves_the_whole_block_that_has_a_signature(tmp_path: Path) -> None:
    dialects = declared(tmp_path, '{reasoning: "content[type=t]", opaque: "content[type=t].seal"}')
    blocks = [{"type": "t", "text": "Secret", "seal": "c2VhbA9"}, {"type": "t", "text": "Secret"}, {"type": "say"}]
    assert body("/x", {"content": blocks}, dialects, STRIP_KEEP_OPAQUE) == {
        "content": [{"type": "t", "text": "", "seal": "c2VhbA9"}, {"type": "say"}]
    }
    assert body("/x", {"content": blocks}, dialects) == {"content": [{"type": "say"}]}


def test_events_that_are_reasoning_as_a_whole_disappear_and_a_body_of_that_kind_is_emptied(tmp_path: Path) -> None:
    dialects = declared(tmp_path, '{reasoning: "[type=thought]", text: text, owner: index}')
    thought, say = (
        {"type": "thought", "index": 0, "text": "Secret", "n": [1]},
        {"type": "say", "index": 0, "text": "Hi"},
    )
    assert after("/x", thought, say, thought, {"type": "thought"}, dialects=dialects) == [say]
    assert after("/x", thought, say, dialects=dialects, plan=STRIP_KEEP_OPAQUE) == [say]
    assert body("/x", thought, dialects) == {"type": "thought", "index": 0}


@pytest.mark.parametrize("owner", ["", ", owner: index"])
def test_the_tokens_that_come_after_a_whole_event_of_reasoning_may_be_its_own(tmp_path: Path, owner: str) -> None:
    dialects = declared(tmp_path, f'{{reasoning: "[type=thought]", text: "[type=say].text", tokens: ids{owner}}}')
    thought, say = {"type": "thought", "index": 0, "text": "Secret"}, {"type": "say", "index": 0, "text": "Hi"}
    assert after("/x", thought, {**say, "ids": [1, 2]}, {**say, "ids": [3]}, dialects=dialects) == [
        say,
        {**say, "ids": [3]},
    ]


def test_opaque_keep_leaves_the_block_whose_signature_comes_in_an_event_of_its_own(tmp_path: Path) -> None:
    places = '{thought: "block[type=t]", reasoning: "delta[type=t]", opaque: "delta[type=seal].seal", owner: n}'
    dialects = declared(tmp_path, places)
    block = [
        {"n": 0, "block": {"type": "t"}},
        {"n": 0, "delta": {"type": "t", "text": "Secret"}},
        {"n": 0, "delta": {"type": "seal", "seal": "c2VhbA9"}},
        {"n": 0, "stop": True},
    ]
    say = {"n": 1, "delta": {"type": "say", "text": "Hi"}}
    assert after("/x", *block, say, dialects=dialects) == [{**say, "n": 0}]
    assert after("/x", *block, say, dialects=dialects, plan=STRIP_KEEP_OPAQUE) == [block[0], *block[2:], say]


# --- any declaration, any document ------------------------------------------------------------------------------

STEPS = st.sampled_from([".a", ".b", ".type", "[*]", "[type=x]", "[type=true]"])
KEYS = st.sampled_from(["a", "b", "type"])
DOCUMENTS = st.recursive(
    st.sampled_from(["x", "y", "", True, None, 1]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
).filter(lambda document: isinstance(document, dict | list))


def is_member_or_element(text: str) -> bool:
    """Is it a path, and not one to the whole body, which cannot go?"""
    try:
        return len(parse_path(text)) > 1 or not isinstance(parse_path(text)[0], paths.Chosen)
    except PathError:
        return False


PATHS = st.lists(STEPS, min_size=1, max_size=4).map(lambda steps: "".join(steps).removeprefix("."))
PLACES = st.lists(PATHS.filter(is_member_or_element), min_size=1, max_size=3).filter(
    lambda texts: not clashes(declared_fields({"reasoning": texts}))
)


def reached(value: Any, path: paths.Path, *, behind_name: bool = False) -> list[Any]:
    """What a path leads to in a parsed document: what the README says of paths, taken at its word."""
    if not path:
        return [value]
    match path[0]:
        case paths.Name(name):
            inner = [value[name]] if isinstance(value, dict) and name in value else []
            return [one for item in inner for one in reached(item, path[1:], behind_name=True)]
        case paths.EachElement():
            chosen = value if isinstance(value, list) else []
        case paths.Chosen(member, wanted):
            candidates = value if behind_name and isinstance(value, list) else [value]
            chosen = [one for one in candidates if isinstance(one, dict) and spelled(one.get(member)) == wanted]
    return [one for item in chosen for one in reached(item, path[1:])]


def spelled(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@given(texts=PLACES, document=DOCUMENTS)
def test_nothing_that_a_path_of_reasoning_leads_to_is_left_in_a_body(texts: list[str], document: Any) -> None:
    dialects = (declare({"reasoning": texts}, path="/x"),)
    sent = body("/x", document, dialects)
    assert [value for text in texts for value in reached(sent, parse_path(text))] == []


@given(texts=PLACES, document=DOCUMENTS)
def test_a_body_without_declared_reasoning_is_left_alone(texts: list[str], document: Any) -> None:
    dialects = (declare({"reasoning": texts}, path="/x"),)
    if not any(reached(document, parse_path(text)) for text in texts):
        assert body("/x", document, dialects) == document


# --- whose answer is it -----------------------------------------------------------------------------------------


def test_all_answers_to_a_declared_path_are_its_own_though_they_look_like_others(tmp_path: Path) -> None:
    dialects = declared(tmp_path, '{reasoning: "choices[*].delta.thoughts"}', "path: /v1/chat/completions")
    first = {"choices": [{"index": 0, "delta": {"role": "assistant"}}]}
    thought = {"choices": [{"index": 0, "delta": {"thoughts": "Secret", "say": 1}}]}
    shown = {"choices": [{"index": 0, "delta": {"say": 1}}]}
    assert after(OTHER, first, thought, dialects=dialects) == [first, shown]
    assert body(OTHER, {"choices": []}, dialects) == {"choices": []}


@pytest.mark.parametrize("path", [OTHER, "/unknown"])
def test_a_mark_does_not_hide_the_reasoning_of_other_apis(tmp_path: Path, path: str) -> None:
    dialects = declared(tmp_path, "{reasoning: out.think, text: out.say}", "knows: out")
    marked = {"out": {"say": "Hi"}}
    chat = {"choices": [{"index": 0, "delta": {"reasoning_content": "Secret"}}]}
    own = {"out": {"think": "Secret"}}
    assert after(path, chat, marked, chat, own, marked, chat, own, dialects=dialects) == [marked, marked]


@pytest.mark.parametrize("path", [OTHER, "/unknown"])
def test_a_mark_settles_whose_answer_it_is_also_for_documents_without_one(tmp_path: Path, path: str) -> None:
    places = '{reasoning: "choices[*].delta.thoughts", owner: "choices[*].index"}'
    dialects = declared(tmp_path, places, "knows: version.thoughts")
    first = {"choices": [{"index": 0, "delta": {"role": "assistant"}}]}
    marked = {"version": {"thoughts": 2}, "choices": [{"index": 0, "delta": {}}]}
    thought = {"choices": [{"index": 0, "delta": {"thoughts": "Secret"}}]}
    assert after(path, first, marked, thought, thought, dialects=dialects) == [first, marked]
    chat = {"choices": [{"index": 0, "delta": {"reasoning_content": "Secret"}}]}
    assert after(path, marked, chat, thought, chat, dialects=dialects) == [marked]


def test_answers_of_known_apis_stay_theirs_where_a_dialect_is_declared() -> None:
    chunk = {"choices": [{"index": 0, "delta": {"reasoning": "Secret", "thoughts": "of nobody"}}]}
    assert after(OTHER, chunk, dialects=shipped()) == [{"choices": [{"index": 0, "delta": {"thoughts": "of nobody"}}]}]


def test_an_answer_that_cannot_be_read_becomes_an_error_of_the_common_shape() -> None:
    text = rewriter(STRIP, TALK, shipped()).error_text(502, "no")
    assert json.loads(text)["error"]["message"] == "no"
