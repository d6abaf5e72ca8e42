"""Whatever a file holds, loading answers problems in our words, and never raises."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ruleset.loading import SHIPPED, load_file, load_text
from thinkwire.ruleset.model.pydantic_errors import TRANSLATIONS, Wording, mappings
from thinkwire.ruleset.problem import Problem, render
from thinkwire.ruleset.settings.table import SETTINGS
from thinkwire.ruleset.yaml.location import Location

OTHERS_WORDS = (
    "Input should",
    "Extra inputs",
    "Field required",
    "Unable to",
    "Value error",
    "should have at least",
    "dictionary",
    "NoneType",
    "pydantic",
    "object at 0x",
    "while parsing",
    "while scanning",
    "flow sequence",
    "scalar",
)
SKELETONS = [
    "{value}",
    "version: {value}",
    "version: 1\ninclude: {value}",
    "version: 1\nrules: {value}",
    "version: 1\nrules:\n  - {value}",
    *(
        f"version: 1\nrules:\n  - id: one\n    {place}"
        for place in (
            "why: {value}",
            "when: {value}",
            *(f"when: {{{{{key}: {{value}}}}}}" for key in mappings()["rules.when"].model_fields),
            "when: {{header: {{x-a: {value}}}}}",
            "when: {{body: {{a.b: {value}}}}}",
            "when: {{body: {{a.b: {{exists: {value}}}}}}}",
            *(f"{one.side}: {{{{{one.name}: {{value}}}}}}" for one in SETTINGS),
            "request: {value}",
            "request: {{set: {{a: {value}}}}}",
            "response: {value}",
            "response: {{reasoning: {{rename: {value}}}}}",
            "response: {{reasoning: {{strip: {value}}}}}",
            "response: {{reasoning: {{strip: {{opaque: {value}}}}}}}",
            "response: {{reasoning: {{inline: {value}}}}}",
            "response: {{reasoning: {{inline: {{family: {value}}}}}}}",
            "response: {{extract: [harmony, {value}]}}",
            "response: {{extract: {{family: {value}}}}}",
            "response: {{extract: {{tags: {value}}}}}",
            'response: {{extract: {{tags: [["<a>", "</a>"], {value}]}}}}',
            'response: {{extract: {{tags: [[{value}, "</a>"]]}}}}',
            'response: {{extract: {{tags: [["<a>", "</a>"]], where: {value}}}}}',
            "response: {{extract: {{family: think, starts_inside: {value}}}}}",
            *(
                f"response: {{{{fault: {{{{{key}: {{value}}}}}}}}}}"
                for key in mappings()["rules.response.fault"].model_fields
                if key not in ("drop_done", "live")  # which may say nothing by themselves
            ),
            "response: {{fault: {{split: 1, live: {value}}}}}",
            "response: {{fault: {{split: 1, drop_done: {value}}}}}",
            "response: {{fault: {{stall: {{after: {value}, seconds: 1}}}}}}",
            "response: {{fault: {{stall: {{seconds: {value}}}}}}}",
            "response: {{fault: {{status_first: {{status: {value}}}}}}}",
            "response: {{fault: {{status_first: {{status: 429, times: {value}}}}}}}",
        )
    ),
    "version: 1\nrules:\n  - id: {value}",
    "version: 1\ndialects: {value}",
    "version: 1\ndialects:\n  - {value}",
    *(
        f"version: 1\ndialects:\n  - id: one\n    {place}"
        for place in (
            "path: /x\n    places: {{reasoning: x}}\n    why: {value}",
            "path: {value}\n    places: {{reasoning: x}}",
            "knows: {value}\n    places: {{reasoning: x}}",
            "path: /x\n    places: {value}",
            "path: /x\n    places: {{reasoning: {value}}}",
            *(
                f"path: /x\n    places: {{{{thought: x.y, owner: x.n, {key}: {{value}}}}}}"
                for key in mappings()["dialects.places"].model_fields
                if key not in ("thought", "owner")
            ),
            "path: /x\n    places: {{reasoning: x}}\n    model: {value}",
            "path: /x\n    places: {{reasoning: x}}\n    stream: {value}",
        )
    ),
    "version: 1\ntests: {value}",
    "version: 1\ntests:\n  - {value}",
    "version: 1\ntests:\n  - id: one\n    rules: []\n    recording: {value}",
    *(
        f"version: 1\ntests:\n  - id: one\n    recording: a.flow\n    rules: []\n    {place}"
        for place in (
            "why: {value}",
            "flow: {value}",
            "with: {value}",
            *(f"with: {{{{{key}: {{value}}}}}}" for key in mappings()["tests.with"].key_names()),
            "with: {{header: {{x-a: {value}}}}}",
            "with: {{body: {{a.b: {value}}}}}",
            "without: {value}",
            "expect: {value}",
            *(f"expect: {{{{{key}: {{value}}}}}}" for key in mappings()["tests.expect"].key_names()),
            *(
                f"expect: {{{{request: {{{{{key}: {{value}}}}}}}}}}"
                for key in mappings()["tests.expect.request"].key_names()
            ),
            "expect: {{request: {{body: {{a.b: {value}}}}}}}",
        )
    ),
    "version: 1\ntests:\n  - id: one\n    recording: a.flow\n    rules: {value}",
    "version: 1\ntests:\n  - id: one\n    recording: a.flow\n    rules: [{value}]",
]
KEYS = st.sampled_from(
    [
        *(key for model in mappings().values() for key in model.key_names()),
        "\0list",
        "\0dict",
        "[key]",
        "dict",
        "list",
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**299, 10**400, 0, 1, -1])
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(
        [
            "keep",
            "strip",
            "inline",
            "think",
            "reasoning",
            "~s",
            "~q &",
            "chat-*",
            "default",
            "a.b",
            "*",
            "",
            "./",
            "a[*].b",
            "a[k=v]",
        ]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def problems_of(text: str) -> tuple[Problem, ...]:
    # Not pytest's tmp_path: Hypothesis runs many examples in one test.
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_text(Path(folder), text)
        assert (loaded.ruleset is None) == any(problem.severity == "error" for problem in loaded.problems)
        return loaded.problems


def assert_our_words(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        assert not [words for words in OTHERS_WORDS if words in f"{problem.message} {problem.hint}"]
        assert 1 <= problem.col <= len(problem.source) + 1
        assert problem.length >= 1
        assert render(problem).count("\n") == 3


@pytest.mark.parametrize("skeleton", SKELETONS)
@settings(max_examples=25)
@given(value=VALUES)
def test_any_value_at_any_key(skeleton: str, value: object) -> None:
    assert_our_words(problems_of(skeleton.format(value=json.dumps(value))))


@pytest.mark.parametrize("skeleton", SKELETONS)
def test_nothing_at_any_key_is_refused(skeleton: str) -> None:
    for nothing in ("", "null", "~"):
        assert [problem.code.value for problem in problems_of(skeleton.format(value=nothing))] in (
            ["null"],
            ["empty-file"],  # the whole file
            ["syntax"],
            [],  # null is a JSON value under `set`
        )


@settings(max_examples=200)
@given(text=st.text(alphabet="ab1:-,.[]{}#&*!|>'\"%@`\\ \t\n\r~<?\u2028\x00\ufeff\U0001f600\ud83d", max_size=40))
def test_any_text(text: str) -> None:
    assert_our_words(problems_of(text.encode("utf-8", "replace").decode()))


@settings(max_examples=150)
@given(data=st.data())
def test_any_damage_to_a_good_file(data: st.DataObject) -> None:
    good = (SHIPPED / "both.yaml").read_text(encoding="utf-8")
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(len(good), start + 30)))
    junk = data.draw(
        st.sampled_from(["", "\t", "[", "}", "&a ", "*a", "- ", ": ", "!!x ", "null", "'", "\n", "%", "{}"])
    )
    assert_our_words(problems_of(good[:start] + junk + good[end:]))


@pytest.mark.parametrize("text", ["[" * 3000, "- " * 3000, "{a: " * 3000, "!" * 3000, "a: &" + "b" * 3000])
def test_hostile_files_are_refused_at_once(text: str) -> None:
    assert problems_of(text)


def test_the_bad_files_use_every_wording(monkeypatch: pytest.MonkeyPatch) -> None:
    used = set()

    def recording(kind: str, wording: Callable[[Location, Any], Wording]) -> Callable[[Location, Any], Wording]:
        def word(place: Location, error: Any) -> Wording:
            used.add(kind)
            return wording(place, error)

        return word

    for kind, wording in TRANSLATIONS.items():
        monkeypatch.setitem(TRANSLATIONS, kind, recording(kind, wording))
    for path in (Path(__file__).parents[1] / "bad").glob("*.yaml"):
        load_file(path)
    assert used == set(TRANSLATIONS)
