"""Each form in which servers list tokens, and that no other form is trusted (docs/apis.md, "Token metadata")."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thinkwire.dialects.core.token_metadata import TokenList, read_tokens


def entry(token: str, **members: Any) -> dict[str, Any]:
    return {"token": token, "logprob": -0.1, "top_logprobs": []} | members


def candidate(token: str) -> dict[str, Any]:
    return {"token": token, "tokenId": 5, "logProbability": -0.1}


OPENAI = {"content": [entry("Hel", bytes=[72, 101, 108]), entry("lo", bytes=[108, 111])], "refusal": None}


@pytest.mark.parametrize(
    ("value", "count", "spells"),
    [
        pytest.param(OPENAI, 2, b"Hello", id="OpenAI"),
        pytest.param({"content": None, "refusal": [entry("No")]}, 1, b"No", id="OpenAI, a refusal"),
        pytest.param({"content": [entry("a")], "refusal": [entry("b")]}, 2, b"ab", id="OpenAI, both"),
        pytest.param({"content": [entry("a")]}, 1, b"a", id="OpenAI, without a refusal"),
        pytest.param({"refusal": [entry("b")]}, 1, b"b", id="OpenAI, a refusal alone"),
        pytest.param(
            {"content": [entry("a\ufffd", bytes=[97, 0xC3]), entry("\ufffdb", bytes=[0xA9, 98])]},
            2,
            "aéb".encode(),
            id="half characters",
        ),
        pytest.param({"content": [entry("bytes:\\xc3\\xa9", bytes=[0xC3, 0xA9])]}, 1, "é".encode(), id="OpenAI, bytes"),
        pytest.param({"content": [entry("é", bytes=None)]}, 1, "é".encode(), id="OpenAI, no bytes"),
        pytest.param({"content": [entry("x", bytes=[])]}, 1, b"x", id="OpenAI, empty bytes"),
        pytest.param({"content": [entry("token_id:5", bytes=[120])]}, 1, b"x", id="vLLM, tokens as ids"),
        pytest.param({"content": [entry("x", id=1, token_id=2, text_offset=0)]}, 1, b"x", id="llama.cpp, Fireworks"),
        pytest.param([entry("a"), entry("b")], 2, b"ab", id="Ollama"),
        pytest.param(["a", "b", "é"], 3, "abé".encode(), id="a list of texts"),
        pytest.param(["a", entry("b"), entry("c", bytes=[99])], 3, b"abc", id="a list of both"),
        pytest.param(
            {"tokens": ["a", "b"], "token_logprobs": [-1, -2], "text_offset": [0, 1], "top_logprobs": [None, {}]},
            2,
            b"ab",
            id="legacy completions",
        ),
        pytest.param({"tokens": ["a"], "content": None}, 1, b"a", id="legacy, null members"),
        pytest.param({"text": "ab", "token_ids": [1, 2], "logprobs": [-1, -2]}, 2, b"ab", id="Cohere"),
        pytest.param({"text": "ab", "token_ids": [1, 2]}, 2, b"ab", id="Cohere, ids alone"),
        pytest.param({"text": "ab", "token_ids": [1], "logprobs": None}, 1, b"ab", id="Cohere, null"),
        pytest.param(
            [{"text": "ab", "token_ids": [1, 2]}, {"text": " c", "token_ids": [3]}], 2, b"ab c", id="Cohere, a body"
        ),
        pytest.param({"chosenCandidates": [candidate("a"), candidate(" b")]}, 2, b"a b", id="Gemini"),
        pytest.param(
            {
                "chosenCandidates": [candidate("a")],
                "topCandidates": [{"candidates": [candidate("a"), candidate("x")]}],
                "logProbabilitySum": -0.1,
            },
            1,
            b"a",
            id="Gemini, with alternatives",
        ),
        pytest.param({"tokens": ["a"], "token_ids": [5], "token_logprobs": [0.5]}, 1, b"a", id="Together, a body"),
    ],
)
def test_tokens_with_text_are_spelled(value: object, count: int, spells: bytes) -> None:
    assert read_tokens(value) == TokenList(count, spells, is_bare=False)


@pytest.mark.parametrize(
    ("value", "count"),
    [
        pytest.param([1, 2, 3], 3, id="vLLM's token_ids"),
        pytest.param([0.5, -1.5], 2, id="probabilities"),
        pytest.param({"tokens": [1, 2]}, 2, id="Cerebras' tokens"),
        pytest.param(5, 1, id="Together's token_id"),
        pytest.param(-0.25, 1, id="Together's logprobs"),
        pytest.param(float("nan"), 1, id="a number that is none"),
        pytest.param([], 0, id="an empty list"),
        pytest.param({"content": [], "refusal": []}, 0, id="OpenAI, empty"),
        pytest.param({"content": None, "refusal": None}, 0, id="OpenAI, null"),
    ],
)
def test_numbers_alone_are_bare(value: object, count: int) -> None:
    assert read_tokens(value) == TokenList(count, None, is_bare=True)


@pytest.mark.parametrize(("text", "spells"), [("piece", b"piece"), ("", b""), ("é", "é".encode()), ("\ud83d", None)])
def test_a_text_spells_itself(text: str, spells: bytes | None) -> None:
    tokens = read_tokens(text)
    assert (tokens.spells, tokens.is_bare) == (spells, False)


@pytest.mark.parametrize(
    "entries",
    [
        [entry("a"), None],
        [entry("a"), 5],
        ["a", 5],
        [True],
        [True, False],
        [1, True],
        [[1, 2]],
        [None],
        [{}],
        [{"token": 5}],
        [{"bytes": [120]}],
        [entry("x", bytes=[300])],
        [entry("x", bytes=[-1])],
        [entry("x", bytes=["120"])],
        [entry("x", bytes=[120.0])],
        [entry("x", bytes="x")],
        [entry("x", bytes=[121])],
        [entry("é", bytes=[0xC3])],
        [entry("token_id:x", bytes=[120])],
        [entry("x", text="y")],
        [entry("x", logprob="y")],
        [entry("x"), entry("")],
        [entry("x"), entry("", bytes=[])],
        ["x", ""],
        [{"token": None, "bytes": None}],
        [{"text": "a", "logprobs": [0.5]}],
        [{"text": "", "token_ids": [5]}],
        [{"text": "a", "token_ids": [5], "prompt": "b"}],
        [entry("\ud800")],
        ["\udfff"],
    ],
)
def test_a_list_with_an_entry_that_cannot_be_spelled_spells_nothing(entries: list[Any]) -> None:
    unspelled = TokenList(len(entries), None, is_bare=False)
    assert read_tokens(entries) == unspelled
    assert read_tokens({"tokens": entries}) == unspelled
    assert read_tokens({"content": entries}) == unspelled


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        {},
        {"tokens": "ab"},
        {"tokens": None},
        {"content": "ab"},
        {"content": {"token": "a"}},
        {"content": 1, "refusal": [entry("b")]},
        {"content": [entry("a")], "reasoning_content": [entry("b")]},
        {"tokens": ["a"], "text": "b"},
        {"tokens": ["a", "b"], "token_logprobs": [-1]},
        {"text": "ab", "token_ids": [1, 2], "tokens": "cd"},
        {"text": "ab", "token_ids": "cd"},
        {"text": "ab"},
        {"chosenCandidates": [candidate("a")], "text": "a"},
        {"chosenCandidates": [candidate("a")], "topCandidates": [{}, {}]},
        {"topCandidates": [{"candidates": [candidate("a")]}]},
    ],
)
def test_what_has_no_known_form_is_a_list_of_unknown_length(value: object) -> None:
    assert read_tokens(value) == TokenList(-1, None, is_bare=False)


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(st.characters(), max_size=5),
        st.sampled_from(["\ud800", "a", 0, 255, 256, -1]),
    ),
    lambda values: st.one_of(
        st.lists(values, max_size=4),
        st.dictionaries(st.sampled_from(["content", "refusal", "tokens", "token", "bytes", "x"]), values, max_size=4),
    ),
)


@given(JSON)
def test_any_json_value_is_read(value: Any) -> None:
    tokens = read_tokens(value)
    assert tokens.count >= -1
    # Numbers spell nothing, and what is not known verifies nothing.
    assert not (tokens.is_bare and tokens.spells is not None)
    assert tokens.count >= 0 or tokens == TokenList(-1, None, is_bare=False)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffd"), min_size=1), st.data())
def test_tokens_cut_anywhere_in_the_bytes_spell_the_text(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(1, len(raw) - 1), max_size=5))) if len(raw) > 1 else []
    pieces = [raw[start:end] for start, end in pairwise([0, *cuts, len(raw)])]
    entries = [entry(piece.decode(errors="replace"), bytes=list(piece)) for piece in pieces]
    assert read_tokens({"content": entries}) == TokenList(len(pieces), raw, is_bare=False)
