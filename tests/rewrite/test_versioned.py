"""Whatever an action keeps that decides about later documents, changing it makes another version.

The fast path replays what was done for as long as the version stays the same, so a change that made none could leak.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.rewrite.answers import CHAT_REQUEST
from tests.rewrite.extract.test_extractor import RESPONSES, THINK
from tests.rewrite.stream.test_fast_path import COUNTED, deltas, items, response_of
from thinkwire.dialects.core.parts import Extent
from thinkwire.dialects.core.request_facts import RequestFacts
from thinkwire.rewrite.action import Action
from thinkwire.rewrite.answer import AnswerRewriter
from thinkwire.rewrite.plan import Extract, Inline, Keep, Reasoning, ResponsePlan
from thinkwire.rewrite.versioned import SortedNumbers, Version, Versioned, VersionedDict, VersionedList
from thinkwire.wire.json_tree import Node

PLANS: Final = [*COUNTED, *(ResponsePlan(one, extract=Extract(THINK, True)) for one in (Keep(), Inline(THINK)))]
NOT_DECIDING: Final = {
    "Version.number",
    "Stripper._is_body",  # the same for all documents of an answer
    "_Items.hidden",  # counted from the items
    "_Items.unfinished",
    "Renumberer._last_documents",  # decides about added documents alone, as do the models for them
    "Inliner._like",
    "Extractor._like",
    "Extractor._last_texts",
    "BlockWriter._like",
    "BlockWriter._beside",
    "BlockWriter._last",
    "BlockWriter._carriers",  # what an API's documents are like
    "DocumentReader._tables",
}


def state_of(thing: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All that an object of the rewriting keeps and that may decide, by where it keeps it."""
    kind = type(thing)
    if isinstance(thing, dict):
        yield path, tuple(thing)
        for key, value in thing.items():
            yield from state_of(value, f"{path}[{key}]")
    elif isinstance(thing, list | set):
        yield path, kind(thing)
    elif kind.__module__.startswith("thinkwire.rewrite") and not isinstance(thing, tuple):
        for name in dict.fromkeys(name for one in kind.__mro__ for name in getattr(one, "__slots__", ())):
            if name != "__weakref__" and f"{kind.__name__}.{name}" not in NOT_DECIDING and hasattr(thing, name):
                yield from state_of(getattr(thing, name), f"{path}.{name}")
    elif not isinstance(thing, Node) and not callable(thing):
        yield path, thing


def kept(answer: AnswerRewriter) -> dict[str, Any]:
    return dict([*state_of(answer._action), *state_of(answer._reader)])


def check(documents: list[str], plan: ResponsePlan, request: RequestFacts) -> None:
    answer = AnswerRewriter(plan, request)
    answer.rewrite(documents[0], Extent.DELTA)  # shows the API; some state only exists from here on
    for document in documents:
        state, version = kept(answer), answer.version.number
        answer.rewrite(document, Extent.DELTA)
        if answer.version.number == version:
            assert kept(answer) == state, document


def chat(choices: list[tuple[int, dict[str, Any], str | None]]) -> list[str]:
    return [
        json.dumps({"choices": [{"index": index, "delta": delta, "finish_reason": finish}]})
        for index, delta, finish in choices
    ]


choices = st.tuples(st.sampled_from([0, 0, 1]), deltas, st.sampled_from([None, None, None, "stop"]))
tagged = st.builds(
    lambda text: (0, {"content": text}, None), st.sampled_from(["<think>", "</think>", "<", "a", " ", "nk>"])
)


each_plan = pytest.mark.parametrize("plan", PLANS, ids=range(len(PLANS)))
FEW: Final = settings(max_examples=10)
"""For each plan."""
CHAT: Final = [
    (0, {"role": "assistant", "content": ""}, None),
    (0, {"content": " "}, None),
    (0, {"reasoning": "x"}, None),
    (0, {"content": "a<"}, None),
    (0, {"content": "think>b"}, None),
    (1, {"content": "</think>"}, None),
    (0, {}, "stop"),
]
BLOCKS: Final = [("message", [" ", "<think>", "a", "</think>", "b"]), ("reasoning", ["x"]), ("message", ["c"])]


@each_plan
@FEW
@given(st.lists(choices | tagged, min_size=1, max_size=12))
@example(CHAT)
@example(CHAT[2:])
def test_no_state_of_a_chat_stream_changes_without_another_version(
    plan: ResponsePlan, documents: list[tuple[int, dict[str, Any], str | None]]
) -> None:
    check(chat(documents), plan, CHAT_REQUEST)


@each_plan
@FEW
@pytest.mark.parametrize("numbered", [True, False])
@given(st.lists(items, max_size=4))
@example(BLOCKS)
@example(BLOCKS[1:])
def test_no_state_of_a_stream_of_blocks_changes_without_another_version(
    plan: ResponsePlan, numbered: bool, pieces: list[tuple[str, list[str]]]
) -> None:
    frames = response_of(pieces, numbered).decode().split("\n\n")
    check([frame.removeprefix("data: ") for frame in frames if frame], plan, RESPONSES)


@pytest.mark.parametrize("reasoning", [plan.reasoning for plan in PLANS[:3]])
def test_all_state_is_looked_at(reasoning: Reasoning) -> None:
    """The actions keep what they know in slots, so that the tests above find it."""
    answer = AnswerRewriter(ResponsePlan(reasoning, extract=Extract(THINK)), CHAT_REQUEST)
    actions = [answer._action, *(getattr(answer._action, name) for name in ("_first", "_second"))]
    assert all(isinstance(action, Action) and not hasattr(action, "__dict__") for action in actions)
    assert any("_readings" in path for path in kept(answer))


def test_a_value_makes_a_version_when_it_becomes_another_one() -> None:
    version = Version()
    one = Versioned(version, 1)
    one.value = 1
    assert version.number == 0
    one.value = 2
    assert (one.value, version.number) == (2, 1)


def test_so_do_the_values_of_a_dict_and_a_list() -> None:
    version = Version()
    by_key: VersionedDict[str, int] = VersionedDict(version)
    by_key["a"] = by_key["a"] = 1
    assert (dict(by_key), version.number) == ({"a": 1}, 1)
    by_key.clear()
    assert (len(by_key), "a" in by_key, version.number) == (0, False, 2)
    row: VersionedList[str] = VersionedList(version)
    row.append("a")
    row.append("a")
    assert (row.take(), row.take(), version.number) == (["a", "a"], [], 5)


def test_numbers_are_counted_in_their_order() -> None:
    version = Version()
    numbers = SortedNumbers(version)
    for number in (5, 1, 5):
        numbers.add(number)
    assert (numbers.below(5), numbers.up_to(5), numbers.count(5), 2 in numbers) == (1, 3, 2, False)
    numbers.remove(5)
    assert (numbers.count(5), version.number) == (1, 4)
