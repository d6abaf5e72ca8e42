"""What servers of chat completions add to them, each as its documentation or source shows it, where none is recorded.

Each test says what must go with the thought and what must stay (docs/apis.md, "Chat completions").
"""

import json
from typing import Any

import pytest

from tests.corpus import Recorded, needs_corpus, recorded_answers
from tests.rewrite.answers import (
    STRIP,
    STRIP_ALL,
    STRIP_KEEP_OPAQUE,
    TO_BOTH,
    TO_REASONING,
    TO_REASONING_CONTENT,
    body,
    chunk,
    documents_of,
    event,
    logprobs,
    rewrite_documents,
    rewrite_json,
    rewrite_stream,
    stream,
)
from thinkwire.dialects.apis.chat_completions import CHAT_COMPLETIONS
from thinkwire.rewrite.plan import ResponsePlan

SEAL = "EqQBCkgIARABGAIiQL7vE0c9"
USAGE = {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 7}}
PLANS = [STRIP, STRIP_ALL, STRIP_KEEP_OPAQUE, TO_REASONING, TO_BOTH, ResponsePlan()]


def usage_chunk(**members: Any) -> dict[str, Any]:
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], **members}


def stripped(*documents: Any, plan: ResponsePlan = STRIP) -> list[Any]:
    """What is left of a stream, which does not depend on how it was cut; kept, it keeps every byte."""
    raw = stream(*documents)
    assert rewrite_stream(raw, ResponsePlan(), 7) == raw
    after = rewrite_stream(raw, plan)
    assert rewrite_stream(raw, plan, 1) == rewrite_stream(raw, plan, 7) == after
    return documents_of(after)


# --- vLLM --------------------------------------------------------------------------------------------------------


def vllm(
    delta: dict[str, Any], tokens: tuple[str, ...] = (), ids: list[int] | None = None, **choice: Any
) -> dict[str, Any]:
    listed: dict[str, Any] = {"logprobs": logprobs(*tokens) if tokens else None, "token_ids": ids}
    return chunk(delta, **listed, **choice)


def bare(delta: dict[str, Any], **choice: Any) -> dict[str, Any]:
    """The chunk without its token metadata."""
    return chunk(delta, **choice)


VLLM_START = {**vllm({"role": "assistant", "content": ""}), "prompt_token_ids": [1, 2, 3]}
VLLM_THOUGHT = [
    vllm({}, ("<think>",), [100]),  # held back by the parser
    vllm({"reasoning": "Quiet"}, ("Quiet",), [101]),
    vllm({"reasoning": " thought", "content": "Loud"}, (" thought", "</think>", "Loud"), [102, 103, 104]),
]
VLLM_ANSWER = [
    vllm({"content": " and"}, (" and",), [105]),
    vllm({"content": " clear"}, (" clear",), [106]),
    vllm({}, ("<|end|>",), [107], finish_reason="stop", stop_reason=None),
    usage_chunk(usage=USAGE),
]


def test_vllm_rust_lists_the_answer_and_hides_what_opens_and_closes_the_reasoning() -> None:
    assert stripped(VLLM_START, *VLLM_THOUGHT, *VLLM_ANSWER) == [
        VLLM_START,
        bare({"content": "Loud"}),
        *VLLM_ANSWER,
    ]


def test_vllm_python_lists_nothing_once_it_hides() -> None:
    assert stripped(VLLM_START, *VLLM_THOUGHT, *VLLM_ANSWER, plan=STRIP_ALL) == [
        VLLM_START,
        bare({"content": "Loud"}),
        bare({"content": " and"}),
        bare({"content": " clear"}),
        bare({}, finish_reason="stop", stop_reason=None),
        VLLM_ANSWER[-1],
    ]


def test_vllm_without_reasoning_lists_all() -> None:
    assert stripped(VLLM_START, *VLLM_ANSWER) == [VLLM_START, *VLLM_ANSWER]


def test_vllm_a_body_loses_what_lists_its_tokens_and_keeps_what_lists_the_prompt() -> None:
    prompt = {"prompt_token_ids": [1, 2], "prompt_logprobs": [None], "kv_transfer_params": None}
    hidden = {"logprobs": logprobs("Quiet", "Loud"), "token_ids": [101, 104], "routed_experts": "k05VTVBZ"}
    whole = {**body({"content": "Loud", "reasoning": "Quiet"}, stop_reason=None, **hidden), "usage": USAGE, **prompt}
    left = {**body({"content": "Loud"}, stop_reason=None), "usage": USAGE, **prompt}
    assert rewrite_json(STRIP, whole) == left
    spoken = {**body({"content": "Loud", "reasoning": None}, stop_reason=None, **hidden), "usage": USAGE, **prompt}
    del left["choices"], spoken["choices"][0]["message"]["reasoning"]
    assert rewrite_json(STRIP, spoken) == spoken


def test_vllm_tokens_named_by_number_stay_where_their_bytes_spell_the_answer() -> None:
    def named(number: int, text: str) -> dict[str, Any]:
        entry = {"token": f"token_id:{number}", "logprob": -0.5, "bytes": list(text.encode()), "top_logprobs": []}
        return {"content": [entry]}

    answer = chunk({"content": "Loud"}, logprobs=named(104, "Loud"), token_ids=[104])
    documents = [chunk({"reasoning": "Quiet"}, logprobs=named(101, "Quiet"), token_ids=[101]), answer]
    assert stripped(*documents) == [answer]
    documents[1] = chunk({"content": "Loud"}, logprobs=named(103, "</think>"), token_ids=[103])
    assert stripped(*documents) == [bare({"content": "Loud"})]


def test_vllm_both_names_are_one_text() -> None:
    twice = [chunk({"reasoning": "Quiet", "reasoning_content": "Quiet"}), chunk({"content": "Loud"})]
    assert stripped(*twice) == [twice[1]]
    assert stripped(*twice, plan=TO_REASONING) == [chunk({"reasoning": "Quiet"}), twice[1]]


def test_vllm_a_batch_has_a_choice_for_each_prompt() -> None:
    choices = [
        {"index": 0, "message": {"role": "assistant", "content": "Loud", "reasoning": "Quiet"}, "token_ids": [1, 2]},
        {"index": 1, "message": {"role": "assistant", "content": "Loud"}, "token_ids": [2]},
    ]
    after = rewrite_json(STRIP, {"object": "chat.completion", "choices": choices})
    assert after["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": "Loud"}},
        choices[1],
    ]


# --- SGLang ------------------------------------------------------------------------------------------------------


def test_sglang_hangs_all_tokens_of_a_step_on_its_first_chunk() -> None:
    documents = [
        chunk({"role": "assistant", "content": "", "reasoning_content": None}, matched_stop=None),
        chunk({"reasoning_content": "Quiet", "content": None}, logprobs=logprobs("Quiet", "</think>", "Loud")),
        chunk({"content": "Loud", "reasoning_content": None}, logprobs=None),
        chunk({}, logprobs=logprobs("</think>")),
        chunk({"content": " answer", "reasoning_content": None}, logprobs=logprobs(" answer")),
        chunk({"content": None, "reasoning_content": None}, finish_reason="stop", matched_stop=7),
    ]
    assert stripped(*documents) == [
        chunk({"role": "assistant", "content": ""}, matched_stop=None),
        chunk({"content": "Loud"}, logprobs=None),
        chunk({"content": " answer"}, logprobs=logprobs(" answer")),
        chunk({"content": None}, finish_reason="stop", matched_stop=7),
    ]


SGLEXT = {"input_ids": [1, 2], "output_ids": [101, 104], "routed_experts": "AAAA"}


@pytest.mark.parametrize("name", [b"", b"event: sglext_ids\n"])
def test_sglang_ids_of_the_whole_answer_go_with_the_reasoning(name: bytes) -> None:
    ids = name + event(usage_chunk(sglext=SGLEXT))
    spoken = event(chunk({"content": "Loud"})) + event(chunk({}, finish_reason="stop"))
    thought = event(chunk({"reasoning_content": "Quiet"}))
    assert rewrite_stream(thought + spoken + ids, STRIP, 7) == spoken
    assert rewrite_stream(spoken + ids, STRIP, 7) == spoken + ids


def test_sglang_the_state_of_the_engine_goes_with_the_reasoning() -> None:
    last = [
        chunk({"hidden_states": [[0.5], [0.25]]}),
        chunk({}, finish_reason="stop", hidden_states=[[0.5]]),
    ]
    spoken = chunk({"content": "Loud"})
    assert stripped(chunk({"reasoning_content": "Quiet"}), spoken, *last) == [spoken, chunk({}, finish_reason="stop")]


def test_sglang_a_body_knows_everything() -> None:
    everything = {
        "logprobs": logprobs("Quiet", "Loud"),
        "response_token_ids": [101, 104],
        "meta_info": {"output_token_logprobs": [[-0.5, 101, "Quiet"]], "id": "r"},
        "hidden_states": [[0.5]],
    }
    kept = {"prompt_token_ids": [1, 2], "matched_stop": 7}
    message = {"content": "Loud", "reasoning_content": "Quiet"}
    left = {**body({"content": "Loud"}, **kept), "metadata": {"weight_version": "default"}}
    assert rewrite_json(STRIP, {**left, "choices": body(message, **everything, **kept)["choices"]}) == left
    spoken = {**left, "choices": body({"content": "Loud"}, **everything, **kept)["choices"]}
    assert rewrite_json(STRIP, spoken) == spoken


# --- Fireworks ---------------------------------------------------------------------------------------------------

RAW_OUTPUT = {"completion": "<think>Quiet</think>Loud", "completion_token_ids": [101, 104], "prompt_fragments": ["Hi"]}


def fireworks(*tokens: str) -> dict[str, Any]:
    entries = logprobs(*tokens)["content"]
    return {"content": [{**entry, "token_id": 5, "text_offset": 0, "sampling_logprob": -0.5} for entry in entries]}


def test_fireworks_the_untouched_output_goes_with_the_reasoning() -> None:
    listed = {"raw_output": RAW_OUTPUT, "token_ids": [101, 104], "logprobs": fireworks("Quiet", "Loud")}
    left = {**body({"content": "Loud"}), "prompt_token_ids": [1, 2]}
    thought = body({"content": "Loud", "reasoning_content": "Quiet"}, **listed)
    assert rewrite_json(STRIP, {**thought, "prompt_token_ids": [1, 2]}) == left
    spoken = body({"content": "Loud"}, **listed)
    assert rewrite_json(STRIP, spoken) == spoken


def test_fireworks_a_stream_keeps_the_tokens_of_the_answer() -> None:
    answer = chunk({"content": "Loud"}, logprobs=fireworks("Loud"), token_ids=[104])
    documents = [
        chunk({"role": "assistant"}),
        chunk({"reasoning_content": "Quiet"}, logprobs=fireworks("Quiet"), token_ids=[101]),
        answer,
        chunk({}, finish_reason="stop", raw_output=RAW_OUTPUT),
    ]
    assert stripped(*documents) == [documents[0], answer, chunk({}, finish_reason="stop")]


def test_fireworks_an_entry_that_shows_how_it_was_made_is_not_trusted() -> None:
    made = fireworks("Loud")
    made["content"][0] |= {"routing_matrix": "AAAA", "last_activation": "AAAA"}
    documents = [chunk({"reasoning_content": "Quiet"}), chunk({"content": "Loud"}, logprobs=made)]
    assert stripped(*documents) == [chunk({"content": "Loud"})]


# --- Cerebras ----------------------------------------------------------------------------------------------------


def test_cerebras_the_tokens_of_the_reasoning_have_members_of_their_own() -> None:
    answer = chunk({"content": "Loud", "tokens": [104]}, tokens=[104], logprobs=logprobs("Loud"))
    documents = [
        chunk({"role": "assistant", "reasoning": "Quiet", "tokens": [101]}, reasoning_logprobs=logprobs("Quiet")),
        answer,
        chunk({}, finish_reason="stop"),
        usage_chunk(usage=USAGE, time_info={"queue_time": 0.1}),
    ]
    assert stripped(*documents) == [chunk({"role": "assistant"}), *documents[1:]]


def test_cerebras_a_body() -> None:
    thought = body(
        {"content": "Loud", "reasoning": "Quiet"},
        logprobs=logprobs("Loud"),
        reasoning_logprobs=logprobs("Quiet"),
        tokens=[101, 104],
    )
    assert rewrite_json(STRIP, thought) == body({"content": "Loud"})
    spoken = body({"content": "Loud"}, logprobs=logprobs("Loud"), reasoning_logprobs=None, tokens=[104])
    assert rewrite_json(STRIP, spoken) == spoken


# --- LiteLLM -----------------------------------------------------------------------------------------------------


def thinking_block(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": text, **more}


def litellm(text: str, **more: Any) -> dict[str, Any]:
    """A delta as it comes from upstreams like Anthropic: the text three times."""
    blocks = [thinking_block(text, **more)]
    copies = {"thinking_blocks": blocks, "reasoning_content": text, "citations": None}
    return {"reasoning_content": text, "thinking_blocks": blocks, "provider_specific_fields": copies}


LITELLM_CALL = {
    "index": 0,
    "id": "t1",
    "type": "function",
    "function": {"name": "add", "arguments": "{}"},
    "provider_specific_fields": {"thought_signature": SEAL},
}


def test_litellm_all_copies_go() -> None:
    documents = [
        chunk({"role": "assistant", **litellm("Quiet")}),
        chunk(litellm("", signature=SEAL)),
        chunk({"content": "Loud", "provider_specific_fields": {"citations": [{"url": "u"}]}}),
        chunk({"tool_calls": [LITELLM_CALL]}, finish_reason="tool_calls"),
    ]
    assert stripped(*documents) == [
        chunk({"role": "assistant", "provider_specific_fields": {"citations": None}}),
        *documents[2:],
    ]


def test_litellm_a_signature_can_stay_with_its_block() -> None:
    message = {"content": "Loud", **litellm("Quiet", signature=SEAL)}
    blocks = [thinking_block("", signature=SEAL)]
    assert rewrite_json(STRIP_KEEP_OPAQUE, body(message)) == body(
        {
            "content": "Loud",
            "thinking_blocks": blocks,
            "provider_specific_fields": {"thinking_blocks": blocks, "citations": None},
        }
    )


def test_litellm_redacted_thinking_is_opaque() -> None:
    message = {"content": "Loud", "thinking_blocks": [{"type": "redacted_thinking", "data": SEAL}]}
    assert rewrite_json(STRIP, body(message)) == body({"content": "Loud"})
    assert rewrite_json(STRIP_KEEP_OPAQUE, body(message)) == body(message)


def test_litellm_items_of_responses_are_blocks() -> None:
    item = {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Quiet"}]}
    message = {"content": "Loud", "reasoning_items": [{**item, "encrypted_content": SEAL}]}
    assert rewrite_json(STRIP, body(message)) == body({"content": "Loud"})
    kept = {**item, "summary": [], "encrypted_content": SEAL}
    assert rewrite_json(STRIP_KEEP_OPAQUE, body(message)) == body({"content": "Loud", "reasoning_items": [kept]})


def test_litellm_every_copy_is_renamed() -> None:
    blocks = [thinking_block("Quiet")]
    (after,) = stripped(chunk(litellm("Quiet")), plan=TO_REASONING)
    assert after["choices"][0]["delta"] == {
        "reasoning": "Quiet",
        "thinking_blocks": blocks,
        "provider_specific_fields": {"thinking_blocks": blocks, "reasoning": "Quiet", "citations": None},
    }


# --- NVIDIA NIM, Groq --------------------------------------------------------------------------------------------


def test_nim_is_like_the_server_after_it() -> None:
    documents = [
        chunk({"role": "assistant", "content": None, "reasoning_content": ""}, matched_stop=None),
        chunk({"reasoning_content": "Quiet", "content": None}, token_ids=[101]),
        chunk({"content": "Loud", "reasoning_content": None}, token_ids=[104]),
        chunk({"content": " answer"}, token_ids=[105]),
        chunk({}, finish_reason="stop", matched_stop="</s>"),
        usage_chunk(usage=USAGE, nvext={"worker_id": 1}),
    ]
    assert stripped(*documents) == [
        chunk({"role": "assistant", "content": None}, matched_stop=None),
        chunk({"content": "Loud"}),
        *documents[3:],
    ]


def test_groq_the_channel_beside_reasoning_says_nothing() -> None:
    documents = [
        {**chunk({"role": "assistant", "content": ""}), "x_groq": {"id": "req_1"}},
        chunk({"reasoning": "Quiet", "channel": "analysis"}),
        chunk({"content": "Loud"}),
        {**chunk({}, finish_reason="stop"), "x_groq": {"id": "req_1", "usage": USAGE}},
    ]
    assert stripped(*documents) == [documents[0], *documents[2:]]
    assert stripped(*documents, plan=TO_REASONING_CONTENT)[1] == chunk(
        {"reasoning_content": "Quiet", "channel": "analysis"}
    )


def test_groq_a_failed_call_quotes_the_model() -> None:
    failed = {"message": "Failed to call a function.", "code": "tool_use_failed"}
    error = {"error": {**failed, "failed_generation": "<think>Quiet</think><function=add>"}}
    assert stripped(chunk({"reasoning": "Quiet"}), error) == [{"error": failed}]


def test_groq_tools_that_ran_stay() -> None:
    tools = [{"index": 0, "type": "search", "arguments": "{}", "output": "page"}]
    message = {"content": "Loud", "executed_tools": tools}
    assert rewrite_json(STRIP, body({**message, "reasoning": "Quiet"})) == body(message)


# --- Perplexity --------------------------------------------------------------------------------------------------


def perplexity(delta: dict[str, Any], message: dict[str, Any], **choice: Any) -> dict[str, Any]:
    """A chunk whose choice shows the whole message so far beside what is new."""
    document = chunk({"role": "assistant", **delta}, **choice)
    document["choices"][0]["message"] = {"role": "assistant", **message}
    return {**document, "citations": ["u"], "usage": USAGE}


GROWING = [
    perplexity({"content": "", "reasoning_content": "Quiet "}, {"content": "", "reasoning_content": "Quiet "}),
    perplexity({"content": "", "reasoning_content": "thought"}, {"content": "", "reasoning_content": "Quiet thought"}),
    perplexity({"content": "Loud"}, {"content": "Loud", "reasoning_content": "Quiet thought"}),
    perplexity({"content": ""}, {"content": "Loud", "reasoning_content": "Quiet thought"}, finish_reason="stop"),
]


def test_perplexity_the_whole_message_loses_the_reasoning_in_each_chunk() -> None:
    assert stripped(*GROWING) == [
        perplexity({"content": ""}, {"content": ""}),
        perplexity({"content": ""}, {"content": ""}),
        perplexity({"content": "Loud"}, {"content": "Loud"}),
        perplexity({"content": ""}, {"content": "Loud"}, finish_reason="stop"),
    ]


@pytest.mark.parametrize(
    ("plan", "names"), [(TO_REASONING, ["reasoning"]), (TO_BOTH, ["reasoning", "reasoning_content"])]
)
def test_perplexity_the_whole_message_is_renamed_as_the_deltas_are(plan: ResponsePlan, names: list[str]) -> None:
    after = stripped(*GROWING, plan=plan)
    assert len(after) == len(GROWING)
    for name in ("reasoning", "reasoning_content"):
        grown = "".join(document["choices"][0]["delta"].get(name, "") for document in after)
        messages = [document["choices"][0]["message"].get(name) for document in after]
        if name in names:
            assert grown == "Quiet thought"
            assert messages == ["Quiet ", *["Quiet thought"] * 3]
        else:
            assert grown == ""
            assert messages == [None] * 4


def test_perplexity_the_whole_message_is_judged_by_what_the_deltas_hid() -> None:
    late = perplexity({"content": "Loud"}, {"content": "Loud"}, logprobs=logprobs("</think>", "Loud"))
    after = stripped(GROWING[0], late)
    assert "logprobs" not in after[1]["choices"][0]
    spoken = perplexity({"content": "Loud"}, {"content": "Loud"}, logprobs=logprobs("Loud"))
    assert stripped(spoken) == [spoken]


def test_perplexity_steps_are_reasoning() -> None:
    steps = [{"thought": "Quiet", "type": "web_search", "web_search": {"search_keywords": ["quiet"]}}]
    documents = [
        {**chunk({"role": "assistant", "content": "", "reasoning_steps": steps}), "object": "chat.reasoning"},
        {**perplexity({}, {"content": "", "reasoning_steps": steps}), "object": "chat.reasoning.done"},
        chunk({"content": "Loud"}),
    ]
    after = stripped(*documents)
    assert "uiet" not in json.dumps(after)
    assert after[-1] == documents[-1]
    named = stripped(*documents, plan=TO_REASONING)
    assert named[0]["choices"][0]["delta"] == {
        "role": "assistant",
        "content": "",
        "reasoning_steps": steps,
        "reasoning": "Quiet",
    }
    assert named[1]["choices"][0]["message"]["reasoning"] == "Quiet"


# --- Together ----------------------------------------------------------------------------------------------------


def together(text: str, token_id: int, name: str = "content", **choice: Any) -> dict[str, Any]:
    said = {"content": ""} if name != "content" else {}
    members: dict[str, Any] = {"text": text, "logprobs": -0.5, "top_logprobs": {text: -0.5}, "seed": None}
    return chunk({"token_id": token_id, "role": "assistant", **said, name: text}, **members, **choice)


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_together_every_copy_of_a_piece_goes_with_it(name: str) -> None:
    documents = [
        together("Quiet", 101, name),
        together(" thought", 102, name),
        together("Loud", 104),
        together(" answer", 105),
        chunk({"token_id": 1, "role": "assistant", "content": ""}, text="", finish_reason="stop"),
    ]
    after = stripped(*documents)
    assert after[0] == chunk({"role": "assistant", "content": ""}, seed=None)
    assert after[1]["choices"][0]["delta"] == {"role": "assistant", "content": "Loud"}
    for document, text in zip(after[1:3], ("Loud", " answer"), strict=True):
        assert document["choices"][0].get("text", text) == text
        assert document["choices"][0]["delta"]["content"] == text
    assert after[-1]["choices"][0]["finish_reason"] == "stop"
    assert "uiet" not in json.dumps(after)
    assert "thought" not in json.dumps(after)


def test_together_without_reasoning_all_copies_stay() -> None:
    documents = [together("Loud", 104), together(" answer", 105)]
    assert stripped(*documents) == documents


def test_together_rename_leaves_the_copy_as_it_is() -> None:
    (after,) = stripped(together("Quiet", 101, "reasoning_content"), plan=TO_REASONING)
    assert after == together("Quiet", 101, "reasoning")


def test_together_a_body() -> None:
    listed = {"token_ids": [101, 104], "tokens": ["Quiet", "Loud"], "token_logprobs": [-0.5, -0.5]}
    thought = {**body({"content": "Loud", "reasoning": "Quiet", "tool_calls": []}, logprobs=listed), "prompt": []}
    assert rewrite_json(STRIP, thought) == {**body({"content": "Loud", "tool_calls": []}), "prompt": []}


INLINE = [answer for answer in recorded_answers() if answer.path.parent.name in ("together", "perplexity")]


@needs_corpus
@pytest.mark.parametrize("answer", INLINE, ids=lambda answer: answer.name)
@pytest.mark.parametrize("plan", PLANS)
def test_recorded_answers_that_name_no_reasoning_keep_their_text(answer: Recorded, plan: ResponsePlan) -> None:
    before = answer.documents()
    raw = (
        rewrite_stream(answer.raw, plan, 7) if answer.is_stream else json.dumps(rewrite_json(plan, before[0])).encode()
    )
    after = answer.documents(raw)
    assert said(after) == said(before)
    assert said(after)[0].startswith("<think>") == (answer.path.parent.name == "together")
    if plan in (TO_REASONING, TO_BOTH, ResponsePlan()):
        assert after == before


def said(documents: list[Any]) -> tuple[str, list[Any]]:
    """The text, and what came last."""
    messages = [choice.get("message") or choice["delta"] for document in documents for choice in document["choices"]]
    return "".join(message["content"] for message in messages), [documents[-1].get("usage")]


# --- Mistral -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/v1/agents/completions", "/v1/chat/completions", "/openai/v1/chat/completions/batch"]
)
def test_agents_answer_with_chat_completions(path: str) -> None:
    assert CHAT_COMPLETIONS.matches_path(path)


def test_nothing_is_read_into_an_answer_without_any_of_it() -> None:
    documents = [chunk({"role": "assistant", "content": "Loud"}), chunk({}, finish_reason="stop")]
    for plan in PLANS:
        assert rewrite_documents(plan, *documents) == documents
