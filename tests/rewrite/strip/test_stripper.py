"""Stripping chat completions: what goes, what stays, and what becomes of token metadata."""

from typing import Any

import pytest

from tests.rewrite.answers import (
    STRIP,
    STRIP_ALL,
    STRIP_KEEP_OPAQUE,
    accumulate,
    body,
    chunk,
    documents_of,
    event,
    logprobs,
    rewrite_chunks,
    rewrite_documents,
    rewrite_json,
    rewrite_stream,
    stream,
)
from thinkwire.dialects.apis.chat_completions import SPELLINGS

THOUGHT = chunk({"reasoning_content": "Secret"}, logprobs=logprobs("Secret"))


def choices_after(*documents: Any, plan: Any = STRIP) -> list[dict[str, Any]]:
    """The first choice of each document that is left."""
    return [document["choices"][0] for document in rewrite_documents(plan, *documents)]


# --- what goes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_goes_with_its_event(spelling: str) -> None:
    assert rewrite_stream(stream(chunk({spelling: "Secret"})), STRIP) == b"data: [DONE]\n\n"


@pytest.mark.parametrize(
    "member",
    [
        {"reasoning_details": [{"type": "reasoning.text", "text": "Secret"}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": "Secret"}]},
        {"reasoning_details": [{"type": "reasoning.new", "unheard_of": "Secret"}]},
        {"reasoning_details": "Secret"},
        {"thinking_blocks": [{"type": "thinking", "thinking": "Secret", "signature": "x"}]},
        {"reasoning_items": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Secret"}]}]},
        {"reasoning": {"text": "Secret"}},
        {"reasoning": ["Secret"]},
        {"reasoning_encrypted": "Secret"},
        {"reasoning_opaque": "Secret"},
        {"provider_specific_fields": {"reasoning_content": "Secret"}},
        {"provider_specific_fields": {"provider_specific_fields": {"thinking_blocks": [{"thinking": "Secret"}]}}},
        {"extra_content": {"reasoning_content": "Secret"}},
        {"tool_calls": [{"index": 0, "provider_specific_fields": {"reasoning_content": "Secret"}}]},
        {"content": [{"type": "reasoning", "text": "Secret"}, {"thinking": "Secret"}]},
        {"content": [{"type": "text", "text": "Hi", "thinking": "Secret"}]},
        {"content": {"type": "thinking", "thinking": "Secret"}},
    ],
)
def test_every_carrier_goes(member: dict[str, Any]) -> None:
    assert b"Secret" not in rewrite_stream(stream(chunk(member), chunk({"content": "Hi"})), STRIP)
    assert b"Secret" not in repr(rewrite_json(STRIP, body({"content": "Hi"} | member))).encode()


def test_reasoning_inside_a_content_list_goes_and_the_text_stays() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Secret"}]}
    text = {"type": "text", "text": "Hi"}
    assert rewrite_documents(STRIP, chunk({"content": [thought]}), chunk({"content": [thought, text]})) == [
        chunk({"content": [text]})
    ]
    assert rewrite_json(STRIP, body({"content": [thought, text, "plain"]})) == body({"content": [text, "plain"]})


def test_the_whole_frame_goes_with_its_event_and_id_lines() -> None:
    raw = b"id: 1\nevent: x\n" + event(chunk({"reasoning": "Secret"})) + event(chunk({"content": "Hi"}))
    assert rewrite_stream(raw, STRIP) == event(chunk({"content": "Hi"}))


def test_a_body_of_reasoning_alone_keeps_its_frame() -> None:
    after = rewrite_json(STRIP, body({"content": None, "reasoning": "Secret"}, finish_reason="length"))
    assert after == body({"content": None}, finish_reason="length")


# --- what stays ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("delta", "choice", "left"),
    [
        ({"role": "assistant"}, {}, {"role": "assistant"}),
        ({"content": "Hi"}, {}, {"content": "Hi"}),
        ({"refusal": "No"}, {}, {"refusal": "No"}),
        ({"tool_calls": [{"index": 0, "id": "a"}]}, {}, {"tool_calls": [{"index": 0, "id": "a"}]}),
        ({}, {"finish_reason": "length"}, {}),
        ({}, {"usage": {"total_tokens": 1}}, {}),
        ({}, {"prompt_token_ids": [1, 2]}, {}),
        ({"annotations": [1]}, {}, {"annotations": [1]}),
    ],
)
def test_an_event_that_still_says_something_is_sent(
    delta: dict[str, Any], choice: dict[str, Any], left: dict[str, Any]
) -> None:
    (after,) = rewrite_documents(STRIP, chunk(delta | {"reasoning_content": "Secret"}, **choice))
    assert after == chunk(left, **choice)


def test_usage_and_errors_of_a_document_are_sent() -> None:
    for extra in ({"usage": {"reasoning_tokens": 7}}, {"error": {"message": "overloaded"}}, {"unheard_of": 1}):
        (after,) = rewrite_documents(STRIP, chunk({"reasoning": "Secret"}) | extra)
        assert after == chunk({}) | extra


def test_a_role_that_was_sent_says_nothing_more() -> None:
    role = {"role": "assistant", "reasoning": "Secret"}
    assert choices_after(chunk(role), chunk(role), chunk(role, index=1)) == [
        chunk({"role": "assistant"})["choices"][0],
        chunk({"role": "assistant"}, index=1)["choices"][0],
    ]


def test_events_without_reasoning_keep_their_bytes_even_when_they_say_nothing() -> None:
    raw = stream(chunk({}), chunk({"content": ""}), chunk({"role": "assistant", "content": None}, logprobs=None))
    assert rewrite_stream(raw, STRIP) == raw


@pytest.mark.parametrize("placeholder", [None, "", [], {}])
def test_a_placeholder_is_removed_and_hides_nothing(placeholder: Any) -> None:
    first = chunk({"role": "assistant", "reasoning_content": placeholder})
    answer = chunk({"content": "Hi"}, token_ids=[1])
    assert choices_after(first, answer) == [chunk({"role": "assistant"})["choices"][0], answer["choices"][0]]


def test_signatures_on_tool_calls_stay() -> None:
    call = {"tool_calls": [{"index": 0, "id": "a", "extra_content": {"google": {"thought_signature": "x"}}}]}
    assert rewrite_documents(STRIP, chunk(call)) == [chunk(call)]


# --- token metadata in streams -------------------------------------------------------------------------------


def test_metadata_of_hidden_tokens_goes_and_that_of_the_answer_stays() -> None:
    answer = chunk({"content": "Hi"}, logprobs=logprobs("H", "i"), token_ids=[1, 2])
    assert choices_after(THOUGHT, answer) == [answer["choices"][0]]


def test_an_update_with_reasoning_and_text_loses_its_metadata() -> None:
    (choice,) = choices_after(chunk({"reasoning": "x", "content": "Hi"}, logprobs=logprobs("Hi"), token_ids=[1]))
    assert choice == chunk({"content": "Hi"})["choices"][0]


def test_the_role_chunk_loses_the_first_hidden_token() -> None:
    first = chunk({"role": "assistant", "content": None}, logprobs=logprobs("Secret"))
    assert choices_after(first) == [chunk({"role": "assistant", "content": None})["choices"][0]]


def test_a_chunk_of_metadata_alone_disappears() -> None:
    assert rewrite_documents(STRIP, chunk({}, token_ids=[1]), THOUGHT, chunk({}, token_ids=[2])) == []


def test_null_and_empty_metadata_stay() -> None:
    answer = chunk({"content": "Hi"}, logprobs=None, token_ids=[])
    assert choices_after(THOUGHT, answer) == [answer["choices"][0]]


@pytest.mark.parametrize(
    "listed", [logprobs("Hi", "<think>", "Secret"), logprobs("H"), logprobs("Secret"), {"content": [{"logprob": 1}]}]
)
def test_metadata_that_does_not_spell_the_answer_goes(listed: dict[str, Any]) -> None:
    (choice,) = choices_after(THOUGHT, chunk({"content": "Hi"}, logprobs=listed, token_ids=[1]))
    assert choice == chunk({"content": "Hi"})["choices"][0]


def test_tokens_that_run_past_the_text_go_even_before_anything_was_hidden() -> None:
    first = chunk({"content": "Two"}, logprobs=logprobs("Two", "<think>", "Secret"), token_ids=[1, 2, 3])
    assert choices_after(first, THOUGHT) == [chunk({"content": "Two"})["choices"][0]]


def test_ids_share_the_fate_of_logprobs_of_the_same_length() -> None:
    answer = chunk({"content": "Hi"}, logprobs=logprobs("H", "i"), token_ids=[1, 2, 3])
    assert choices_after(THOUGHT, answer) == [chunk({"content": "Hi"}, logprobs=logprobs("H", "i"))["choices"][0]]


def test_bare_ids_are_lost_once_after_a_hidden_stretch() -> None:
    answers = [chunk({"content": "a"}, token_ids=[1]), chunk({"content": "b"}, token_ids=[2])]
    first, second = choices_after(THOUGHT, *answers)
    assert first == chunk({"content": "a"})["choices"][0]
    assert second == answers[1]["choices"][0]


def test_a_tool_call_loses_its_metadata_when_it_is_the_first_after_a_hidden_stretch() -> None:
    calls = [chunk({"tool_calls": [{"index": 0}]}, logprobs=logprobs("{")) for _ in range(2)]
    first, second = choices_after(THOUGHT, *calls)
    assert "logprobs" not in first
    assert second == calls[1]["choices"][0]


@pytest.mark.parametrize(
    ("before", "keeps"), [([], True), ([THOUGHT], False), ([THOUGHT, chunk({"content": "a"})], True)]
)
def test_the_finish_keeps_its_metadata_unless_the_choice_is_hidden(before: list[Any], keeps: bool) -> None:
    finish = chunk({}, finish_reason="stop", token_ids=[2])
    assert ("token_ids" in choices_after(*before, finish)[-1]) is keeps


def test_deepseeks_reasoning_tokens_go_and_count_as_reasoning() -> None:
    listed = {"content": None, "reasoning_content": [{"token": "Secret", "bytes": None}]}
    answer = chunk({"content": "Hi"}, logprobs=logprobs("Hi") | {"reasoning_content": None})
    assert choices_after(chunk({"reasoning_content": "Secret"}, logprobs=listed), answer) == [answer["choices"][0]]
    assert choices_after(chunk({"content": "Hi"}, logprobs=listed)) == [chunk({"content": "Hi"})["choices"][0]]


def test_togethers_copies_go_with_the_reasoning_and_stay_with_the_answer() -> None:
    hidden = chunk({"reasoning": "Secret", "token_id": 7}, text="Secret", logprobs=-0.5)
    answers = [chunk({"content": "Hi", "token_id": n}, text="Hi") for n in (8, 9)]
    first, second = choices_after(hidden, *answers)
    assert first == chunk({"content": "Hi"}, text="Hi")["choices"][0]
    assert second == answers[1]["choices"][0]


def test_choices_do_not_share_state() -> None:
    other = chunk({"content": "Hi"}, index=1, token_ids=[5])
    assert choices_after(THOUGHT, other) == [other["choices"][0]]


@pytest.mark.parametrize("name", ["raw_output", "meta_info", "hidden_states", "routed_experts"])
def test_transcripts_go_where_something_was_hidden(name: str) -> None:
    transcript: dict[str, Any] = {name: {"completion": "Secret"}}
    finish = chunk({}, 0, finish_reason="stop", **transcript)
    assert choices_after(chunk({"content": "Hi"}), finish)[-1] == finish["choices"][0]
    assert name not in choices_after(THOUGHT, chunk({"content": "Hi"}), finish)[-1]


@pytest.mark.parametrize(
    "document", [{"sglext": {"output_ids": [1]}}, chunk({"content": "x"}) | {"__verbose": {"tokens": [1]}}]
)
def test_transcripts_beside_the_choices_stay_only_where_all_ended_and_none_was_hidden(document: dict[str, Any]) -> None:
    name = next(key for key in document if key in ("sglext", "__verbose"))
    finish = chunk({}, finish_reason="stop")
    assert name in rewrite_documents(STRIP, chunk({"content": "Hi"}), finish, document)[-1]
    for before in ([chunk({"content": "Hi"})], [THOUGHT, chunk({"content": "Hi"}), finish]):
        assert all(name not in after for after in rewrite_documents(STRIP, *before, document))


QUOTE = {"message": "tool use failed", "failed_generation": "<think>Secret"}


@pytest.mark.parametrize(
    "error",
    [
        {"error": QUOTE},
        {"error": {"message": "m", "metadata": QUOTE}},
        {"x_groq": {"error": QUOTE}},
        chunk({}, finish_reason="error", error=QUOTE),
    ],
)
def test_a_failed_generation_in_an_error_is_a_transcript(error: dict[str, Any]) -> None:
    assert "tool use failed" in repr(rewrite_documents(STRIP, THOUGHT, error)[-1])
    assert "Secret" not in repr(rewrite_documents(STRIP, THOUGHT, error))
    if "choices" not in error:  # in a body, a choice without reasoning may quote what it wrote
        assert "Secret" not in repr(rewrite_json(STRIP, error))


def test_all_metadata_goes_where_the_rule_says_so() -> None:
    answer = chunk({"content": "Hi"}, logprobs=logprobs("Hi"), token_ids=[1], prompt_token_ids=[9])
    assert choices_after(answer, plan=STRIP_ALL) == [chunk({"content": "Hi"}, prompt_token_ids=[9])["choices"][0]]
    after = rewrite_json(STRIP_ALL, body({"content": "Hi"}, logprobs=logprobs("Hi")))
    assert after == body({"content": "Hi"})


def test_tokens_of_a_step_on_its_last_chunk_go_whatever_chunk_it_is() -> None:
    hidden, listed = chunk({"reasoning": "Secret"}), logprobs("Secret", "</think>", "Hi")
    call = {"tool_calls": [{"index": 0, "id": "a"}]}
    for last in (
        chunk(call, logprobs=listed),
        chunk({}, logprobs=listed, finish_reason="stop"),
        chunk({"content": "Hi"}, logprobs=listed),
        chunk({"content": "Hi"}, token_ids=[777, 1]),
    ):
        (*_, after) = choices_after(hidden, chunk({"content": "a"}), last)
        assert not {"logprobs", "token_ids"} & set(after)


def test_tokens_of_a_call_beside_text_have_to_spell_the_text() -> None:
    call = {"content": "b", "tool_calls": [{"index": 0}]}
    (*_, after) = choices_after(THOUGHT, chunk({"content": "a"}), chunk(call, logprobs=logprobs("Secret", "b")))
    assert "logprobs" not in after


@pytest.mark.parametrize(
    "listed",
    [
        {"content": [{"token": "Secret", "bytes": []}, {"token": "Hi", "bytes": [72, 105]}]},
        {"content": [{"token": "", "bytes": [], "token_id": 777}, {"token": "Hi", "bytes": [72, 105]}]},
        {"content": [{"token": "Secret", "bytes": [72, 105]}]},
        {"content": [{"token": "Hi", "bytes": None, "text": "Secret"}]},
        {"content": [{"token": "Hi"}], "reasoning": [{"token": "Secret"}]},
        {"tokens": ["Hi"], "content": [{"token": "Secret"}]},
        {"tokens": ["Hi"], "token_ids": [777, 1]},
    ],
)
def test_a_list_that_spells_the_text_and_holds_more_goes(listed: dict[str, Any]) -> None:
    (after,) = choices_after(THOUGHT, chunk({"content": "Hi"}, logprobs=listed))
    assert "logprobs" not in after


def test_hollow_metadata_says_nothing_and_stays() -> None:
    hollows: list[dict[str, Any]] = [{"content": [], "refusal": None}, {"content": None}]
    for hollow in hollows:
        raw = stream(chunk({"role": "assistant", "content": ""}, logprobs=hollow), chunk({}, logprobs=hollow))
        assert rewrite_stream(raw, STRIP) == raw


def test_choices_whose_index_is_no_number_do_not_share_state() -> None:
    hidden = [chunk({"reasoning": "x"}, index="0"), chunk({"reasoning": "x"}, index="1")]  # type: ignore[arg-type]
    answers = [chunk({"content": "b"}, index="1"), chunk({"content": "a"}, index="0", token_ids=[777])]  # type: ignore[arg-type]
    assert "token_ids" not in choices_after(*hidden, *answers)[-1]


# --- wholes --------------------------------------------------------------------------------------------------


def test_a_body_with_reasoning_loses_all_token_metadata_of_that_choice() -> None:
    document = body({"content": "Hi", "reasoning": "Secret"}, logprobs=logprobs("Secret", "Hi"), token_ids=[1, 2])
    document["choices"].append({"index": 1, "message": {"content": "Yo"}, "logprobs": logprobs("Yo")})
    after = rewrite_json(STRIP, document)
    assert after["choices"][0] == body({"content": "Hi"})["choices"][0]
    assert after["choices"][1] == document["choices"][1]


def test_transcripts_of_a_body_go_where_any_choice_had_reasoning() -> None:
    document = body({"content": "Hi", "reasoning": "Secret"}) | {"__verbose": {"content": "Secret"}}
    assert rewrite_json(STRIP, document) == body({"content": "Hi"})
    document = body({"content": "Hi"}) | {"__verbose": {"content": "Hi"}}
    assert rewrite_json(STRIP, document) == document


def test_a_whole_message_beside_a_delta_neither_leaks_nor_moves_the_stream() -> None:
    first = chunk({"reasoning": "Sec"}, message={"role": "assistant", "content": "", "reasoning": "Sec"})
    second = chunk({"content": "Hi"}, message={"role": "assistant", "content": "Hi", "reasoning": "Secret"})
    after = rewrite_documents(STRIP, first, second)
    assert after[-1]["choices"][0]["message"] == {"role": "assistant", "content": "Hi"}
    assert "Sec" not in repr(after)


def test_a_message_with_reasoning_costs_the_delta_beside_it_its_metadata() -> None:
    both = chunk({"content": "Hi"}, message={"content": "Hi", "reasoning": "Secret"}, logprobs=logprobs("Secret", "Hi"))
    (after,) = choices_after(both)
    assert after == chunk({"content": "Hi"}, message={"content": "Hi"})["choices"][0]


# --- opaque: keep --------------------------------------------------------------------------------------------


def test_opaque_state_can_be_kept_without_its_text() -> None:
    details = [
        {"type": "reasoning.text", "text": "Secret", "signature": "sig"},
        {"type": "reasoning.text", "text": "Secret"},
        {"type": "reasoning.encrypted", "data": "AAAA"},
    ]
    after = rewrite_json(
        STRIP_KEEP_OPAQUE, body({"content": "Hi", "reasoning": "Secret", "reasoning_details": details})
    )
    assert after["choices"][0]["message"] == {
        "role": "assistant",
        "content": "Hi",
        "reasoning_details": [
            {"type": "reasoning.text", "text": "", "signature": "sig"},
            {"type": "reasoning.encrypted", "data": "AAAA"},
        ],
    }


def test_a_kept_signature_still_counts_as_something_hidden() -> None:
    signature = chunk({"reasoning_details": [{"type": "reasoning.text", "signature": "sig"}]}, token_ids=[1])
    answer = chunk({"content": "Hi"}, token_ids=[2])
    first, second = choices_after(signature, answer, plan=STRIP_KEEP_OPAQUE)
    assert first == chunk({"reasoning_details": [{"type": "reasoning.text", "signature": "sig"}]})["choices"][0]
    assert "token_ids" not in second


# --- together ------------------------------------------------------------------------------------------------


def test_stream_and_body_agree() -> None:
    deltas = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning": "Sec"}),
        chunk({"reasoning": "ret", "content": "Hi "}),
        chunk({"content": "there"}),
        chunk({}, finish_reason="stop"),
    ]
    whole = body({"content": "Hi there", "reasoning": "Secret"})
    seen = accumulate(documents_of(rewrite_stream(stream(*deltas), STRIP)))
    assert seen == accumulate([rewrite_json(STRIP, whole)])


def test_the_tally_counts_what_was_done() -> None:
    raw = stream(
        THOUGHT, chunk({"role": "assistant", "reasoning": "x"}), chunk({"content": "a"}, logprobs=logprobs("b"))
    )
    _, tally = rewrite_chunks([raw], STRIP)
    assert {effect: count for effect, count in tally.effects.items() if count} == {"dropped": 1, "stripped": 2}
    assert tally.metadata == {"logprobs": 1}
    assert tally.summary("event") == "2 events stripped, 1 dropped, logprobs removed from 1"
