"""What came, held against what was expected: each key of `expect`, when it holds and what is said when it does not."""

from dataclasses import replace
from typing import Any

import pytest

from thinkwire.dialects.core.parts import Kind
from thinkwire.rewrite.reading.transcript import Assembled, Choice, Moment
from thinkwire.ruleset.rule_tests.expected import Expected
from thinkwire.ruleset.rule_tests.verdict import Actual, GotDocument, mismatches

REQUEST = GotDocument(
    "", "", {"model": "m", "n": 1, "stream": True, "messages": [{"role": "user"}, {"thinking": "Hm"}]}
)


def answer(*choices: tuple[str, str]) -> Assembled:
    said: dict[int | str, Choice] = {
        number: Choice([Moment(Kind.REASONING, thought), Moment(Kind.TEXT, text), Moment(Kind.TOOL_CALL, "{}")])
        for number, (thought, text) in enumerate(choices)
    }
    return Assembled(said)


def documents(*values: Any) -> list[GotDocument]:
    return [GotDocument(f"event {number}", "", value) for number, value in enumerate(values, 1)]


CAME = Actual(("one", "two"), REQUEST, 200, 200, answer(("Hm so", "Hi")))


def said(expected: Expected, came: Actual = CAME) -> list[tuple[str, str, str]]:
    return [(one.what, one.expected, one.got) for one in mismatches(expected, came)]


def test_nothing_expected_is_nothing_found() -> None:
    assert said(Expected()) == []


def test_exactly_the_rules_must_decide_in_any_order() -> None:
    assert said(Expected(rules=("two", "one"))) == []
    assert said(Expected(rules=("one",))) == [("rules", "one", "one, two")]
    assert said(Expected(rules=("one", "two", "three"))) == [("rules", "one, two, three", "one, two")]
    assert said(Expected(rules=())) == [("rules", "none", "one, two")]
    assert said(Expected(rules=()), replace(CAME, rules=())) == []


@pytest.mark.parametrize("glob", ["Hm so", "Hm*", "*", "Hm?so"])
def test_a_text_fits_a_glob(glob: str) -> None:
    assert said(Expected(reasoning=glob)) == []


@pytest.mark.parametrize("glob", ["", "Hm", "hm so", "*Hi"])
def test_a_text_that_does_not_fit_is_shown(glob: str) -> None:
    assert said(Expected(reasoning=glob)) == [("reasoning", f'"{glob}"', '"Hm so"')]


def test_the_empty_text_is_none_at_all() -> None:
    assert said(Expected(reasoning="", content="Hi"), replace(CAME, answer=answer(("", "Hi")))) == []
    assert said(Expected(reasoning="", content=""), replace(CAME, answer=Assembled())) == []
    assert said(Expected(content="*?"), replace(CAME, answer=Assembled())) == [("content", '"*?"', '""')]


def test_each_choice_must_fit_and_the_one_that_does_not_is_named() -> None:
    came = replace(CAME, answer=answer(("Hm", "Hi"), ("Hm", "Ho")))
    assert said(Expected(reasoning="Hm", content="H?"), came) == []
    assert said(Expected(content="Hi"), came) == [("content of choice 1", '"Hi"', '"Ho"')]


def test_the_status_is_compared() -> None:
    assert said(Expected(status=200)) == []
    assert said(Expected(status=400)) == [("status", "400", "200")]


def test_another_status_than_the_providers_must_be_expected() -> None:
    withheld = replace(CAME, status=502, answer=Assembled(), documents=[])
    assert said(Expected(reasoning="", absent=(("reasoning",),)), withheld) == [("status", "200", "502")]
    assert said(Expected(status=502, absent=(("reasoning",),)), withheld) == []
    assert said(Expected(absent=(("reasoning",),)), replace(CAME, status=429, provider_status=429)) == []


# --- members ------------------------------------------------------------------------------------------------------

STREAM = replace(
    CAME, documents=documents({"id": 1}, {"choices": [{"delta": {"reasoning": "Hm", "old": None}}]}, [{"a": 0}])
)


@pytest.mark.parametrize(
    "way",
    ["reasoning", "delta.reasoning", "choices.delta.reasoning", "a", "id", "choices.0.delta.reasoning", "choices.0"],
)
def test_a_member_is_found_by_its_name_or_the_end_of_its_way(way: str) -> None:
    path = tuple(way.split("."))
    assert said(Expected(present=(path,)), STREAM) == []
    ((what, expected, came),) = said(Expected(absent=(path,)), STREAM)
    assert (what, expected) == ("absent", f"no {way}")
    assert "in event" in came


def test_where_a_member_is_that_must_not_be() -> None:
    path = ("delta", "reasoning")
    assert said(Expected(absent=(path,)), STREAM) == [
        ("absent", "no delta.reasoning", 'choices.0.delta.reasoning in event 2: "Hm"')
    ]


@pytest.mark.parametrize("way", ["reason", "choices.reasoning", "message.reasoning", "choices.1.delta.reasoning", "1"])
def test_other_members_are_not_meant(way: str) -> None:
    path = tuple(way.split("."))
    assert said(Expected(absent=(path,)), STREAM) == []
    assert said(Expected(present=(path,)), STREAM) == [("present", f"{way} with a value", "nowhere in the answer")]


def test_a_placeholder_is_neither_present_nor_absent() -> None:
    assert said(Expected(present=(("old",),)), STREAM) == [("present", "old with a value", "there, but only as null")]
    assert said(Expected(absent=(("old",),)), STREAM) == [("absent", "no old", "choices.0.delta.old in event 2: null")]


@pytest.mark.parametrize("value", ["", [], {}, None])
def test_one_value_among_placeholders_is_enough(value: Any) -> None:
    came = replace(CAME, documents=documents({"a": value}, {"a": False}))
    assert said(Expected(present=(("a",),)), came) == []
    assert said(Expected(present=(("a",),)), replace(came, documents=came.documents[:1])) != []


def test_a_document_that_cannot_be_read_has_what_it_names() -> None:
    came = replace(CAME, documents=[GotDocument("event 1", '{"reasoning": "Hm')])
    assert said(Expected(absent=(("delta", "reasoning"),)), came) == [
        ("absent", "no delta.reasoning", "its name in event 1, which cannot be read")
    ]
    assert said(Expected(absent=(("other",),)), came) == []
    assert len(said(Expected(present=(("reasoning",),)), came)) == 1


def test_a_long_value_is_cut_and_a_deep_one_is_looked_into() -> None:
    deep: Any = {"a": "x" * 1000}
    ((_, _, came),) = said(Expected(absent=(("a",),)), replace(CAME, documents=documents(deep)))
    assert len(came) < 500
    for _ in range(5000):
        deep = [deep]
    assert len(said(Expected(absent=(("a",),)), replace(CAME, documents=documents(deep)))) == 1


# --- the request --------------------------------------------------------------------------------------------------


def test_members_of_the_request_are_looked_for() -> None:
    good = Expected(request_present=(("thinking",),), request_absent=(("reasoning",),))
    assert said(good) == []
    bad = Expected(request_present=(("reasoning",),), request_absent=(("thinking",),))
    assert said(bad) == [
        ("request.present", "reasoning with a value", "nowhere in the request"),
        ("request.absent", "no thinking", 'messages.1.thinking: "Hm"'),
    ]


@pytest.mark.parametrize(
    ("way", "value"),
    [("model", "m"), ("model", "*"), ("n", 1), ("n", 1.0), ("stream", True), ("messages.1.thinking", "H?")],
)
def test_a_member_of_the_request_has_its_value(way: str, value: Any) -> None:
    assert said(Expected(request_body=((tuple(way.split(".")), value),))) == []


@pytest.mark.parametrize(
    ("way", "value", "came"),
    [
        ("model", "n", '"m"'),
        ("model", 1, '"m"'),
        ("n", True, "1"),
        ("n", "1", "1"),
        ("stream", 1, "true"),
        ("stream", False, "true"),
        ("messages", "*", '[{"role": "user"}, {"thinking": "Hm"}]'),
        ("messages.1.x", "*", "nothing there"),
        ("messages.2", "*", "nothing there"),
    ],
)
def test_another_value_is_shown(way: str, value: Any, came: str) -> None:
    ((what, _, shown),) = said(Expected(request_body=((tuple(way.split(".")), value),)))
    assert (what, shown) == (f"request.body {way}", came)


def test_a_refused_request_is_none() -> None:
    refused = replace(CAME, request=None)
    for expected in (
        Expected(request_absent=(("a",),)),
        Expected(request_present=(("a",),)),
        Expected(request_body=((("a",), 1),)),
    ):
        assert said(expected, refused) == [("request", "a request to the provider", "none: it was refused here")]
    assert said(Expected(status=200), refused) == []
